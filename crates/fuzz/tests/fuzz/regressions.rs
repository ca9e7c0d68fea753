//! Every program and recorded trace in `regressions/` under every algorithm. Each stands there because an algorithm was wrong on
//! it once, and is named after what went wrong. (`regressions/larger` is too large for the oracle: see `larger.rs`.)

use mazurka_engine::Algorithm;
use mazurka_fuzz::coarse::{check_program, judged_algorithms};
use mazurka_fuzz::ed::EdFile;
use mazurka_fuzz::traces;
use std::path::{Path, PathBuf};

/// Regression programs are shrunk; the oracle has them done at once.
const LIMIT: u64 = 25_000;

/// The oracle of coarser classes passes over programs with more interleavings.
const COARSE_LIMIT: u64 = 1_000;

fn files(ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let entries = std::fs::read_dir(&folder).expect("the folder of regression programs");
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    let mut files: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    files
}

#[test]
fn every_algorithm_agrees_on_every_regression_program() {
    let programs = files(".ed");
    assert!(!programs.is_empty());
    let mut broken = Vec::new();
    for path in &programs {
        let program = EdFile::read(path).unwrap_or_else(|error| panic!("{error}"));
        let judged = program.compare(Algorithm::Naive, LIMIT);
        assert!(matches!(judged, Ok(Some(_))), "{}: too large", path.display());
        for algorithm in Algorithm::ALL {
            if let Err(disagreement) = program.compare(algorithm, LIMIT) {
                broken.push(format!("{}: {disagreement}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Observers and context-sensitive independence have an oracle of their own, which takes longer.
#[test]
fn coarser_algorithms_lose_nothing_on_regression_programs() {
    let programs = files(".ed");
    let orders = [None, Some(1), Some(2)];
    let runs: Vec<_> = orders
        .iter()
        .flat_map(|&order| judged_algorithms().into_iter().map(move |it| (it, order)))
        .collect();
    let (mut judged, mut broken) = (0, Vec::new());
    for path in &programs {
        let file = EdFile::read(path).unwrap_or_else(|error| panic!("{error}"));
        match check_program(file.program(), &runs, COARSE_LIMIT) {
            Ok(is_judged) => judged += usize::from(is_judged),
            Err(disagreement) => broken.push(format!("{}: {disagreement}", path.display())),
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(judged * 2 > programs.len(), "only {judged} of {} are small enough", programs.len());
}

#[test]
fn every_algorithm_agrees_on_every_regression_trace() {
    let files = files(".trace.txt");
    assert!(!files.is_empty());
    let mut broken = Vec::new();
    for path in &files {
        let program = traces::read(path).unwrap_or_else(|error| panic!("{error}"));
        let name = path.to_string_lossy();
        for algorithm in Algorithm::ALL.into_iter().filter(|&other| traces::is_compared(other)) {
            match traces::compare(&program, algorithm, LIMIT) {
                Ok(Some(_)) => {}
                Ok(None) => panic!("{name}: too large"),
                Err(disagreement) => broken.push(format!("{name}: {disagreement}")),
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
