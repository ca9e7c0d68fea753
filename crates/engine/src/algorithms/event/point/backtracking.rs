//! What the solver is compared with: a descent that goes back and tries every other choice, on random
//! demands from random executions.

use super::{Demand, Descent, Lead, Point};
use crate::algorithms::event::decision;
use crate::algorithms::event::point::random::{Execution, Program};
use crate::bits::{self, Bits};
use crate::ids::TaskId;
use crate::operation::Effect;
use crate::reversal::{Last, Member};
use crate::rng::Rng;
use rustc_hash::FxHashSet;

impl Descent<'_> {
    /// Can everything be performed, whatever is chosen?
    fn backtrack(&mut self, dead_ends: &mut FxHashSet<Vec<u64>>) -> bool {
        self.perform_free_events();
        if self.is_done() {
            return true;
        }
        if dead_ends.contains(&self.key()) {
            return false;
        }
        let choices: Vec<Member> = self.choices().collect();
        for choice in choices {
            let before = (self.handlers.clone(), self.remaining.clone(), self.last_remains);
            self.perform(choice);
            if self.backtrack(dead_ends) {
                return true;
            }
            (self.handlers, self.remaining, self.last_remains) = before;
        }
        dead_ends.insert(self.key());
        false
    }

    fn key(&self) -> Vec<u64> {
        let mut key = self.remaining.to_vec();
        key.push(u64::from(self.last_remains));
        for handler in &self.handlers {
            key.extend(handler.queue.iter().map(|message| u64::from(message.0)));
            key.push(u64::MAX);
        }
        key
    }

    /// Can the events be performed in exactly this order?
    fn follows(&mut self, order: &[Member]) -> bool {
        order.iter().all(|&member| {
            let possible = match member {
                Member::Event(event) => {
                    self.is_ready(event) && (!self.is_choice(event) || self.admits(event))
                }
                Member::Last => {
                    let last = self.demand.last.expect("it is in the order");
                    self.last_is_ready() && (!last.starts || self.admits_start(last.task, true))
                }
            };
            self.perform(member);
            possible
        }) && self.is_done()
    }
}

/// A demand that owns its parts.
struct Owned {
    depth: usize,
    members: Bits,
    last: Option<Last>,
    last_at_end: bool,
    lead: Option<Lead>,
}

impl Owned {
    fn random(rng: &mut Rng, execution: &Execution) -> Self {
        let depth = rng.below(execution.len() as u64 / 2 + 1) as usize;
        let happened = bits::first(depth, execution.words());
        let mut members = bits::empty(execution.words());
        let mut left_out = Vec::new();
        let share = rng.below(12) + 4;
        for event in depth..execution.len() {
            if left_out.iter().any(|&out| execution.happens_before(out, event)) {
                continue;
            }
            if rng.below(share) == 0 {
                left_out.push(event);
            } else {
                bits::insert(&mut members, event);
            }
        }
        let last = (!left_out.is_empty() && rng.below(4) > 0).then(|| {
            let event = left_out[rng.below(left_out.len() as u64) as usize];
            let mut last = Last::performed(execution, event);
            last.ends = execution.events()[event].ends_task && rng.below(2) == 0;
            last.among(execution, &happened, &members)
        });
        let last_at_end = last.is_some() && rng.below(2) == 0;
        let mut demand = Owned { depth, members, last, last_at_end, lead: None };
        if rng.below(2) == 0 {
            demand.lead = demand.random_lead(rng, execution);
        }
        demand
    }

    fn random_lead(&self, rng: &mut Rng, execution: &Execution) -> Option<Lead> {
        let messages: Vec<TaskId> = bits::iter(&self.members)
            .filter_map(|event| match execution.events()[event].effect {
                Effect::Start => Some(execution.events()[event].task),
                Effect::Post(message, _) => Some(message),
                _ => None,
            })
            .filter(|&message| {
                !self.last.as_ref().is_some_and(|last| last.starts && last.task == message)
            })
            .collect();
        let message = *messages.get(rng.below(messages.len().max(1) as u64) as usize)?;
        let mut barrier = bits::empty(execution.words());
        if rng.below(2) == 0 {
            bits::iter(&self.members)
                .filter(|_| rng.below(8) == 0)
                .for_each(|event| bits::insert(&mut barrier, event));
        }
        let barrier_has_last = self.last.is_some() && rng.below(6) == 0;
        Some(Lead { message, barrier, barrier_has_last })
    }

    fn demand(&self) -> Demand<'_> {
        Demand {
            members: &self.members,
            last: self.last.as_ref(),
            last_at_end: self.last_at_end,
            lead: self.lead.as_ref(),
            all_end: false,
        }
    }
}

/// How often the solver said what.
#[derive(Default)]
struct Answers {
    /// Yes, as the descent did.
    yes: usize,
    /// Yes where the descent got stuck.
    yes_after_all: usize,
    no: usize,
}

impl Answers {
    fn compare(&mut self, point: &Point<'_>, demand: Demand<'_>) -> Result<(), &'static str> {
        if !demand.is_plausible(point) {
            return Ok(());
        }
        let possible = Descent::new(point, demand).backtrack(&mut FxHashSet::default());
        let at_once = Descent::new(point, demand).descend();
        match decision::decide(point, demand) {
            Ok(_) if !possible => return Err("the solver orders what cannot be ordered"),
            Err(_) if possible => return Err("the solver finds no order where there is one"),
            Ok(order) if !Descent::new(point, demand).follows(&order) => {
                return Err("the order of the solver cannot be performed");
            }
            Ok(_) if at_once => self.yes += 1,
            Ok(_) => self.yes_after_all += 1,
            Err(_) => self.no += 1,
        }
        Ok(())
    }
}

#[test]
fn solver_and_backtracking_agree() {
    let mut answers = Answers::default();
    for seed in 0..60_000 {
        let mut rng = Rng::new(seed);
        let execution = Program::random(&mut rng).execute(&mut rng);
        for attempt in 0..4 {
            let owned = Owned::random(&mut rng, &execution);
            let point = Point::at_depth(&execution, owned.depth);
            let compared = answers.compare(&point, owned.demand());
            assert_eq!(compared, Ok(()), "seed {seed}, attempt {attempt}");
        }
    }
    assert!(answers.yes >= 10_000, "yes, as the descent did: {}", answers.yes);
    assert!(answers.yes_after_all >= 100, "yes after all: {}", answers.yes_after_all);
    assert!(answers.no >= 2_000, "no: {}", answers.no);
}
