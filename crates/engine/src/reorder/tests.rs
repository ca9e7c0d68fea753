//! The explorer on small pages: what happens in which order is simulated here.

use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// A page: what an event does to it.
trait Page: Clone {
    fn possible(&self) -> BTreeSet<u32>;
    /// Performs an event: what it reads and writes.
    fn perform(&mut self, event: u32) -> (Vec<u32>, Vec<u32>);
    /// The events that come before `event` in every order.
    fn before(&self, event: u32) -> Vec<u32>;
}

fn perform(start: &impl Page, plan: &[EventId]) -> Recorded {
    let mut page = start.clone();
    let mut replay = Replay::new(plan);
    let ids = |events: &BTreeSet<u32>| events.iter().copied().map(EventId).collect::<Vec<_>>();
    let mut recorded = Recorded { initially: ids(&page.possible()), ..Recorded::default() };
    let mut positions = BTreeMap::new();
    loop {
        let possible = page.possible();
        let planned = replay.next(|event| possible.contains(&event.0)).map(|event| event.0);
        let Some(event) = planned.or(possible.first().copied()) else { return recorded };
        let (reads, writes) = page.perform(event);
        let after = page.possible();
        let happened = Happened {
            event: EventId(event),
            after: page.before(event).iter().filter_map(|e| positions.get(e)).copied().collect(),
            reads,
            writes,
            appeared: ids(&after.difference(&possible).copied().collect()),
            vanished: ids(&possible
                .difference(&after)
                .copied()
                .filter(|&gone| gone != event)
                .collect()),
        };
        positions.insert(event, recorded.events.len() as u32);
        recorded.events.push(happened);
    }
}

struct Explored {
    sequences: Vec<Vec<u32>>,
    depths: Vec<u32>,
    given_up: GivenUp,
}

/// Explores a page with so many contexts, of which the last to begin is the first to end.
fn explore(page: &impl Page, settings: Settings, contexts: usize) -> Explored {
    let mut explorer = Explorer::new(settings);
    let mut running: Vec<Plan> = Vec::new();
    let mut results = BTreeMap::new();
    let mut explored =
        Explored { sequences: Vec::new(), depths: Vec::new(), given_up: GivenUp::default() };
    loop {
        while running.len() < contexts
            && let Some(plan) = explorer.next_plan()
        {
            running.push(plan);
        }
        let Some(plan) = running.pop() else { break };
        let recorded = perform(page, &plan.events);
        let events = recorded.events.iter().map(|happened| happened.event.0).collect::<Vec<_>>();
        results.insert(plan.ticket, (events, plan.depth));
        for accepted in explorer.done(plan.ticket, recorded.into_sequence()) {
            let (events, depth) = results.remove(&accepted.ticket).expect("a result");
            if accepted.kind != AcceptedKind::Redundant {
                explored.sequences.push(events);
                explored.depths.push(depth);
            }
        }
    }
    assert!(explorer.is_finished());
    explored.given_up = explorer.given_up();
    explored
}

const UNBOUNDED: Settings = Settings { bound: None, new_events: NewEvents::Reverse };

fn bound(bound: u32) -> Settings {
    Settings { bound: Some(bound), new_events: NewEvents::Keep }
}

/// Answers that arrive in any order; the n-th one touches the locations of its list.
#[derive(Clone)]
struct Answers {
    writes: Vec<Vec<u32>>,
    arrived: BTreeSet<u32>,
}

impl Answers {
    fn new(writes: Vec<Vec<u32>>) -> Self {
        Answers { writes, arrived: BTreeSet::new() }
    }
}

impl Page for Answers {
    fn possible(&self) -> BTreeSet<u32> {
        (0..self.writes.len() as u32).filter(|answer| !self.arrived.contains(answer)).collect()
    }

    fn perform(&mut self, event: u32) -> (Vec<u32>, Vec<u32>) {
        self.arrived.insert(event);
        (Vec::new(), self.writes[event as usize].clone())
    }

    fn before(&self, _: u32) -> Vec<u32> {
        Vec::new()
    }
}

#[test]
fn independent_events_have_one_order() {
    let page = Answers::new((0..40).map(|answer| vec![answer]).collect());
    let explored = explore(&page, UNBOUNDED, 1);
    assert_eq!(explored.sequences.len(), 1);
    assert!(explored.given_up.is_nothing());
}

#[test]
fn two_racing_answers_have_two_orders_and_the_bound_cuts_nothing() {
    let explored = explore(&Answers::new(vec![vec![0], vec![0]]), bound(1), 1);
    assert_eq!(explored.sequences, [[0, 1], [1, 0]]);
    assert!(explored.given_up.is_nothing());
}

#[test]
fn answers_that_append_to_one_list_have_all_orders() {
    let explored = explore(&Answers::new(vec![vec![0]; 5]), UNBOUNDED, 1);
    assert_eq!(explored.sequences.len(), 120);
    let distinct: BTreeSet<_> = explored.sequences.iter().collect();
    assert_eq!(distinct.len(), 120);
}

/// Only neighbours are uncovered races, so the orders of n answers with d reversals are the permutations with d
/// inversions: the coefficients of (1)(1+x)(1+x+x²)…(1+x+…+xⁿ⁻¹). At bound 1 that makes n.
#[test]
fn with_a_bound_there_are_as_many_orders_as_permutations_with_so_few_inversions() {
    let inversions = [1, 4, 9, 15, 20, 22, 20, 15, 9, 4, 1];
    for k in 0..inversions.len() {
        let explored = explore(&Answers::new(vec![vec![0]; 5]), bound(k as u32), 1);
        let expected: usize = inversions[..=k].iter().sum();
        assert_eq!(explored.sequences.len(), expected, "at bound {k}");
        assert!(explored.depths.is_sorted());
        for (depth, number) in inversions[..=k].iter().enumerate() {
            let there = explored.depths.iter().filter(|&&d| d as usize == depth).count();
            assert_eq!(there, *number, "with {depth} reversals");
        }
        assert_eq!(explored.given_up.beyond_bound, k + 1 < inversions.len(), "at bound {k}");
    }
}

#[test]
fn several_contexts_find_what_one_finds_in_the_same_order() {
    let pages = [vec![vec![0]; 4], vec![vec![0, 1], vec![1], vec![0, 2], vec![2]]];
    for writes in pages {
        let page = Answers::new(writes);
        let alone = explore(&page, bound(3), 1);
        for contexts in [2, 3, 7] {
            let together = explore(&page, bound(3), contexts);
            assert_eq!(together.sequences, alone.sequences);
            assert_eq!(together.depths, alone.depths);
        }
    }
}

/// Figure 1 of the paper: two images, two clicks, a script. A click takes an image from the queue, or looks again with a timer.
/// Events: 0 and 3 the images, 1 and 2 the clicks, 5 the script; a timer is 10 times what set it, plus 4.
#[derive(Clone, Default)]
struct Figure1 {
    done: BTreeSet<u32>,
    timers: BTreeSet<u32>,
    queue: u32,
}

const QUEUE: u32 = 0;

/// In the paper, `e4` is the timer of the second click.
const E4: u32 = 24;

impl Page for Figure1 {
    fn possible(&self) -> BTreeSet<u32> {
        let mut possible: BTreeSet<u32> =
            [0, 1, 3, 5].into_iter().filter(|event| !self.done.contains(event)).collect();
        if self.done.contains(&1) && !self.done.contains(&2) {
            possible.insert(2);
        }
        possible.extend(&self.timers);
        possible
    }

    fn perform(&mut self, event: u32) -> (Vec<u32>, Vec<u32>) {
        self.done.insert(event);
        self.timers.remove(&event);
        match event {
            5 => return (Vec::new(), vec![1]),
            0 | 3 => self.queue += 1,
            _ if self.queue > 0 => self.queue -= 1,
            _ => {
                self.timers.insert(event * 10 + 4);
                return (vec![QUEUE], Vec::new());
            }
        }
        (vec![QUEUE], vec![QUEUE])
    }

    fn before(&self, event: u32) -> Vec<u32> {
        match event {
            2 => vec![1],
            timer if timer >= 10 => vec![timer / 10],
            _ => Vec::new(),
        }
    }
}

#[test]
fn figure_1_of_the_paper_has_seven_sequences_at_bound_2() {
    let explored = explore(&Figure1::default(), bound(2), 1);
    let mut sequences = explored.sequences.clone();
    // e5 may come anywhere; new timers come last.
    sequences.iter_mut().for_each(|events| events.retain(|&event| event != 5));
    let expected = [
        vec![0, 1, 2, 3, E4],
        vec![0, 1, 2, E4, 3, 10 * E4 + 4],
        vec![0, 1, 3, 2],
        vec![1, 0, 2, 3, 14],
        vec![0, 3, 1, 2],
        vec![1, 0, 3, 2, 14],
        vec![1, 2, 0, 3, 14, E4],
    ];
    let found: BTreeSet<_> = sequences.iter().cloned().collect();
    assert_eq!(found, expected.iter().cloned().collect(), "{sequences:?}");
    assert_eq!(explored.sequences.len(), 7);
    assert_eq!(explored.depths, [0, 1, 1, 1, 2, 2, 2]);
    assert!(explored.given_up.beyond_bound && explored.given_up.new_events > 0);
}

/// Event 0 cancels event 1: line 5 of Algorithm 2.
#[derive(Clone, Default)]
struct Cancels(BTreeSet<u32>);

impl Page for Cancels {
    fn possible(&self) -> BTreeSet<u32> {
        let cancelled = self.0.contains(&0);
        (0..3).filter(|event| !(self.0.contains(event) || cancelled && *event == 1)).collect()
    }

    fn perform(&mut self, event: u32) -> (Vec<u32>, Vec<u32>) {
        self.0.insert(event);
        (Vec::new(), vec![event])
    }

    fn before(&self, _: u32) -> Vec<u32> {
        Vec::new()
    }
}

#[test]
fn an_event_that_another_one_cancels_is_performed_before_it() {
    let explored = explore(&Cancels::default(), bound(1), 1);
    assert_eq!(explored.sequences, [vec![0, 2], vec![1, 0, 2]]);
    assert!(explored.given_up.is_nothing());
}

#[test]
fn what_cannot_be_performed_is_named() {
    let page = Answers::new(vec![vec![0], vec![0]]);
    let mut explorer = Explorer::new(bound(1));
    let recording = explorer.next_plan().expect("a recording");
    explorer.done(recording.ticket, perform(&page, &recording.events).into_sequence());
    let plan = explorer.next_plan().expect("a reversal");
    assert_eq!(explorer.progress().in_flight, 1);
    let lost = explorer.lost(plan.ticket);
    assert_eq!(lost, [Accepted { ticket: 1, kind: AcceptedKind::Lost }]);
    assert!(explorer.is_finished());
    assert_eq!(explorer.given_up().lost, 1);
}
