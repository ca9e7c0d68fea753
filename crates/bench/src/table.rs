//! The table of the papers' programs: what was explored, how fast, in how much memory, and whether the
//! counts are as expected.

use crate::expected::Row;
use crate::measure::{self, MeasureError, Measurement, Request};
use mazurka_engine::Algorithm;
use std::io::{self, Write};
use std::time::Duration;
use thiserror::Error;

/// Which rows to measure.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Also those that take long.
    pub all: bool,
    /// Only this program.
    pub program: Option<String>,
    /// Only this algorithm, whether its counts are known or not.
    pub algorithm: Option<Algorithm>,
    /// For each row.
    pub timeout: Option<Duration>,
}

/// Why there is no table.
#[derive(Debug, Error)]
pub enum PrintError {
    /// A row could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// It could not be written.
    #[error("cannot write the table: {0}")]
    Write(#[from] io::Error),
    /// Nothing is selected.
    #[error("no row of the table is selected")]
    Empty,
}

/// Prints the head of the table, then each row as soon as it is measured. Says whether every count was as
/// expected.
pub fn print(rows: &[Row], selection: &Selection, out: &mut dyn Write) -> Result<bool, PrintError> {
    let requests = select(rows, selection);
    if requests.is_empty() {
        return Err(PrintError::Empty);
    }
    writeln!(
        out,
        "{:<14} {:<12} {:<9} {:>11} {:>8} {:>12} {:>9} {:>13} {:>9}  as expected",
        "program",
        "parameters",
        "algorithm",
        "executions",
        "blocked",
        "transitions",
        "seconds",
        "executions/s",
        "peak MiB"
    )?;
    let mut all_good = true;
    for (row, request) in requests {
        let measurement = measure::in_child(&request)?;
        let verdict = verdict(row, &request, &measurement);
        all_good &= verdict != Verdict::Differs;
        writeln!(out, "{}", line(row, &request, &measurement, verdict))?;
        out.flush()?;
    }
    Ok(all_good)
}

fn select<'a>(rows: &'a [Row], selection: &Selection) -> Vec<(&'a Row, Request)> {
    let algorithms = match selection.algorithm {
        Some(algorithm) => vec![algorithm],
        None => vec![Algorithm::Optimal, Algorithm::Event],
    };
    let mut requests = Vec::new();
    for row in rows {
        let wanted = selection.program.as_ref().is_none_or(|p| *p == row.program);
        if !wanted || !(row.test || selection.all) {
            continue;
        }
        for &algorithm in &algorithms {
            if selection.algorithm.is_some() || row.executions(algorithm).is_some() {
                let request = Request {
                    program: format!("event-dpor/{}", row.program),
                    params: row.params.clone(),
                    algorithm,
                    timeout: selection.timeout,
                    max_executions: None,
                };
                requests.push((row, request));
            }
        }
    }
    requests
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    AsExpected,
    Differs,
    Unknown,
    Stopped,
}

fn verdict(row: &Row, request: &Request, measurement: &Measurement) -> Verdict {
    let Some(expected) = row.executions(request.algorithm) else {
        return Verdict::Unknown;
    };
    if !measurement.complete {
        Verdict::Stopped
    } else if (measurement.executions, measurement.blocked) == (expected, row.blocked) {
        Verdict::AsExpected
    } else {
        Verdict::Differs
    }
}

fn line(row: &Row, request: &Request, measurement: &Measurement, verdict: Verdict) -> String {
    let m = measurement;
    let params: Vec<String> = row.params.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let peak =
        m.peak_kib.map_or_else(|| "-".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0));
    let verdict = match verdict {
        Verdict::AsExpected => "yes".to_owned(),
        Verdict::Unknown => "-".to_owned(),
        Verdict::Stopped => "stopped".to_owned(),
        Verdict::Differs => format!(
            "NO: {} executions, {} blocked",
            row.executions(request.algorithm).unwrap_or_default(),
            row.blocked
        ),
    };
    format!(
        "{:<14} {:<12} {:<9} {:>11} {:>8} {:>12} {:>9.3} {:>13.0} {:>9}  {}",
        row.program,
        params.join(","),
        request.algorithm.name(),
        m.executions,
        m.blocked,
        m.transitions,
        m.seconds,
        m.rate(),
        peak,
        verdict
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected;

    const ROWS: &str = "head\nwriters\tn=4\t24\t24\t0\tyes\t\nplb\tn=8\t2027025\t1\t0\tno\t\nfig4\t\t\t8\t0\tyes\t\n";

    fn labels(selection: &Selection) -> Vec<String> {
        let rows = expected::parse(ROWS).expect("a good table");
        select(&rows, selection)
            .iter()
            .map(|(row, request)| format!("{} {}", row.label(), request.algorithm.name()))
            .collect()
    }

    #[test]
    fn quick_rows_with_known_counts_are_selected() {
        assert_eq!(
            labels(&Selection::default()),
            ["writers(4) optimal", "writers(4) event", "fig4 event"]
        );
    }

    #[test]
    fn a_selection_narrows_or_widens() {
        let selection = Selection {
            all: true,
            program: Some("plb".to_owned()),
            algorithm: Some(Algorithm::Source),
            timeout: None,
        };
        assert_eq!(labels(&selection), ["plb(8) source"]);
    }

    #[test]
    fn counts_are_compared() {
        let rows = expected::parse(ROWS).expect("a good table");
        let (row, request) = &select(&rows, &Selection::default())[0];
        let measured = |executions, complete| Measurement {
            executions,
            blocked: 0,
            redundant: 0,
            transitions: 0,
            seconds: 1.0,
            complete,
            peak_kib: None,
        };
        assert_eq!(verdict(row, request, &measured(24, true)), Verdict::AsExpected);
        assert_eq!(verdict(row, request, &measured(23, true)), Verdict::Differs);
        assert_eq!(verdict(row, request, &measured(23, false)), Verdict::Stopped);
    }
}
