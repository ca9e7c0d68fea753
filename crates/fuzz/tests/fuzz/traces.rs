//! Random recorded traces against the oracle: small ones by the thousand, and some larger ones.

use mazurka_engine::{Algorithm, ClassCounts, Program};
use mazurka_fuzz::ask_oracle;
use mazurka_fuzz::traces::{SMALL, TraceHunt, read, render};
use mazurka_traces::TraceProgram;
use mazurka_traces::generate::{Shape, random_trace_of};
use std::path::Path;

const ALL: [Algorithm; 6] = [
    Algorithm::Event,
    Algorithm::EmDpor,
    Algorithm::Dpor,
    Algorithm::Source,
    Algorithm::Optimal,
    Algorithm::R4,
];

fn check(shape: Shape, algorithms: &[Algorithm], traces: u64, limit: u64) {
    let hunt = TraceHunt {
        algorithms: algorithms.to_vec(),
        shape,
        first_seed: 1,
        traces: Some(traces),
        time: None,
        limit,
    };
    let (tally, catch) = hunt.run();
    if let Some(catch) = catch {
        panic!("--seed {}: {}\n{}", catch.seed, catch.disagreement, render(&catch.shrunk));
    }
    assert_eq!(tally.programs, traces);
    // Traces without any race would show nothing.
    assert!(tally.classes > tally.programs * 3 / 2, "{tally:?}");
}

#[test]
fn small_traces() {
    check(SMALL, &ALL, 9_000, 150);
}

#[test]
fn larger_traces() {
    check(Shape { actions: 11, threads: 4, ..SMALL }, &ALL, 500, 2_000);
}

/// The oracle looks at the compact form of a trace: it must not matter.
#[test]
fn the_compact_form_has_the_same_classes() {
    let shape = Shape { actions: 5, ..SMALL };
    let random = (0..1_500).map(|seed| random_trace_of(seed, &shape));
    let random = random.map(|trace| TraceProgram::new(&trace).expect("it is well-formed"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let entries = std::fs::read_dir(folder).expect("the folder of regression programs");
    let files = entries.map(|entry| entry.expect("an entry of the folder").path());
    let files = files.filter(|path| path.to_string_lossy().ends_with(".trace.txt"));
    let files = files.map(|path| read(&path).expect("it is well-formed"));
    let (mut compared, mut deadlocked) = (0, 0);
    for program in random.chain(files) {
        let Some(truth) = ask_oracle(&program, 1_000) else {
            continue;
        };
        let compact = ask_oracle(&program.compact(), 1_000).expect("it has no more interleavings");
        let counts = |classes: ClassCounts| (classes.complete, classes.ordered, classes.deadlocked);
        assert_eq!(counts(truth.classes), counts(compact.classes), "{}", program.name());
        compared += 1;
        deadlocked += truth.classes.deadlocked;
    }
    assert!(compared > 300 && deadlocked > 1, "{compared} {deadlocked}");
}
