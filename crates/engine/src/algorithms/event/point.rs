//! A point of an exploration, seen from an explored execution: which of its events have happened there.

use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use smallvec::SmallVec;

/// Some events of an execution have happened.
#[derive(Clone, Debug)]
pub struct Point<'e> {
    /// The explored execution.
    pub execution: &'e Execution,
    /// What has happened at this point; contains the past of each of its members.
    pub happened: Bits,
    /// What of it has happened in another order than in the explored execution, in this order, behind the rest.
    placed: SmallVec<[usize; 8]>,
}

impl<'e> Point<'e> {
    /// The point after the first `depth` events.
    pub fn at_depth(execution: &'e Execution, depth: usize) -> Self {
        let happened = bits::first(depth, execution.words());
        Point { execution, happened, placed: SmallVec::new() }
    }

    /// Goes on by an event.
    pub fn place(&mut self, event: usize) {
        bits::insert(&mut self.happened, event);
        self.placed.push(event);
    }

    /// When a message was posted, compared with others; later than all of them if it has not been.
    pub fn post_time(&self, message: TaskId) -> usize {
        let Some(post) = self.execution.creator(message) else { return 0 };
        let prefix = self.execution.len();
        match self.placed.iter().position(|&event| event == post) {
            Some(at) => prefix + at,
            None if bits::contains(&self.happened, post) => post,
            None => usize::MAX,
        }
    }

    /// The message that a handler is running at this point.
    pub fn active(&self, handler: HandlerId) -> Option<TaskId> {
        let execution = self.execution;
        let starts = execution.starts_on(handler);
        // Messages run one after the other, so it is the one that started last.
        let placed = self.placed.iter().rev().find(|&&event| bits::contains(starts, event));
        let started = placed.copied().or_else(|| bits::last_common(starts, &self.happened))?;
        let message = execution.events()[started].task;
        let has_ended = |end: usize| bits::contains(&self.happened, end);
        (!execution.end_of(message).is_some_and(has_ended)).then_some(message)
    }

    /// The message that each handler is running at this point.
    pub fn active_messages(&self) -> impl Iterator<Item = Option<TaskId>> + '_ {
        (0..self.execution.handler_count()).map(|handler| self.active(HandlerId::from(handler)))
    }

    /// Messages posted to a FIFO handler and not started, in the order of the queue.
    pub fn queue(&self, handler: HandlerId) -> Vec<TaskId> {
        let execution = self.execution;
        let is_over = |event: usize| bits::contains(&self.happened, event);
        let is_queued = |message: &TaskId| {
            execution.creator(*message).is_none_or(is_over)
                && !execution.start_of(*message).is_some_and(is_over)
        };
        let posted = execution.posted(handler).iter().copied();
        let mut queue: Vec<TaskId> = posted.filter(is_queued).collect();
        if !self.placed.is_empty() {
            queue.sort_by_key(|&message| self.post_time(message));
        }
        queue
    }
}
