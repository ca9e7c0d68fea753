//! Time per execution against the number of events. It is to grow at most quadratically.

use crate::measure::{self, Request};
use crate::programs::LoadError;
use mazurka_engine::Algorithm;
use std::io::{self, Write};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Programs and the values of `n` to measure them with.
pub const SERIES: [(&str, &[i64]); 4] = [
    ("event-dpor/posters", &[3, 5, 8, 12, 18, 25, 35, 50]),
    ("scaling/chain", &[10, 20, 40, 70, 100, 140, 200]),
    ("scaling/chain-conflict", &[10, 20, 40, 70, 100, 140, 200]),
    ("scaling/chain-race", &[10, 20, 40, 70, 100, 140, 200]),
];

/// Programs with more executions are measured on their first ones.
const MAX_EXECUTIONS: u64 = 2000;
/// Short explorations are repeated for so long.
const LONG_ENOUGH: Duration = Duration::from_millis(200);

/// One program with one `n`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The parameter.
    pub n: i64,
    /// Events of an execution (of the first one).
    pub events: u64,
    /// How many executions were measured.
    pub executions: u64,
    /// Seconds for each.
    pub seconds: f64,
}

/// Why there is no scaling table.
#[derive(Debug, Error)]
pub enum ScalingError {
    /// A program cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It could not be written.
    #[error("cannot write the table: {0}")]
    Write(#[from] io::Error),
}

/// Measures and prints every series under `algorithm`.
pub fn print(algorithm: Algorithm, out: &mut dyn Write) -> Result<(), ScalingError> {
    for (program, values) in SERIES {
        writeln!(out, "{program} ({})", algorithm.name())?;
        writeln!(
            out,
            "{:>6} {:>8} {:>11} {:>16} {:>20}",
            "n", "events", "executions", "µs/execution", "ns/execution/event²"
        )?;
        let mut points = Vec::new();
        for &n in values {
            let point = point(program, n, algorithm)?;
            writeln!(
                out,
                "{:>6} {:>8} {:>11} {:>16.2} {:>20.3}",
                point.n,
                point.events,
                point.executions,
                point.seconds * 1e6,
                point.seconds * 1e9 / (point.events * point.events) as f64,
            )?;
            out.flush()?;
            points.push((point.events as f64, point.seconds));
        }
        writeln!(out, "grows like events^{:.2}\n", exponent(&points))?;
    }
    Ok(())
}

/// Measures one program with one `n`.
pub fn point(program: &str, n: i64, algorithm: Algorithm) -> Result<Point, LoadError> {
    let mut request = Request {
        program: program.to_owned(),
        params: vec![("n".to_owned(), n)],
        algorithm,
        timeout: Some(Duration::from_secs(20)),
        max_executions: Some(1),
    };
    let events = measure::run(&request, false)?.statistics.transitions;
    request.max_executions = Some(MAX_EXECUTIONS);
    let started = Instant::now();
    let (mut executions, mut seconds) = (0, 0.0);
    while executions == 0 || (executions < MAX_EXECUTIONS && started.elapsed() < LONG_ENOUGH) {
        let statistics = measure::run(&request, false)?.statistics;
        executions += statistics.ended().max(1);
        seconds += statistics.elapsed.as_secs_f64();
    }
    Ok(Point { n, events, executions, seconds: seconds / executions as f64 })
}

/// The slope of the line that fits best in a doubly logarithmic plot.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|p| p.0).sum::<f64>() / count;
    let mean_y = logs.iter().map(|p| p.1).sum::<f64>() / count;
    let covariance: f64 = logs.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let variance: f64 = logs.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_square_is_two() {
        let points: Vec<(f64, f64)> = (1..9).map(f64::from).map(|x| (x, 3.0 * x * x)).collect();
        assert!((exponent(&points) - 2.0).abs() < 1e-9);
    }
}
