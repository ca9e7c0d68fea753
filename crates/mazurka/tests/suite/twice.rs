//! One description, two front-ends: random programs have the same classes when their description is interpreted
//! and when it is run as Rust code.

use mazurka::handler::Handler;
use mazurka::sync::atomic::{AtomicI64, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use mazurka::thread::{self, JoinHandle};
use mazurka::{Algorithm, Builder, ClassCounts};
use mazurka_engine::Mailbox;
use mazurka_fuzz::description::{Body, Condition, Place, Statement, Value, visit};
use mazurka_fuzz::{Description, Interpreted, SHAPES, ask_oracle, generate};
use std::collections::HashMap;

/// Programs with more interleavings than this are left out: the oracle must see them all.
const INTERLEAVINGS: u64 = 2_000;
/// So many programs are compared.
const PROGRAMS: usize = 1_000;

/// The shared state of a program.
struct World {
    description: Arc<Description>,
    variables: Vec<AtomicI64>,
    arrays: Vec<Vec<AtomicI64>>,
    locks: Vec<Lock>,
    handlers: Vec<Handler>,
}

/// A mutex of the description: a read-write lock if it is taken for reading anywhere.
enum Lock {
    Mutex(Mutex<()>),
    ReadWrite(RwLock<()>),
}

/// Holds a lock until it is dropped.
#[expect(dead_code, reason = "guards are kept, not looked at")]
enum Guard<'l> {
    Mutex(MutexGuard<'l, ()>),
    Read(RwLockReadGuard<'l, ()>),
    Write(RwLockWriteGuard<'l, ()>),
}

impl Lock {
    fn take(&self, shared: bool) -> Guard<'_> {
        match self {
            Lock::Mutex(mutex) => Guard::Mutex(mutex.lock().unwrap()),
            Lock::ReadWrite(lock) if shared => Guard::Read(lock.read().unwrap()),
            Lock::ReadWrite(lock) => Guard::Write(lock.write().unwrap()),
        }
    }

    fn try_take(&self, shared: bool) -> Option<Guard<'_>> {
        match self {
            Lock::Mutex(mutex) => mutex.try_lock().ok().map(Guard::Mutex),
            Lock::ReadWrite(lock) if shared => lock.try_read().ok().map(Guard::Read),
            Lock::ReadWrite(lock) => lock.try_write().ok().map(Guard::Write),
        }
    }
}

/// A running body.
struct Frame {
    world: Arc<World>,
    locals: HashMap<usize, i64>,
    handles: HashMap<usize, JoinHandle<()>>,
}

fn run(description: &Arc<Description>) {
    let handler = |(number, mailbox): (usize, &Mailbox)| match mailbox {
        Mailbox::Fifo => Handler::spawn(format!("h{number}")),
        Mailbox::Multiset => Handler::spawn_unordered(format!("h{number}")),
    };
    let world = Arc::new(World {
        description: Arc::clone(description),
        variables: description.variables.iter().map(|value| AtomicI64::new(*value)).collect(),
        arrays: description
            .arrays
            .iter()
            .map(|length| (0..*length).map(|_| AtomicI64::new(0)).collect())
            .collect(),
        locks: (0..description.mutexes)
            .map(|number| match description.is_read_write_lock(number) {
                true => Lock::ReadWrite(RwLock::new(())),
                false => Lock::Mutex(Mutex::new(())),
            })
            .collect(),
        handlers: description.handlers.iter().enumerate().map(handler).collect(),
    });
    for number in 0..description.threads.len() {
        let world = Arc::clone(&world);
        thread::spawn(move || Frame::run(&world, |description| &description.threads[number]));
    }
}

impl Frame {
    fn run(world: &Arc<World>, body: impl Fn(&Description) -> &Body) {
        let description = Arc::clone(&world.description);
        let mut frame =
            Frame { world: Arc::clone(world), locals: HashMap::new(), handles: HashMap::new() };
        frame.block(body(&description));
    }

    fn block(&mut self, body: &Body) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn value(&self, value: Value) -> i64 {
        match value {
            Value::Constant(constant) => constant,
            Value::Local(local) => self.locals.get(&local).copied().unwrap_or(0),
            Value::Read(variable) => self.world.variables[variable].load(SeqCst),
        }
    }

    /// Runs `access` on a place; its index is read first.
    fn at<R>(&self, place: Place, access: impl FnOnce(&AtomicI64) -> R) -> R {
        match place {
            Place::Variable(variable) => access(&self.world.variables[variable]),
            Place::Element(array, index) => {
                let index = self.value(index);
                let array = &self.world.arrays[array];
                access(&array[index.rem_euclid(array.len() as i64) as usize])
            }
        }
    }

    fn write(&self, place: Place, value: Value) {
        match place {
            Place::Variable(variable) => {
                self.world.variables[variable].store(self.value(value), SeqCst)
            }
            Place::Element(array, index) => {
                let (index, value) = (self.value(index), self.value(value));
                let array = &self.world.arrays[array];
                array[index.rem_euclid(array.len() as i64) as usize].store(value, SeqCst);
            }
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        condition.holds(self.value(condition.value))
    }

    fn set(&mut self, local: usize, value: i64) {
        self.locals.insert(local, value);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Read { local, place } => {
                let value = self.at(*place, |atomic| atomic.load(SeqCst));
                self.set(*local, value);
            }
            Statement::Write { place, value } => self.write(*place, *value),
            Statement::Add { place, constant } => {
                self.at(*place, |atomic| atomic.fetch_add(*constant, SeqCst));
            }
            Statement::FetchAdd { local, place, constant } => {
                let value = self.at(*place, |atomic| atomic.fetch_add(*constant, SeqCst));
                self.set(*local, value);
            }
            Statement::Swap { local, place, constant } => {
                let value = self.at(*place, |atomic| atomic.swap(*constant, SeqCst));
                self.set(*local, value);
            }
            Statement::Cas { local, place, expected, new } => {
                let done = self.at(*place, |atomic| {
                    atomic.compare_exchange(*expected, *new, SeqCst, SeqCst).is_ok()
                });
                self.set(*local, i64::from(done));
            }
            Statement::Post { message, handler } => {
                let (world, message) = (Arc::clone(&self.world), *message);
                self.world.handlers[*handler]
                    .post(move || Frame::run(&world, |description| &description.messages[message]));
            }
            Statement::Fork { task, handle } => {
                let (world, task) = (Arc::clone(&self.world), *task);
                let thread = thread::spawn(move || {
                    Frame::run(&world, |description| &description.tasks[task])
                });
                self.handles.insert(*handle, thread);
            }
            Statement::Join(handle) => {
                if let Some(thread) = self.handles.remove(handle) {
                    thread.join().unwrap();
                }
            }
            Statement::With { mutex, shared, body } => {
                let world = Arc::clone(&self.world);
                let _guard = world.locks[*mutex].take(*shared);
                self.block(body);
            }
            Statement::TryLock { mutex, shared, then, otherwise } => {
                let world = Arc::clone(&self.world);
                let guard = world.locks[*mutex].try_take(*shared);
                self.block(if guard.is_some() { then } else { otherwise });
            }
            Statement::Choose { local, alternatives } => {
                self.set(*local, mazurka::choose(0..i64::from(*alternatives)));
            }
            Statement::If { condition, then, otherwise } => {
                let body = if self.holds(condition) { then } else { otherwise };
                self.block(body);
            }
            Statement::Assume(condition) => mazurka::assume(self.holds(condition)),
            Statement::Atomic(_)
            | Statement::JoinThread(_)
            | Statement::Acquire(_)
            | Statement::Release(_)
            | Statement::Wait { .. }
            | Statement::Notify(_)
            | Statement::NotifyAll(_)
            | Statement::Arrive(_)
            | Statement::TryAcquire { .. } => {
                unreachable!("std has nothing of the kind, or takes other steps for it")
            }
        }
    }
}

/// Can it be written with what std has?
fn is_rust(description: &Description) -> bool {
    let mut rust = true;
    for body in description.bodies() {
        visit(body, &mut |statement| {
            rust &= !matches!(
                statement,
                Statement::Atomic(_)
                    | Statement::JoinThread(_)
                    | Statement::Wait { .. }
                    | Statement::Notify(_)
                    | Statement::NotifyAll(_)
                    | Statement::Arrive(_)
                    | Statement::Acquire(_)
                    | Statement::Release(_)
                    | Statement::TryAcquire { .. }
            );
        });
    }
    rust
}

fn classes_as_rust(description: &Description, algorithm: Algorithm) -> ClassCounts {
    let description = Arc::new(description.clone());
    let builder = Builder::new().algorithm(algorithm).deadlocks_fail(false).count_classes(true);
    let outcome = builder.explore(move || run(&description));
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    outcome.classes.expect("they were counted")
}

#[test]
fn random_programs_have_the_same_classes_in_both_front_ends() {
    let mut compared = 0;
    let mut complete = 0;
    for seed in 0.. {
        let description = generate(seed, &SHAPES[seed as usize % SHAPES.len()]);
        if !is_rust(&description) {
            continue;
        }
        let Some(truth) = ask_oracle(&Interpreted::new(&description), INTERLEAVINGS) else {
            continue;
        };
        let found = classes_as_rust(&description, Algorithm::Event);
        assert_eq!(
            (found.complete, found.deadlocked),
            (truth.classes.complete, truth.classes.deadlocked),
            "seed {seed}:\n{}",
            mazurka_fuzz::render_ed(&description)
        );
        compared += 1;
        complete += found.complete;
        if compared == PROGRAMS {
            break;
        }
    }
    assert!(complete > PROGRAMS as u64, "the programs are not all trivial");
}
