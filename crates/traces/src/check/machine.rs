//! The recorded order, executed: threads, queues and counters as the format defines them.

use super::Checked;
use super::locks::Locks;
use crate::action::{Action, MessageId, ThreadId};
use crate::error::{Error, Reason};
use crate::trace::{Recorded, RecordedTrace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The thread that exists from the start and comes first.
const INITIAL: ThreadId = ThreadId(1);

/// What a thread is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
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

pub(super) struct Thread {
    pub(super) task: usize,
    pub(super) phase: Phase,
    /// The lines of its FORK and of its first operation.
    pub(super) forked: Option<u32>,
    pub(super) begun: Option<u32>,
    /// Its ATTACH-Q, as a position.
    pub(super) attached: Option<usize>,
    /// Its LOOP, as a position.
    pub(super) looped: Option<usize>,
    pub(super) queue: VecDeque<MessageId>,
}

pub(super) struct Message {
    pub(super) task: usize,
    pub(super) destination: ThreadId,
    pub(super) posted: u32,
    pub(super) called: Option<u32>,
    pub(super) returned: bool,
}

/// The state of the recorded order.
pub(super) struct Machine<'t> {
    pub(super) trace: &'t RecordedTrace,
    pub(super) threads: FxHashMap<ThreadId, Thread>,
    pub(super) messages: FxHashMap<MessageId, Message>,
    pub(super) locks: Locks,
    /// How many notifications each thread has not yet waited for.
    pub(super) notified: FxHashMap<ThreadId, u32>,
    pub(super) checked: Checked,
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
    let fail = |line, reason| Error { file: trace.name.clone(), line, reason };
    match trace.operations.first() {
        None => return Err(fail(0, Reason::Empty)),
        Some(first) if first.action != (Action::ThreadInit { tid: INITIAL }) => {
            return Err(fail(first.line, Reason::NoInitialThread));
        }
        Some(_) => {}
    }
    machine.checked.nested = vec![false; trace.operations.len()];
    for (position, recorded) in trace.operations.iter().enumerate() {
        machine.execute(position, recorded).map_err(|reason| fail(recorded.line, reason))?;
    }
    machine.finish().map_err(|(line, reason)| fail(line, reason))?;
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
            Action::Post { message, destination, .. } => {
                self.post(message, destination, position, line)
            }
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

    fn wait(&mut self, tid: ThreadId) -> Result<(), Reason> {
        match self.notified.get_mut(&tid).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                Ok(())
            }
            None => Err(Reason::NothingToWaitFor { tid }),
        }
    }

    pub(super) fn holds_nothing(&self, keyword: &'static str, tid: ThreadId) -> Result<(), Reason> {
        match self.locks.held_by(tid) {
            Some(object) => Err(Reason::HeldAtEnd { object, keyword, tid }),
            None => Ok(()),
        }
    }

    /// What must not be left over at the end. The first line that is wrong is reported.
    fn finish(&mut self) -> Result<(), (u32, Reason)> {
        let lock =
            self.locks.oldest().map(|(object, since)| (since, Reason::NeverUnlocked { object }));
        let messages = self.messages.iter().filter_map(|(&message, entry)| match entry.called {
            None => Some((entry.posted, Reason::NeverCalled { message })),
            Some(line) if !entry.returned => Some((line, Reason::NeverReturns { message })),
            Some(_) => None,
        });
        let nobody = self.notifies_nobody();
        match lock.into_iter().chain(messages).chain(nobody).min_by_key(|&(line, _)| line) {
            Some(error) => Err(error),
            None => {
                self.warn_of_empty_threads();
                Ok(())
            }
        }
    }

    fn notifies_nobody(&self) -> Option<(u32, Reason)> {
        let unknown: FxHashSet<ThreadId> =
            self.notified.keys().copied().filter(|tid| !self.threads.contains_key(tid)).collect();
        self.trace.operations.iter().find_map(|recorded| match recorded.action {
            Action::Notify { notified, .. } if unknown.contains(&notified) => {
                Some((recorded.line, Reason::NotifiesNobody { notified }))
            }
            _ => None,
        })
    }
}
