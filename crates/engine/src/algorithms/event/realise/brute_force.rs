//! `realise` compared with all orders, on random scenarios from random executions. What an order may do is said
//! here a second time, as plainly as possible.

use super::random::{Execution, Program};
use crate::algorithms::event::decision;
use crate::algorithms::event::point::Point;
use crate::algorithms::event::saturation::Saturation;
use crate::algorithms::event::scenario::{Lead, Scenario};
use crate::bits::{self, Bits};
use crate::execution::Row;
use crate::ids::{HandlerId, TaskId};
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

    /// Does it come after all of its past?
    fn is_ready(&self, member: Member) -> bool {
        let scenario = &self.scenario;
        let before = match (member, scenario.last) {
            (Member::Event(event), _) => scenario.execution().before(event),
            (Member::Last, Some(_)) if scenario.last_at_end => Row::Kept(scenario.members),
            (Member::Last, last) => Row::Kept(&last.expect("it is asked for").before),
        };
        bits::is_subset(&bits::common(&before, scenario.members), &self.done_events)
    }

    fn task(&self, member: Member) -> TaskId {
        match member {
            Member::Event(event) => self.scenario.execution().events()[event].task,
            Member::Last => self.scenario.last.expect("it is asked for").task,
        }
    }

    fn starts(&self, member: Member) -> bool {
        match member {
            Member::Event(event) => {
                self.scenario.execution().events()[event].effect == Effect::Start
            }
            Member::Last => self.scenario.last.expect("it is asked for").starts,
        }
    }

    /// The messages that have started, and those that are over, at the point and since.
    fn has_ended(&self, message: TaskId) -> bool {
        let scenario = &self.scenario;
        let ends_as_last = scenario.last.is_some_and(|last| last.task == message && last.ends);
        // Nothing is asked of a leading message but what is seen of it.
        let leads = scenario.lead.is_some_and(|lead| lead.message == message);
        leads
            || scenario.execution().end_of(message).is_some_and(|end| {
                bits::contains(&scenario.point.happened, end) || self.is_done(Member::Event(end))
            })
            || ends_as_last && self.is_done(Member::Last)
    }

    fn has_started(&self, message: TaskId) -> bool {
        let at_point = self.scenario.execution().start_of(message);
        at_point.is_some_and(|start| {
            bits::contains(&self.scenario.point.happened, start)
                || self.is_done(Member::Event(start))
        }) || self.scenario.last.is_some_and(|last| last.starts && last.task == message)
            && self.is_done(Member::Last)
    }

    /// When it was posted: at the point or since; `None` if it has not been.
    fn posted(&self, message: TaskId) -> Option<usize> {
        let Some(post) = self.scenario.execution().creator(message) else { return Some(0) };
        if bits::contains(&self.scenario.point.happened, post) {
            return Some(post);
        }
        let at = self.done.iter().position(|&member| member == Member::Event(post))?;
        Some(self.scenario.execution().len() + at)
    }

    /// Is nobody in the way on its handler?
    fn may_start(&self, message: TaskId) -> bool {
        let execution = self.scenario.execution();
        let Some(handler) = execution.handler(message) else { return true };
        let others = || execution.posted(handler).iter().copied().filter(move |&m| m != message);
        let is_idle = others().all(|other| !self.has_started(other) || self.has_ended(other));
        let leads = |other: TaskId| self.scenario.lead.is_some_and(|lead| lead.message == other);
        let is_first = || {
            others().all(|other| {
                let is_in_front = self.posted(other) < self.posted(message);
                let is_seen = self.all.iter().any(|&m| self.starts(m) && self.task(m) == other);
                // A leading message that is posted here and not seen to start will have gone.
                let has_gone = leads(other) && self.scenario.post_of(other).is_some() && !is_seen;
                self.posted(other).is_none() || !is_in_front || self.has_started(other) || has_gone
            })
        };
        is_idle
            && (execution.mailbox(handler) == Mailbox::Multiset || is_first())
            && self.is_admitted_by_lead(message, handler)
    }

    fn is_admitted_by_lead(&self, message: TaskId, handler: HandlerId) -> bool {
        let execution = self.scenario.execution();
        let Some(lead) = self.scenario.lead_on(handler) else { return true };
        if message == lead.message {
            return true;
        }
        let is_in_front = execution.mailbox(handler) == Mailbox::Fifo
            && self.scenario.point.post_time(message) < self.scenario.point.post_time(lead.message);
        let is_awaited = |member: Member| match member {
            Member::Last => lead.barrier_has_last || self.task(member) == lead.message,
            Member::Event(event) => {
                bits::contains(&lead.barrier, event) || self.task(member) == lead.message
            }
        };
        is_in_front || self.all.iter().all(|&member| !is_awaited(member) || self.is_done(member))
    }

    fn may_post(&self, message: TaskId, handler: HandlerId) -> bool {
        let is_fifo = self.scenario.execution().mailbox(handler) == Mailbox::Fifo;
        let lead = self.scenario.lead_on(handler).filter(|_| is_fifo);
        let post = lead.and_then(|lead| self.scenario.post_of(lead.message));
        lead.is_none_or(|lead| lead.message == message)
            || post.is_none_or(|post| self.is_done(Member::Event(post)))
    }

    fn may_come_next(&self, member: Member) -> bool {
        let effect = match member {
            Member::Event(event) => self.scenario.execution().events()[event].effect,
            Member::Last => Effect::None,
        };
        self.is_ready(member)
            && (!self.starts(member) || self.may_start(self.task(member)))
            && match effect {
                Effect::Post(message, handler) => self.may_post(message, handler),
                _ => true,
            }
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
            Member::Event(event) => match self.scenario.execution().events()[event].effect {
                Effect::Start => true,
                Effect::Post(_, handler) => {
                    self.scenario.execution().mailbox(handler) == Mailbox::Fifo
                }
                _ => false,
            },
        }
    }

    /// What the rest depends on: what has been performed, and the queues.
    fn key(&self) -> Vec<u64> {
        let execution = self.scenario.execution();
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

    /// Can everything be performed in exactly this order?
    fn follow(mut self, order: &[Member]) -> bool {
        let possible = order.iter().all(|&member| {
            let possible = !self.is_done(member) && self.may_come_next(member);
            self.push(member);
            possible
        });
        possible && self.done.len() == self.all.len()
    }
}

/// A scenario that owns its parts.
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
            // A start is never known to end its message.
            let may_end = execution.events()[event].ends_task && !last.starts;
            last.ends = may_end && rng.below(2) == 0;
            last.among(execution, &happened, &members)
        });
        let last_at_end = last.is_some() && rng.below(2) == 0;
        let mut scenario = Owned { depth, members, last, last_at_end, lead: None };
        if rng.below(2) == 0 {
            scenario.lead = scenario.random_lead(rng, execution);
        }
        scenario
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

    fn scenario<'s>(&'s self, point: &'s Point<'s>) -> Scenario<'s> {
        Scenario {
            point,
            members: &self.members,
            last: self.last.as_ref(),
            last_at_end: self.last_at_end,
            lead: self.lead.as_ref(),
            all_end: false,
        }
    }
}

/// Scenarios with more dead ends than this are left out.
const MOST_DEAD_ENDS: usize = 3_000;

/// How often the answer was what.
#[derive(Default)]
struct Answers {
    at_once: usize,
    by_solver: usize,
    no_at_once: usize,
    no_by_solver: usize,
    /// Too many orders to try all.
    too_many: usize,
}

impl Answers {
    fn compare(&mut self, scenario: Scenario<'_>) -> Result<(), &'static str> {
        let orders = Orders::new(scenario);
        let mut dead_ends = FxHashSet::default();
        let possible = orders.clone().exists(&mut dead_ends);
        if dead_ends.len() >= MOST_DEAD_ENDS {
            self.too_many += 1;
            return Ok(());
        }
        if possible && Saturation::of(scenario).is_none() {
            return Err("saturation contradicts what can be ordered");
        }
        let follows = |order: &[Member]| orders.clone().follow(order);
        match decision::decide(scenario) {
            Ok(_) if !possible => return Err("the solver orders what cannot be ordered"),
            Err(_) if possible => return Err("the solver finds no order where there is one"),
            Ok(order) if !follows(&order) => {
                return Err("the order of the solver cannot be performed");
            }
            _ => {}
        }
        match scenario.realise() {
            Some(_) if !possible => return Err("ordered what cannot be ordered"),
            None if possible => return Err("found no order where there is one"),
            Some(order) if !follows(&order.events) => return Err("not an order"),
            Some(order) if order.at_once => self.at_once += 1,
            Some(_) => self.by_solver += 1,
            None if Saturation::of(scenario).is_none() => self.no_at_once += 1,
            None => self.no_by_solver += 1,
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
            let owned = Owned::random(&mut rng, &execution);
            let point = Point::at_depth(&execution, owned.depth);
            let compared = answers.compare(owned.scenario(&point));
            assert_eq!(compared, Ok(()), "seed {seed}, attempt {attempt}");
        }
    }
    let Answers { at_once, by_solver, no_at_once, no_by_solver, too_many } = answers;
    // What the steps are there for: most answers need no solver, and some do.
    assert!(at_once >= 50_000, "yes at once: {at_once}");
    assert!(no_at_once >= 50_000, "no at once: {no_at_once}");
    assert!(by_solver >= 500, "yes by the solver: {by_solver}");
    assert!(no_by_solver < by_solver, "no by the solver: {no_by_solver}");
    assert!(too_many < 4_000, "not decided by all orders: {too_many}");
}
