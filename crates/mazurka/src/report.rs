//! How a failure reads: what and where, the steps in columns by thread and handler, and how to see it again.

use crate::outcome::{Failure, FailureKind, Outcome};
use crate::replay::encode;
use crate::runtime::program::RustProgram;
use mazurka_engine::explain::{Again, Explanation, Wishes, explain, replay_again};
use mazurka_engine::{Ending, ReplayError, Schedule, Statistics, Watch};
use mazurka_report::{AccountOptions, Palette, account, again, explanation};
use std::fmt::Write as _;

/// Columns are as wide as this together. Who reads the output of a test has a window of some width, which is not known here.
const WIDTH: usize = 120;

/// Shows a failure on standard error.
#[expect(clippy::print_stderr, reason = "a failing test explains itself on standard error")]
pub(crate) fn show(program: &RustProgram, name: &str, failure: &Failure, outcome: &Outcome) {
    let wishes = Wishes { shorten: true, why: true };
    let explained = (!failure.schedule.moves.is_empty())
        .then(|| explain(program, failure, wishes, &Watch::default()).ok())
        .flatten();
    eprintln!("{}", render(name, failure, explained.as_ref(), outcome));
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

/// Follows a schedule as far as it goes. One that does not even begin as this test does is none of it.
fn followed(program: &RustProgram, schedule: &Schedule) -> Result<Again, ReplayError> {
    let exact = mazurka_engine::replay(program, schedule);
    let again = replay_again(program, schedule, &[], None, &Watch::default())?;
    match exact {
        Err(error) if again.followed <= 1 => Err(error),
        _ => Ok(again),
    }
}

/// Runs one schedule and tells what went wrong.
#[expect(clippy::print_stderr, reason = "whoever replays a test wants to know that it has changed")]
pub(crate) fn replay(program: &RustProgram, schedule: &Schedule) -> Outcome {
    let recording = match followed(program, schedule) {
        Ok(again) => {
            if let Some(text) = again::departure(&again) {
                eprintln!("mazurka: {text}");
            }
            again.recording
        }
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

fn render(
    name: &str,
    failure: &Failure,
    explained: Option<&Explanation>,
    outcome: &Outcome,
) -> String {
    let explored = outcome.statistics.ended();
    let failure = explained.map_or(failure, |it| &it.failure);
    let place = failure.location.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
    let mut text = format!("\nmazurka: {}{place}\n", headline(failure));
    for line in failure.message.lines() {
        let _ = writeln!(text, "    {line}");
    }
    let Some(explained) = explained else {
        // It belongs to the exploration, not to one execution.
        let _ = write!(text, "\n{explored} executions were explored.");
        return text;
    };
    let options = AccountOptions { width: WIDTH, ..AccountOptions::default() };
    text.push_str(&explanation(explained, WIDTH, Palette::PLAIN));
    text.push('\n');
    text.push_str(&account(&explained.recording, &options.marking(explained)));
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
