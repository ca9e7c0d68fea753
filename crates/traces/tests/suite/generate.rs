//! Random traces are well-formed, varied, the same for the same seed, and can be shrunk.

use crate::driver::drive_recorded;
use mazurka_engine::{Algorithm, Config, explore};
use mazurka_traces::format::{self, Format};
use mazurka_traces::generate::{Shape, random_trace, random_trace_of, shrink, smaller};
use mazurka_traces::{Action, RecordedTrace, TraceProgram, load};

fn count(trace: &RecordedTrace, wanted: fn(&Action) -> bool) -> usize {
    trace.operations.iter().filter(|recorded| wanted(&recorded.action)).count()
}

#[test]
fn random_traces_are_executions_in_every_format() {
    for seed in 0..2_000 {
        let trace = random_trace(seed);
        let program =
            TraceProgram::new(&trace).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(drive_recorded(&program), trace.operations.len(), "seed {seed}");
        assert!(trace.same_content(&random_trace(seed)), "seed {seed}");
        for format in [Format::Text, Format::Json] {
            let written = format::write(&trace, format).expect("it can be written");
            let edges = written.dependences.as_deref().map(|edges| ("d", edges.as_bytes()));
            let again = load("t", written.trace.as_bytes(), edges).expect("we wrote it");
            assert!(trace.same_content(&again.trace), "seed {seed} {}", format.name());
        }
    }
}

#[test]
fn random_traces_have_everything_in_them() {
    let traces: Vec<RecordedTrace> = (0..500).map(random_trace).collect();
    let some = |wanted: fn(&Action) -> bool| {
        traces.iter().filter(|trace| count(trace, wanted) > 0).count()
    };
    assert!(some(|action| matches!(action, Action::Lock { .. })) > 100);
    assert!(some(|action| matches!(action, Action::Post { .. })) > 250);
    assert!(some(|action| matches!(action, Action::Wait { .. })) > 10);
    assert!(some(|action| matches!(action, Action::Nop { .. })) > 10);
    assert!(traces.iter().filter(|trace| !trace.dependences.is_empty()).count() > 50);
    let deadlocking = traces.iter().filter(|trace| deadlocks(trace)).count();
    assert!(deadlocking >= 5, "{deadlocking}");
    let operations: usize = traces.iter().map(|trace| trace.operations.len()).sum();
    assert!((10..25).contains(&(operations / traces.len())), "{operations}");
}

#[test]
fn every_keyword_is_generated() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..3_000 {
        let trace = random_trace(seed);
        seen.extend(trace.operations.iter().map(|recorded| recorded.action.keyword()));
    }
    assert_eq!(seen.len(), 31, "{seen:?}");
}

fn deadlocks(trace: &RecordedTrace) -> bool {
    let program = TraceProgram::new(trace).expect("it is well-formed");
    let mut config = Config::new(Algorithm::Random);
    config.limits.max_executions = Some(100);
    explore(&program, &config, &mut ()).statistics.deadlocks > 0
}

#[test]
fn shapes_are_kept() {
    let shape = Shape {
        threads: 2,
        loopers: 1,
        messages: 2,
        locks: 0,
        notifications: false,
        dependences: false,
        environment: false,
        ..Shape::default()
    };
    for seed in 0..500 {
        let trace = random_trace_of(seed, &shape);
        assert!(count(&trace, |action| matches!(action, Action::ThreadInit { .. })) <= 2);
        assert!(count(&trace, |action| matches!(action, Action::Call { .. })) <= 2);
        assert_eq!(
            count(&trace, |action| matches!(action, Action::Lock { .. } | Action::Wait { .. })),
            0
        );
        assert!(trace.dependences.is_empty());
    }
}

#[test]
fn shrinking_keeps_the_problem_and_the_form() {
    let two_writes =
        |trace: &RecordedTrace| count(trace, |action| matches!(action, Action::Write { .. })) >= 2;
    let mut shrunk = 0;
    for seed in 0..300 {
        let trace = random_trace(seed);
        assert!(smaller(&trace).all(|less| TraceProgram::new(&less).is_ok()), "seed {seed}");
        if two_writes(&trace) {
            let least = shrink(&trace, two_writes);
            assert!(two_writes(&least) && TraceProgram::new(&least).is_ok(), "seed {seed}");
            assert!(!smaller(&least).any(|less| two_writes(&less)), "seed {seed}");
            shrunk += 1;
        }
    }
    assert!(shrunk > 40, "{shrunk}");
}
