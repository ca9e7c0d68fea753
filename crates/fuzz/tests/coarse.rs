//! Observers and context-sensitive independence against their oracle: random programs in several orders of exploration,
//! and the programs that show why the algorithms deviate from their paper.

use mazurka_engine::coarse_oracle::judge;
use mazurka_engine::{Algorithm, Config, Decision, Ending, Observer, Schedule, explore};
use mazurka_fuzz::coarse::{CoarseShape, check, check_program, generate, shrink};
use mazurka_lang::{EdProgram, Options, compile};
use std::path::Path;

/// Programs with more interleavings are passed over.
const LIMIT: u64 = 700;

const COARSE: [Algorithm; 4] = [
    Algorithm::OptimalObservers,
    Algorithm::DporCs,
    Algorithm::OptimalCs,
    Algorithm::OptimalCsObservers,
];

/// The oldest task first, and an order for each program. Where messages choose, block and take locks, only `event-observers` is judged.
fn runs(seed: u64, shape: CoarseShape) -> Vec<(Algorithm, Option<u64>)> {
    let others = COARSE.into_iter().filter(|_| !shape.choices);
    let all = others.chain([Algorithm::EventObservers]);
    all.flat_map(|algorithm| [(algorithm, None), (algorithm, Some(seed))]).collect()
}

/// So many programs of a shape are judged.
fn judge_programs(shape: &str, programs: u64) {
    let shape = CoarseShape::named(shape).expect("a shape");
    let mut judged = 0;
    let mut seed = 0;
    while judged < programs {
        seed += 1;
        let program = generate(seed, shape);
        match check(&program, &runs(seed, shape), LIMIT) {
            Ok(is_judged) => judged += u64::from(is_judged),
            Err(broken) => {
                let run = [(broken.algorithm, broken.shuffle)];
                let small = shrink(&program, |it| check(it, &run, LIMIT).is_err());
                panic!("shape {}, seed {seed}:\n{}\n{broken}", shape.name, small.text());
            }
        }
    }
    assert!(seed < programs * 5, "{seed} programs were drawn for {programs}");
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
    undone: Option<Decision>,
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
fn decision_matters(name: &str, algorithm: Algorithm, decision: Decision, what: usize) {
    let program = program(name);
    let lost = |undone| {
        let found = found(&program, algorithm, undone);
        found.iter().filter(|(_, complete)| !complete[what]).count()
    };
    assert_eq!(lost(None), 0, "{name} with {decision:?}");
    assert!(lost(Some(decision)) > 0, "{name} without {decision:?}");
}

#[test]
fn states_are_compared_directly_behind_a_race() {
    let decision = Decision::CompareDirectly;
    decision_matters("overwritten.ed", Algorithm::OptimalCs, decision, STATES);
    decision_matters("overwritten.ed", Algorithm::DporCs, decision, STATES);
}

#[test]
fn wakeup_sequences_are_whole() {
    let decision = Decision::WholeSequences;
    decision_matters("shortened.ed", Algorithm::OptimalObservers, decision, CLASSES);
}

#[test]
fn what_can_still_be_read_is_compared() {
    let decision = Decision::CompareWhatCanBeRead;
    decision_matters("twice.ed", Algorithm::OptimalCsObservers, decision, BEHAVIOURS);
}

#[test]
fn waiters_take_part_in_races_where_others_sleep() {
    let decision = Decision::WaitersAtCuts;
    decision_matters("assume-with-lock.ed", Algorithm::OptimalCs, decision, STATES);
}

#[test]
fn what_sleeps_has_not_been_explored() {
    let decision = Decision::SleepersCoverNothing;
    decision_matters("sleepers.ed", Algorithm::OptimalCs, decision, STATES);
}

#[test]
fn writes_that_may_still_be_read_count_as_read_where_everybody_sleeps() {
    let decision = Decision::OpenWritesAtCuts;
    decision_matters("hidden-writes.ed", Algorithm::OptimalCsObservers, decision, BEHAVIOURS);
}

/// This decision loses nothing: without it, less is pruned.
#[test]
fn don_t_do_sequences_are_passed_on_where_what_differs_is_overwritten() {
    let program = program("lastwrite.ed");
    let executions = |undone| {
        let mut config = Config::new(Algorithm::OptimalCsObservers);
        config.undone = undone;
        explore(&program, &config, &mut ()).statistics.executions
    };
    assert_eq!(executions(None), 1);
    assert!(executions(Some(Decision::RefinedInheritance)) > 1);
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
    ];
    for name in small {
        let orders = std::iter::once(None).chain((0..ORDERS).map(Some));
        let runs: Vec<_> =
            orders.flat_map(|order| COARSE.map(|algorithm| (algorithm, order))).collect();
        match check_program(&program(name), &runs, 100_000) {
            Ok(is_judged) => assert!(is_judged, "{name} is too large"),
            Err(broken) => panic!("{name}: {broken}"),
        }
    }
}

/// A program, its parameters, and its executions by algorithm.
type Row = (&'static str, &'static [(&'static str, i64)], [u64; 4]);

/// Program and parameters, and the executions of the algorithms in the order of [`COARSE`]: those of the paper's Table 2 and
/// pi of Table 1, where they do not depend on the order of exploration.
const PAPER: [Row; 7] = [
    ("lastwrite.ed", &[("n", 8)], [8, 1385, 1385, 1]),
    ("lastwrite.ed", &[("n", 4), ("dif", 1)], [4, 24, 24, 4]),
    ("lastwrite.ed", &[("n", 4), ("phases", 3)], [64, 125, 125, 1]),
    ("floatingread.ed", &[("n", 6)], [193, 272, 272, 1]),
    ("floatingread.ed", &[("n", 3), ("phases", 2)], [169, 25, 25, 1]),
    ("arraywrite.ed", &[("n", 5)], [16, 1, 1, 1]),
    ("pi.ed", &[("n", 6)], [720, 61, 61, 61]),
];

#[test]
fn the_paper_s_counts() {
    for (name, params, expected) in PAPER {
        let params = params.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let program = program_with(name, Options { params, ..Options::default() });
        let explored = COARSE.map(|algorithm| {
            explore(&program, &Config::new(algorithm), &mut ()).statistics.executions
        });
        assert_eq!(explored, expected, "{name}");
    }
}
