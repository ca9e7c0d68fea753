//! Which algorithm should one take? Every program of the folder `programs`, as it stands, by every algorithm that explores everything.

use crate::measure::{self, MeasureError, Request};
use crate::programs::{self, LoadError};
use mazurka_engine::Algorithm;
use std::io::{self, Write};
use std::time::Duration;
use thiserror::Error;

/// What to compare.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Only programs whose folder and name contain this.
    pub program: Option<String>,
    /// Only this algorithm.
    pub algorithm: Option<Algorithm>,
    /// For each exploration.
    pub timeout: Duration,
}

/// Why there is no table.
#[derive(Debug, Error)]
pub enum CompareError {
    /// The programs could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Something could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// The table could not be written.
    #[error("cannot write the table: {0}")]
    Write(#[from] io::Error),
}

/// Prints a row for each program and algorithm, as soon as it is measured.
pub fn print(selection: &Selection, out: &mut dyn Write) -> Result<(), CompareError> {
    writeln!(
        out,
        "{:<34} {:<20} {:>11} {:>9} {:>9} {:>9}  ",
        "program", "algorithm", "executions", "redundant", "seconds", "peak MiB"
    )?;
    for program in programs::all()?.into_iter().filter(|it| selection.has(it)) {
        for algorithm in selection.algorithms() {
            let request = Request {
                program: program.clone(),
                params: Vec::new(),
                algorithm,
                timeout: Some(selection.timeout),
                max_executions: None,
            };
            let it = measure::in_child(&request)?;
            let peak = it
                .peak_kib
                .map_or_else(|| "-".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0));
            let stopped = if it.complete { "" } else { "not all of it" };
            let name = algorithm.name();
            let (executions, redundant, seconds) = (it.executions, it.redundant, it.seconds);
            writeln!(
                out,
                "{program:<34} {name:<20} {executions:>11} {redundant:>9} {seconds:>9.3} {peak:>9}  {stopped}"
            )?;
            out.flush()?;
        }
    }
    Ok(())
}

impl Selection {
    fn has(&self, program: &str) -> bool {
        self.program.as_ref().is_none_or(|part| program.contains(part.as_str()))
    }

    /// All but those that sample, unless one is named.
    fn algorithms(&self) -> Vec<Algorithm> {
        match self.algorithm {
            Some(algorithm) => vec![algorithm],
            None => Algorithm::ALL.into_iter().filter(|it| !it.samples()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_that_explores_everything_is_compared() {
        let selection =
            Selection { program: None, algorithm: None, timeout: Duration::from_secs(1) };
        let algorithms = selection.algorithms();
        assert!(algorithms.contains(&Algorithm::EventObservers));
        assert!(!algorithms.contains(&Algorithm::Random));
    }

    #[test]
    fn programs_of_all_folders_are_found() {
        let all = programs::all().expect("the folder is there");
        for name in ["context/lastwrite", "event-dpor/writers"] {
            assert!(all.iter().any(|it| it == name), "{name}");
        }
    }
}
