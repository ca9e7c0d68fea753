//! The recorded order, executed: threads, queues and counters as the format defines them.

use super::locks::Locks;
use super::{Checked, Task, TaskKind};
use crate::action::{Action, MessageId, ThreadId};
use crate::error::{Error, Reason, Warning, WarningKind};
use crate::trace::{Recorded, RecordedTrace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The thread that exists from the start and comes first.
const INITIAL: ThreadId = ThreadId(1);

/// What a thread is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Forked, and nothing else yet.
    Forked,
    /// In its own code.
    Running,
    /// A thread of the system between NATIVE-EXIT and NATIVE-ENTRY.
    Away,
    /// Handling messages; this one now.
    Looping(Option<MessageId>),
    /// Over since this line.
    Ended(u32),
}

struct Thread {
    task: usize,
    phase: Phase,
    /// The lines of its FORK and of its first operation.
    forked: Option<u32>,
    begun: Option<u32>,
    /// Its ATTACH-Q, as a position.
    attached: Option<usize>,
    /// Its LOOP, as a position.
    looped: Option<usize>,
    queue: VecDeque<MessageId>,
}

struct Message {
    task: usize,
    destination: ThreadId,
    posted: u32,
    called: Option<u32>,
    returned: bool,
}

struct Machine<'t> {
    trace: &'t RecordedTrace,
    threads: FxHashMap<ThreadId, Thread>,
    messages: FxHashMap<MessageId, Message>,
    locks: Locks,
    /// How many notifications each thread has not yet waited for.
    notified: FxHashMap<ThreadId, u32>,
    checked: Checked,
}

/// Executes the recorded order.
pub(super) fn run(trace: &RecordedTrace) -> Result<Checked, Error> {
    let mut machine = Machine {
        trace,
        threads: FxHashMap::default(),
        messages: FxHashMap::default(),
        locks: Locks::default(),
        notified: FxHashMap::default(),
        checked: Checked::default(),
    };
    let fail = |line, reason| Error {
        file: trace.name.clone(),
        line,
        reason,
    };
    match trace.operations.first() {
        None => return Err(fail(0, Reason::Empty)),
        Some(first) if first.action != (Action::ThreadInit { tid: INITIAL }) => {
            return Err(fail(first.line, Reason::NoInitialThread));
        }
        Some(_) => {}
    }
    machine.checked.nested = vec![false; trace.operations.len()];
    for (position, recorded) in trace.operations.iter().enumerate() {
        machine
            .execute(position, recorded)
            .map_err(|reason| fail(recorded.line, reason))?;
    }
    machine
        .finish()
        .map_err(|(line, reason)| fail(line, reason))?;
    Ok(machine.checked)
}

impl Machine<'_> {
    fn execute(&mut self, position: usize, recorded: &Recorded) -> Result<(), Reason> {
        let (action, line) = (&recorded.action, recorded.line);
        let task = match *action {
            Action::ThreadInit { tid } => Some(self.begin(tid, line)?),
            Action::NativeEntry { tid } => Some(self.enter(tid, line)?),
            Action::ThreadExit { tid } => self.exit(tid, line)?,
            Action::Call { tid, message } => Some(self.call(tid, message, position, line)?),
            _ => Some(self.task_of(action)?),
        };
        self.effect(action, position, line)?;
        self.place(task, position);
        Ok(())
    }

    /// Appends the operation to its task.
    fn place(&mut self, task: Option<usize>, position: usize) {
        let place = task.map(|task| {
            let operations = &mut self.checked.tasks[task].operations;
            operations.push(position);
            (task, operations.len() - 1)
        });
        self.checked.places.push(place);
    }

    /// What the operation changes, once it is known to be allowed where it stands.
    fn effect(&mut self, action: &Action, position: usize, line: u32) -> Result<(), Reason> {
        match *action {
            Action::NativeExit { tid } => self.leave(tid),
            Action::Fork { child, .. } => self.fork(child, line),
            Action::AttachQueue { tid, .. } => self.attach(tid, position),
            Action::Loop { tid, .. } => self.begin_loop(tid, position),
            Action::Post {
                message,
                destination,
                ..
            } => self.post(message, destination, position, line),
            Action::Return { tid, message } => self.finish_message(tid, message),
            Action::Lock { tid, object } => {
                self.checked.nested[position] = self.locks.lock(object, tid, line)?;
                Ok(())
            }
            Action::Unlock { tid, object } => {
                self.checked.nested[position] = self.locks.unlock(object, tid)?;
                Ok(())
            }
            Action::Notify { notified, .. } => {
                *self.notified.entry(notified).or_default() += 1;
                Ok(())
            }
            Action::Wait { tid } => self.wait(tid),
            _ => Ok(()),
        }
    }

    fn new_task(&mut self, kind: TaskKind) -> usize {
        self.checked.tasks.push(Task {
            kind,
            operations: Vec::new(),
        });
        self.checked.tasks.len() - 1
    }

    fn new_thread(&mut self, tid: ThreadId, phase: Phase) -> &mut Thread {
        let task = self.new_task(TaskKind::Thread(tid));
        if phase != Phase::Forked {
            self.checked.roots.push(task);
        }
        self.threads.entry(tid).or_insert(Thread {
            task,
            phase,
            forked: None,
            begun: None,
            attached: None,
            looped: None,
            queue: VecDeque::new(),
        })
    }

    /// THREADINIT.
    fn begin(&mut self, tid: ThreadId, line: u32) -> Result<usize, Reason> {
        if let Some(Thread {
            begun: Some(first), ..
        }) = self.threads.get(&tid)
        {
            return Err(Reason::BegunTwice { tid, first: *first });
        }
        if !self.threads.contains_key(&tid) {
            self.new_thread(tid, Phase::Running);
        }
        let thread = self.threads.get_mut(&tid).expect("it was just made");
        thread.phase = Phase::Running;
        thread.begun = Some(line);
        Ok(thread.task)
    }

    /// NATIVE-ENTRY: a thread of the system comes and goes, its code is one piece all the same.
    fn enter(&mut self, tid: ThreadId, line: u32) -> Result<usize, Reason> {
        match self.threads.get_mut(&tid) {
            Some(thread) if thread.phase == Phase::Away => {
                thread.phase = Phase::Running;
                Ok(thread.task)
            }
            _ => self.begin(tid, line),
        }
    }

    /// NATIVE-EXIT.
    fn leave(&mut self, tid: ThreadId) -> Result<(), Reason> {
        self.holds_nothing("NATIVE-EXIT", tid)?;
        self.thread("NATIVE-EXIT", tid)?.phase = Phase::Away;
        Ok(())
    }

    /// THREADEXIT. An idle looper stops, but its own code is over since LOOP: no task has this event.
    fn exit(&mut self, tid: ThreadId, line: u32) -> Result<Option<usize>, Reason> {
        const KEYWORD: &str = "THREADEXIT";
        self.holds_nothing(KEYWORD, tid)?;
        let thread = self.thread(KEYWORD, tid)?;
        let task = match thread.phase {
            Phase::Looping(Some(message)) => {
                return Err(Reason::InsideMessage {
                    keyword: KEYWORD,
                    tid,
                    message,
                });
            }
            Phase::Looping(None) => None,
            _ => Some(thread.task),
        };
        thread.phase = Phase::Ended(line);
        if task.is_none() {
            self.checked.warnings.push(Warning {
                line,
                kind: WarningKind::LooperExit { tid },
            });
        }
        Ok(task)
    }

    /// A thread that has begun and not ended.
    fn thread(&mut self, keyword: &'static str, tid: ThreadId) -> Result<&mut Thread, Reason> {
        match self.threads.get_mut(&tid) {
            Some(Thread {
                phase: Phase::Ended(ended),
                ..
            }) => Err(Reason::ExitedThread {
                keyword,
                tid,
                ended: *ended,
            }),
            Some(thread) if !matches!(thread.phase, Phase::Forked | Phase::Away) => Ok(thread),
            _ => Err(Reason::UnknownThread { keyword, tid }),
        }
    }

    /// The task that an ordinary operation belongs to.
    fn task_of(&mut self, action: &Action) -> Result<usize, Reason> {
        let (keyword, tid) = (action.keyword(), action.tid());
        let trace = self.trace;
        let thread = self.thread(keyword, tid)?;
        match (thread.phase, action) {
            (Phase::Looping(Some(message)), Action::Loop { .. } | Action::NativeExit { .. }) => {
                Err(Reason::InsideMessage {
                    keyword,
                    tid,
                    message,
                })
            }
            (Phase::Looping(Some(message)), _) => Ok(self.messages[&message].task),
            (Phase::Looping(None), &Action::Return { message, .. }) => {
                Err(Reason::ReturnOutside { message, tid })
            }
            (Phase::Looping(None), _) => {
                let since = thread
                    .looped
                    .map_or(0, |position| trace.operations[position].line);
                Err(Reason::OutsideMessage {
                    keyword,
                    tid,
                    since,
                })
            }
            (_, &Action::Return { message, .. }) => Err(Reason::ReturnOutside { message, tid }),
            _ => Ok(thread.task),
        }
    }

    fn fork(&mut self, child: ThreadId, line: u32) -> Result<(), Reason> {
        match self.threads.get(&child) {
            Some(Thread {
                forked: Some(first),
                ..
            }) => Err(Reason::ForkedTwice {
                child,
                first: *first,
            }),
            Some(thread) => Err(Reason::ForkedLate {
                child,
                begun: thread.begun.unwrap_or(0),
            }),
            None => {
                self.new_thread(child, Phase::Forked).forked = Some(line);
                Ok(())
            }
        }
    }

    fn attach(&mut self, tid: ThreadId, position: usize) -> Result<(), Reason> {
        let trace = self.trace;
        let thread = self.thread("ATTACH-Q", tid)?;
        if let Some(first) = thread.attached {
            return Err(Reason::SecondQueue {
                tid,
                first: trace.operations[first].line,
            });
        }
        thread.attached = Some(position);
        Ok(())
    }

    fn begin_loop(&mut self, tid: ThreadId, position: usize) -> Result<(), Reason> {
        self.holds_nothing("LOOP", tid)?;
        let thread = self.thread("LOOP", tid)?;
        thread.looped = Some(position);
        thread.phase = Phase::Looping(None);
        Ok(())
    }

    fn post(
        &mut self,
        message: MessageId,
        tid: ThreadId,
        position: usize,
        line: u32,
    ) -> Result<(), Reason> {
        if let Some(Message { posted, .. }) = self.messages.get(&message) {
            return Err(Reason::PostedTwice {
                message,
                first: *posted,
            });
        }
        // A thread that was only forked, or never seen, simply has no queue.
        let thread = match self.threads.get_mut(&tid) {
            Some(Thread {
                phase: Phase::Ended(ended),
                ..
            }) => {
                return Err(Reason::ExitedThread {
                    keyword: "POST to the queue",
                    tid,
                    ended: *ended,
                });
            }
            thread => thread.ok_or(Reason::NoQueue { message, tid })?,
        };
        let attached = thread.attached.ok_or(Reason::NoQueue { message, tid })?;
        thread.queue.push_back(message);
        self.checked.waits.push((attached, position));
        let task = self.new_task(TaskKind::Message(message, tid));
        let entry = Message {
            task,
            destination: tid,
            posted: line,
            called: None,
            returned: false,
        };
        self.messages.insert(message, entry);
        Ok(())
    }

    fn call(
        &mut self,
        tid: ThreadId,
        message: MessageId,
        position: usize,
        line: u32,
    ) -> Result<usize, Reason> {
        let phase = self.thread("CALL", tid)?.phase;
        let entry = self
            .messages
            .get_mut(&message)
            .ok_or(Reason::NeverPosted { message })?;
        if let Some(first) = entry.called {
            return Err(Reason::CalledTwice { message, first });
        }
        if entry.destination != tid {
            return Err(Reason::WrongLooper {
                message,
                tid,
                destination: entry.destination,
            });
        }
        match phase {
            Phase::Looping(None) => {}
            Phase::Looping(Some(current)) => {
                return Err(Reason::LooperBusy {
                    message,
                    tid,
                    current,
                });
            }
            _ => return Err(Reason::NotLooping { message, tid }),
        }
        entry.called = Some(line);
        let task = entry.task;
        self.dequeue(tid, message, position)?;
        Ok(task)
    }

    fn dequeue(
        &mut self,
        tid: ThreadId,
        message: MessageId,
        position: usize,
    ) -> Result<(), Reason> {
        let thread = self.thread("CALL", tid)?;
        match thread.queue.pop_front() {
            Some(front) if front != message => Err(Reason::NotAtFront {
                message,
                front,
                tid,
            }),
            _ => {
                thread.phase = Phase::Looping(Some(message));
                let looped = thread.looped.expect("a looping thread has its LOOP");
                self.checked.waits.push((looped, position));
                Ok(())
            }
        }
    }

    fn finish_message(&mut self, tid: ThreadId, message: MessageId) -> Result<(), Reason> {
        self.holds_nothing("RET", tid)?;
        let thread = self.thread("RET", tid)?;
        match thread.phase {
            Phase::Looping(Some(current)) if current != message => Err(Reason::WrongReturn {
                message,
                tid,
                current,
            }),
            _ => {
                thread.phase = Phase::Looping(None);
                self.messages
                    .entry(message)
                    .and_modify(|entry| entry.returned = true);
                Ok(())
            }
        }
    }

    fn wait(&mut self, tid: ThreadId) -> Result<(), Reason> {
        match self.notified.get_mut(&tid).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                Ok(())
            }
            None => Err(Reason::NothingToWaitFor { tid }),
        }
    }

    fn holds_nothing(&self, keyword: &'static str, tid: ThreadId) -> Result<(), Reason> {
        match self.locks.held_by(tid) {
            Some(object) => Err(Reason::HeldAtEnd {
                object,
                keyword,
                tid,
            }),
            None => Ok(()),
        }
    }

    /// What must not be left over at the end. The first line that is wrong is reported.
    fn finish(&mut self) -> Result<(), (u32, Reason)> {
        let lock = self
            .locks
            .oldest()
            .map(|(object, since)| (since, Reason::NeverUnlocked { object }));
        let messages = self
            .messages
            .iter()
            .filter_map(|(&message, entry)| match entry.called {
                None => Some((entry.posted, Reason::NeverCalled { message })),
                Some(line) if !entry.returned => Some((line, Reason::NeverReturns { message })),
                Some(_) => None,
            });
        let nobody = self.notifies_nobody();
        match lock
            .into_iter()
            .chain(messages)
            .chain(nobody)
            .min_by_key(|&(line, _)| line)
        {
            Some(error) => Err(error),
            None => {
                self.warn_of_empty_threads();
                Ok(())
            }
        }
    }

    fn notifies_nobody(&self) -> Option<(u32, Reason)> {
        let unknown: FxHashSet<ThreadId> = self
            .notified
            .keys()
            .copied()
            .filter(|tid| !self.threads.contains_key(tid))
            .collect();
        self.trace
            .operations
            .iter()
            .find_map(|recorded| match recorded.action {
                Action::Notify { notified, .. } if unknown.contains(&notified) => {
                    Some((recorded.line, Reason::NotifiesNobody { notified }))
                }
                _ => None,
            })
    }

    fn warn_of_empty_threads(&mut self) {
        let empty = self
            .threads
            .iter()
            .filter_map(|(&child, thread)| match thread.phase {
                Phase::Forked => Some(Warning {
                    line: thread.forked?,
                    kind: WarningKind::NeverBegins { child },
                }),
                _ => None,
            });
        self.checked.warnings.extend(empty);
        self.checked.warnings.sort_by_key(|warning| warning.line);
    }
}
