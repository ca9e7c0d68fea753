//! Handlers and mailboxes, moved on by an event at a time: what may be performed next in a scenario?

use super::scenario::Scenario;
use crate::ids::{HandlerId, TaskId};
use crate::operation::Effect;
use crate::program::Mailbox;
use smallvec::SmallVec;

/// The handlers of a scenario.
pub struct Machine<'s> {
    scenario: Scenario<'s>,
    handlers: SmallVec<[Handler; 4]>,
}

struct Handler {
    mailbox: Mailbox,
    is_busy: bool,
    /// Posted, in the order of the posts, for FIFO mailboxes.
    queue: SmallVec<[TaskId; 8]>,
    /// How many of them have started.
    started: usize,
}

impl<'s> Machine<'s> {
    /// At the initial state.
    pub fn new(scenario: Scenario<'s>) -> Self {
        let execution = scenario.execution;
        let handlers = (0..execution.handler_count()).map(HandlerId::from).map(|id| Handler {
            mailbox: execution.mailbox(id),
            is_busy: false,
            queue: SmallVec::new(),
            started: 0,
        });
        Machine { scenario, handlers: handlers.collect() }
    }

    /// May the second event of the race come next, as far as handlers are concerned? Behind it nothing comes.
    pub fn admits_last(&self) -> bool {
        self.scenario.last.is_none_or(|last| {
            let handler = self.scenario.execution.handler(last.task);
            let handler = handler.filter(|_| last.starts);
            handler.is_none_or(|id| self.handlers[id.index()].admits(last.task))
        })
    }

    /// Moves on, if this event may come next as far as handlers are concerned, which take note of it. Says whether it may.
    #[inline]
    pub fn moves_on(&mut self, event: usize) -> bool {
        let execution = self.scenario.execution;
        let it = &execution.events()[event];
        if let Effect::Post(message, id) = it.effect {
            let handler = &mut self.handlers[id.index()];
            if handler.mailbox == Mailbox::Fifo {
                handler.queue.push(message);
            }
        }
        let starts = it.effect == Effect::Start;
        if (starts || it.ends_task)
            && let Some(id) = execution.handler(it.task)
        {
            let handler = &mut self.handlers[id.index()];
            if starts && !handler.admits(it.task) {
                return false;
            }
            handler.started += usize::from(starts);
            handler.is_busy = !it.ends_task;
        }
        true
    }
}

impl Handler {
    #[inline]
    fn admits(&self, message: TaskId) -> bool {
        !self.is_busy
            && (self.mailbox == Mailbox::Multiset || self.queue.get(self.started) == Some(&message))
    }
}
