//! Queues and messages in the recorded order: first in first out, one message at a time.

use super::TaskKind;
use super::machine::{Machine, Message, Phase, Thread};
use crate::action::{MessageId, ThreadId};
use crate::error::Reason;

impl Machine<'_> {
    pub(super) fn attach(&mut self, tid: ThreadId, position: usize) -> Result<(), Reason> {
        let trace = self.trace;
        let thread = self.thread("ATTACH-Q", tid)?;
        if let Some(first) = thread.attached {
            return Err(Reason::SecondQueue { tid, first: trace.operations[first].line });
        }
        thread.attached = Some(position);
        Ok(())
    }

    pub(super) fn begin_loop(&mut self, tid: ThreadId, position: usize) -> Result<(), Reason> {
        self.holds_nothing("LOOP", tid)?;
        let thread = self.thread("LOOP", tid)?;
        thread.looped = Some(position);
        thread.phase = Phase::Looping(None);
        Ok(())
    }

    pub(super) fn post(
        &mut self,
        message: MessageId,
        tid: ThreadId,
        position: usize,
        line: u32,
    ) -> Result<(), Reason> {
        if let Some(Message { posted, .. }) = self.messages.get(&message) {
            return Err(Reason::PostedTwice { message, first: *posted });
        }
        // A thread that was only forked, or never seen, simply has no queue.
        let thread = match self.threads.get_mut(&tid) {
            Some(Thread { phase: Phase::Ended(ended), .. }) => {
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
        let entry = Message { task, destination: tid, posted: line, called: None, returned: false };
        self.messages.insert(message, entry);
        Ok(())
    }

    pub(super) fn call(
        &mut self,
        tid: ThreadId,
        message: MessageId,
        position: usize,
        line: u32,
    ) -> Result<usize, Reason> {
        let phase = self.thread("CALL", tid)?.phase;
        let entry = self.messages.get_mut(&message).ok_or(Reason::NeverPosted { message })?;
        if let Some(first) = entry.called {
            return Err(Reason::CalledTwice { message, first });
        }
        if entry.destination != tid {
            return Err(Reason::WrongLooper { message, tid, destination: entry.destination });
        }
        match phase {
            Phase::Looping(None) => {}
            Phase::Looping(Some(current)) => {
                return Err(Reason::LooperBusy { message, tid, current });
            }
            _ => return Err(Reason::NotLooping { message, tid }),
        }
        entry.called = Some(line);
        let task = entry.task;
        self.dequeue(tid, message, position)?;
        Ok(task)
    }

    pub(super) fn dequeue(
        &mut self,
        tid: ThreadId,
        message: MessageId,
        position: usize,
    ) -> Result<(), Reason> {
        let thread = self.thread("CALL", tid)?;
        match thread.queue.pop_front() {
            Some(front) if front != message => Err(Reason::NotAtFront { message, front, tid }),
            _ => {
                thread.phase = Phase::Looping(Some(message));
                let looped = thread.looped.expect("a looping thread has its LOOP");
                self.checked.waits.push((looped, position));
                Ok(())
            }
        }
    }

    pub(super) fn finish_message(
        &mut self,
        tid: ThreadId,
        message: MessageId,
    ) -> Result<(), Reason> {
        self.holds_nothing("RET", tid)?;
        let thread = self.thread("RET", tid)?;
        match thread.phase {
            Phase::Looping(Some(current)) if current != message => {
                Err(Reason::WrongReturn { message, tid, current })
            }
            _ => {
                thread.phase = Phase::Looping(None);
                self.messages.entry(message).and_modify(|entry| entry.returned = true);
                Ok(())
            }
        }
    }
}
