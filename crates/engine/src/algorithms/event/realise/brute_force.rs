//! `realise` compared with all orders, on random scenarios from random executions. What an order may do is said
//! here a second time, as plainly as possible.

use super::AtOnce;
use super::random::{Execution, Program};
use crate::algorithms::event::decision;
use crate::algorithms::event::saturation::Saturation;
use crate::algorithms::event::scenario::{Order, Scenario};
use crate::bits::{self, Bits};
use crate::ids::TaskId;
use crate::operation::Effect;
use crate::program::Mailbox;
use crate::reversal::{Last, Member};
use crate::rng::Rng;
use rustc_hash::FxHashSet;

/// What has been performed, in which order.
#[derive(Clone)]
struct Orders<'s> {
    scenario: Scenario<'s>,
    all: Vec<Member>,
    done: Vec<Member>,
    /// The same as a set, the second event of the race aside.
    done_events: Bits,
}

impl<'s> Orders<'s> {
    fn new(scenario: Scenario<'s>) -> Self {
        let last = scenario.last.map(|_| Member::Last);
        let all = bits::iter(scenario.members).map(Member::Event).chain(last).collect();
        let done_events = bits::empty(scenario.members.len());
        Orders { scenario, all, done: Vec::new(), done_events }
    }

    fn push(&mut self, member: Member) {
        self.done.push(member);
        if let Member::Event(event) = member {
            bits::insert(&mut self.done_events, event);
        }
    }

    fn pop(&mut self) {
        if let Some(Member::Event(event)) = self.done.pop() {
            bits::remove(&mut self.done_events, event);
        }
    }

    fn is_done(&self, member: Member) -> bool {
        match member {
            Member::Event(event) => bits::contains(&self.done_events, event),
            Member::Last => self.done.contains(&Member::Last),
        }
    }

    /// Does it come after all of its past? The second event of the race comes at the end.
    fn is_ready(&self, member: Member) -> bool {
        let Scenario { execution, members, .. } = self.scenario;
        match member {
            Member::Event(event) => {
                let before = bits::common(&execution.before(event), members);
                bits::is_subset(&before, &self.done_events)
            }
            Member::Last => bits::is_subset(members, &self.done_events),
        }
    }

    fn task(&self, member: Member) -> TaskId {
        match member {
            Member::Event(event) => self.scenario.execution.events()[event].task,
            Member::Last => self.scenario.last.expect("it is asked for").task,
        }
    }

    fn starts(&self, member: Member) -> bool {
        match member {
            Member::Event(event) => self.scenario.execution.events()[event].effect == Effect::Start,
            Member::Last => self.scenario.last.expect("it is asked for").starts,
        }
    }

    fn has_ended(&self, message: TaskId) -> bool {
        let end = self.scenario.execution.end_of(message);
        end.is_some_and(|end| self.is_done(Member::Event(end)))
    }

    fn has_started(&self, message: TaskId) -> bool {
        let start = self.scenario.execution.start_of(message);
        start.is_some_and(|start| self.is_done(Member::Event(start)))
    }

    /// When it was posted; `None` if it has not been.
    fn posted(&self, message: TaskId) -> Option<usize> {
        let post = self.scenario.execution.creator(message)?;
        self.done.iter().position(|&member| member == Member::Event(post))
    }

    /// Is nobody in the way on its handler?
    fn may_start(&self, message: TaskId) -> bool {
        let execution = self.scenario.execution;
        let Some(handler) = execution.handler(message) else { return true };
        let others = || execution.posted(handler).iter().copied().filter(move |&m| m != message);
        let is_idle = others().all(|other| !self.has_started(other) || self.has_ended(other));
        let is_first = || {
            others().all(|other| {
                let is_in_front = self.posted(other) < self.posted(message);
                self.posted(other).is_none() || !is_in_front || self.has_started(other)
            })
        };
        is_idle && (execution.mailbox(handler) == Mailbox::Multiset || is_first())
    }

    fn may_come_next(&self, member: Member) -> bool {
        self.is_ready(member) && (!self.starts(member) || self.may_start(self.task(member)))
    }

    /// Is there an order for the rest? What has been performed, and the order of posts, decides.
    fn exists(&mut self, dead_ends: &mut FxHashSet<Vec<u64>>) -> bool {
        let open: Vec<Member> = self.all.iter().copied().filter(|&m| !self.is_done(m)).collect();
        if open.is_empty() {
            return true;
        }
        let key = self.key();
        if dead_ends.len() >= MOST_DEAD_ENDS || dead_ends.contains(&key) {
            return false;
        }
        let mut next: Vec<Member> = open.into_iter().filter(|&m| self.may_come_next(m)).collect();
        // What takes no place and comes when it may is in nobody's way.
        if let Some(&free) = next.iter().find(|&&member| !self.takes_place(member)) {
            next = vec![free];
        }
        for member in next {
            self.push(member);
            if self.exists(dead_ends) {
                return true;
            }
            self.pop();
        }
        dead_ends.insert(key);
        false
    }

    fn takes_place(&self, member: Member) -> bool {
        match member {
            Member::Last => true,
            Member::Event(event) => match self.scenario.execution.events()[event].effect {
                Effect::Start => true,
                Effect::Post(_, handler) => {
                    self.scenario.execution.mailbox(handler) == Mailbox::Fifo
                }
                _ => false,
            },
        }
    }

    /// What the rest depends on: what has been performed, and the queues.
    fn key(&self) -> Vec<u64> {
        let execution = self.scenario.execution;
        let mut key = self.done_events.to_vec();
        key.push(u64::from(self.is_done(Member::Last)));
        for &member in &self.done {
            let Member::Event(event) = member else { continue };
            if let Effect::Post(message, handler) = execution.events()[event].effect
                && execution.mailbox(handler) == Mailbox::Fifo
                && !self.has_started(message)
            {
                key.push(u64::from(message.0));
            }
        }
        key
    }

    /// Can everything be performed in exactly this order, the second event of the race at the end?
    fn follow(mut self, order: &[u32]) -> bool {
        let last = self.scenario.last.map(|_| Member::Last);
        let members = order.iter().map(|&event| Member::Event(event as usize)).chain(last);
        let possible = members.into_iter().all(|member| {
            let possible = !self.is_done(member) && self.may_come_next(member);
            self.push(member);
            possible
        });
        possible && self.done.len() == self.all.len()
    }
}

/// Some events of an execution with their pasts, and perhaps one that was left out.
fn random_members(rng: &mut Rng, execution: &Execution) -> (Bits, Option<Last>) {
    let mut members = bits::empty(execution.words());
    let mut left_out = Vec::new();
    let share = rng.below(12) + 4;
    for event in 0..execution.len() {
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
        Last::performed(execution, event)
    });
    (members, last)
}

/// Scenarios with more dead ends than this are left out.
const MOST_DEAD_ENDS: usize = 3_000;

/// How often the answer was what.
#[derive(Default)]
struct Answers {
    at_once: usize,
    /// Of these, in the first step.
    by_witness: usize,
    by_solver: usize,
    no_at_once: usize,
    no_by_solver: usize,
    /// Too many orders to try all.
    too_many: usize,
}

impl Answers {
    fn compare(&mut self, scenario: Scenario<'_>) -> Result<(), &'static str> {
        let orders = Orders::new(scenario);
        let follows = |order: &[u32]| orders.clone().follow(order);
        let as_explored: Order = bits::iter(scenario.members).map(|event| event as u32).collect();
        if scenario.is_possible_as_explored() != follows(&as_explored) {
            return Err("wrong about the explored order");
        }
        let mut dead_ends = FxHashSet::default();
        let possible = orders.clone().exists(&mut dead_ends);
        if dead_ends.len() >= MOST_DEAD_ENDS {
            self.too_many += 1;
            return Ok(());
        }
        if possible && Saturation::of(scenario).is_none() {
            return Err("saturation contradicts what can be ordered");
        }
        match decision::decide(scenario) {
            Ok(_) if !possible => return Err("the solver orders what cannot be ordered"),
            Err(_) if possible => return Err("the solver finds no order where there is one"),
            Ok(order) if !follows(&order) => {
                return Err("the order of the solver cannot be performed");
            }
            _ => {}
        }
        let witness = scenario.witness();
        if witness.as_ref().is_some_and(|order| !follows(order)) {
            return Err("the witness is not an order");
        }
        self.by_witness += usize::from(witness.is_some());
        match scenario.at_once() {
            AtOnce::Order(_) if !possible => return Err("ordered what cannot be ordered"),
            AtOnce::Order(order) if !follows(&order) => return Err("not an order"),
            AtOnce::Contradiction if possible => return Err("found no order where there is one"),
            AtOnce::Order(_) => self.at_once += 1,
            AtOnce::Contradiction => self.no_at_once += 1,
            AtOnce::Unknown if possible => self.by_solver += 1,
            AtOnce::Unknown => self.no_by_solver += 1,
        }
        Ok(())
    }
}

#[test]
fn realise_agrees_with_all_orders() {
    let mut answers = Answers::default();
    for seed in 0..50_000 {
        let mut rng = Rng::new(seed);
        let execution = Program::random(&mut rng).execute(&mut rng);
        for attempt in 0..4 {
            let (members, last) = random_members(&mut rng, &execution);
            let kept = rng.below(execution.len() as u64 + 1) as usize;
            let scenario =
                Scenario { execution: &execution, members: &members, last: last.as_ref(), kept };
            let compared = answers.compare(scenario);
            assert_eq!(compared, Ok(()), "seed {seed}, attempt {attempt}");
        }
    }
    let Answers { at_once, by_witness, by_solver, no_at_once, no_by_solver, too_many } = answers;
    // What the steps are there for: hardly any answer needs the solver, which was asked all the same.
    assert!(at_once >= 50_000, "yes at once: {at_once}");
    assert!(by_witness >= at_once / 100 * 99, "of these by the witness: {by_witness} of {at_once}");
    assert!(no_at_once >= 50_000, "no at once: {no_at_once}");
    assert!(by_solver + no_by_solver < 200, "by the solver: {by_solver} and {no_by_solver}");
    // One in twenty at most has too many orders to try all.
    assert!(too_many < 10_000, "not decided by all orders: {too_many}");
}
