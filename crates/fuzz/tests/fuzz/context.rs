//! The figures of the paper on observers and context-sensitive independence, and the bounds of what was counted exhaustively.

use mazurka_engine::{Algorithm, Config, FailureKind, Outcome, explore};
use mazurka_lang::{EdProgram, Options, compile};
use std::collections::BTreeSet;
use std::path::Path;

/// A program and what is true of it. Nothing in these programs deadlocks or blocks.
struct Row {
    program: &'static str,
    params: &'static [(&'static str, i64)],
    /// Traces, classes with observers, final states, behaviours.
    truth: [u64; 4],
    /// Where assertions fail.
    failures: &'static [&'static str],
    /// The executions of `dpor-cs`, `optimal-cs` and `optimal-cs-observers`, where they are the same in every order of exploration.
    exact: [Option<u64>; 3],
    /// `optimal-cs-observers` may have so many.
    most: Option<u64>,
}

const EMPTY: Row =
    Row { program: "", params: &[], truth: [0; 4], failures: &[], exact: [None; 3], most: None };

const ROWS: [Row; 18] = [
    Row { program: "running", truth: [12, 11, 4, 2], failures: &["8:27"], ..EMPTY },
    Row { program: "intro", truth: [6, 5, 2, 1], ..EMPTY },
    Row {
        program: "lastwrite",
        params: &[("n", 4)],
        truth: [24, 4, 1, 1],
        exact: [Some(5), Some(5), Some(1)],
        ..EMPTY
    },
    Row {
        program: "lastwrite",
        params: &[("n", 8)],
        truth: [40_320, 8, 1, 1],
        exact: [Some(1385), Some(1385), Some(1)],
        ..EMPTY
    },
    Row {
        program: "lastwrite",
        params: &[("n", 4), ("dif", 1)],
        truth: [24, 4, 4, 1],
        exact: [Some(24), Some(24), Some(4)],
        ..EMPTY
    },
    Row {
        program: "lastwrite",
        params: &[("n", 4), ("phases", 3)],
        truth: [13_824, 64, 1, 1],
        exact: [Some(125), Some(125), Some(1)],
        ..EMPTY
    },
    Row {
        program: "floatingread",
        params: &[("n", 4)],
        truth: [120, 33, 1, 1],
        exact: [Some(16), Some(16), None],
        most: Some(4),
        ..EMPTY
    },
    Row {
        program: "floatingread",
        params: &[("n", 6)],
        truth: [5_040, 193, 1, 1],
        exact: [Some(272), Some(272), None],
        most: Some(6),
        ..EMPTY
    },
    Row {
        program: "floatingread",
        params: &[("n", 3), ("phases", 2)],
        truth: [576, 169, 1, 1],
        exact: [Some(25), Some(25), None],
        ..EMPTY
    },
    Row {
        program: "abs",
        params: &[("n", 4)],
        truth: [576, 16, 1, 1],
        exact: [None, None, Some(1)],
        ..EMPTY
    },
    Row {
        program: "abs",
        params: &[("n", 3), ("dif", 1)],
        truth: [36, 9, 9, 1],
        exact: [Some(36), Some(36), Some(9)],
        ..EMPTY
    },
    Row {
        program: "arraywrite",
        params: &[("n", 5)],
        truth: [16, 16, 1, 1],
        exact: [Some(1); 3],
        ..EMPTY
    },
    Row {
        program: "pi",
        params: &[("n", 6)],
        truth: [720, 720, 1, 1],
        exact: [Some(61); 3],
        ..EMPTY
    },
    Row {
        program: "fib",
        params: &[("n", 4)],
        truth: [16, 16, 1, 1],
        exact: [None, Some(1), Some(1)],
        ..EMPTY
    },
    Row { program: "boundedbuffer", params: &[("n", 5)], truth: [252, 252, 6, 1], ..EMPTY },
    Row { program: "quicksort", params: &[("n", 2)], truth: [32, 32, 1, 1], ..EMPTY },
    Row { program: "neighbours", truth: [7, 7, 4, 4], failures: &["6:12", "8:20"], ..EMPTY },
    Row { program: "twice", truth: [2, 2, 2, 2], failures: &["7:45"], ..EMPTY },
];

/// In so many orders beside the oldest task first, if there are not too many traces.
const ORDERS: u64 = 12;
const MANY_TRACES: u64 = 1_000;

impl Row {
    fn compiled(&self) -> EdProgram {
        let name = format!("{}.ed", self.program);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/context").join(&name);
        let text = std::fs::read_to_string(&path).expect("a program of the folder");
        let params = self.params.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        compile(&name, &text, &Options { params, ..Options::default() }).expect("it compiles")
    }

    fn orders(&self) -> impl Iterator<Item = Option<u64>> {
        let random = if self.truth[0] > MANY_TRACES { 1 } else { ORDERS };
        std::iter::once(None).chain((0..random).map(Some))
    }
}

fn explored(program: &EdProgram, algorithm: Algorithm, shuffle: Option<u64>) -> Outcome {
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.shuffle = shuffle;
    config.classes = true;
    explore(program, &config, &mut ())
}

/// Where assertions fail.
fn failures(outcome: &Outcome, name: &str) -> BTreeSet<String> {
    let failures = outcome.failures.iter();
    let assertions = failures.filter(|it| it.kind == FailureKind::Assertion);
    let places = assertions.filter_map(|it| it.location.clone());
    places.map(|it| it.replace(&format!("{name}.ed:"), "")).collect()
}

#[test]
fn what_was_counted_exhaustively_is_found_and_no_bound_is_passed() {
    for row in ROWS {
        let program = row.compiled();
        let [traces, observed, states, behaviours] = row.truth;
        let places: BTreeSet<String> = row.failures.iter().map(|&it| it.to_owned()).collect();
        for order in row.orders() {
            let explore = |algorithm: Algorithm| {
                let outcome = explored(&program, algorithm, order);
                let label =
                    format!("{} {:?} {} {order:?}", row.program, row.params, algorithm.name());
                assert!(outcome.complete, "{label}");
                assert_eq!(failures(&outcome, row.program), places, "{label}");
                let classes = outcome.classes.map(|it| it.complete);
                let statistics = outcome.statistics;
                (statistics.executions, statistics.redundant, classes, label)
            };
            let (executions, redundant, classes, label) = explore(Algorithm::Optimal);
            assert_eq!((executions, redundant, classes), (traces, 0, Some(traces)), "{label}");
            let (executions, redundant, classes, label) = explore(Algorithm::OptimalObservers);
            assert_eq!((executions, redundant, classes), (observed, 0, Some(observed)), "{label}");
            let (executions, _, classes, label) = explore(Algorithm::EventObservers);
            assert_eq!((executions, classes), (observed, Some(observed)), "{label}");
            let (executions, _, classes, label) = explore(Algorithm::DporCs);
            assert_eq!(classes, Some(states), "{label}");
            assert!(executions <= traces, "{label}: {executions}");
            row.exact[0].inspect(|&exact| assert_eq!(executions, exact, "{label}"));
            let (executions, redundant, classes, label) = explore(Algorithm::OptimalCs);
            assert_eq!(classes, Some(states), "{label}");
            assert!(executions + redundant <= traces, "{label}: {executions} and {redundant}");
            row.exact[1].inspect(|&exact| assert_eq!(executions, exact, "{label}"));
            let (executions, redundant, classes, label) = explore(Algorithm::OptimalCsObservers);
            assert_eq!(classes, Some(behaviours), "{label}");
            assert!(executions + redundant <= observed, "{label}: {executions} and {redundant}");
            row.exact[2].inspect(|&exact| assert_eq!(executions, exact, "{label}"));
            row.most.inspect(|&most| assert!(executions <= most, "{label}: {executions}"));
        }
    }
}
