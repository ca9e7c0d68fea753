//! How a failure reads: what and where, the steps in columns by thread and handler, and how to see it again.

use crate::outcome::{Failure, FailureKind, Outcome};
use crate::replay::encode;
use crate::runtime::names::short_file;
use crate::runtime::program::RustProgram;
use mazurka_engine::{
    Action, Ending, Mode, RecordedAccess, RecordedEvent, Recording, Schedule, Statistics,
};
use std::fmt::Write as _;

/// So many of the last steps are shown.
const SHOWN: usize = 60;
/// A column is not wider than this.
const WIDEST: usize = 44;

/// Shows a failure on standard error.
#[expect(clippy::print_stderr, reason = "a failing test explains itself on standard error")]
pub(crate) fn show(program: &RustProgram, name: &str, failure: &Failure, outcome: &Outcome) {
    let recording = mazurka_engine::replay(program, &failure.schedule).unwrap_or_default();
    eprintln!("{}", render(name, failure, &recording, outcome));
}

/// Says on standard error how much was explored.
#[expect(clippy::print_stderr, reason = "asked for by MAZURKA_LOG")]
pub(crate) fn log(name: &str, outcome: &Outcome) {
    let whole = if outcome.is_complete() { "everything" } else { "not everything" };
    let elapsed = outcome.statistics.elapsed.as_secs_f64();
    eprintln!(
        "mazurka: {name}: {} executions, {} blocked, {} events in {elapsed:.3} s; {whole} was explored",
        outcome.executions, outcome.blocked, outcome.transitions
    );
}

/// Runs one schedule and tells what went wrong.
pub(crate) fn replay(program: &RustProgram, schedule: &Schedule) -> Outcome {
    let recording = match mazurka_engine::replay(program, schedule) {
        Ok(recording) => recording,
        Err(error) => {
            let failure = Failure {
                kind: FailureKind::Fault,
                message: format!("the schedule of MAZURKA_REPLAY does not fit this test: {error}"),
                location: None,
                schedule: Schedule::default(),
            };
            return Outcome::new(Statistics::default(), false, vec![failure]);
        }
    };
    let mut statistics =
        Statistics { transitions: recording.events.len() as u64, ..Statistics::default() };
    match recording.ending {
        Some(Ending::Complete) => statistics.executions = 1,
        Some(Ending::Blocked) => statistics.blocked = 1,
        Some(Ending::Deadlocked) => statistics.deadlocks = 1,
        Some(Ending::Truncated) => statistics.truncated = 1,
        None => {}
    }
    let faults =
        recording.events.into_iter().flat_map(|event| event.faults).chain(recording.final_faults);
    let failures = faults.map(|fault| Failure {
        kind: fault.kind,
        message: fault.message,
        location: fault.location,
        schedule: schedule.clone(),
    });
    Outcome::new(statistics, false, failures.collect())
}

fn render(name: &str, failure: &Failure, recording: &Recording, outcome: &Outcome) -> String {
    let explored = outcome.statistics.ended();
    let place = failure.location.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
    let mut text = format!("\nmazurka: {}{place}\n", headline(failure));
    for line in failure.message.lines() {
        let _ = writeln!(text, "    {line}");
    }
    if failure.schedule.moves.is_empty() {
        // It belongs to the exploration, not to one execution.
        let _ = write!(text, "\n{explored} executions were explored.");
        return text;
    }
    text.push('\n');
    text.push_str(&columns(recording));
    let _ = writeln!(text, "\n{explored} executions were explored before this one.");
    let _ = write!(
        text,
        "To see it again:  MAZURKA_REPLAY='{}' cargo test {name}",
        encode(&failure.schedule)
    );
    text
}

fn headline(failure: &Failure) -> &'static str {
    match failure.kind {
        FailureKind::Assertion if failure.schedule.moves.is_empty() => "failure",
        FailureKind::Assertion => "a task panicked",
        FailureKind::Deadlock => "deadlock",
        FailureKind::Fault => "fault",
        FailureKind::DataRace => "data race",
        FailureKind::Nondeterminism => "nondeterminism",
    }
}

/// The steps of an execution: a line each, indented to the column of the thread or handler, with its place.
fn columns(recording: &Recording) -> String {
    let skipped = recording.events.len().saturating_sub(SHOWN);
    let events = &recording.events[skipped..];
    let mut heads: Vec<&str> = Vec::new();
    for event in events {
        if !heads.contains(&event.column.as_str()) {
            heads.push(&event.column);
        }
    }
    let cells: Vec<(usize, String)> =
        events.iter().map(|event| (position(&heads, event), cell(event))).collect();
    let width = |column: usize| {
        let of_cells =
            cells.iter().filter(|(at, _)| *at == column).map(|(_, cell)| cell.chars().count());
        of_cells.max().unwrap_or(0).max(heads[column].chars().count()).min(WIDEST)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut text = String::new();
    if skipped > 0 {
        let _ = writeln!(text, "    … {skipped} earlier steps");
    }
    let line: Vec<String> =
        heads.iter().zip(&widths).map(|(head, width)| format!("{head:width$}")).collect();
    let _ = writeln!(text, "      {}", line.join("  ").trim_end());
    for (number, (event, (column, cell))) in events.iter().zip(&cells).enumerate() {
        let indent: usize = widths[..*column].iter().map(|width| width + 2).sum();
        let rest: usize = widths[*column..].iter().map(|width| width + 2).sum();
        let place = event.location.as_deref().map(short_file).unwrap_or_default();
        let _ = writeln!(
            text,
            "{:4}  {:indent$}{cell:rest$}{place}",
            number + skipped + 1,
            "",
            rest = rest.max(cell.chars().count() + 2),
        );
        if let (_, Some(why)) = remark(event) {
            let _ = writeln!(text, "      {:indent$}└ {why}", "");
        }
        for fault in &event.faults {
            let _ = writeln!(
                text,
                "      {:indent$}^ {}",
                "",
                fault.message.lines().next().unwrap_or_default()
            );
        }
    }
    for fault in &recording.final_faults {
        let _ = writeln!(text, "      at the end: {}", fault.message);
    }
    text
}

fn position(heads: &[&str], event: &RecordedEvent) -> usize {
    heads.iter().position(|head| *head == event.column).unwrap_or(0)
}

/// What an event did, in a few words.
fn cell(event: &RecordedEvent) -> String {
    match &event.action {
        Action::Start => format!("{} begins", event.task),
        Action::Post { message, handler } => format!("post {message} to {handler}"),
        Action::Fork(child) => format!("start {child}"),
        Action::Join(other) => format!("join {other}"),
        Action::Choose(alternative) => format!("choose {alternative}"),
        Action::Plain if event.accesses.is_empty() => remark(event).0.unwrap_or("yield").to_owned(),
        Action::Plain => {
            let accesses = event.accesses.iter().map(access).collect::<Vec<_>>().join("; ");
            accesses + &remark(event).0.map(|order| format!(", {order}")).unwrap_or_default()
        }
    }
}

/// The ordering of an event, and why it read what it read.
fn remark(event: &RecordedEvent) -> (Option<&str>, Option<&str>) {
    let remark = event.remark.as_deref();
    match remark.and_then(|remark| remark.split_once(": ")) {
        Some((order, why)) => (Some(order), Some(why)),
        None => (remark, None),
    }
}

fn access(access: &RecordedAccess) -> String {
    let RecordedAccess { object, mode, read, written } = access;
    match mode {
        Mode::Read => format!("read {object} = {read}"),
        Mode::Write => format!("write {object} = {written}"),
        // Objects that are no numbers have no values to show.
        Mode::Update if *read == 0 && *written == 0 => format!("update {object}"),
        Mode::Update => format!("update {object}: {read} → {written}"),
        Mode::Lock => format!("lock {object}"),
        Mode::Unlock => format!("unlock {object}"),
        Mode::LockShared => format!("read-lock {object}"),
        Mode::UnlockShared => format!("read-unlock {object}"),
        Mode::Signal => format!("signal {object}"),
        Mode::Wait => format!("wait for {object}"),
    }
}
