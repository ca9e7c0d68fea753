//! The one question of Event-DPOR: can these events be performed, in some order?
//!
//! A [`Scenario`] says which events. [`Scenario::realise`] answers with an order, or with events that cannot all be there. Everything
//! else in this folder is put in these words: reversing a race asks for the largest sets that can be performed, a deadlock is a scenario
//! without the messages that are left waiting.

use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use crate::reversal::Last;

/// Events to be performed from the initial state.
#[derive(Clone, Copy, Debug)]
pub struct Scenario<'s> {
    /// The explored execution.
    pub execution: &'s Execution,
    /// These of its events; the past of each is among them.
    pub members: &'s [u64],
    /// And this one at the end, the second event of a race.
    pub last: Option<&'s Last>,
    /// So many of the first events of the execution may come in its order. A hint: an order that shares more with it costs less.
    pub kept: usize,
}

/// An order in which the events of a scenario can be performed; the second event of the race comes behind them.
pub type Order = Vec<u32>;

/// Events that cannot all be performed, whatever else is left out. `None`: all that were asked for.
pub type Core = Option<Bits>;

impl<'s> Scenario<'s> {
    /// Does the second event of the race start a message on this handler?
    pub fn last_starts_on(&self, handler: HandlerId) -> bool {
        self.last
            .is_some_and(|last| last.starts && self.execution.handler(last.task) == Some(handler))
    }

    /// The messages that start on this handler before the second event of the race, in the order of the execution.
    pub fn starting_on(&self, handler: HandlerId) -> impl Iterator<Item = TaskId> + 's {
        let starts = bits::common(self.members, self.execution.starts_on(handler));
        let events = self.execution.events();
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = bits::iter_from(&starts, next).next()?;
            next = start + 1;
            Some(events[start].task)
        })
    }

    /// The messages posted to this handler that do not end here.
    pub fn unfinished_on(&self, handler: HandlerId) -> impl Iterator<Item = TaskId> {
        self.execution.unfinished_on(handler, self.members).into_iter()
    }

    /// Does the message end here?
    #[inline]
    pub fn completes(&self, message: TaskId) -> bool {
        self.execution.end_of(message).is_some_and(|end| bits::contains(self.members, end))
    }

    /// Does the message start here?
    pub fn starts(&self, message: TaskId) -> bool {
        let is_last = self.last.is_some_and(|last| last.starts && last.task == message);
        is_last || self.events_of(message).next().is_some()
    }

    /// The events of a message among the members, in order.
    pub fn events_of(&self, message: TaskId) -> impl DoubleEndedIterator<Item = usize> + 's {
        let members = self.members;
        let events = self.execution.events_of(message).iter().map(|&event| event as usize);
        events.filter(move |&event| bits::contains(members, event))
    }

    /// The start of a message, if it is a member.
    pub fn start_of(&self, message: TaskId) -> Option<usize> {
        self.execution.start_of(message).filter(|&start| bits::contains(self.members, start))
    }

    /// The post of a message, if it is a member.
    pub fn post_of(&self, message: TaskId) -> Option<usize> {
        self.execution.creator(message).filter(|&post| bits::contains(self.members, post))
    }
}
