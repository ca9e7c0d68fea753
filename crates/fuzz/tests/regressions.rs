//! Every program in `regressions/` under every algorithm. Each stands there because an algorithm was wrong on
//! it once, and is named after what went wrong.

use mazurka_engine::Algorithm;
use mazurka_fuzz::ed::EdFile;
use std::path::{Path, PathBuf};

/// Regression programs are shrunk; the oracle has them done at once.
const LIMIT: u64 = 20_000;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let entries = std::fs::read_dir(&folder).expect("the folder of regression programs");
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    let mut programs: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "ed")).collect();
    programs.sort();
    programs
}

#[test]
fn every_algorithm_agrees_on_every_regression_program() {
    let programs = programs();
    assert!(!programs.is_empty());
    let mut broken = Vec::new();
    for path in &programs {
        let program = EdFile::read(path).unwrap_or_else(|error| panic!("{error}"));
        let judged = program.compare(Algorithm::Naive, LIMIT, false);
        assert!(matches!(judged, Ok(Some(_))), "{}: too large", path.display());
        for algorithm in Algorithm::ALL {
            if let Err(disagreement) = program.compare(algorithm, LIMIT, false) {
                broken.push(format!("{}: {disagreement}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
