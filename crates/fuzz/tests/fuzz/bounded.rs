//! `bounded` explores exactly the traces that schedules within its bound perform. Which these are is found from the definition: all
//! schedules, by enumeration, with the preemptions (or delays) of each. Who could have moved is seen from the other schedules.

use mazurka_engine::{
    Algorithm, Config, Interference, Observer, Program, Schedule, explore, replay,
};
use mazurka_fuzz::{Description, Interpreted, Shape, generate, render_ed};
use std::collections::{BTreeMap, BTreeSet};

/// An event by its task and its number there.
type Name = (String, usize);

/// The events, each with those that happen before it.
type Trace = BTreeMap<Name, BTreeSet<Name>>;

/// More interleavings than this are not enumerated.
const MOST: u64 = 3_000;

#[derive(Default)]
struct Schedules(Vec<Schedule>);

impl Observer for Schedules {
    fn execution(&mut self, _: mazurka_engine::Ending, schedule: &dyn Fn() -> Schedule) {
        self.0.push(schedule());
    }
}

fn schedules(program: &impl Program, config: &Config) -> Option<Vec<Schedule>> {
    let mut config = Config { keep_going: true, ..config.clone() };
    config.limits.max_executions = Some(MOST);
    let mut found = Schedules::default();
    let outcome = explore(program, &config, &mut found);
    (outcome.statistics.ended() < MOST).then_some(found.0)
}

fn trace(program: &impl Program, schedule: &Schedule) -> Trace {
    let recording = replay(program, schedule).expect("a possible schedule");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names: Vec<Name> = Vec::new();
    let mut trace = Trace::new();
    for (event, causes) in recording.events.iter().zip(&recording.causes) {
        let count = counts.entry(&event.path).or_default();
        *count += 1;
        let mut past = BTreeSet::new();
        for cause in causes {
            let earlier = &names[cause.event];
            past.extend(trace[earlier].iter().cloned());
            past.insert(earlier.clone());
        }
        let name = (event.path.clone(), *count);
        names.push(name.clone());
        trace.insert(name, past);
    }
    trace
}

/// The tasks that move first in some schedule behind each prefix.
fn followers(all: &[Schedule]) -> BTreeMap<Vec<(String, u32)>, BTreeSet<String>> {
    let mut followers: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for schedule in all {
        let mut prefix = Vec::new();
        for step in &schedule.moves {
            followers.entry(prefix.clone()).or_default().insert(step.task.clone());
            prefix.push((step.task.clone(), step.choice));
        }
    }
    followers
}

/// How often a schedule has another task move than the last one, which could go on.
fn preemptions(
    schedule: &Schedule,
    followers: &BTreeMap<Vec<(String, u32)>, BTreeSet<String>>,
) -> u32 {
    let mut prefix: Vec<(String, u32)> = Vec::new();
    let mut number = 0;
    for step in &schedule.moves {
        let could_go_on = prefix
            .last()
            .is_some_and(|(last, _)| *last != step.task && followers[&prefix].contains(last));
        number += u32::from(could_go_on);
        prefix.push((step.task.clone(), step.choice));
    }
    number
}

/// For each trace the smallest number of preemptions.
fn cheapest(program: &impl Program) -> Option<BTreeMap<Trace, u32>> {
    let all = schedules(program, &Config::new(Algorithm::Naive))?;
    let followers = followers(&all);
    let mut cheapest = BTreeMap::new();
    for schedule in &all {
        let number = preemptions(schedule, &followers);
        let least = cheapest.entry(trace(program, schedule)).or_insert(number);
        *least = number.min(*least);
    }
    Some(cheapest)
}

fn explored(program: &impl Program, interference: Interference, bound: u32) -> Vec<Trace> {
    let config = Config { bound: Some(bound), interference, ..Config::new(Algorithm::Bounded) };
    let found = schedules(program, &config).expect("fewer than all schedules");
    found.iter().map(|schedule| trace(program, schedule)).collect()
}

/// Threads only: the order of messages on a handler counts as well, and is not in these traces.
fn programs() -> impl Iterator<Item = Description> {
    let shape = Shape::named("threads").expect("a shape of threads");
    (0..400).map(move |seed| generate(seed, shape))
}

#[test]
fn exactly_the_traces_within_the_bound_are_explored_once() {
    let mut judged = 0;
    for description in programs() {
        let program = Interpreted::new(&description);
        let Some(cheapest) = cheapest(&program) else { continue };
        judged += 1;
        for bound in 0..3 {
            let found = explored(&program, Interference::Preemptions, bound);
            let wanted = cheapest.iter().filter(|(_, number)| **number <= bound);
            let wanted: BTreeSet<&Trace> = wanted.map(|(trace, _)| trace).collect();
            let set: BTreeSet<&Trace> = found.iter().collect();
            let text = render_ed(&description);
            assert_eq!(set.len(), found.len(), "twice at bound {bound}:\n{text}");
            assert_eq!(set, wanted, "at bound {bound}:\n{text}");
        }
    }
    assert!(judged > 200, "only {judged} programs are small enough");
}

#[test]
fn delays_reach_ever_more_and_everything_in_the_end() {
    // No execution of these programs has so many moves that pass over so many tasks.
    const ALL: u32 = 1_000;
    for description in programs().take(100) {
        let program = Interpreted::new(&description);
        let Some(cheapest) = cheapest(&program) else { continue };
        let mut last = BTreeSet::new();
        for bound in [0, 1, 2, ALL] {
            let found: BTreeSet<Trace> =
                explored(&program, Interference::Delays, bound).into_iter().collect();
            assert!(found.is_superset(&last), "{}", render_ed(&description));
            last = found;
        }
        assert_eq!(last, cheapest.into_keys().collect(), "{}", render_ed(&description));
    }
}
