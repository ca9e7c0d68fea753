//! A recorded trace as a program: straight-line code for each thread and message, under queues that are
//! first in first out.
//!
//! A task is a thread's own code (up to its LOOP) or one message. Every operation is one event; CALL is
//! the start of its message. What an operation has to wait for beside its own semantics stands in
//! [`gate_of`](mazurka_engine::Run::gate_of): a POST waits for the ATTACH-Q of its destination, a CALL for the LOOP of its
//! thread, and the destination of a dependence for its sources. (The original makes only a NOP wait, and
//! gives up when another destination overtakes its source; here every destination waits.)
//!
//! | operation | event |
//! |---|---|
//! | FORK, POST and its variants, CALL | fork, post, start |
//! | READ, WRITE and their STATIC forms | access of the variable (object, field) or (class, field) |
//! | LOCK, UNLOCK | of the lock, if it is the outermost of its task; otherwise a local event |
//! | NOTIFY, WAIT | local, and the k-th WAIT waits for the k-th NOTIFY, if one task does all that notifies the thread and one all its waiting; otherwise signal and wait on the semaphore of the notified thread |
//! | everything else | local event |
//!
//! In the original a WAIT happens after the oldest NOTIFY that has not been taken. On a semaphore it happens after all
//! NOTIFYs before it, so executions are told apart there that the original takes for the same: several tasks notify one
//! thread, or it waits in several messages. No behaviour is lost by that, and which NOTIFY came first is seen.
//!
//! ENABLE and TRIGGER operations are local: a TRIGGER does not wait for its ENABLE unless a dependence says so.
//! The threads that exist from the start are thread 1 and those that are never forked.

use crate::action::{Action, MessageId, ThreadId};
use crate::check::{self, Checked, TaskKind};
use crate::error::{Error, Warning};
use crate::names::Names;
use crate::run::TraceRun;
use crate::trace::RecordedTrace;
use mazurka_engine::{Effect, HandlerId, LocationId, Mode, ObjectId, Operation, Program, TaskId};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// One event of a task.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) operation: Operation,
    pub(crate) effect: Effect,
    pub(crate) location: LocationId,
    /// What it waits for, in [`TraceProgram::gates`].
    pub(crate) gate: Range<u32>,
}

/// The code of one task.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) kind: TaskKind,
    pub(crate) handler: Option<HandlerId>,
    pub(crate) events: Vec<Event>,
}

/// Something that operations touch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Object {
    Field(u64, i64),
    Static(String, i64),
    Lock(u64),
    Counter(ThreadId),
}

/// A recorded trace that can be executed under every schedule.
#[derive(Clone, Debug)]
pub struct TraceProgram {
    name: String,
    pub(crate) names: Names,
    pub(crate) tasks: Vec<Code>,
    pub(crate) roots: Vec<TaskId>,
    pub(crate) gates: Vec<(TaskId, u32)>,
    pub(crate) loopers: Vec<ThreadId>,
    pub(crate) objects: Vec<Object>,
    /// The classes of the objects that are fields, as the trace says them.
    classes: FxHashMap<ObjectId, String>,
    /// The line and the number of each operation.
    pub(crate) lines: Vec<(u32, u32)>,
    recorded: Vec<TaskId>,
    warnings: Vec<Warning>,
}

impl TraceProgram {
    /// Checks the trace and makes a program of it.
    pub fn new(trace: &RecordedTrace) -> Result<TraceProgram, Error> {
        let checked = check::check(trace)?;
        Ok(Builder::new(trace, &checked).build())
    }

    /// How many threads and messages there are.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// How many events a complete execution has.
    pub fn event_count(&self) -> usize {
        self.recorded.len()
    }

    /// The recorded order: which task moves at each step.
    pub fn recorded_order(&self) -> &[TaskId] {
        &self.recorded
    }

    /// For a program that has not the events of the recorded trace any more.
    pub(crate) fn forget_recorded_order(&mut self) {
        self.recorded.clear();
    }

    /// The class that the field belongs to, if this is one of an object.
    pub fn class_of(&self, object: ObjectId) -> Option<&str> {
        self.classes.get(&object).map(String::as_str)
    }

    /// What the check left out.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl Program for TraceProgram {
    type Run<'p> = TraceRun<'p>;

    fn start(&self) -> TraceRun<'_> {
        TraceRun::new(self)
    }

    fn name(&self) -> &str {
        &self.name
    }
}

struct Builder<'t> {
    trace: &'t RecordedTrace,
    checked: &'t Checked,
    threads: FxHashMap<ThreadId, TaskId>,
    messages: FxHashMap<MessageId, TaskId>,
    handlers: FxHashMap<ThreadId, HandlerId>,
    objects: FxHashMap<Object, ObjectId>,
    program: TraceProgram,
}

impl<'t> Builder<'t> {
    fn new(trace: &'t RecordedTrace, checked: &'t Checked) -> Self {
        let program = TraceProgram {
            name: trace.name.clone(),
            names: trace.names.clone(),
            tasks: Vec::with_capacity(checked.tasks.len()),
            roots: checked.roots.iter().map(|&task| TaskId::from(task)).collect(),
            gates: Vec::new(),
            loopers: Vec::new(),
            objects: Vec::new(),
            classes: FxHashMap::default(),
            lines: trace.operations.iter().map(|it| (it.line, it.index)).collect(),
            recorded: checked
                .places
                .iter()
                .flatten()
                .map(|&(task, _)| TaskId::from(task))
                .collect(),
            warnings: checked.warnings.clone(),
        };
        Builder {
            trace,
            checked,
            threads: FxHashMap::default(),
            messages: FxHashMap::default(),
            handlers: FxHashMap::default(),
            objects: FxHashMap::default(),
            program,
        }
    }

    fn build(mut self) -> TraceProgram {
        for (number, task) in self.checked.tasks.iter().enumerate() {
            let id = TaskId::from(number);
            let handler = match task.kind {
                TaskKind::Thread(tid) => {
                    self.threads.insert(tid, id);
                    None
                }
                TaskKind::Message(message, tid) => {
                    self.messages.insert(message, id);
                    Some(self.handler(tid))
                }
            };
            self.program.tasks.push(Code { kind: task.kind, handler, events: Vec::new() });
        }
        let mut waits = self.checked.waits.iter().peekable();
        for position in 0..self.trace.operations.len() {
            let begin = self.program.gates.len() as u32;
            while let Some(&(first, _)) = waits.next_if(|&&(_, second)| second == position) {
                self.add_gate(first);
            }
            let gate = begin..self.program.gates.len() as u32;
            self.add_event(position, gate);
        }
        self.program
    }

    fn handler(&mut self, tid: ThreadId) -> HandlerId {
        *self.handlers.entry(tid).or_insert_with(|| {
            self.program.loopers.push(tid);
            HandlerId::from(self.program.loopers.len() - 1)
        })
    }

    fn object(&mut self, object: Object) -> ObjectId {
        *self.objects.entry(object).or_insert_with_key(|object| {
            self.program.objects.push(object.clone());
            ObjectId::from(self.program.objects.len() - 1)
        })
    }

    fn add_gate(&mut self, first: usize) {
        if let Some((task, position)) = self.checked.places[first] {
            self.program.gates.push((TaskId::from(task), position as u32 + 1));
        }
    }

    fn add_event(&mut self, position: usize, gate: Range<u32>) {
        if let Some((task, _)) = self.checked.places[position] {
            let (operation, effect) = self.operation(position);
            let location = LocationId::from(position);
            self.program.tasks[task].events.push(Event { operation, effect, location, gate });
        }
    }

    fn operation(&mut self, position: usize) -> (Operation, Effect) {
        let nested = self.checked.nested[position];
        let counts = !self.checked.matched[position];
        let access = match &self.trace.operations[position].action {
            Action::Fork { child, .. } => {
                return (Operation::Fork, Effect::Fork(self.threads[child]));
            }
            Action::Post { message, destination, .. } => {
                let handler = self.handlers[destination];
                return (Operation::Post(handler), Effect::Post(self.messages[message], handler));
            }
            Action::Call { .. } => return (Operation::Start, Effect::Start),
            Action::Read { object, field, .. } => (Object::Field(*object, *field), Mode::Read),
            Action::Write { object, field, .. } => (Object::Field(*object, *field), Mode::Write),
            Action::ReadStatic { class, field, .. } => (static_field(class, *field), Mode::Read),
            Action::WriteStatic { class, field, .. } => (static_field(class, *field), Mode::Write),
            Action::Lock { object, .. } if !nested => (Object::Lock(*object), Mode::Lock),
            Action::Unlock { object, .. } if !nested => (Object::Lock(*object), Mode::Unlock),
            Action::Notify { notified, .. } if counts => (Object::Counter(*notified), Mode::Signal),
            Action::Wait { tid } if counts => (Object::Counter(*tid), Mode::Wait),
            _ => return (Operation::Local, Effect::None),
        };
        let (object, mode) = access;
        let object = self.object(object);
        if let Action::Read { class, .. } | Action::Write { class, .. } =
            &self.trace.operations[position].action
        {
            self.program.classes.entry(object).or_insert_with(|| class.clone());
        }
        (Operation::Access(object, mode), Effect::None)
    }
}

/// The class of an array has no semicolon: `[I`.
fn static_field(class: &str, field: i64) -> Object {
    Object::Static(class.split(';').next().unwrap_or_default().to_owned(), field)
}
