//! Prints a table: instance, policy, verdict, time to read and to solve, and whether the answer was verified.
//!
//! `cargo run --release -p mazurka-consistency --example table [FOLDER]`
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use mazurka_consistency::{Limits, Policy, Solver, check, read, verify};
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/instances");
    let folder = std::env::args()
        .nth(1)
        .unwrap_or_else(|| default.to_owned());
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    println!(
        "{:44} {:9} {:13} {:>9} {:>9} {:>9}",
        "instance", "policy", "verdict", "read ms", "solve ms", "verified"
    );
    for file in files {
        for policy in Policy::ALL {
            let start = Instant::now();
            let trace = read::read_file(&file)?;
            let read = start.elapsed();
            let start = Instant::now();
            let answer = check(&trace, policy, Solver::Sat, &Limits::default());
            let solved = start.elapsed();
            let verified = verify(&trace, &answer)
                .map_or_else(|error| error.to_string(), |()| "yes".to_owned());
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            println!(
                "{name:44} {:9} {:13} {:9.3} {:9.3} {verified:>9}",
                policy.name(),
                answer.verdict.name(),
                read.as_secs_f64() * 1e3,
                solved.as_secs_f64() * 1e3,
            );
        }
    }
    Ok(())
}
