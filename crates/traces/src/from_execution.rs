//! An execution of a program as a recorded trace.
//!
//! Thread 1 starts everything that is there from the beginning; handlers are threads with a queue. An event becomes the operations that say
//! what it did, and names go to [`Names`](crate::names::Names). What is open at the end of an execution that was cut short by its failure is closed, as
//! the preprocessing of raw logs does it: messages return, locks are given back, and posts of messages that were never begun are left out.
//!
//! A recorded trace says less than a program: an update is a read and a write, and the steps of an atomic block are steps. What it cannot
//! say at all is an error: read-write locks, semaphores, and mailboxes that hand out a later message first.

use crate::action::{Action, MessageId, PostKind, ThreadId};
use crate::names::Names;
use crate::trace::{Dependence, Recorded, RecordedTrace};
use mazurka_engine::{Action as Did, CauseKind, Mode, RecordedAccess, RecordedEvent, Recording};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why an execution cannot be written as a recorded trace.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotRecordable {
    /// Shared locks and semaphores are not in the format.
    #[error(
        "step {step} {does} `{object}`, and a recorded trace has only locks that one task holds; \
         write a partial trace instead (`.json.gz`)"
    )]
    Guard {
        /// The step, counted from 1.
        step: usize,
        /// What it does.
        does: &'static str,
        /// To what.
        object: String,
    },
    /// Recorded traces have queues.
    #[error(
        "step {step} begins {message}, but another message was posted to `{handler}` before it, and the mailboxes of a \
         recorded trace are queues; write a partial trace instead (`.json.gz`)"
    )]
    NotInOrder {
        /// The step, counted from 1.
        step: usize,
        /// The message.
        message: String,
        /// Where it was posted to.
        handler: String,
    },
}

/// The thread that starts the others.
const STARTER: ThreadId = ThreadId(1);
/// Operations are numbered from here, as after a START.
const FIRST_INDEX: u32 = 2;

/// Writes an execution as a recorded trace of this name.
pub fn from_execution(name: &str, recording: &Recording) -> Result<RecordedTrace, NotRecordable> {
    let mut writer = Writer::new(recording);
    writer.begin();
    for at in 0..recording.events.len() {
        writer.event(at)?;
    }
    writer.close();
    Ok(RecordedTrace { name: name.to_owned(), dependence_name: name.to_owned(), ..writer.trace })
}

struct Writer<'r> {
    recording: &'r Recording,
    trace: RecordedTrace,
    /// For each event that posts or forks the path of what it creates, if that ever does something.
    children: FxHashMap<usize, &'r str>,
    threads: FxHashMap<&'r str, ThreadId>,
    handlers: FxHashMap<&'r str, ThreadId>,
    messages: FxHashMap<&'r str, MessageId>,
    locks: FxHashMap<&'r str, u64>,
    /// Messages that wait in each queue, oldest first.
    waiting: FxHashMap<&'r str, Vec<&'r str>>,
    /// The message that each handler runs.
    running: FxHashMap<&'r str, (ThreadId, MessageId)>,
    /// The threads that have begun.
    begun: FxHashSet<&'r str>,
    /// Locks that are held, with who holds them.
    held: Vec<(ThreadId, u64)>,
    /// The last operation of each event.
    last: Vec<u32>,
}

impl<'r> Writer<'r> {
    fn new(recording: &'r Recording) -> Self {
        let mut children = FxHashMap::default();
        for (at, event) in recording.events.iter().enumerate() {
            let creates = |kind| matches!(kind, CauseKind::Post | CauseKind::Fork);
            let creator = recording.causes[at].iter().find(|cause| creates(cause.kind));
            if let Some(creator) = creator {
                children.insert(creator.event, event.path.as_str());
            }
        }
        Writer {
            recording,
            trace: RecordedTrace::default(),
            children,
            threads: FxHashMap::default(),
            handlers: FxHashMap::default(),
            messages: FxHashMap::default(),
            locks: FxHashMap::default(),
            waiting: FxHashMap::default(),
            running: FxHashMap::default(),
            begun: FxHashSet::default(),
            held: Vec::new(),
            last: Vec::new(),
        }
    }

    fn names(&mut self) -> &mut Names {
        &mut self.trace.names
    }

    fn emit(&mut self, action: Action) -> u32 {
        let index = FIRST_INDEX + self.trace.operations.len() as u32;
        self.trace.operations.push(Recorded { index, line: 0, action });
        index
    }

    /// Numbers everybody, and starts who is there from the beginning.
    fn begin(&mut self) {
        let events = &self.recording.events;
        self.emit(Action::ThreadInit { tid: STARTER });
        self.names().add(format!("thread {STARTER}"), "start");
        let mut next = STARTER.0 + 1;
        for event in events {
            let posted_to = match &event.action {
                Did::Post { handler, .. } => Some(handler.as_str()),
                _ => None,
            };
            let own = event.on_handler.then_some(event.column.as_str());
            for handler in own.into_iter().chain(posted_to) {
                if !self.handlers.contains_key(handler) {
                    self.add_handler(handler, ThreadId(next));
                    next += 1;
                }
            }
            if !event.on_handler && !self.threads.contains_key(event.path.as_str()) {
                self.threads.insert(&event.path, ThreadId(next));
                self.names().add(format!("thread {next}"), &event.task);
                next += 1;
            }
        }
        let forked: FxHashSet<&str> = self.children.values().copied().collect();
        let mut roots: Vec<ThreadId> = self
            .threads
            .iter()
            .filter(|(path, _)| !forked.contains(**path))
            .map(|it| *it.1)
            .collect();
        roots.sort_unstable();
        for child in roots {
            self.emit(Action::Fork { tid: STARTER, child });
        }
        self.emit(Action::ThreadExit { tid: STARTER });
    }

    fn add_handler(&mut self, handler: &'r str, tid: ThreadId) {
        self.handlers.insert(handler, tid);
        self.names().add(format!("thread {tid}"), handler);
        self.emit(Action::Fork { tid: STARTER, child: tid });
        self.emit(Action::ThreadInit { tid });
        let queue = i64::from(tid.0);
        self.emit(Action::AttachQueue { tid, queue });
        self.emit(Action::Loop { tid, queue: Some(queue) });
    }

    fn tid(&self, event: &RecordedEvent) -> ThreadId {
        match event.on_handler {
            true => self.handlers[event.column.as_str()],
            false => self.threads[event.path.as_str()],
        }
    }

    fn event(&mut self, at: usize) -> Result<(), NotRecordable> {
        let event = &self.recording.events[at];
        let tid = self.tid(event);
        if !event.on_handler && self.begun.insert(&event.path) {
            self.emit(Action::ThreadInit { tid });
        }
        self.act(at, tid)?;
        for access in &event.accesses {
            self.access(at, tid, access)?;
        }
        if event.ends_task {
            self.end(event, tid);
        }
        self.last.push(FIRST_INDEX + self.trace.operations.len() as u32 - 1);
        Ok(())
    }

    /// What an event did beside its accesses.
    fn act(&mut self, at: usize, tid: ThreadId) -> Result<(), NotRecordable> {
        let event = &self.recording.events[at];
        match &event.action {
            Did::Plain if event.accesses.is_empty() => drop(self.emit(Action::Nop { tid })),
            Did::Plain => {}
            Did::Start => self.start(at, tid)?,
            Did::Post { message, handler } => self.post(at, tid, message, handler),
            Did::Fork(_) => {
                // A thread that never moves is not in the trace.
                let child = self.children.get(&at).and_then(|path| self.threads.get(path)).copied();
                if let Some(child) = child {
                    self.emit(Action::Fork { tid, child });
                }
            }
            Did::Join(_) => {
                let causes = &self.recording.causes[at];
                let joined = causes.iter().find(|cause| cause.kind == CauseKind::Join);
                let destination = self.emit(Action::Nop { tid });
                if let Some(end) = joined {
                    let source = self.last[end.event];
                    self.trace.dependences.push(Dependence::from((source, destination)));
                }
            }
            Did::Choose(_) => drop(self.emit(Action::Nop { tid })),
        }
        Ok(())
    }

    fn post(&mut self, at: usize, tid: ThreadId, name: &str, handler: &'r str) {
        let begun = self.children.get(&at).copied();
        // One that is never begun waits all the same: nothing may overtake it.
        self.waiting.entry(handler).or_default().push(begun.unwrap_or_default());
        let Some(path) = begun else { return };
        let message = MessageId(self.messages.len() as u32 + 1);
        self.messages.insert(path, message);
        self.names().add(format!("message {message}"), name);
        let destination = self.handlers[handler];
        self.emit(Action::Post { origin: PostKind::Application, tid, message, destination });
    }

    fn start(&mut self, at: usize, tid: ThreadId) -> Result<(), NotRecordable> {
        let event = &self.recording.events[at];
        let queue = self.waiting.entry(&event.column).or_default();
        if queue.first() != Some(&event.path.as_str()) {
            let (message, handler) = (event.task.clone(), event.column.clone());
            return Err(NotRecordable::NotInOrder { step: at + 1, message, handler });
        }
        queue.remove(0);
        let message = self.messages[event.path.as_str()];
        self.running.insert(&event.column, (tid, message));
        self.emit(Action::Call { tid, message });
        Ok(())
    }

    fn access(
        &mut self,
        at: usize,
        tid: ThreadId,
        access: &'r RecordedAccess,
    ) -> Result<(), NotRecordable> {
        let object = access.object.as_str();
        let does = match access.mode {
            Mode::Read => {
                self.read(tid, object);
                return Ok(());
            }
            Mode::Write => {
                self.write(tid, object);
                return Ok(());
            }
            Mode::Update => {
                self.read(tid, object);
                self.write(tid, object);
                return Ok(());
            }
            Mode::Lock => {
                let object = self.lock(object);
                self.held.push((tid, object));
                self.emit(Action::Lock { tid, object });
                return Ok(());
            }
            Mode::Unlock => {
                let object = self.lock(object);
                self.held.retain(|&(_, held)| held != object);
                self.emit(Action::Unlock { tid, object });
                return Ok(());
            }
            Mode::LockShared => "takes for reading",
            Mode::UnlockShared => "gives back for reading",
            Mode::Signal => "signals",
            Mode::Wait => "waits for",
        };
        Err(NotRecordable::Guard { step: at + 1, does, object: object.to_owned() })
    }

    fn read(&mut self, tid: ThreadId, object: &str) {
        let (class, field) = self.variable(object);
        self.emit(Action::ReadStatic { tid, class, field });
    }

    fn write(&mut self, tid: ThreadId, object: &str) {
        let (class, field) = self.variable(object);
        self.emit(Action::WriteStatic { tid, class, field });
    }

    /// The format has no place for blanks and semicolons in a class.
    fn variable(&mut self, object: &str) -> (String, i64) {
        let is_said = |sign: char| !sign.is_whitespace() && sign != ';';
        let class: String =
            object.chars().map(|sign| if is_said(sign) { sign } else { '_' }).collect();
        self.names().add(format!("static {class}.0"), object);
        (class, 0)
    }

    fn lock(&mut self, object: &'r str) -> u64 {
        let next = self.locks.len() as u64 + 1;
        let number = *self.locks.entry(object).or_insert(next);
        self.names().add(format!("lock {number:#x}"), object);
        number
    }

    fn end(&mut self, event: &RecordedEvent, tid: ThreadId) {
        if event.on_handler {
            if let Some((tid, message)) = self.running.remove(event.column.as_str()) {
                self.give_back(tid);
                self.emit(Action::Return { tid, message });
            }
        } else {
            self.give_back(tid);
            self.emit(Action::ThreadExit { tid });
        }
    }

    /// A trace gives back what it takes.
    fn give_back(&mut self, tid: ThreadId) {
        let (own, others) = std::mem::take(&mut self.held).into_iter().partition(|it| it.0 == tid);
        self.held = others;
        let own: Vec<(ThreadId, u64)> = own;
        for (tid, object) in own.into_iter().rev() {
            self.emit(Action::Unlock { tid, object });
        }
    }

    /// Closes what is open.
    fn close(&mut self) {
        let mut running: Vec<(ThreadId, MessageId)> =
            std::mem::take(&mut self.running).into_values().collect();
        running.sort_unstable();
        for (tid, message) in running {
            self.give_back(tid);
            self.emit(Action::Return { tid, message });
        }
        let mut holders: Vec<ThreadId> = self.held.iter().map(|it| it.0).collect();
        holders.dedup();
        holders.into_iter().for_each(|tid| self.give_back(tid));
    }
}
