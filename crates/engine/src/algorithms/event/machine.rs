//! Handlers and mailboxes, moved on by an event at a time: what may be performed next in a scenario?

use super::scenario::Scenario;
use crate::ids::{HandlerId, TaskId};
use crate::operation::Effect;
use crate::program::Mailbox;
use crate::reversal::Member;
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

    /// Moves on, if this may come next as far as handlers are concerned. Says whether it may. Behind the second event of a race nothing comes.
    #[inline]
    pub fn performs(&mut self, member: Member) -> bool {
        match member {
            Member::Event(event) => self.performs_event(event),
            Member::Last => self.scenario.last.is_none_or(|last| {
                let handler = self.scenario.execution.handler(last.task);
                let handler = handler.filter(|_| last.starts);
                handler.is_none_or(|id| self.handlers[id.index()].admits(last.task))
            }),
        }
    }

    #[inline]
    fn performs_event(&mut self, event: usize) -> bool {
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

/// What does not lead astray at once: what does not end takes the last turn, and the last place in a queue.
pub struct Advice<'s> {
    scenario: Scenario<'s>,
    /// For each handler, how many messages are still to start and will end.
    to_start: SmallVec<[usize; 4]>,
    /// How many are still to be posted that start and end, and how many that only start.
    to_post: SmallVec<[[usize; 2]; 4]>,
}

impl<'s> Advice<'s> {
    /// At the initial state.
    pub fn new(scenario: Scenario<'s>) -> Self {
        let handlers = (0..scenario.execution.handler_count()).map(HandlerId::from);
        let mut advice = Advice { scenario, to_start: SmallVec::new(), to_post: SmallVec::new() };
        for id in handlers {
            let (mut to_start, mut to_post) = (0, [0; 2]);
            for message in scenario.starting_on(id) {
                let ends = scenario.completes(message);
                to_start += usize::from(ends);
                to_post[usize::from(!ends)] += 1;
            }
            to_post[1] += usize::from(scenario.last_starts_on(id));
            advice.to_start.push(to_start);
            advice.to_post.push(to_post);
        }
        advice
    }

    /// Does it not lead astray at once?
    pub fn recommends(&self, member: Member) -> bool {
        let execution = self.scenario.execution;
        let Member::Event(event) = member else { return true };
        let it = &execution.events()[event];
        match it.effect {
            Effect::Start => {
                let handler = execution.handler(it.task);
                handler.is_none_or(|id| self.to_start[id.index()] == 0)
                    || self.scenario.completes(it.task)
            }
            Effect::Post(message, id) => {
                let ahead = &self.to_post[id.index()][..self.rank(message)];
                execution.mailbox(id) == Mailbox::Multiset || ahead.iter().all(|&count| count == 0)
            }
            _ => true,
        }
    }

    /// Messages that start and end come first in a queue, then one that only starts, then the others.
    fn rank(&self, message: TaskId) -> usize {
        let scenario = &self.scenario;
        let starts_last = scenario.last.is_some_and(|last| last.starts && last.task == message);
        if scenario.completes(message) {
            0
        } else if starts_last || scenario.events_of(message).next().is_some() {
            1
        } else {
            2
        }
    }

    /// Moves on.
    pub fn perform(&mut self, member: Member) {
        let execution = self.scenario.execution;
        let Member::Event(event) = member else { return };
        let it = &execution.events()[event];
        match it.effect {
            Effect::Post(message, id) => {
                let rank = self.rank(message);
                if let Some(count) = self.to_post[id.index()].get_mut(rank) {
                    *count -= 1;
                }
            }
            Effect::Start if self.scenario.completes(it.task) => {
                if let Some(id) = execution.handler(it.task) {
                    self.to_start[id.index()] -= 1;
                }
            }
            _ => {}
        }
    }
}
