//! Random recorded traces against the oracle, and recorded traces from files.
//!
//! The oracle explores the compact form of a trace, which has the same classes; the algorithms explore the
//! trace itself.

use crate::compare::{Disagreement, Report, Subject, ask_oracle, compare_with};
use crate::hunt::Tally;
use crate::promise::{Traits, applies, promise};
use mazurka_engine::Algorithm;
use mazurka_traces::format::{self, Format};
use mazurka_traces::generate::{Shape, random_trace_of, shrink};
use mazurka_traces::{RecordedTrace, TraceProgram};
use std::path::Path;
use std::time::{Duration, Instant};

/// What a recorded trace is to the promises: straight-line code under queues.
const TRAITS: Traits =
    Traits { handlers: true, only_multiset: false, only_fifo: true, non_branching: true };

/// The oracle has most of these done within a few thousand interleavings.
pub const SMALL: Shape = Shape {
    threads: 3,
    loopers: 2,
    messages: 4,
    actions: 8,
    variables: 1,
    locks: 2,
    notifications: true,
    dependences: true,
    environment: true,
};

/// What to hunt among random traces.
#[derive(Clone, Debug)]
pub struct TraceHunt {
    /// The algorithms that every trace is explored with.
    pub algorithms: Vec<Algorithm>,
    /// How large traces may get.
    pub shape: Shape,
    /// The first seed.
    pub first_seed: u64,
    /// Stop after so many traces that were not passed over.
    pub traces: Option<u64>,
    /// Stop after so much time.
    pub time: Option<Duration>,
    /// Traces with more interleavings are passed over.
    pub limit: u64,
}

/// A disagreement on a random trace.
#[derive(Clone, Debug)]
pub struct TraceCatch {
    /// The seed of the trace.
    pub seed: u64,
    /// The trace after shrinking.
    pub shrunk: RecordedTrace,
    /// The disagreement on it.
    pub disagreement: Disagreement,
}

impl TraceHunt {
    /// Hunts until something is caught, or until there have been enough traces or there is no more time.
    pub fn run(&self) -> (Tally, Option<Box<TraceCatch>>) {
        let (mut tally, started) = (Tally::default(), Instant::now());
        for seed in self.first_seed.. {
            if self.traces.is_some_and(|traces| tally.programs >= traces)
                || self.time.is_some_and(|time| started.elapsed() >= time)
            {
                break;
            }
            let trace = random_trace_of(seed, &self.shape);
            if let Err(disagreement) = self.judge(&trace, &mut tally) {
                return (tally, Some(Box::new(self.catch(seed, &trace, disagreement))));
            }
        }
        (tally, None)
    }

    fn judge(&self, trace: &RecordedTrace, tally: &mut Tally) -> Result<(), Disagreement> {
        let Some(program) = program(trace) else {
            return Ok(());
        };
        let compact = program.compact();
        let Some(truth) = ask_oracle(&compact, self.limit) else {
            tally.passed_over += 1;
            return Ok(());
        };
        let algorithms = self.algorithms.iter().copied().filter(|&other| is_compared(other));
        tally.judge(subject(&program, &compact), truth, algorithms, |other| promise(other, TRAITS))
    }

    fn catch(&self, seed: u64, trace: &RecordedTrace, first: Disagreement) -> TraceCatch {
        let mut last = first.clone();
        let shrunk = shrink(trace, |candidate| {
            let result =
                program(candidate).map(|program| compare(&program, first.algorithm, self.limit));
            match result {
                Some(Err(disagreement)) if disagreement.kind == first.kind => {
                    last = disagreement;
                    true
                }
                _ => false,
            }
        });
        TraceCatch { seed, shrunk, disagreement: last }
    }
}

/// Random traces are well-formed, and so is what shrinking asks about; a trace that is not has no program.
fn program(trace: &RecordedTrace) -> Option<TraceProgram> {
    TraceProgram::new(trace).ok()
}

fn subject<'p>(program: &'p TraceProgram, compact: &'p TraceProgram) -> Subject<'p, TraceProgram> {
    let translate = TraceProgram::compact_schedule;
    Subject { explored: program, enumerated: compact, translate }
}

/// The oracle enumerates a shorter form of a trace, so the number of executions of `naive` says nothing.
pub fn is_compared(algorithm: Algorithm) -> bool {
    algorithm != Algorithm::Naive && applies(algorithm, TRAITS)
}

/// Compares an algorithm with the oracle on a trace. `Ok(None)`: more interleavings than `limit`, or nothing to compare.
pub fn compare(
    program: &TraceProgram,
    algorithm: Algorithm,
    limit: u64,
) -> Result<Option<Report>, Disagreement> {
    if !is_compared(algorithm) {
        return Ok(None);
    }
    let compact = program.compact();
    let Some(truth) = ask_oracle(&compact, limit) else {
        return Ok(None);
    };
    compare_with(subject(program, &compact), truth, algorithm, promise(algorithm, TRAITS)).map(Some)
}

/// A trace as text, its dependences behind it.
pub fn render(trace: &RecordedTrace) -> String {
    match format::write(trace, Format::Text) {
        Ok(written) => match written.dependences {
            Some(edges) if !edges.is_empty() => format!("{}--\n{edges}", written.trace),
            _ => written.trace,
        },
        Err(error) => error.to_string(),
    }
}

/// Why a file is not a trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// Which file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Something is wrong in it.
    #[error("{0}")]
    Trace(#[from] mazurka_traces::Error),
}

/// Reads a trace, with `NAME.dependence.txt` beside it if the file is called `NAME.trace.txt` and there is one.
pub fn read(path: &Path) -> Result<TraceProgram, TraceFileError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|source| TraceFileError::Read { path: name.clone(), source })?;
    let edges_name = name.replace(".trace.txt", ".dependence.txt");
    let edges = match edges_name != name {
        true => std::fs::read(&edges_name).ok(),
        false => None,
    };
    let edges = edges.as_deref().map(|bytes| (edges_name.as_str(), bytes));
    let loaded = mazurka_traces::load(&name, &bytes, edges)?;
    Ok(TraceProgram::new(&loaded.trace)?)
}
