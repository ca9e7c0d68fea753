//! Finds an order for a scenario, in four steps from cheap to complete.
//!
//! 1. The explored order, in which reversals share long prefixes; what has to wait in this order, or had better wait ([`super::advice`]), comes as soon as
//!    it can ([`super::passes`]). If that does not succeed, the same with what the second event of the race needs in front of the rest. A pass or two over handlers
//!    and queues decide almost always (the paper's witness construction).
//! 2. Saturation ([`super::saturation`], Definition 6): what follows from handlers taking turns. It finds most
//!    contradictions.
//! 3. The same pass in an order that respects what saturation has found.
//! 4. The solver of the consistency crate ([`super::decision`]), which is complete.
//!
//! **Cost**: steps 1 and 3 are linear in the events but for happens-before rows, saturation is
//! O(messages² × events²/64) at worst; the solver's question is NP-hard.

use super::decision;
use super::passes;
use super::saturation::{self, Saturation};
use super::scenario::{Core, Order, Scenario};
use crate::bits;
use crate::ids::HandlerId;
use crate::program::Mailbox;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod random;

/// What is known without the solver.
pub(super) enum AtOnce {
    /// It can be performed in this order.
    Order(Order),
    /// It cannot be performed.
    Contradiction,
    /// Nothing.
    Unknown,
}

impl<'s> Scenario<'s> {
    /// An order in which it can be performed, or events that are to blame if there is none.
    pub fn realise(&self) -> Result<Order, Core> {
        match self.at_once() {
            AtOnce::Order(order) => Ok(order),
            // The solver says what is to blame.
            AtOnce::Contradiction | AtOnce::Unknown => decision::decide(*self),
        }
    }

    /// Steps 1 to 3.
    pub(super) fn at_once(&self) -> AtOnce {
        self.witness().map_or_else(|| self.saturate(), AtOnce::Order)
    }

    /// Can it be performed in the order of the explored execution, the second event of the race at the end? In that order nothing starts behind a
    /// message that does not end, and in a queue nothing behind one that does not start.
    pub fn is_possible_as_explored(&self) -> bool {
        (0..self.execution.handler_count())
            .map(HandlerId::from)
            .all(|id| self.takes_turns(id) && self.skips_none(id))
    }

    /// Is no message of this handler cut short in that order, but the one that starts last?
    fn takes_turns(&self, handler: HandlerId) -> bool {
        let starts = bits::common(self.execution.starts_on(handler), self.members);
        let ends = bits::common(self.execution.ends_on(handler), self.members);
        let is_latest_cut = bits::last(&starts) > bits::last(&ends);
        let may_be_cut = is_latest_cut && !self.last_starts_on(handler);
        bits::count(&starts) - bits::count(&ends) <= u32::from(may_be_cut)
    }

    /// Do the first messages of the queue start, as many as start? (In the order of the explored execution they start as they are posted.)
    fn skips_none(&self, handler: HandlerId) -> bool {
        let execution = self.execution;
        if execution.mailbox(handler) == Mailbox::Multiset {
            return true;
        }
        let starts = bits::common(execution.starts_on(handler), self.members);
        let post_of_start = |start: usize| execution.creator(execution.events()[start].task);
        let latest = bits::last(&starts).and_then(post_of_start);
        let last = self.last.filter(|_| self.last_starts_on(handler));
        let last = last.and_then(|last| execution.creator(last.task));
        let Some(post) = last.or(latest) else { return true };
        let posts = bits::common(execution.posts_to(handler), self.members);
        let as_early = bits::common(&posts, &bits::first(post + 1, posts.len()));
        let starting = bits::count(&starts) + u32::from(last.is_some());
        latest <= Some(post) && bits::count(&as_early) == starting
    }

    /// An order found without a search.
    pub fn witness(&self) -> Option<Order> {
        passes::in_explored_order(*self).or_else(|| passes::needed_first(*self))
    }

    fn saturate(&self) -> AtOnce {
        if bits::count(self.members) > saturation::MOST_EVENTS {
            return AtOnce::Unknown;
        }
        Saturation::of(*self).map_or(AtOnce::Contradiction, |saturation| {
            let order = passes::saturated(*self, &saturation);
            order.map_or(AtOnce::Unknown, AtOnce::Order)
        })
    }
}
