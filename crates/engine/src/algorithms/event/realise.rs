//! Finds an order for a scenario, in four steps from cheap to complete.
//!
//! 1. The explored order, then the explored order with what the second event of the race needs in front of the rest: a pass over handlers
//!    and queues decides almost always (the paper's witness construction). What has to wait there comes as soon as it can.
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
        let mut machine = Machine::new(*self);
        let execution = self.execution;
        let mut turns = bits::common(self.members, execution.turns());
        bits::union(&mut turns, &bits::common(self.members, execution.posts_to_queues()));
        bits::iter(&turns).map(Member::Event).chain([Member::Last]).all(|member| {
            let admits = machine.admits(member);
            machine.perform(member);
            admits
        })
    }

    /// An order found in one pass, without a search.
    fn witness(&self) -> Option<Vec<Member>> {
        if self.is_possible_as_explored() {
            return Some(self.with_last(bits::iter(self.members)));
        }
        let mut late = Bits::from_slice(self.members);
        let kept = bits::common(self.members, &bits::first(self.kept, self.members.len()));
        bits::subtract(&mut late, &kept);
        let mut early = self.past_of_last();
        bits::intersect(&mut early, &late);
        bits::subtract(&mut late, &early);
        let events = bits::iter(&kept).chain(bits::iter(&early)).chain(bits::iter(&late));
        self.perform_in(self.with_last(events), |event| self.execution.before(event))
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
        events.map(Member::Event).chain(self.last.map(|_| Member::Last)).collect()
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
                let may_come = is_ready && machine.admits(member) && advice.recommends(member);
                if may_come {
                    machine.perform(member);
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
