//! The algorithms made for queues cover the classes of the table.

use crate::common::samples;
use mazurka_engine::{Algorithm, Config, Outcome, explore};
use mazurka_traces::TraceProgram;
use mazurka_traces::generate::{Shape, random_trace_of};

fn run(program: &TraceProgram, algorithm: Algorithm, limit: u64) -> Outcome {
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.classes = true;
    config.limits.max_executions = Some(limit);
    explore(program, &config, &mut ())
}

#[test]
fn em_dpor_covers_the_classes_of_the_table() {
    for sample in samples() {
        let program = TraceProgram::new(&sample.load().trace).expect("it was checked");
        let outcome = run(&program, Algorithm::EmDpor, 5_000);
        assert!(outcome.complete, "{}", sample.name);
        let classes = outcome.classes.expect("they were asked for");
        let found = (classes.complete, classes.deadlocked);
        assert_eq!(found, (sample.classes, sample.deadlocked), "{}", sample.name);
    }
}

#[test]
fn em_dpor_agrees_with_the_oracle_on_random_traces() {
    let shape = Shape { threads: 3, loopers: 2, messages: 3, actions: 5, ..Shape::default() };
    let mut judged = 0;
    for seed in 0..600 {
        let trace = random_trace_of(seed, &shape);
        let program = TraceProgram::new(&trace).expect("it is well-formed");
        let oracle = run(&program, Algorithm::Naive, 300);
        if !oracle.complete {
            continue;
        }
        judged += 1;
        let found = run(&program, Algorithm::EmDpor, 10_000).classes.expect("asked for");
        let truth = oracle.classes.expect("asked for");
        assert_eq!(found.complete, truth.complete, "seed {seed}");
        assert!(found.deadlocked + truth.contained >= truth.deadlocked, "seed {seed}");
    }
    assert!(judged > 100, "{judged}");
}
