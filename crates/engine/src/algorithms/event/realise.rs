//! Finds an order for a scenario, in four steps from cheap to complete.
//!
//! 1. The explored order with what the second event of the race needs in front of the rest, and what does not end behind it: a pass over handlers
//!    and queues decides almost always (the paper's witness construction). If it says no, what has to wait in this order comes as soon as it can.
//! 2. Saturation ([`super::saturation`], Definition 6): what follows from handlers taking turns. It finds most
//!    contradictions.
//! 3. The same pass in an order that respects what saturation has found.
//! 4. The solver of the consistency crate ([`super::decision`]), which is complete.
//!
//! **Cost**: steps 1 and 3 are linear in the events but for happens-before rows, saturation is
//! O(messages² × events²/64) at worst; the solver's question is NP-hard.

use super::decision;
use super::machine::{Advice, Machine};
use super::saturation::{self, Saturation};
use super::scenario::{Core, Scenario};
use crate::bits::{self, Bits};
use crate::execution::Row;
use crate::operation::Effect;
use crate::reversal::Member;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod random;

/// What is known without the solver.
pub(super) enum AtOnce {
    /// It can be performed in this order.
    Order(Vec<Member>),
    /// It cannot be performed.
    Contradiction,
    /// Nothing.
    Unknown,
}

impl<'s> Scenario<'s> {
    /// An order in which it can be performed, or events that are to blame if there is none.
    pub fn realise(&self) -> Result<Vec<Member>, Core> {
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

    /// Can it be performed in the order of the explored execution, the second event of the race at the end?
    pub fn is_possible_as_explored(&self) -> bool {
        self.is_possible_in(&[self.members])
    }

    /// Can it be performed part by part, each in the order of the explored execution, the second event of the race at the end? What an event comes
    /// after is in its part or in an earlier one.
    fn is_possible_in(&self, parts: &[&[u64]]) -> bool {
        let mut machine = Machine::new(*self);
        let mut takes_turns = Bits::from_slice(self.execution.turns());
        bits::union(&mut takes_turns, self.execution.posts_to_queues());
        let mut can_be_performed = |part: &&[u64]| {
            let events = bits::common(part, &takes_turns);
            bits::iter(&events).all(|event| machine.performs(Member::Event(event)))
        };
        parts.iter().all(&mut can_be_performed) && machine.performs(Member::Last)
    }

    /// An order found without a search.
    pub fn witness(&self) -> Option<Vec<Member>> {
        let left_waiting = self.left_waiting();
        let mut late = self.late();
        bits::subtract(&mut late, &left_waiting);
        let mut rest = Bits::from_slice(self.members);
        bits::subtract(&mut rest, &late);
        bits::subtract(&mut rest, &left_waiting);
        let parts = [&rest[..], &late, &left_waiting];
        if self.is_possible_in(&parts) {
            return Some(self.with_last(parts.iter().flat_map(|part| bits::iter(part))));
        }
        let kept = bits::common(self.members, &bits::first(self.kept, self.members.len()));
        let mut late = Bits::from_slice(self.members);
        bits::subtract(&mut late, &kept);
        let mut early = self.past_of_last();
        bits::intersect(&mut early, &late);
        bits::subtract(&mut late, &early);
        let events = bits::iter(&kept).chain(bits::iter(&early)).chain(bits::iter(&late));
        self.perform_in(self.with_last(events), |event| self.execution.before(event))
    }

    /// What happens after the first event that does not come as it was explored. A message that begins behind it comes late as a whole.
    fn late(&self) -> Bits {
        let execution = self.execution;
        if self.kept >= execution.len() {
            return bits::empty(self.members.len());
        }
        let mut late = self.with_what_happens_after(self.kept);
        let begins_earlier = |late: &[u64], event: usize| {
            let message = execution.events()[event].task;
            let start = execution.handler(message).and_then(|_| execution.start_of(message));
            start.filter(|&start| start > self.kept && !bits::contains(late, start))
        };
        while let Some(start) = bits::iter(&late).find_map(|event| begins_earlier(&late, event)) {
            bits::union(&mut late, &self.with_what_happens_after(start));
        }
        late
    }

    /// Posts to queues of messages that do not start, unless messages would have to wait for them.
    fn left_waiting(&self) -> Bits {
        let execution = self.execution;
        let mut waiting = bits::empty(self.members.len());
        let posts = bits::common(self.members, execution.posts_to_queues());
        for post in bits::iter(&posts) {
            let it = &execution.events()[post];
            let Effect::Post(message, _) = it.effect else { continue };
            let is_of_message = execution.handler(it.task).is_some();
            if is_of_message || self.events_of(message).next().is_some() {
                continue;
            }
            let after = self.with_what_happens_after(post);
            if !bits::intersects(&after, execution.turns()) {
                bits::union(&mut waiting, &after);
            }
        }
        waiting
    }

    fn with_what_happens_after(&self, event: usize) -> Bits {
        let mut affected = self.execution.affected_by(event);
        bits::intersect(&mut affected, self.members);
        affected
    }

    /// What the second event of the race needs.
    fn past_of_last(&self) -> Bits {
        let mut past = bits::empty(self.members.len());
        for &event in self.last.iter().flat_map(|last| &last.past) {
            bits::union(&mut past, &self.execution.before(event as usize));
            bits::insert(&mut past, event as usize);
        }
        past
    }

    fn saturate(&self) -> AtOnce {
        if bits::count(self.members) > saturation::MOST_EVENTS {
            return AtOnce::Unknown;
        }
        Saturation::of(*self).map_or(AtOnce::Contradiction, |saturation| {
            let order = self.with_last(bits::iter(self.members));
            let order = self.perform_in(order, |event| Row::Kept(saturation.before(event)));
            order.map_or(AtOnce::Unknown, AtOnce::Order)
        })
    }

    /// These events, and the second event of the race at the end.
    fn with_last(&self, events: impl Iterator<Item = usize>) -> Vec<Member> {
        let mut order = Vec::with_capacity(self.execution.len() + 1);
        order.extend(events.map(Member::Event).chain(self.last.map(|_| Member::Last)));
        order
    }

    /// Performs what can be performed, in this order, as often as that leads further.
    fn perform_in<'b>(
        &self,
        order: Vec<Member>,
        before: impl Fn(usize) -> Row<'b>,
    ) -> Option<Vec<Member>> {
        let mut machine = Machine::new(*self);
        let mut advice = Advice::new(*self);
        let mut waiting = Bits::from_slice(self.members);
        let mut performed = Vec::with_capacity(order.len());
        let mut open = order;
        loop {
            let before_pass = open.len();
            open.retain(|&member| {
                let is_ready = match member {
                    Member::Event(event) => !bits::intersects(&before(event), &waiting),
                    Member::Last => bits::is_empty(&waiting),
                };
                let may_come = is_ready && advice.recommends(member) && machine.performs(member);
                if may_come {
                    advice.perform(member);
                    if let Member::Event(event) = member {
                        bits::remove(&mut waiting, event);
                    }
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
