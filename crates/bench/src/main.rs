//! `mazurka-bench`: the papers' programs as tables.

use clap::{Parser, Subcommand};
use mazurka_bench::measure::{self, Request};
use mazurka_bench::{compare, estimate, expected, programs, scaling, table};
use mazurka_engine::Algorithm;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

/// Measures Mazurka on the papers' programs.
#[derive(Parser)]
#[command(name = "mazurka-bench")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Explores the programs of the table and compares the counts; exit status 1 if one differs.
    Table {
        /// Also the rows that take long.
        #[arg(long)]
        all: bool,
        /// Only this program.
        #[arg(long)]
        program: Option<String>,
        /// Only this algorithm, also where the table has no count for it. Otherwise optimal and event.
        #[arg(long, value_parser = algorithm)]
        algorithm: Option<Algorithm>,
        /// Seconds for each row.
        #[arg(long, value_parser = seconds)]
        timeout: Option<Duration>,
    },
    /// Explores every program of the folder `programs` by every algorithm: executions, redundant, seconds, memory.
    Compare {
        /// Only programs whose folder and name contain this.
        #[arg(long)]
        program: Option<String>,
        /// Only this algorithm.
        #[arg(long, value_parser = algorithm)]
        algorithm: Option<Algorithm>,
        /// Seconds for each exploration.
        #[arg(long, value_parser = seconds, default_value = "5")]
        timeout: Duration,
    },
    /// Time per execution against the number of events.
    Scaling {
        /// The algorithm.
        #[arg(long, value_parser = algorithm, default_value = "event")]
        algorithm: Algorithm,
    },
    /// What is expected after a tenth of the executions, beside the truth; exit status 1 if one is wrong by more than a factor of 3.
    Estimate {
        /// So many orders of exploration of each program.
        #[arg(long, default_value_t = estimate::SEEDS, value_parser = clap::value_parser!(u64).range(1..))]
        seeds: u64,
    },
    /// Explores one program and prints the numbers in one line, for `table`.
    #[command(hide = true)]
    Row {
        program: String,
        #[arg(long, value_parser = algorithm)]
        algorithm: Algorithm,
        #[arg(long = "param", value_parser = parameter)]
        params: Vec<(String, i64)>,
        #[arg(long, value_parser = seconds)]
        timeout: Option<Duration>,
        #[arg(long)]
        max_executions: Option<u64>,
    },
}

/// Explorations allocate many small things for a short time; this allocator is made for that and saves
/// a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // Nothing is left to do where even this cannot be said.
            let _ = writeln!(io::stderr(), "mazurka-bench: {error}");
            ExitCode::from(2)
        }
    }
}

/// Carries out a command; `false` means that counts are not as expected.
fn run(command: Command) -> Result<bool, Box<dyn Error>> {
    let mut out = io::stdout().lock();
    match command {
        Command::Table { all, program, algorithm, timeout } => {
            let rows = expected::parse(&programs::expected_counts()?)?;
            let selection = table::Selection { all, program, algorithm, timeout };
            Ok(table::print(&rows, &selection, &mut out)?)
        }
        Command::Compare { program, algorithm, timeout } => {
            compare::print(&compare::Selection { program, algorithm, timeout }, &mut out)?;
            Ok(true)
        }
        Command::Scaling { algorithm } => {
            scaling::print(algorithm, &mut out)?;
            Ok(true)
        }
        Command::Estimate { seeds } => Ok(estimate::print(seeds, &mut out)?),
        Command::Row { program, algorithm, params, timeout, max_executions } => {
            let measurement =
                measure::here(&Request { program, params, algorithm, timeout, max_executions })?;
            writeln!(out, "{}", measure::to_line(&measurement))?;
            Ok(true)
        }
    }
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    let found = Algorithm::ALL.into_iter().find(|a| a.name() == text);
    found.ok_or_else(|| {
        let names: Vec<&str> = Algorithm::ALL.iter().map(|a| a.name()).collect();
        format!("there are {}", names.join(", "))
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn parameter(text: &str) -> Result<(String, i64), String> {
    let mut params = expected::parse_params(text).ok_or("not of the form NAME=VALUE")?;
    match params.len() {
        1 => Ok(params.remove(0)),
        _ => Err("not of the form NAME=VALUE".to_owned()),
    }
}
