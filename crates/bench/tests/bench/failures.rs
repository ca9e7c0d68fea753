//! No failure that `optimal` finds is missed by an algorithm with coarser classes, on all programs of the repository.

use mazurka_bench::programs::{self, Params};
use mazurka_engine::{Algorithm, Config, Outcome, explore};
use std::collections::BTreeSet;

const COARSE: [Algorithm; 5] = [
    Algorithm::OptimalObservers,
    Algorithm::DporCs,
    Algorithm::OptimalCs,
    Algorithm::OptimalCsObservers,
    Algorithm::EventObservers,
];

/// A program with more traces is made smaller.
const MOST_TRACES: u64 = 1_500;

/// None of them needs more explorations than `optimal` has traces, but for those that `dpor-cs` and `event-observers` begin in vain.
const MOST_EXECUTIONS: u64 = 2 * MOST_TRACES;

/// What is wrong, and where.
type Failures = BTreeSet<(&'static str, String, Option<String>)>;

fn explored(name: &str, params: &Params, algorithm: Algorithm, most: u64) -> Outcome {
    let program = programs::load(name, params).expect("a program of the folder compiles");
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.limits.max_executions = Some(most);
    explore(&program, &config, &mut ())
}

fn failures(outcome: &Outcome) -> Failures {
    let failures = outcome.failures.iter();
    failures.map(|it| (it.kind.name(), it.message.clone(), it.location.clone())).collect()
}

/// A program as it stands, or with smaller parameters if it has too many traces: those, and what `optimal` finds.
fn small_enough(name: &str) -> Option<(Params, Outcome)> {
    let declared = programs::load(name, &[]).expect("it compiles").params().to_vec();
    let largest = declared.iter().map(|&(_, value)| value).max().unwrap_or(0);
    (1..=largest.max(1)).rev().find_map(|most| {
        let params: Params =
            declared.iter().map(|(name, value)| (name.clone(), *value.min(&most))).collect();
        let outcome = explored(name, &params, Algorithm::Optimal, MOST_TRACES);
        let ends = outcome.complete || outcome.statistics.truncated > 0;
        ends.then_some((params, outcome))
    })
}

#[test]
fn every_failure_of_every_program_is_found() {
    let (mut checked, mut found, mut too_large) = (0, 0, Vec::new());
    for name in programs::all().expect("the folder is there") {
        let Some((params, optimal)) = small_enough(&name) else {
            too_large.push(name);
            continue;
        };
        let expected = failures(&optimal);
        for algorithm in COARSE {
            let outcome = explored(&name, &params, algorithm, MOST_EXECUTIONS);
            let label = format!("{} of {name} {params:?}", algorithm.name());
            assert_eq!(outcome.complete, optimal.complete, "{label} does not come to an end");
            assert_eq!(failures(&outcome), expected, "{label}");
        }
        checked += 1;
        found += expected.len();
    }
    assert_eq!(too_large, [""; 0]);
    assert!(checked > 100 && found > 30, "{checked} programs, {found} failures");
}
