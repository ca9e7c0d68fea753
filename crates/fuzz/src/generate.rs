//! Random descriptions.
//!
//! Bodies are drawn statement by statement; then statements are dropped at random until the estimated number
//! of interleavings is within the shape's bound, so that the oracle answers in milliseconds.

use crate::declarations::without_unused;
use crate::description::{Body, Condition, Description, Place, Statement, Value};
use crate::estimate::interleavings;
use crate::interpret::Interpreted;
use crate::properties::is_well_formed;
use crate::shape::{Branching, Shape};
use crate::trim::drop_random_statement;
use mazurka_engine::rng::Rng;

/// Values are drawn below this, so that branches go both ways often.
const VALUES: u64 = 3;

/// The smallest bound on interleavings that a program is trimmed to.
const SMALLEST: f64 = 30.0;

/// The program of a seed. The same seed and shape give the same program on every machine.
pub fn generate(seed: u64, shape: &Shape) -> Description {
    // Consecutive seeds must not give overlapping sequences of the generator.
    let mut rng = Rng::new(seed.wrapping_mul(0xd134_2543_de82_ef95));
    let mut generator = Generator::new(&mut rng, shape);
    let mut description = without_unused(&generator.description());
    // Bounds of all magnitudes: small programs are quick, large ones find more.
    let share = rng.below(1000) as f64 / 1000.0;
    let bound = SMALLEST * (shape.max_interleavings / SMALLEST).max(1.0).powf(share);
    while interleavings(&Interpreted::new(&description), &mut rng) > bound {
        drop_random_statement(&mut description, &mut rng);
        description = without_unused(&description);
    }
    debug_assert!(is_well_formed(&description));
    description
}

/// What a body is allowed to contain.
struct Context {
    branching: bool,
    /// The messages numbered from here on may be posted.
    posts_from: usize,
    /// The tasks numbered from here on may be forked.
    forks_from: usize,
    /// This thread, which must not join itself.
    thread: Option<usize>,
    /// Locals that have been assigned, as far as can be seen.
    assigned: usize,
    held: Vec<usize>,
    /// Those of them that are not held for reading only.
    exclusive: Vec<usize>,
    forked: usize,
    /// Handles that can be joined here.
    handles: Vec<usize>,
    inside_atomic: bool,
    depth: usize,
}

struct Generator<'g> {
    rng: &'g mut Rng,
    shape: &'g Shape,
    /// Filled in as it is drawn; bodies refer to its sizes.
    description: Description,
    messages: usize,
    tasks: usize,
}

impl<'g> Generator<'g> {
    fn new(rng: &'g mut Rng, shape: &'g Shape) -> Self {
        Generator { rng, shape, description: Description::default(), messages: 0, tasks: 0 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    fn value(&mut self) -> i64 {
        self.rng.below(VALUES) as i64
    }

    fn description(&mut self) -> Description {
        let shape = self.shape;
        // Few variables, so that accesses meet.
        let variables = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3][self.below(10)];
        self.description.variables = vec![0; variables];
        if shape.arrays && self.chance(40) {
            self.description.arrays = vec![2 + self.below(2)];
        }
        if shape.mutexes > 0 {
            self.description.mutexes = 1 + self.below(shape.mutexes);
        }
        if shape.semaphores > 0 {
            let semaphores = 1 + self.below(shape.semaphores);
            self.description.semaphores =
                (0..semaphores).map(|_| self.rng.below(VALUES) as u32).collect();
        }
        if shape.conditions > 0 {
            self.description.conditions = 1 + self.below(shape.conditions);
        }
        if shape.barriers > 0 {
            let barriers = 1 + self.below(shape.barriers);
            self.description.barriers = (0..barriers).map(|_| 1 + self.below(3) as u32).collect();
        }
        if shape.handlers > 0 {
            let handlers = if self.chance(45) { 1 } else { 1 + self.below(shape.handlers) };
            for _ in 0..handlers {
                let policy = shape.mailboxes[self.below(shape.mailboxes.len())];
                self.description.handlers.push(policy);
            }
            self.messages = 1 + self.below(4);
        }
        if shape.forks && self.chance(50) {
            self.tasks = 1 + self.below(2);
        }
        let fewest = if shape.handlers > 0 { 1 } else { 2 };
        let threads = fewest + self.below(shape.threads + 1 - fewest);
        self.bodies(threads);
        std::mem::take(&mut self.description)
    }

    fn bodies(&mut self, threads: usize) {
        // Messages fork or tasks post, never both: nothing may lead back to itself.
        let messages_fork = self.chance(20);
        let messages_branch = self.shape.branching == Branching::Everywhere;
        for message in 0..self.messages {
            let forks_from = if messages_fork { 0 } else { self.tasks };
            let length = 1 + self.below(3);
            let context = self.context(messages_branch, message + 1, forks_from, None);
            let body = self.body(length, context);
            self.description.messages.push(body);
        }
        for task in 0..self.tasks {
            let posts_from = if messages_fork { self.messages } else { 0 };
            let length = 1 + self.below(2);
            let context = self.context(true, posts_from, task + 1, None);
            let body = self.body(length, context);
            self.description.tasks.push(body);
        }
        self.description.threads = vec![Body::new(); threads];
        for thread in 0..threads {
            let length = 1 + self.below(4);
            let context = self.context(true, 0, 0, Some(thread));
            let body = self.body(length, context);
            self.description.threads[thread] = body;
        }
    }

    fn context(
        &self,
        branching: bool,
        posts_from: usize,
        forks_from: usize,
        thread: Option<usize>,
    ) -> Context {
        Context {
            branching,
            posts_from,
            forks_from,
            thread,
            assigned: 0,
            held: Vec::new(),
            exclusive: Vec::new(),
            forked: 0,
            handles: Vec::new(),
            inside_atomic: false,
            depth: 0,
        }
    }

    fn body(&mut self, length: usize, mut context: Context) -> Body {
        self.block(length, &mut context)
    }

    fn block(&mut self, length: usize, context: &mut Context) -> Body {
        let handles = context.handles.len();
        let body = (0..length).map(|_| self.statement(context)).collect();
        context.handles.truncate(handles);
        body
    }

    fn statement(&mut self, context: &mut Context) -> Statement {
        if !context.inside_atomic
            && let Some(statement) = self.synchronisation(context)
        {
            return statement;
        }
        if context.depth < 2 && context.branching && self.chance(18) {
            return self.branch(context);
        }
        self.access(context)
    }

    /// Anything but accesses and branches, sometimes.
    fn synchronisation(&mut self, context: &mut Context) -> Option<Statement> {
        let threads = self.description.threads.len();
        // Threads of event-driven programs mostly post.
        let post_chance = if context.thread.is_some() { 55 } else { 25 };
        if context.posts_from < self.messages && self.chance(post_chance) {
            let message = context.posts_from + self.below(self.messages - context.posts_from);
            let handler = self.below(self.description.handlers.len());
            return Some(Statement::Post { message, handler });
        }
        if context.forks_from < self.tasks && self.chance(25) {
            let handle = context.forked;
            context.forked += 1;
            context.handles.push(handle);
            let task = context.forks_from + self.below(self.tasks - context.forks_from);
            return Some(Statement::Fork { task, handle });
        }
        if !context.handles.is_empty() && self.chance(40) {
            let handle = context.handles[self.below(context.handles.len())];
            return Some(Statement::Join(handle));
        }
        if self.shape.forks && threads > 1 && self.chance(6) {
            let thread = self.below(threads);
            if context.thread != Some(thread) {
                return Some(Statement::JoinThread(thread));
            }
        }
        if self.description.mutexes > 0 && self.chance(40) {
            let mutex = self.below(self.description.mutexes);
            if !context.held.contains(&mutex) {
                return Some(self.critical_section(mutex, context));
            }
        }
        if !self.description.semaphores.is_empty() && self.chance(40) {
            return Some(self.permit(context));
        }
        if self.description.conditions > 0 && self.chance(40) {
            return Some(self.notification(context));
        }
        if !self.description.barriers.is_empty() && self.chance(30) {
            return Some(Statement::Arrive(self.below(self.description.barriers.len())));
        }
        if self.shape.choose && self.chance(20) {
            let alternatives = 2 + self.below(2) as u32;
            return Some(Statement::Choose { local: fresh_local(context), alternatives });
        }
        if self.shape.assume && context.branching && self.chance(15) {
            return Some(Statement::Assume(self.condition(context)));
        }
        if self.shape.atomic && self.chance(10) {
            return Some(self.atomic(context));
        }
        None
    }

    fn critical_section(&mut self, mutex: usize, context: &mut Context) -> Statement {
        let shared = self.shape.readers && self.chance(50);
        let attempts = self.shape.attempts && context.branching && self.chance(40);
        context.held.push(mutex);
        context.exclusive.extend((!shared).then_some(mutex));
        let length = self.below(3);
        let body = self.block(length, context);
        context.held.pop();
        if !shared {
            context.exclusive.pop();
        }
        if attempts {
            let length = self.below(2);
            let otherwise = self.block(length, context);
            return Statement::TryLock { mutex, shared, then: body, otherwise };
        }
        Statement::With { mutex, shared, body }
    }

    /// Permits are given more often than they are waited for, so that not everything ends in a deadlock.
    fn permit(&mut self, context: &mut Context) -> Statement {
        let semaphore = self.below(self.description.semaphores.len());
        match self.below(10) {
            0..=4 => Statement::Release(semaphore),
            5 | 6 if self.shape.attempts && context.branching => {
                Statement::TryAcquire { local: fresh_local(context), semaphore }
            }
            _ => Statement::Acquire(semaphore),
        }
    }

    /// Waits where a mutex is held, mostly.
    fn notification(&mut self, context: &Context) -> Statement {
        let condition = self.below(self.description.conditions);
        match context.exclusive.last() {
            Some(&mutex) if self.chance(65) => Statement::Wait { condition, mutex },
            _ if self.chance(30) => Statement::NotifyAll(condition),
            _ => Statement::Notify(condition),
        }
    }

    fn atomic(&mut self, context: &mut Context) -> Statement {
        context.inside_atomic = true;
        let mut body = vec![self.access(context)];
        let length = 1 + self.below(2);
        body.extend(self.block(length, context));
        context.inside_atomic = false;
        Statement::Atomic(body)
    }

    fn branch(&mut self, context: &mut Context) -> Statement {
        let condition = self.condition(context);
        context.depth += 1;
        let length = 1 + self.below(2);
        let then = self.block(length, context);
        let length = if self.chance(35) { 1 } else { 0 };
        let otherwise = self.block(length, context);
        context.depth -= 1;
        Statement::If { condition, then, otherwise }
    }

    fn condition(&mut self, context: &Context) -> Condition {
        let value = match context.assigned {
            0 => Value::Read(self.variable()),
            assigned if self.chance(60) => Value::Local(self.below(assigned)),
            _ => Value::Read(self.variable()),
        };
        Condition { value, constant: self.value(), equal: self.chance(70) }
    }

    fn variable(&mut self) -> usize {
        self.below(self.description.variables.len())
    }

    fn place(&mut self, context: &Context) -> Place {
        let arrays = self.description.arrays.len();
        if arrays == 0 || self.chance(65) {
            return Place::Variable(self.variable());
        }
        let array = self.below(arrays);
        let index = match self.below(4) {
            0 if context.branching => Value::Read(self.variable()),
            1 if context.branching && context.assigned > 0 => {
                Value::Local(self.below(context.assigned))
            }
            _ => Value::Constant(self.below(self.description.arrays[array]) as i64),
        };
        Place::Element(array, index)
    }

    fn access(&mut self, context: &mut Context) -> Statement {
        let place = self.place(context);
        let constant = self.value();
        match self.below(20) {
            0..=6 => Statement::Read { local: fresh_local(context), place },
            7 | 8 if context.assigned > 0 => {
                Statement::Write { place, value: Value::Local(self.below(context.assigned)) }
            }
            9 => Statement::Write { place, value: Value::Read(self.variable()) },
            10 | 11 => Statement::Add { place, constant: 1 },
            12 => Statement::FetchAdd { local: fresh_local(context), place, constant: 1 },
            13 => Statement::Swap { local: fresh_local(context), place, constant },
            14 | 15 if context.branching => Statement::Cas {
                local: fresh_local(context),
                place,
                expected: self.value(),
                new: constant,
            },
            _ => Statement::Write { place, value: Value::Constant(constant) },
        }
    }
}

fn fresh_local(context: &mut Context) -> usize {
    context.assigned += 1;
    context.assigned - 1
}
