//! Handlers and mailboxes, moved on by an event at a time: what may be performed next in a scenario?

use super::scenario::Scenario;
use crate::bits;
use crate::ids::{HandlerId, TaskId};
use crate::operation::Effect;
use crate::program::Mailbox;
use smallvec::SmallVec;

/// The handlers of a scenario.
pub struct Machine<'s> {
    scenario: Scenario<'s>,
    handlers: SmallVec<[Handler; 4]>,
    /// For each task that waits in a queue, who waits behind it.
    behind: Vec<Option<TaskId>>,
}

#[derive(Clone, Copy)]
struct Handler {
    mailbox: Mailbox,
    is_busy: bool,
    /// Who has been posted and has not started, for FIFO mailboxes: the first in the queue, and the latest.
    first: Option<TaskId>,
    latest: Option<TaskId>,
}

impl<'s> Machine<'s> {
    /// After so many of the first events of the explored execution.
    pub fn after(scenario: Scenario<'s>, length: usize) -> Self {
        let execution = scenario.execution;
        let mut behind = vec![None; execution.task_count()];
        let handlers = (0..execution.handler_count()).map(HandlerId::from).map(|id| {
            let started = bits::count_before(execution.starts_on(id), length);
            let ended = bits::count_before(execution.ends_on(id), length);
            let posted = bits::count_before(execution.posts_to(id), length);
            let mailbox = execution.mailbox(id);
            let waiting = match mailbox {
                Mailbox::Fifo => &execution.posted(id)[started..posted],
                Mailbox::Multiset => &[],
            };
            for two in waiting.windows(2) {
                behind[two[0].index()] = Some(two[1]);
            }
            let (first, latest) = (waiting.first().copied(), waiting.last().copied());
            Handler { mailbox, is_busy: started > ended, first, latest }
        });
        let handlers = handlers.collect();
        Machine { scenario, handlers, behind }
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
            self.post(message, id);
        }
        let starts = it.effect == Effect::Start;
        if (starts || it.ends_task)
            && let Some(id) = execution.handler(it.task)
        {
            let handler = &mut self.handlers[id.index()];
            if starts && !handler.admits(it.task) {
                return false;
            }
            if starts && handler.mailbox == Mailbox::Fifo {
                handler.first = self.behind[it.task.index()];
            }
            handler.is_busy = !it.ends_task;
        }
        true
    }

    fn post(&mut self, message: TaskId, id: HandlerId) {
        let handler = &mut self.handlers[id.index()];
        if handler.mailbox == Mailbox::Multiset {
            return;
        }
        match (handler.first, handler.latest) {
            (Some(_), Some(latest)) => self.behind[latest.index()] = Some(message),
            _ => handler.first = Some(message),
        }
        handler.latest = Some(message);
    }
}

impl Handler {
    #[inline]
    fn admits(&self, message: TaskId) -> bool {
        !self.is_busy && (self.mailbox == Mailbox::Multiset || self.first == Some(message))
    }
}
