//! Performs a scenario nearly in an order that is given: what may not come yet when it is its turn comes in a later pass.
//!
//! Only handlers and queues can refuse an event that comes behind its past, so only events that these take note of are looked at one by one.

use super::advice::Advice;
use super::machine::Machine;
use super::saturation::Saturation;
use super::scenario::{Order, Scenario};
use crate::bits::{self, Bits};

/// Performs a scenario in the order of the explored execution.
pub fn in_explored_order(scenario: Scenario<'_>) -> Option<Order> {
    let passes = Passes::behind_shared(scenario, scenario.execution.len());
    let waiting = passes.waiting.clone();
    passes.order(&[&waiting])
}

/// The same, but from [`Scenario::kept`] on what the second event of the race needs comes in front of the rest.
pub fn needed_first(scenario: Scenario<'_>) -> Option<Order> {
    let passes = Passes::behind_shared(scenario, scenario.kept);
    let past_of_last = scenario.last.map_or(&[][..], |last| &last.past);
    let needed = bits::common(&passes.waiting, &scenario.execution.with_past(past_of_last));
    let rest = bits::but(&passes.waiting, &needed);
    passes.order(&[&needed, &rest])
}

/// Performs it in the order of the explored execution, but for what saturation has found.
pub fn saturated(scenario: Scenario<'_>, saturation: &Saturation) -> Option<Order> {
    let passes = Passes::new(scenario, Advice::new(scenario), 0, Some(saturation));
    passes.order(&[scenario.members])
}

/// How far it has come.
struct Passes<'s> {
    scenario: Scenario<'s>,
    saturation: Option<&'s Saturation>,
    machine: Machine<'s>,
    advice: Advice<'s>,
    /// What is still to come.
    waiting: Bits,
    /// What has come.
    performed: Order,
}

impl<'s> Passes<'s> {
    /// Behind as many of the first events as can come as they were explored, but not more than `most`.
    fn behind_shared(scenario: Scenario<'s>, most: usize) -> Self {
        let advice = Advice::new(scenario);
        let shared = bits::first_missing(scenario.members).min(most);
        let shared = advice.first_to_wait().map_or(shared, |event| event.min(shared));
        Passes::new(scenario, advice, shared, None)
    }

    /// Behind so many of the first events.
    fn new(
        scenario: Scenario<'s>,
        advice: Advice<'s>,
        shared: usize,
        saturation: Option<&'s Saturation>,
    ) -> Self {
        let machine = Machine::after(scenario, shared);
        let waiting = bits::but(scenario.members, &bits::first(shared, scenario.members.len()));
        let mut performed = Order::with_capacity(scenario.execution.len());
        performed.extend(0..shared as u32);
        Passes { scenario, saturation, machine, advice, waiting, performed }
    }

    /// Performs what is waiting part by part, each in the order of the explored execution, as often as that leads further. The second event of the
    /// race comes at the end. What an event comes after is in its part or in an earlier one, but for what saturation has found.
    fn order(mut self, parts: &[&[u64]]) -> Option<Order> {
        while !bits::is_empty(&self.waiting) {
            let before_pass = self.performed.len();
            let mut held = bits::empty(self.waiting.len());
            for part in parts {
                let come = self.perform(part, &mut held);
                self.performed.extend(bits::iter(&come).map(|event| event as u32));
            }
            if self.performed.len() == before_pass {
                return None;
            }
        }
        self.machine.admits_last().then_some(self.performed)
    }

    /// Performs what may come of a part: that is the answer. What may not, and all that happens after it, is held until the next pass.
    fn perform(&mut self, part: &[u64], held: &mut Bits) -> Bits {
        let execution = self.scenario.execution;
        let mut come = bits::common_but(part, &self.waiting, held);
        let open = &mut *come;
        let mut noted = bits::common(open, execution.noted_by_handlers());
        let noted = &mut *noted;
        while let Some(event) = bits::take_first(noted) {
            let may_come = self.is_ready(event, open)
                && self.advice.recommends(event, || self.to_come(event, open))
                && self.machine.moves_on(event);
            if !may_come {
                let affected = &*execution.affected_by(event);
                bits::subtract(noted, affected);
                bits::subtract(open, affected);
                bits::union(held, affected);
            }
        }
        bits::subtract(&mut self.waiting, open);
        come
    }

    /// What is still to come when it is the turn of an event of an open part.
    fn to_come(&self, event: usize, open: &[u64]) -> Bits {
        let mut to_come = self.waiting.clone();
        bits::subtract(&mut to_come, &bits::common(open, &bits::first(event, open.len())));
        to_come
    }

    /// Has everything come that saturation wants before an event of this part? (What happens before it has, or it would be held.)
    fn is_ready(&self, event: usize, open: &[u64]) -> bool {
        let comes_in_part = |earlier: usize| earlier < event && bits::contains(open, earlier);
        let has_come =
            |earlier: usize| !bits::contains(&self.waiting, earlier) || comes_in_part(earlier);
        self.saturation.is_none_or(|saturation| bits::iter(saturation.before(event)).all(has_come))
    }
}
