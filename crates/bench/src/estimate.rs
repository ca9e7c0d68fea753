//! How good the estimate of what is left is: explorations in several orders are stopped after a tenth of their executions, and what
//! was expected then is compared with the truth.

use crate::programs::{self, LoadError};
use mazurka_engine::{Algorithm, Config, Limits, explore};
use std::io::{self, Write};
use thiserror::Error;

/// The programs that are measured, with their parameters and the algorithm.
pub const PROGRAMS: [(&str, i64, Algorithm); 7] = [
    ("event-dpor/posters", 5, Algorithm::Event),
    ("event-dpor/buyers", 8, Algorithm::Event),
    ("event-dpor/ping-pong", 7, Algorithm::Event),
    ("event-dpor/writers", 8, Algorithm::Optimal),
    ("scaling/clicks", 5, Algorithm::Event),
    ("scaling/requests", 6, Algorithm::Event),
    ("scaling/pipeline", 7, Algorithm::Event),
];

/// So many orders of exploration of each program.
pub const SEEDS: u64 = 20;
/// The estimate is asked for after this part of the executions.
const PART: u64 = 10;
/// An estimate is good if it is wrong by no more than this factor.
pub const FACTOR: f64 = 3.0;

/// What was expected of one program, beside what was true.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// Executions in the end.
    pub executions: u64,
    /// What was expected after a tenth of them, divided by that; in order.
    pub ratios: Vec<f64>,
}

impl Comparison {
    /// How many of the estimates were good.
    pub fn good(&self) -> usize {
        self.ratios.iter().filter(|&&ratio| (1.0 / FACTOR..=FACTOR).contains(&ratio)).count()
    }
}

/// Why there is no comparison.
#[derive(Debug, Error)]
pub enum EstimateError {
    /// A program cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It could not be written.
    #[error("cannot write the table: {0}")]
    Write(#[from] io::Error),
}

/// Explores one program in this many orders.
pub fn compare(
    program: &str,
    n: i64,
    algorithm: Algorithm,
    seeds: u64,
) -> Result<Comparison, LoadError> {
    let program = programs::load(program, &[("n".to_owned(), n)])?;
    let config = Config { keep_going: true, ..Config::new(algorithm) };
    let executions = explore(&program, &config, &mut ()).statistics.ended();
    let ratio = |seed| {
        let limits =
            Limits { max_executions: Some(executions.div_ceil(PART)), ..Limits::default() };
        let config = Config { shuffle: Some(seed), limits, ..config.clone() };
        let statistics = explore(&program, &config, &mut ()).statistics;
        statistics.estimate.map_or(0.0, |it| it.executions as f64 / executions as f64)
    };
    let mut ratios: Vec<f64> = (0..seeds).map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    Ok(Comparison { executions, ratios })
}

/// Measures and prints all programs. Says whether all estimates were good.
pub fn print(seeds: u64, out: &mut dyn Write) -> Result<bool, EstimateError> {
    writeln!(
        out,
        "{:<28} {:>10} {:>8} {:>8} {:>8} {:>10}",
        "expected / true after 1/10", "executions", "least", "median", "most", "good"
    )?;
    let mut all_good = true;
    for (program, n, algorithm) in PROGRAMS {
        let comparison = compare(program, n, algorithm, seeds)?;
        let ratios = &comparison.ratios;
        writeln!(
            out,
            "{:<28} {:>10} {:>8.2} {:>8.2} {:>8.2} {:>10}",
            format!("{program}({n})"),
            comparison.executions,
            ratios[0],
            ratios[ratios.len() / 2],
            ratios[ratios.len() - 1],
            format!("{}/{}", comparison.good(), ratios.len()),
        )?;
        out.flush()?;
        all_good &= comparison.good() == ratios.len();
    }
    Ok(all_good)
}
