//! Finds an order for a scenario, in four steps from cheap to complete.
//!
//! 1. The explored order, then what a leading message or the second event of the race needs in front: a pass over handlers and queues decides almost
//!    always (the paper's witness construction). What has to wait there comes as soon as it can.
//! 2. Saturation ([`super::saturation`], Definition 6): what follows from handlers taking turns. It finds most
//!    contradictions.
//! 3. The same pass in an order that respects what saturation has found.
//! 4. The solver of the consistency crate ([`super::decision`]), which is complete.
//!
//! **Cost**: steps 1 and 3 are linear in the events but for happens-before rows, saturation is
//! O(messages² × events²/64) at worst; the solver's question is NP-hard.

use super::decision;
use super::machine::Machine;
use super::saturation::{self, Saturation};
use super::scenario::{Core, Order, Scenario};
use crate::bits::{self, Bits};
use crate::execution::Row;
use crate::program::Mailbox;
use crate::reversal::Member;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod random;

impl<'s> Scenario<'s> {
    /// Can it be performed? In which order?
    pub fn realise(&self) -> Option<Order> {
        self.witness().or_else(|| self.search())
    }

    /// The same, where the witness construction has failed.
    pub fn search(&self) -> Option<Order> {
        match self.saturate() {
            Quick::Order(events) => Some(Order { events, at_once: true }),
            Quick::Contradiction => None,
            Quick::Unknown => {
                decision::decide(*self).ok().map(|events| Order { events, at_once: false })
            }
        }
    }

    /// The same, with events that are to blame if there is none.
    pub fn search_or_blame(&self) -> Result<Order, Core> {
        match self.saturate() {
            Quick::Order(events) => Ok(Order { events, at_once: true }),
            // The solver says what is to blame.
            Quick::Contradiction | Quick::Unknown => {
                decision::decide(*self).map(|events| Order { events, at_once: false })
            }
        }
    }

    /// Can it be performed in the order of the explored execution, the second event of the race at the end?
    pub fn is_possible_as_explored(&self) -> bool {
        let mut machine = Machine::new(*self);
        let execution = self.execution();
        let mut turns = bits::common(self.members, execution.turns());
        bits::union(&mut turns, &bits::common(self.members, execution.posts_to_queues()));
        let turns = bits::iter(&turns).map(Member::Event);
        let last = self.last.map(|_| Member::Last);
        turns.chain(last).all(|member| {
            let admits = machine.admits(member);
            machine.perform(member);
            admits
        })
    }

    /// An order found in one pass, without a search.
    pub fn witness(&self) -> Option<Order> {
        if self.lead.is_none() && self.is_possible_as_explored() {
            let events = self.with_last(bits::iter(self.members));
            return Some(Order { events, at_once: true });
        }
        // Messages that run through though they are not members are a matter for the solver.
        let swept = if self.all_end { None } else { self.sweep() };
        swept.map(|events| Order { events, at_once: true })
    }

    fn saturate(&self) -> Quick {
        if self.all_end || bits::count(self.members) > saturation::MOST_EVENTS {
            return Quick::Unknown;
        }
        Saturation::of(*self).map_or(Quick::Contradiction, |saturation| {
            let order = self.with_last(bits::iter(self.members));
            let order = self.perform_in(order, |member| Row::Kept(saturation.before(member)));
            order.map_or(Quick::Unknown, Quick::Order)
        })
    }

    /// The explored order, with what must come early in front; what has to wait there comes as soon as it can.
    fn sweep(&self) -> Option<Vec<Member>> {
        let early = self.early();
        let mut late = Bits::from_slice(self.members);
        bits::subtract(&mut late, &early);
        let events = bits::iter(&early).chain(bits::iter(&late));
        self.perform_in(self.with_last(events), |member| match member {
            Member::Event(event) => self.execution().before(event),
            Member::Last if self.last_at_end => Row::Kept(self.members),
            Member::Last => Row::Kept(self.last.map_or(&[], |last| &last.before)),
        })
    }

    /// These events with the second event of the race: as soon as its past is there, so that it is in nobody's way, or
    /// at the end if it must be or starts a message.
    fn with_last(&self, events: impl Iterator<Item = usize>) -> Vec<Member> {
        let Some(last) = self.last else { return events.map(Member::Event).collect() };
        if self.last_at_end || last.starts {
            return events.map(Member::Event).chain([Member::Last]).collect();
        }
        let mut past = bits::common(&last.before, self.members);
        let mut is_to_come = true;
        let mut order = Vec::with_capacity(bits::count(self.members) as usize + 1);
        for event in events {
            if is_to_come && bits::is_empty(&past) {
                order.push(Member::Last);
                is_to_come = false;
            }
            bits::remove(&mut past, event);
            order.push(Member::Event(event));
        }
        order.extend(is_to_come.then_some(Member::Last));
        order
    }

    /// What a leading message needs, with the messages in front of it, and all that happens before. If none leads, what the
    /// second event of the race needs: the message of the first event is behind it in the queue.
    fn early(&self) -> Bits {
        let execution = self.execution();
        let Some(lead) = self.lead else {
            let past = self.last.iter().flat_map(|last| &last.past).map(|&event| event as usize);
            let mut early = bits::empty(self.members.len());
            for event in past {
                bits::union(&mut early, &execution.before(event));
                bits::insert(&mut early, event);
            }
            bits::intersect(&mut early, self.members);
            return early;
        };
        let mut early = bits::common(&lead.barrier, self.members);
        let in_front = execution.handler(lead.message).into_iter().flat_map(|handler| {
            let queue = match execution.mailbox(handler) {
                Mailbox::Fifo => self.point.queue(handler),
                Mailbox::Multiset => Vec::new(),
            };
            self.point.active(handler).into_iter().chain(queue)
        });
        for message in in_front.chain([lead.message]) {
            let events = self.events_of(message).chain(self.post_of(message));
            events.for_each(|event| bits::insert(&mut early, event));
        }
        if let Some(last) = self.last.filter(|last| {
            !self.last_at_end && (lead.barrier_has_last || last.task == lead.message)
        }) {
            bits::union(&mut early, &last.before);
        }
        for event in bits::iter(&early.clone()) {
            bits::union(&mut early, &execution.before(event));
        }
        bits::intersect(&mut early, self.members);
        early
    }

    /// Performs what can be performed, in this order, as often as that leads further.
    fn perform_in<'b>(
        &self,
        order: Vec<Member>,
        before: impl Fn(Member) -> Row<'b>,
    ) -> Option<Vec<Member>> {
        let mut machine = Machine::new(*self);
        let mut waiting = bits::empty(self.members.len() + 1);
        let node = |member: Member| match member {
            Member::Event(event) => event,
            Member::Last => self.execution().len(),
        };
        order.iter().for_each(|&member| bits::insert(&mut waiting, node(member)));
        let mut performed = Vec::with_capacity(order.len());
        let mut open = order;
        loop {
            let before_pass = open.len();
            open.retain(|&member| {
                let may_come = !bits::intersects(&before(member), &waiting)
                    && machine.admits(member)
                    && machine.recommends(member);
                if may_come {
                    machine.perform(member);
                    bits::remove(&mut waiting, node(member));
                    performed.push(member);
                }
                !may_come
            });
            if open.is_empty() {
                return Some(performed);
            }
            if open.len() == before_pass {
                return None;
            }
        }
    }
}

/// What is known without the solver.
enum Quick {
    Order(Vec<Member>),
    Contradiction,
    Unknown,
}
