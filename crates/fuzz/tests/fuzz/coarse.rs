//! Observers and context-sensitive independence against their oracle: random programs in several orders of exploration,
//! and the programs that show why the algorithms deviate from their paper.

use mazurka_engine::coarse_oracle::judge;
use mazurka_engine::{Algorithm, Config, Decision, Ending, Observer, Schedule, explore};
use mazurka_fuzz::coarse::{
    CoarseCatch, CoarseHunt, CoarseShape, check_program, judged_algorithms,
};
use mazurka_lang::{EdProgram, Options, compile};
use std::path::Path;

/// Programs with more interleavings are passed over.
const LIMIT: u64 = 700;

/// So many programs of a shape are judged under every algorithm, the oldest task first and in a random order.
fn judge_programs(shape: &str, programs: u64) {
    let hunt = CoarseHunt {
        algorithms: judged_algorithms(),
        shapes: vec![CoarseShape::named(shape).expect("a shape")],
        first_seed: 1,
        programs: Some(programs),
        time: None,
        orders: 1,
        limit: LIMIT,
    };
    let (tally, catch) = hunt.run();
    if let Some(CoarseCatch { shape, seed, shrunk, disagreement }) = catch {
        panic!("shape {shape}, seed {seed}:\n{}\n{disagreement}", shrunk.text());
    }
    assert_eq!(tally.judged, programs);
    assert!(tally.passed_over < programs * 4, "most programs were too large: {tally:?}");
}

#[test]
fn plain() {
    judge_programs("plain", 4_000);
}

#[test]
fn branching() {
    judge_programs("branching", 4_000);
}

#[test]
fn blocking() {
    judge_programs("blocking", 4_000);
}

#[test]
fn finally() {
    judge_programs("finally", 4_000);
}

#[test]
fn guards() {
    judge_programs("guards", 1_500);
}

#[test]
fn waiting() {
    judge_programs("waiting", 1_000);
}

#[test]
fn waiting_messages() {
    judge_programs("waiting-messages", 300);
}

#[test]
fn messages() {
    judge_programs("messages", 1_200);
}

#[test]
fn handlers() {
    judge_programs("handlers", 2_000);
}

#[test]
fn everything() {
    judge_programs("everything", 800);
}

/// n messages write their number, and `finally` reads it: n! traces, of which n can be told apart.
#[test]
fn what_the_last_message_wrote_is_all_that_counts() {
    for (n, traces) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
        let params = vec![("n".to_owned(), n)];
        let program = program_with("lastmessage.ed", Options { params, ..Options::default() });
        let explored = |algorithm| {
            let config = Config { classes: true, ..Config::new(algorithm) };
            let outcome = explore(&program, &config, &mut ());
            let statistics = outcome.statistics;
            (statistics.executions, statistics.redundant, outcome.classes.map(|it| it.complete))
        };
        assert_eq!(explored(Algorithm::Event), (traces, 0, Some(traces)));
        assert_eq!(explored(Algorithm::EventObservers), (n as u64, 0, Some(n as u64)));
    }
}

/// So many orders of exploration are tried where one of them is enough to show something.
const ORDERS: u64 = 60;

fn program(name: &str) -> EdProgram {
    program_with(name, Options::default())
}

fn program_with(name: &str, options: Options) -> EdProgram {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/context").join(name);
    let text = std::fs::read_to_string(&path).expect("a program of the folder");
    compile(name, &text, &options).expect("the program compiles")
}

#[derive(Default)]
struct Schedules(Vec<Schedule>);

impl Observer for Schedules {
    fn execution(&mut self, _ending: Ending, schedule: &dyn Fn() -> Schedule) {
        self.0.push(schedule());
    }
}

/// What is found of all states, behaviours and classes with observers, in all orders of exploration together.
fn found(
    program: &EdProgram,
    algorithm: Algorithm,
    undone: &'static [Decision],
) -> Vec<(Option<u64>, [bool; 3])> {
    let orders: Vec<Option<u64>> = std::iter::once(None).chain((0..ORDERS).map(Some)).collect();
    let schedules: Vec<Vec<Schedule>> = orders
        .iter()
        .map(|&shuffle| {
            let mut config = Config::new(algorithm);
            config.keep_going = true;
            config.shuffle = shuffle;
            config.undone = undone;
            let mut schedules = Schedules::default();
            explore(program, &config, &mut schedules);
            schedules.0
        })
        .collect();
    let (truth, shown) = judge(program, 100_000, &schedules).expect("a small program");
    let complete = shown.iter().map(|it| {
        [
            it.counts.states == truth.states,
            it.counts.behaviours == truth.behaviours,
            it.counts.observed == truth.observed,
        ]
    });
    orders.into_iter().zip(complete).collect()
}

const STATES: usize = 0;
const BEHAVIOURS: usize = 1;
const CLASSES: usize = 2;

/// With the decision, nothing is lost in any order; without, something is lost in some order.
fn decision_matters(name: &str, algorithm: Algorithm, decision: &'static [Decision], what: usize) {
    let program = program(name);
    let lost = |undone: &'static [Decision]| {
        let found = found(&program, algorithm, undone);
        found.iter().filter(|(_, complete)| !complete[what]).count()
    };
    assert_eq!(lost(&[]), 0, "{name} with {decision:?}");
    assert!(lost(decision) > 0, "{name} without {decision:?}");
}

#[test]
fn states_are_compared_directly_behind_a_race() {
    let decision = &[Decision::CompareDirectly];
    decision_matters("overwritten.ed", Algorithm::OptimalCs, decision, STATES);
    decision_matters("overwritten.ed", Algorithm::DporCs, decision, STATES);
}

#[test]
fn wakeup_sequences_are_whole() {
    let decision = &[Decision::WholeSequences];
    decision_matters("shortened.ed", Algorithm::OptimalObservers, decision, CLASSES);
}

#[test]
fn what_can_still_be_read_is_compared() {
    let decision = &[Decision::CompareWhatCanBeRead];
    decision_matters("twice.ed", Algorithm::OptimalCsObservers, decision, BEHAVIOURS);
}

#[test]
fn waiters_take_part_in_races_where_others_sleep() {
    let decision = &[Decision::WaitersAtCuts];
    decision_matters("assume-with-lock.ed", Algorithm::OptimalCs, decision, STATES);
}

#[test]
fn where_a_branch_sleeps_the_others_go_on() {
    let decision = &[Decision::OthersGoOn];
    decision_matters("passed-over.ed", Algorithm::OptimalCs, decision, STATES);
}

#[test]
fn what_sleeps_has_not_been_explored() {
    let decision = &[Decision::SleepersCoverNothing];
    decision_matters("sleepers.ed", Algorithm::OptimalCs, decision, STATES);
}

#[test]
fn what_would_hide_the_order_of_writes_that_may_still_be_read_does_not_sleep() {
    let decision = &[Decision::OpenWritesStayAwake];
    for name in ["hidden-writes.ed", "last-writers.ed", "observers-open.ed"] {
        decision_matters(name, Algorithm::OptimalCsObservers, decision, BEHAVIOURS);
    }
}

/// This decision loses nothing: without it, less is pruned.
#[test]
fn don_t_do_sequences_are_passed_on_where_what_differs_is_overwritten() {
    let program = program("lastwrite.ed");
    let executions = |undone: &'static [Decision]| {
        let mut config = Config::new(Algorithm::OptimalCsObservers);
        config.undone = undone;
        explore(&program, &config, &mut ()).statistics.executions
    };
    assert_eq!(executions(&[]), 1);
    assert!(executions(&[Decision::RefinedInheritance]) > 1);
}

/// The programs of the folder that the oracle can finish, in many orders.
#[test]
fn nothing_is_lost_on_the_papers_programs() {
    let small = [
        "running.ed",
        "intro.ed",
        "challenge.ed",
        "example12.ed",
        "indirect.ed",
        "neighbours.ed",
        "twice.ed",
        "overwritten.ed",
        "shortened.ed",
        "assume-with-lock.ed",
        "observers-open.ed",
        "sleepers.ed",
        "passed-over.ed",
        "hidden-writes.ed",
        "open-writes.ed",
        "last-writers.ed",
    ];
    for name in small {
        let orders = std::iter::once(None).chain((0..ORDERS).map(Some));
        let runs: Vec<_> = orders
            .flat_map(|order| judged_algorithms().into_iter().map(move |it| (it, order)))
            .collect();
        match check_program(&program(name), &runs, 100_000) {
            Ok(is_judged) => assert!(is_judged, "{name} is too large"),
            Err(broken) => panic!("{name}: {broken}"),
        }
    }
}
