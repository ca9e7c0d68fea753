//! Bodies as flat code for the interpreter: every instruction is one event or a local step.

use crate::description::{
    Body, Condition, Description, Place, Statement, Value, assigned_local, visit,
};
use crate::properties::depends_on_values;
use mazurka_engine::Mode;

/// A shared place once its index, if it has one, is a constant or in a local.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Always this object.
    Fixed(u32),
    /// The element of an array that begins at object `first`, by a local modulo `length`.
    Indexed {
        /// The first element.
        first: u32,
        /// How many elements.
        length: u32,
        /// The local with the index.
        local: usize,
    },
}

/// What an access does with its cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// Reads into a local.
    Read(usize),
    /// Writes a constant.
    WriteConstant(i64),
    /// Writes a local.
    WriteLocal(usize),
    /// Adds; the old value goes into the local, if there is one.
    Add(i64, Option<usize>),
    /// Writes a constant; the old value goes into the local.
    Swap(i64, usize),
    /// Compare and swap; the success goes into the local.
    Cas(i64, i64, usize),
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// An access: an event, or a part of one.
    Access(Cell, Touch),
    /// The code up to `end` is one event. `dependent`: what it accesses depends on values read in it.
    Atomic {
        /// Where it ends.
        end: usize,
        /// See above.
        dependent: bool,
    },
    /// Posts.
    Post(usize, usize),
    /// Forks a task and puts its number into a local.
    Fork(usize, usize),
    /// Joins the task whose number is in a local.
    Join(usize),
    /// Joins a thread.
    JoinThread(usize),
    /// Takes or gives back a lock or a permit.
    Guard(u32, Mode),
    /// Takes a lock or a permit if nobody is in the way; the local tells whether.
    Attempt(u32, Mode, usize),
    /// Begins to wait for a notification of a condition.
    Enqueue(usize),
    /// Comes to a barrier; the local tells whether it was the last one.
    Arrive(usize, usize),
    /// Waits to be woken.
    Sleep,
    /// Wakes the only one who waits for a condition, or claims one of several: the local is their number, else 0.
    Notify(usize, usize),
    /// Wakes the one that the local says, for a claim.
    Wake(usize, usize),
    /// Wakes all who wait for a condition.
    NotifyAll(usize),
    /// Puts one of so many numbers into a local.
    Choose(u32, usize),
    /// Puts a number below that in the local into it. An event only if there is more than one.
    ChooseBelow(usize),
    /// Goes on at the target if the local does not satisfy the condition.
    JumpUnless(usize, Condition, usize),
    /// Goes on at the target.
    Jump(usize),
    /// Puts a constant into a local.
    Set(usize, i64),
    /// Blocks if the local does not satisfy the condition.
    Assume(usize, Condition),
}

/// Flat code and how many locals it needs.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The instructions; running past the last one ends the body.
    pub code: Vec<Code>,
    /// The number of locals, temporaries and handles included.
    pub locals: usize,
}

/// The number of the first object of each array, and of the first mutex, given that variables come first. Semaphores
/// come behind the mutexes.
pub fn object_layout(description: &Description) -> (Vec<u32>, u32) {
    let mut next = description.variables.len() as u32;
    let mut arrays = Vec::new();
    for &length in &description.arrays {
        arrays.push(next);
        next += length as u32;
    }
    (arrays, next)
}

/// The code of a body.
pub fn lower(description: &Description, body: &Body) -> Lowered {
    let (arrays, mutexes) = object_layout(description);
    let mut lowering = Lowering {
        description,
        arrays,
        mutexes,
        handles_from: locals_of(body),
        result: Lowered::default(),
        temporaries: 0,
    };
    // Temporaries are used at once, so two (an index and a value) are enough; handles come behind them.
    lowering.temporaries = lowering.handles_from;
    lowering.handles_from += 2;
    let mut handles = 0;
    visit(body, &mut |statement| {
        if let Statement::Fork { handle, .. } = statement {
            handles = handles.max(handle + 1);
        }
    });
    lowering.result.locals = lowering.handles_from + handles;
    lowering.block(body);
    lowering.result
}

/// One more than the largest local that a body assigns or uses.
fn locals_of(body: &Body) -> usize {
    let mut count = 0;
    let mut mention = |local: usize| count = count.max(local + 1);
    visit(body, &mut |statement| {
        if let Some(Place::Element(_, Value::Local(local))) = crate::description::place(statement) {
            mention(*local);
        }
        if let Some(local) = assigned_local(statement) {
            mention(local);
        }
        match statement {
            Statement::Write { value: Value::Local(local), .. } => mention(*local),
            Statement::If { condition, .. } | Statement::Assume(condition) => {
                if let Value::Local(local) = condition.value {
                    mention(local);
                }
            }
            _ => {}
        }
    });
    count
}

/// How a lock is taken and given back.
fn lock_modes(shared: bool) -> [Mode; 2] {
    match shared {
        true => [Mode::LockShared, Mode::UnlockShared],
        false => [Mode::Lock, Mode::Unlock],
    }
}

struct Lowering<'d> {
    description: &'d Description,
    arrays: Vec<u32>,
    mutexes: u32,
    temporaries: usize,
    handles_from: usize,
    result: Lowered,
}

impl Lowering<'_> {
    fn emit(&mut self, code: Code) {
        self.result.code.push(code);
    }

    fn here(&self) -> usize {
        self.result.code.len()
    }

    fn block(&mut self, body: &Body) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Read { local, place } => self.access(place, Touch::Read(*local)),
            Statement::Write { place, value } => self.write(place, *value),
            Statement::Add { place, constant } => self.access(place, Touch::Add(*constant, None)),
            Statement::FetchAdd { local, place, constant } => {
                self.access(place, Touch::Add(*constant, Some(*local)))
            }
            Statement::Swap { local, place, constant } => {
                self.access(place, Touch::Swap(*constant, *local))
            }
            Statement::Cas { local, place, expected, new } => {
                self.access(place, Touch::Cas(*expected, *new, *local))
            }
            Statement::Atomic(body) => self.atomic(body),
            Statement::Post { message, handler } => self.emit(Code::Post(*message, *handler)),
            Statement::Fork { task, handle } => {
                self.emit(Code::Fork(*task, self.handles_from + handle));
            }
            Statement::Join(handle) => self.emit(Code::Join(self.handles_from + handle)),
            Statement::JoinThread(thread) => self.emit(Code::JoinThread(*thread)),
            Statement::With { mutex, shared, body } => {
                let (object, [take, give]) = (self.mutex(*mutex), lock_modes(*shared));
                self.emit(Code::Guard(object, take));
                self.block(body);
                self.emit(Code::Guard(object, give));
            }
            Statement::TryLock { mutex, shared, then, otherwise } => {
                let (object, [take, give]) = (self.mutex(*mutex), lock_modes(*shared));
                let local = self.temporaries;
                self.emit(Code::Attempt(object, take, local));
                let taken = Condition { value: Value::Local(local), constant: 1, equal: true };
                self.two_ways(local, &taken, otherwise, |lowering| {
                    lowering.block(then);
                    lowering.emit(Code::Guard(object, give));
                });
            }
            Statement::Acquire(semaphore) => {
                self.emit(Code::Guard(self.semaphore(*semaphore), Mode::Wait));
            }
            Statement::Release(semaphore) => {
                self.emit(Code::Guard(self.semaphore(*semaphore), Mode::Signal));
            }
            Statement::TryAcquire { local, semaphore } => {
                self.emit(Code::Attempt(self.semaphore(*semaphore), Mode::Wait, *local));
            }
            Statement::Wait { condition, mutex } => {
                let object = self.mutex(*mutex);
                self.emit(Code::Enqueue(*condition));
                self.emit(Code::Guard(object, Mode::Unlock));
                self.emit(Code::Sleep);
                self.emit(Code::Guard(object, Mode::Lock));
            }
            Statement::Notify(condition) => self.notify(*condition),
            Statement::NotifyAll(condition) => self.emit(Code::NotifyAll(*condition)),
            Statement::Arrive(barrier) => {
                let local = self.temporaries;
                self.emit(Code::Arrive(*barrier, local));
                let is_last = Condition { value: Value::Local(local), constant: 1, equal: true };
                self.two_ways(local, &is_last, &Vec::new(), |_| {});
                let skip = self.here() - 1;
                self.emit(Code::Sleep);
                self.result.code[skip] = Code::Jump(self.here());
            }
            Statement::Choose { local, alternatives } => {
                self.emit(Code::Choose(*alternatives, *local));
            }
            Statement::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
            Statement::Assume(condition) => {
                let local = self.value_in_local(condition.value, 1);
                self.emit(Code::Assume(local, *condition));
            }
        }
    }

    fn notify(&mut self, condition: usize) {
        let local = self.temporaries;
        self.emit(Code::Notify(condition, local));
        let has_claim = Condition { value: Value::Local(local), constant: 0, equal: false };
        self.two_ways(local, &has_claim, &Vec::new(), |lowering| {
            lowering.emit(Code::ChooseBelow(local));
            lowering.emit(Code::Wake(condition, local));
        });
    }

    fn write(&mut self, place: &Place, value: Value) {
        let cell = self.cell(place);
        let touch = match value {
            Value::Constant(constant) => Touch::WriteConstant(constant),
            other => Touch::WriteLocal(self.value_in_local(other, 1)),
        };
        self.emit(Code::Access(cell, touch));
    }

    fn access(&mut self, place: &Place, touch: Touch) {
        let cell = self.cell(place);
        self.emit(Code::Access(cell, touch));
    }

    fn atomic(&mut self, body: &Body) {
        let at = self.here();
        let mut dependent = false;
        visit(body, &mut |statement| {
            dependent |= depends_on_values(statement);
        });
        self.emit(Code::Atomic { end: 0, dependent });
        self.block(body);
        let end = self.here();
        self.result.code[at] = Code::Atomic { end, dependent };
    }

    fn branch(&mut self, condition: &Condition, then: &Body, otherwise: &Body) {
        let local = self.value_in_local(condition.value, 1);
        self.two_ways(local, condition, otherwise, |lowering| lowering.block(then));
    }

    /// Goes one way if the local satisfies the condition.
    fn two_ways(
        &mut self,
        local: usize,
        condition: &Condition,
        otherwise: &Body,
        then: impl FnOnce(&mut Self),
    ) {
        let fork = self.here();
        self.emit(Code::Jump(0));
        then(self);
        let skip = self.here();
        self.emit(Code::Jump(0));
        self.result.code[fork] = Code::JumpUnless(local, *condition, self.here());
        self.block(otherwise);
        self.result.code[skip] = Code::Jump(self.here());
    }

    fn mutex(&self, number: usize) -> u32 {
        self.mutexes + number as u32
    }

    fn semaphore(&self, number: usize) -> u32 {
        self.mutex(self.description.mutexes + number)
    }

    fn cell(&mut self, place: &Place) -> Cell {
        match *place {
            Place::Variable(variable) => Cell::Fixed(variable as u32),
            Place::Element(array, index) => {
                let first = self.arrays[array];
                let length = self.description.arrays[array] as u32;
                match index {
                    Value::Constant(index) => Cell::Fixed(first + index as u32 % length),
                    other => Cell::Indexed { first, length, local: self.value_in_local(other, 0) },
                }
            }
        }
    }

    /// Sees to it that a value is in a local, reading it into a temporary where needed.
    fn value_in_local(&mut self, value: Value, temporary: usize) -> usize {
        let local = self.temporaries + temporary;
        match value {
            Value::Local(local) => return local,
            Value::Read(variable) => {
                self.emit(Code::Access(Cell::Fixed(variable as u32), Touch::Read(local)));
            }
            Value::Constant(constant) => {
                // Shrinking replaces values by constants; the comparison then stands on its own.
                self.emit(Code::Set(local, constant));
            }
        }
        local
    }
}
