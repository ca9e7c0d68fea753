//! Performs a scenario nearly in an order that is given: what may not come yet when it is its turn comes in a later pass.
//!
//! Only handlers and queues can refuse an event that comes behind its past, so only events that these take note of are looked at one by one.

use super::advice::Advice;
use super::machine::Machine;
use super::saturation::Saturation;
use super::scenario::{Order, Scenario};
use crate::bits::{self, Bits};

/// Performs the events of a scenario part by part, each in the order of the explored execution, as often as that leads further. The second event of the
/// race comes at the end. What an event comes after is in its part or in an earlier one, but for what saturation has found.
pub fn perform(
    scenario: Scenario<'_>,
    parts: &[&[u64]],
    saturation: Option<&Saturation>,
) -> Option<Order> {
    let advice = Advice::new(scenario);
    let as_explored = if saturation.is_some() { 0 } else { as_explored(parts[0], &advice) };
    let machine = Machine::behind(scenario, as_explored);
    let waiting = bits::but(scenario.members, &bits::first(as_explored, scenario.members.len()));
    let mut passes = Passes { scenario, saturation, machine, advice, waiting };
    let mut performed = Order::with_capacity(scenario.execution.len());
    performed.extend(0..as_explored as u32);
    while !bits::is_empty(&passes.waiting) {
        let before_pass = performed.len();
        let mut held = bits::empty(scenario.members.len());
        for part in parts {
            let come = passes.perform(part, &mut held);
            performed.extend(bits::iter(&come).map(|event| event as u32));
        }
        if performed.len() == before_pass {
            return None;
        }
    }
    passes.machine.admits_last().then_some(performed)
}

/// So many of the first events can come as they were explored, and none of them had better wait, if this part is performed first.
fn as_explored(part: &[u64], advice: &Advice<'_>) -> usize {
    let missing = bits::first_missing(part);
    advice.first_to_wait().map_or(missing, |event| event.min(missing))
}

/// How far it has come.
struct Passes<'s> {
    scenario: Scenario<'s>,
    saturation: Option<&'s Saturation>,
    machine: Machine<'s>,
    advice: Advice<'s>,
    /// What is still to come.
    waiting: Bits,
}

impl Passes<'_> {
    /// Performs what may come of a part: that is the answer. What may not, and all that happens after it, is held until the next pass.
    fn perform(&mut self, part: &[u64], held: &mut Bits) -> Bits {
        let execution = self.scenario.execution;
        let mut open = bits::common(part, &self.waiting);
        bits::subtract(&mut open, held);
        let mut noted = bits::common(&open, execution.noted_by_handlers());
        while let Some(event) = bits::take_first(&mut noted) {
            let may_come = self.is_ready(event, &open)
                && self.advice.recommends(event, || self.to_come(event, &open))
                && self.machine.moves_on(event);
            if !may_come {
                let affected = execution.affected_by(event);
                bits::subtract(&mut noted, &affected);
                bits::subtract(&mut open, &affected);
                bits::union(held, &affected);
            }
        }
        bits::subtract(&mut self.waiting, &open);
        open
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
