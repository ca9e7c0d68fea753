//! Prints a table: instance, policy, verdict, time to read and to solve, and whether the answer was verified. Built with the
//! feature `smt` also the time of Z3 and how many times longer that took, with the median at the end.
//!
//! `cargo run --release -p mazurka-consistency --example table [FOLDER [SECONDS_FOR_Z3 [MOST_EVENTS_FOR_Z3]]]`
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use mazurka_consistency::{Answer, Limits, Policy, Solver, Trace, check, read, verify};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Solving is repeated, and the best time counts: a table is often made on a busy machine.
const REPEATS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/instances");
    let folder = arguments.next().unwrap_or_else(|| default.to_owned());
    let seconds = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let most_events = arguments.next().map_or(Ok(5000), |text| text.parse())?;
    let mut rivalry =
        Rivalry { limit: Duration::from_secs(seconds), most_events, ratios: Vec::new() };
    let entries = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
    files.sort();
    println!(
        "{:40} {:9} {:13} {:>9} {:>9} {:>9}",
        "instance", "policy", "verdict", "read ms", "solve ms", "verified"
    );
    for file in files {
        for policy in Policy::ALL {
            row(&file, policy, &mut rivalry)?;
        }
    }
    rivalry.conclude();
    Ok(())
}

fn row(file: &Path, policy: Policy, rivalry: &mut Rivalry) -> Result<(), read::ReadError> {
    let start = Instant::now();
    let trace = read::read_file(file)?;
    let read = start.elapsed();
    let (answer, solved) = timed(&trace, policy, Solver::Sat, &Limits::default(), REPEATS);
    let verified =
        verify(&trace, &answer).map_or_else(|error| error.to_string(), |()| "yes".to_owned());
    println!(
        "{:40} {:9} {:13} {:9.3} {:9.3} {verified:>9}{}",
        file.file_name().unwrap_or_default().to_string_lossy(),
        policy.name(),
        answer.verdict.name(),
        read.as_secs_f64() * 1e3,
        solved.as_secs_f64() * 1e3,
        rivalry.compare(&trace, &answer, solved),
    );
    Ok(())
}

fn timed(
    trace: &Trace,
    policy: Policy,
    solver: Solver,
    limits: &Limits<'_>,
    repeats: usize,
) -> (Answer, Duration) {
    let run = || {
        let start = Instant::now();
        let answer = check(trace, policy, solver, limits);
        (answer, start.elapsed())
    };
    let first = run();
    (1..repeats).map(|_| run()).fold(first, |best, next| if next.1 < best.1 { next } else { best })
}

/// The comparison with Z3.
#[cfg_attr(not(feature = "smt"), expect(dead_code, reason = "there is nothing to compare with"))]
struct Rivalry {
    limit: Duration,
    most_events: usize,
    ratios: Vec<f64>,
}

#[cfg(feature = "smt")]
impl Rivalry {
    fn compare(&mut self, trace: &Trace, answer: &Answer, solved: Duration) -> String {
        // Z3 builds an enumeration of all events before it looks at any limit.
        if trace.events().len() > self.most_events {
            return "   z3 not tried".to_owned();
        }
        let limits = Limits { deadline: Some(Instant::now() + self.limit), ..Limits::default() };
        let (theirs, taken) = timed(trace, answer.policy, Solver::Smt, &limits, 1);
        match theirs.verdict.name() {
            "unknown" => format!("   z3 gives up after {:.1} s", taken.as_secs_f64()),
            verdict if verdict != answer.verdict.name() => format!("   z3 says {verdict}!"),
            _ => {
                let ratio = taken.as_secs_f64() / solved.as_secs_f64();
                self.ratios.push(ratio);
                format!("   z3 {:10.1} ms, {ratio:9.0} times", taken.as_secs_f64() * 1e3)
            }
        }
    }

    fn conclude(&mut self) {
        self.ratios.sort_by(f64::total_cmp);
        if let Some(median) = self.ratios.get(self.ratios.len() / 2) {
            println!(
                "z3 answered {} times; at the median it took {median:.0} times as long",
                self.ratios.len()
            );
        }
    }
}

#[cfg(not(feature = "smt"))]
impl Rivalry {
    fn compare(&mut self, _: &Trace, _: &Answer, _: Duration) -> String {
        String::new()
    }

    fn conclude(&mut self) {}
}
