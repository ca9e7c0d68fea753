//! The one question of Event-DPOR: can these events be performed from here, in some order?
//!
//! A [`Scenario`] says which events, and what is asked of messages. [`Scenario::realise`] answers with an order, or
//! with events that cannot all be there. Everything else in this folder is put in these words: reversing a race asks
//! for the largest sets that can be performed, a weak initial is a message that goes first, a deadlock is a scenario
//! without the messages that are left waiting.

use super::point::Point;
use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use crate::program::Mailbox;
use crate::reversal::{Last, Member};

/// Events to be performed from a point, and what is asked of messages.
#[derive(Clone, Copy, Debug)]
pub struct Scenario<'s> {
    /// Where.
    pub point: &'s Point<'s>,
    /// These events of the explored execution; the past of each is among them or has happened.
    pub members: &'s [u64],
    /// And this one, which comes after its past.
    pub last: Option<&'s Last>,
    /// Must the last one come at the end?
    pub last_at_end: bool,
    /// What must go first.
    pub lead: Option<&'s Lead>,
    /// Do messages that are cut short, or wait in a queue, run to their ends behind what they do here?
    pub all_end: bool,
}

/// A message that goes first: its handler is through with it before any message behind it starts.
#[derive(Clone, Debug)]
pub struct Lead {
    /// The message.
    pub message: TaskId,
    /// Events that must have happened when the message ends, because what it still has to do conflicts
    /// with them.
    pub barrier: Bits,
    /// The same for the second event of the race.
    pub barrier_has_last: bool,
}

/// An order in which a scenario can be performed.
#[derive(Clone, Debug)]
pub struct Order {
    /// The events, in this order.
    pub events: Vec<Member>,
    /// Was it found without the solver?
    pub at_once: bool,
}

/// Events that cannot all be performed, whatever else is left out. `None`: all that were asked for.
pub type Core = Option<Bits>;

impl<'s> Scenario<'s> {
    /// The explored execution.
    pub fn execution(&self) -> &'s Execution {
        self.point.execution
    }

    /// Does the second event of the race start a message on this handler?
    pub fn last_starts_on(&self, handler: HandlerId) -> bool {
        self.last
            .is_some_and(|last| last.starts && self.execution().handler(last.task) == Some(handler))
    }

    /// Does the message end here?
    pub fn completes(&self, message: TaskId) -> bool {
        let ends_last = self.last.is_some_and(|last| last.task == message && last.ends);
        let end = self.execution().end_of(message);
        self.all_end
            || ends_last && !self.last_at_end
            || end.is_some_and(|end| bits::contains(self.members, end))
            || self.lead.is_some_and(|lead| lead.message == message)
    }

    /// The message that goes first at this handler.
    pub fn lead_on(&self, handler: HandlerId) -> Option<&'s Lead> {
        self.lead.filter(|lead| self.execution().handler(lead.message) == Some(handler))
    }

    /// Must the leading message have gone before this one of the same handler starts?
    pub fn is_behind_lead(&self, lead: &Lead, message: TaskId) -> bool {
        let handler = self.execution().handler(message);
        let mailbox = handler.map(|handler| self.execution().mailbox(handler));
        // Messages posted before the leading one are before it in a FIFO mailbox anyway.
        message != lead.message
            && (mailbox == Some(Mailbox::Multiset)
                || self.point.post_time(message) >= self.point.post_time(lead.message))
    }

    /// The events of a message among the members, in order.
    pub fn events_of(&self, message: TaskId) -> impl DoubleEndedIterator<Item = usize> + 's {
        let members = self.members;
        let events = self.execution().events_of(message).iter().map(|&event| event as usize);
        events.filter(move |&event| bits::contains(members, event))
    }

    /// The post of a message, if it is a member.
    pub fn post_of(&self, message: TaskId) -> Option<usize> {
        self.execution().creator(message).filter(|&post| bits::contains(self.members, post))
    }
}
