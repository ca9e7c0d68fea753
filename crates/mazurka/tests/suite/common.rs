//! Compares the algorithms with the oracle.

use mazurka::{Algorithm, Builder, Outcome};

/// Explores `program` with the oracle, with Optimal-DPOR and with Event-DPOR: they must see the same classes.
/// Returns the outcome of the default algorithm.
#[track_caller]
pub fn agree(program: fn()) -> Outcome {
    agree_with(Builder::new(), program)
}

/// The same, configured.
#[track_caller]
pub fn agree_with(builder: Builder, program: fn()) -> Outcome {
    let explore =
        |algorithm| builder.clone().algorithm(algorithm).count_classes(true).explore(program);
    let oracle = explore(Algorithm::Naive);
    assert!(oracle.is_complete(), "{oracle:?}");
    let classes = |outcome: &Outcome| {
        let counts = outcome.classes.expect("they were counted");
        (counts.complete, counts.deadlocked, counts.blocked)
    };
    let failures = |outcome: &Outcome| {
        let mut messages: Vec<_> =
            outcome.failures.iter().map(|failure| failure.message.clone()).collect();
        messages.sort();
        messages
    };
    let mut last = None;
    for algorithm in [Algorithm::Optimal, Algorithm::Event] {
        let outcome = explore(algorithm);
        let name = algorithm.name();
        assert!(outcome.is_complete(), "{name}: {outcome:?}");
        assert_eq!(
            classes(&outcome),
            classes(&oracle),
            "{name} and the oracle: classes complete, deadlocked, blocked"
        );
        assert_eq!(failures(&outcome), failures(&oracle), "{name} and the oracle: failures");
        last = Some(outcome);
    }
    last.expect("there are algorithms")
}
