//! Races of recorded executions, held to what exploring all executions shows.

use crate::common::samples;
use mazurka_engine::{Algorithm, Config, Ending, Observer, Program, Run, Schedule, Watch, explore};
use mazurka_traces::TraceProgram;
use mazurka_traces::races::{Leads, Race, Races, races};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn program(name: &str) -> TraceProgram {
    let sample = samples().into_iter().find(|sample| sample.name == name).expect("a sample");
    TraceProgram::new(&sample.load().trace).expect("it was checked")
}

fn races_of(program: &TraceProgram) -> Races {
    let found = races(program, &Watch::default());
    assert_eq!(found.undecided, 0, "{}", program.name());
    found
}

/// For each operation, by its place in the recorded execution, its place in another one.
fn places(program: &TraceProgram, moves: impl Iterator<Item = String>) -> BTreeMap<usize, usize> {
    let run = program.start();
    let mut of_task: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (position, &task) in program.recorded_order().iter().enumerate() {
        of_task.entry(run.task_path(task)).or_default().push(position);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    moves
        .enumerate()
        .map(|(at, task)| {
            let count = counts.entry(task.clone()).or_default();
            *count += 1;
            (of_task[&task][*count - 1], at)
        })
        .collect()
}

/// Hears in which orders pairs of operations happen.
struct Orders<'p> {
    program: &'p TraceProgram,
    /// Pairs of positions that happened the other way round.
    exchanged: BTreeSet<(usize, usize)>,
}

impl Observer for Orders<'_> {
    fn execution(&mut self, _: Ending, schedule: &dyn Fn() -> Schedule) {
        let moves = schedule().moves.into_iter().map(|next| next.task);
        let places = places(self.program, moves);
        for (&first, &first_at) in &places {
            let later = places.range(first + 1..).filter(|&(_, &second_at)| second_at < first_at);
            self.exchanged.extend(later.map(|(&second, _)| (first, second)));
        }
    }
}

/// Every pair of operations that comes the other way round in some execution.
fn exchanged(program: &TraceProgram, algorithm: Algorithm) -> BTreeSet<(usize, usize)> {
    let mut orders = Orders { program, exchanged: BTreeSet::new() };
    let config = Config { keep_going: true, ..Config::new(algorithm) };
    explore(program, &config, &mut orders);
    orders.exchanged
}

fn pair(race: &Race) -> (usize, usize) {
    (race.first.position, race.second.position)
}

/// The witness performs all that it says, in an execution, with the two the other way round.
fn check_witness(program: &TraceProgram, race: &Race) {
    let schedule = Schedule {
        moves: race
            .witness
            .iter()
            .map(|task| mazurka_engine::Move { task: task.clone(), choice: 0 })
            .collect(),
    };
    let recording = mazurka_engine::replay(program, &schedule).expect("it is an execution");
    assert!(recording.ending.is_some(), "it has come to its end");
    let places = places(program, race.witness.iter().cloned());
    let (first, second) = pair(race);
    assert!(places[&second] < places[&first], "{race:?}");
}

/// What is listed is what exploration shows, and what is not listed never happens. Where two accesses stand for several, the
/// first pair is listed.
#[test]
fn the_pairs_agree_with_what_exploration_shows() {
    let mut count = 0;
    for sample in samples().iter().filter(|sample| !sample.name.starts_with("app-")) {
        let program = program(&sample.name);
        let found = races_of(&program);
        let shown = exchanged(&program, Algorithm::Event);
        for race in &found.races {
            check_witness(&program, race);
            assert!(shown.contains(&pair(race)), "{}: {race:?}", sample.name);
        }
        count += found.races.len();
        let listed = found.races.iter().filter(|race| shown.contains(&pair(race))).count();
        assert_eq!(listed, found.races.len(), "{}", sample.name);
        // As many pairs as could be exchanged, and none that is left out.
        let left_out = mazurka_traces::races::candidates(&program);
        let listed: BTreeSet<_> = found.races.iter().map(pair).collect();
        for candidate in left_out {
            assert_eq!(
                listed.contains(&candidate),
                shown.contains(&candidate),
                "{}: {candidate:?}",
                sample.name
            );
        }
    }
    assert!(count >= 30, "only {count} races in all samples");
}

#[test]
fn deadlocks_are_found_where_exploration_finds_them() {
    for sample in samples() {
        let program = program(&sample.name);
        let found = races_of(&program);
        let leads_to_deadlock =
            found.races.iter().any(|race| matches!(race.leads, Leads::Deadlock(_)));
        assert_eq!(leads_to_deadlock, sample.deadlocked > 0, "{}", sample.name);
    }
}

/// Without time nothing is decided, and every pair is said to be undecided, however many there are.
#[test]
fn pairs_that_there_is_no_time_for_are_counted() {
    let mut count = 0;
    for sample in samples() {
        let program = program(&sample.name);
        let found = races(&program, &Watch::lasting(Duration::ZERO));
        let candidates = mazurka_traces::races::candidates(&program).len();
        assert_eq!((found.races.len(), found.ordered), (0, 0), "{}", sample.name);
        assert_eq!(found.undecided, candidates, "{}", sample.name);
        count += candidates;
    }
    assert!(count >= 100, "only {count} pairs in all samples");
}

#[test]
fn recorded_applications_have_races_with_names() {
    for sample in samples().iter().filter(|sample| sample.name.starts_with("app-")) {
        let program = program(&sample.name);
        let found = races_of(&program);
        assert!(!found.races.is_empty(), "{}", sample.name);
        found.races.iter().for_each(|race| check_witness(&program, race));
        assert!(
            found.races.iter().any(|race| race.object.contains('L') && race.object.contains('/')),
            "classes are named: {:?}",
            found.races[0]
        );
    }
}
