//! One exploration, measured. Peak memory is the process's, so every measurement that wants it runs in a
//! process of its own: this program, started again with the hidden command `row`.

use crate::programs::{self, LoadError, Params};
use mazurka_engine::{Algorithm, Config, Limits, Outcome, explore};
use std::fmt::Write as _;
use std::io;
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// What to explore.
#[derive(Clone, Debug)]
pub struct Request {
    /// Folder and name of the program, such as `event-dpor/writers`.
    pub program: String,
    /// Its parameters.
    pub params: Params,
    /// How.
    pub algorithm: Algorithm,
    /// For how long at most.
    pub timeout: Option<Duration>,
    /// For how many executions at most.
    pub max_executions: Option<u64>,
}

/// The numbers of one exploration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measurement {
    /// Complete executions.
    pub executions: u64,
    /// Executions that an `assume` blocked.
    pub blocked: u64,
    /// Explorations begun in vain.
    pub redundant: u64,
    /// Events executed.
    pub transitions: u64,
    /// Time, without starting the process and compiling the program.
    pub seconds: f64,
    /// Was everything explored within the limits?
    pub complete: bool,
    /// The most memory that the process ever held, in KiB, where the system tells.
    pub peak_kib: Option<u64>,
}

impl Measurement {
    /// Executions of any ending in a second.
    pub fn rate(&self) -> f64 {
        (self.executions + self.blocked) as f64 / self.seconds.max(1e-9)
    }
}

/// Why there is no measurement.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// The program cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The process cannot be started.
    #[error("cannot start a process to measure in: {0}")]
    Start(#[from] io::Error),
    /// The process ended badly.
    #[error("the process that measured {program} failed: {said}")]
    Failed {
        /// What it measured.
        program: String,
        /// Its last words.
        said: String,
    },
}

/// Explores here and now. Failures of the program under test do not end the exploration.
pub fn run(request: &Request, classes: bool) -> Result<Outcome, LoadError> {
    let program = programs::load(&request.program, &request.params)?;
    let config = Config {
        keep_going: true,
        classes,
        limits: Limits {
            max_executions: request.max_executions,
            timeout: request.timeout,
            ..Limits::default()
        },
        ..Config::new(request.algorithm)
    };
    Ok(explore(&program, &config, &mut ()))
}

/// Explores in this process and reads its peak memory.
pub fn here(request: &Request) -> Result<Measurement, LoadError> {
    let outcome = run(request, false)?;
    let statistics = &outcome.statistics;
    Ok(Measurement {
        executions: statistics.executions,
        blocked: statistics.blocked,
        redundant: statistics.redundant,
        transitions: statistics.transitions,
        seconds: statistics.elapsed.as_secs_f64(),
        complete: outcome.complete,
        peak_kib: peak_memory(),
    })
}

/// Explores in a fresh process.
pub fn in_child(request: &Request) -> Result<Measurement, MeasureError> {
    let output = Command::new(std::env::current_exe()?).args(child_arguments(request)).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    said.trim().parse().map_err(|_| MeasureError::Failed {
        program: request.program.clone(),
        said: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

fn child_arguments(request: &Request) -> Vec<String> {
    let mut arguments = vec!["row".to_owned(), request.program.clone()];
    let mut flag = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
    flag("--algorithm", request.algorithm.name().to_owned());
    for (name, value) in &request.params {
        flag("--param", format!("{name}={value}"));
    }
    if let Some(timeout) = request.timeout {
        flag("--timeout", timeout.as_secs_f64().to_string());
    }
    if let Some(executions) = request.max_executions {
        flag("--max-executions", executions.to_string());
    }
    arguments
}

/// The high-water mark of resident memory, from `/proc/self/status` (Linux).
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The line that the fresh process prints and the first one reads.
pub fn to_line(measurement: &Measurement) -> String {
    let m = measurement;
    let mut line = format!(
        "{} {} {} {} {} {}",
        m.executions, m.blocked, m.redundant, m.transitions, m.seconds, m.complete
    );
    if let Some(peak) = m.peak_kib {
        // Writing to a string cannot fail.
        let _ = write!(line, " {peak}");
    }
    line
}

/// The line is not one of [`to_line`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("not a measurement")]
pub struct NotAMeasurement;

impl FromStr for Measurement {
    type Err = NotAMeasurement;

    fn from_str(line: &str) -> Result<Self, NotAMeasurement> {
        fn next<T: FromStr>(words: &mut std::str::Split<'_, char>) -> Result<T, NotAMeasurement> {
            words.next().and_then(|word| word.parse().ok()).ok_or(NotAMeasurement)
        }
        let words = &mut line.split(' ');
        Ok(Measurement {
            executions: next(words)?,
            blocked: next(words)?,
            redundant: next(words)?,
            transitions: next(words)?,
            seconds: next(words)?,
            complete: next(words)?,
            peak_kib: next(words).ok(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_the_whole_measurement() {
        let measurement = Measurement {
            executions: 90,
            blocked: 1,
            redundant: 2,
            transitions: 1234,
            seconds: 0.25,
            complete: true,
            peak_kib: Some(4096),
        };
        assert_eq!(to_line(&measurement).parse(), Ok(measurement));
        let unknown = Measurement { peak_kib: None, ..measurement };
        assert_eq!(to_line(&unknown).parse(), Ok(unknown));
        assert_eq!("90 one".parse::<Measurement>(), Err(NotAMeasurement));
    }
}
