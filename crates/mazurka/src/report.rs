//! How a failure reads: what and where, the steps in columns by thread and handler, and how to see it again.

use crate::outcome::{Failure, FailureKind, Outcome};
use crate::replay::encode;
use crate::runtime::program::RustProgram;
use mazurka_engine::explain::{Explanation, Wishes, replay_again};
use mazurka_engine::{Ending, Schedule, Statistics, Watch};
use mazurka_report::{AccountOptions, Hints, account, again, explanation};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// A report is as wide as this, unless `COLUMNS` says otherwise.
const WIDTH: usize = 120;
/// Narrower terminals get lines of this width all the same.
const NARROWEST: usize = 60;

/// Shows a failure on standard error.
#[expect(clippy::print_stderr, reason = "a failing test explains itself on standard error")]
pub(crate) fn show(program: &RustProgram, name: &str, failure: &Failure, outcome: &Outcome) {
    let explained = explained(program, failure);
    eprintln!("{}", render(name, failure, explained.as_ref(), outcome));
}

/// A failure is explained for so long.
const TIME_TO_EXPLAIN: Duration = Duration::from_secs(1);

/// The failure with what happens in it: a shorter execution with the same failure, and why it fails, where that is found. Code under test
/// that does not stand being run so often is shown as it was found.
pub(crate) fn explained(program: &RustProgram, failure: &Failure) -> Option<Explanation> {
    let watch = Watch::lasting(TIME_TO_EXPLAIN);
    let wishes = Wishes { shorten: true, why: true };
    let explain = || mazurka_engine::explain::explain(program, failure, wishes, &watch);
    let explained = catch_unwind(AssertUnwindSafe(explain)).ok().and_then(Result::ok);
    explained.or_else(|| {
        let recording = mazurka_engine::replay(program, &failure.schedule).ok()?;
        Some(Explanation { failure: failure.clone(), recording, shortened: None, why: None })
    })
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

/// Runs one schedule, as far as it goes if the test has changed since, and tells what went wrong.
#[expect(clippy::print_stderr, reason = "asked for by MAZURKA_REPLAY")]
pub(crate) fn replay(program: &RustProgram, schedule: &Schedule) -> Outcome {
    let watch = Watch::default();
    let (recording, schedule) = match replay_again(program, schedule, &[], None, &watch) {
        Ok(again) if again.fits || schedule.moves.is_empty() => {
            if let Some(left) = again::departure(&again) {
                eprintln!("mazurka: {}: {left}", program.name);
            }
            (again.recording, again.schedule)
        }
        Ok(_) => return does_not_fit("nothing of it is possible"),
        Err(error) => return does_not_fit(&error.to_string()),
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

fn does_not_fit(why: &str) -> Outcome {
    let failure = Failure {
        kind: FailureKind::Fault,
        message: format!("the schedule of MAZURKA_REPLAY does not fit this test: {why}"),
        location: None,
        schedule: Schedule::default(),
    };
    Outcome::new(Statistics::default(), false, vec![failure])
}

fn render(
    name: &str,
    failure: &Failure,
    explained: Option<&Explanation>,
    outcome: &Outcome,
) -> String {
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
    let columns = std::env::var("COLUMNS").ok().and_then(|width| width.parse().ok());
    let options = AccountOptions {
        width: columns.unwrap_or(WIDTH).max(NARROWEST),
        hints: Hints {
            all_steps: "MAZURKA_REPORT=folder writes a page with all of them",
            as_found: None,
        },
        ..AccountOptions::default()
    };
    if let Some(explained) = explained {
        text.push_str(&explanation(explained, &options));
        text.push_str(&format!("\n{}", account(&explained.recording, &options.marking(explained))));
    }
    let _ = writeln!(text, "\n{explored} executions were explored before this one.");
    let _ = write!(
        text,
        "To see it again:  MAZURKA_REPLAY='{}' cargo test {name}",
        encode(explained.map_or(&failure.schedule, |it| &it.failure.schedule))
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
