//! The happens-before relation of EM-DPOR (Definition 3.1 of the paper without its third rule): that of
//! the execution, and if the posts of two messages of one FIFO handler are ordered, so are the messages. Beside it
//! stands the relation in which the messages of every FIFO handler are ordered as they ran.

use crate::bits;
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::Effect;
use crate::program::Mailbox;

/// One bit row for each event, as in [`Execution`].
#[derive(Default, Debug)]
pub struct Order {
    rows: Vec<Vec<u64>>,
    /// The same with the order in which the messages of each queue ran.
    with_queues: Vec<Vec<u64>>,
}

impl Order {
    /// Follows the last event of `execution`.
    pub fn push(&mut self, execution: &Execution) {
        let event = self.rows.len();
        let mut row = vec![0; event / 64 + 1];
        let past: Vec<usize> = bits::iter(&execution.before(event)).collect();
        // From the latest on: most of the others are in its past.
        for &before in past.iter().rev() {
            self.add(&mut row, before);
        }
        let it = &execution.events()[event];
        if it.effect == Effect::Start {
            self.add_earlier_messages(execution, it.task, &mut row);
        }
        let before: Vec<usize> = bits::iter(&row).collect();
        let last = self.message_before(execution, event);
        let with_queue = self.with_queues(before.into_iter().rev().chain(last), event);
        self.rows.push(row);
        self.with_queues.push(with_queue);
    }

    /// These events and all that comes before them where messages are ordered as they ran; rows for an execution
    /// of so many events.
    pub fn with_queues(&self, events: impl IntoIterator<Item = usize>, length: usize) -> Vec<u64> {
        let mut row = vec![0; length / 64 + 1];
        for event in events {
            if !bits::contains(&row, event) {
                bits::union(&mut row, &self.with_queues[event]);
                bits::insert(&mut row, event);
            }
        }
        row
    }

    /// If `event` starts a message of a queue: the end of the message before.
    fn message_before(&self, execution: &Execution, event: usize) -> Option<usize> {
        let it = &execution.events()[event];
        let handler = execution.handler(it.task).filter(|_| it.effect == Effect::Start)?;
        let posted = execution.posted(handler);
        let position = posted.iter().position(|&message| message == it.task)?;
        let is_queue = execution.mailbox(handler) == Mailbox::Fifo;
        let before = position.checked_sub(1).filter(|_| is_queue)?;
        execution.end_of(posted[before])
    }

    /// Goes back to the first `length` events.
    pub fn truncate(&mut self, length: usize) {
        self.rows.truncate(length);
        self.with_queues.truncate(length);
    }

    /// The events that happen before `event`.
    pub fn before(&self, event: usize) -> &[u64] {
        &self.rows[event]
    }

    /// Does `first` happen before `second`?
    pub fn happens_before(&self, first: usize, second: usize) -> bool {
        first < second && bits::contains(&self.rows[second], first)
    }

    /// These events and all that happens before them.
    pub fn closure(&self, events: impl IntoIterator<Item = usize>) -> Vec<u64> {
        let mut row = vec![0; self.rows.len() / 64 + 1];
        for event in events {
            self.add(&mut row, event);
        }
        row
    }

    fn add(&self, row: &mut [u64], event: usize) {
        if !bits::contains(row, event) {
            bits::union(row, &self.rows[event]);
            bits::insert(row, event);
        }
    }

    /// Messages of the same queue whose posts happen before the post of `message` have ended before it starts.
    fn add_earlier_messages(&self, execution: &Execution, message: TaskId, row: &mut [u64]) {
        let (Some(handler), Some(post)) = (execution.handler(message), execution.creator(message))
        else {
            return;
        };
        if execution.mailbox(handler) != Mailbox::Fifo {
            return;
        }
        for &other in execution.posted(handler) {
            let Some(earlier) = execution.creator(other) else {
                continue;
            };
            if self.happens_before(earlier, post)
                && let Some(end) = execution.end_of(other)
            {
                self.add(row, end);
            }
        }
    }
}
