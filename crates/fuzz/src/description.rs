//! A small event-driven program, described without any front-end in mind.
//!
//! The same description can be written as `.ed` text ([`crate::render_ed`]) or interpreted directly
//! ([`crate::interpret`]). Everything terminates: what a body posts or forks must not lead back to it.

use mazurka_engine::Mailbox;

/// A value that a statement uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// A constant, never negative.
    Constant(i64),
    /// What a local variable of the running body holds; 0 before it is assigned.
    Local(usize),
    /// The value of a shared variable, read on the spot: one event of its own.
    Read(usize),
}

/// A shared place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A variable.
    Variable(usize),
    /// An element of an array; the index is taken modulo the array's length.
    Element(usize, Value),
}

/// What an `if` or an `assume` asks of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// What is compared.
    pub value: Value,
    /// With which constant.
    pub constant: i64,
    /// Does the condition hold when both are equal, or when they differ?
    pub equal: bool,
}

impl Condition {
    /// Does it hold for this value?
    pub fn holds(&self, value: i64) -> bool {
        (value == self.constant) == self.equal
    }
}

/// A sequence of statements.
pub type Body = Vec<Statement>;

/// A statement. Locals and fork handles are numbered for each body on its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// `local = place`
    Read {
        /// Where the value goes.
        local: usize,
        /// What is read.
        place: Place,
    },
    /// `place = value`; the index is read before the value.
    Write {
        /// What is written.
        place: Place,
        /// What it becomes.
        value: Value,
    },
    /// `place += constant`, indivisibly.
    Add {
        /// What is changed.
        place: Place,
        /// By how much.
        constant: i64,
    },
    /// `local = fetch_add(place, constant)`
    FetchAdd {
        /// Where the old value goes.
        local: usize,
        /// What is changed.
        place: Place,
        /// By how much.
        constant: i64,
    },
    /// `local = swap(place, constant)`
    Swap {
        /// Where the old value goes.
        local: usize,
        /// What is changed.
        place: Place,
        /// What it becomes.
        constant: i64,
    },
    /// `local = cas(place, expected, new)`
    Cas {
        /// 1 if it wrote, else 0.
        local: usize,
        /// What is compared and changed.
        place: Place,
        /// The value it must have.
        expected: i64,
        /// The value it becomes.
        new: i64,
    },
    /// One event with all the accesses of the block; holds accesses and `if`s only.
    Atomic(Body),
    /// Posts a message to a handler.
    Post {
        /// Which message.
        message: usize,
        /// To which handler.
        handler: usize,
    },
    /// Starts a task and keeps its handle.
    Fork {
        /// Which task.
        task: usize,
        /// The number of the handle; each is forked at one place of the body only.
        handle: usize,
    },
    /// Waits for a task that this body has forked before, in this block or around it.
    Join(usize),
    /// Waits for one of the threads that exist from the start.
    JoinThread(usize),
    /// Lock, block, unlock.
    With {
        /// Which mutex; not one that the body holds already.
        mutex: usize,
        /// Is it taken for reading only?
        shared: bool,
        /// What happens while it is held.
        body: Body,
    },
    /// Takes a mutex if it is free, and gives it back behind the block; otherwise does something else.
    TryLock {
        /// Which mutex; not one that the body holds already.
        mutex: usize,
        /// Is it taken for reading only?
        shared: bool,
        /// What happens while it is held.
        then: Body,
        /// What happens if it was not free.
        otherwise: Body,
    },
    /// Takes a permit, waiting for one.
    Acquire(usize),
    /// Gives a permit.
    Release(usize),
    /// `local = try_acquire(semaphore)`
    TryAcquire {
        /// 1 if there was a permit, else 0.
        local: usize,
        /// Whose permit.
        semaphore: usize,
    },
    /// Gives a mutex back, waits for a notification, and takes the mutex again.
    Wait {
        /// What is waited for.
        condition: usize,
        /// A mutex that the body holds, not for reading only.
        mutex: usize,
    },
    /// Wakes one who waits for a condition, any of them.
    Notify(usize),
    /// Wakes all who wait for a condition.
    NotifyAll(usize),
    /// Waits at a barrier.
    Arrive(usize),
    /// `local = choose(alternatives)`
    Choose {
        /// Where the number goes.
        local: usize,
        /// How many there are to choose from; at least two.
        alternatives: u32,
    },
    /// A branch.
    If {
        /// On what.
        condition: Condition,
        /// Where it holds.
        then: Body,
        /// Where it does not.
        otherwise: Body,
    },
    /// Goes on only if it holds.
    Assume(Condition),
}

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Description {
    /// The initial values of the shared variables.
    pub variables: Vec<i64>,
    /// The lengths of the shared arrays, all zero at first.
    pub arrays: Vec<usize>,
    /// How many mutexes there are. One that is taken for reading anywhere is a read-write lock.
    pub mutexes: usize,
    /// The permits that each semaphore has at first.
    pub semaphores: Vec<u32>,
    /// How many conditions there are.
    pub conditions: usize,
    /// How many each barrier waits for; at least one.
    pub barriers: Vec<u32>,
    /// The mailbox policy of each handler.
    pub handlers: Vec<Mailbox>,
    /// The messages.
    pub messages: Vec<Body>,
    /// The bodies of forked threads.
    pub tasks: Vec<Body>,
    /// The threads that exist from the start.
    pub threads: Vec<Body>,
}

impl Description {
    /// All bodies: threads, then tasks, then messages.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.threads.iter().chain(&self.tasks).chain(&self.messages)
    }

    /// All bodies, to change them; in the order of [`Description::bodies`].
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        let first = self.threads.iter_mut().chain(&mut self.tasks);
        first.chain(&mut self.messages)
    }

    /// Is a mutex taken for reading anywhere?
    pub fn is_read_write_lock(&self, number: usize) -> bool {
        let mut found = false;
        for body in self.bodies() {
            visit(body, &mut |statement| {
                if let Statement::With { mutex, shared, .. }
                | Statement::TryLock { mutex, shared, .. } = statement
                {
                    found |= *shared && *mutex == number;
                }
            });
        }
        found
    }

    /// How many statements there are, nested ones included.
    pub fn statement_count(&self) -> usize {
        let mut count = 0;
        for body in self.bodies() {
            visit(body, &mut |_| count += 1);
        }
        count
    }
}

/// The blocks inside a statement.
pub fn blocks(statement: &Statement) -> Vec<&Body> {
    match statement {
        Statement::Atomic(body) | Statement::With { body, .. } => vec![body],
        Statement::If { then, otherwise, .. } | Statement::TryLock { then, otherwise, .. } => {
            vec![then, otherwise]
        }
        _ => Vec::new(),
    }
}

/// The blocks inside a statement, to change them.
pub fn blocks_mut(statement: &mut Statement) -> Vec<&mut Body> {
    match statement {
        Statement::Atomic(body) | Statement::With { body, .. } => vec![body],
        Statement::If { then, otherwise, .. } | Statement::TryLock { then, otherwise, .. } => {
            vec![then, otherwise]
        }
        _ => Vec::new(),
    }
}

/// The place that a statement accesses, if it is a plain access.
pub fn place(statement: &Statement) -> Option<&Place> {
    match statement {
        Statement::Read { place, .. }
        | Statement::Write { place, .. }
        | Statement::Add { place, .. }
        | Statement::FetchAdd { place, .. }
        | Statement::Swap { place, .. }
        | Statement::Cas { place, .. } => Some(place),
        _ => None,
    }
}

/// The place that a statement accesses, to change it.
pub fn place_mut(statement: &mut Statement) -> Option<&mut Place> {
    match statement {
        Statement::Read { place, .. }
        | Statement::Write { place, .. }
        | Statement::Add { place, .. }
        | Statement::FetchAdd { place, .. }
        | Statement::Swap { place, .. }
        | Statement::Cas { place, .. } => Some(place),
        _ => None,
    }
}

/// The local that a statement assigns.
pub fn assigned_local(statement: &Statement) -> Option<usize> {
    match statement {
        Statement::Read { local, .. }
        | Statement::FetchAdd { local, .. }
        | Statement::Swap { local, .. }
        | Statement::Cas { local, .. }
        | Statement::TryAcquire { local, .. }
        | Statement::Choose { local, .. } => Some(*local),
        _ => None,
    }
}

/// The value that a statement uses beside an index.
pub fn value_mut(statement: &mut Statement) -> Option<&mut Value> {
    match statement {
        Statement::Write { value, .. } => Some(value),
        Statement::If { condition, .. } | Statement::Assume(condition) => {
            Some(&mut condition.value)
        }
        _ => None,
    }
}

/// Visits every statement, outer ones before inner ones.
pub fn visit<'a>(body: &'a [Statement], visitor: &mut impl FnMut(&'a Statement)) {
    for statement in body {
        visitor(statement);
        for block in blocks(statement) {
            visit(block, visitor);
        }
    }
}

/// Visits every statement to change it, outer ones before inner ones.
pub fn visit_mut(body: &mut [Statement], visitor: &mut impl FnMut(&mut Statement)) {
    for statement in body {
        visitor(statement);
        for block in blocks_mut(statement) {
            visit_mut(block, visitor);
        }
    }
}
