//! The page of a test, with its failures and some executions that pass.

use crate::outcome::Outcome;
use crate::replay::line_of;
use crate::report::command;
use crate::runtime::program::RustProgram;
use mazurka_engine::explain::Explanation;
use mazurka_engine::replay;
use mazurka_report::page::{PageBuilder, Shown};
use mazurka_report::{count, headline};

/// A page shows so many executions that pass, and so many that fail.
pub(crate) const MOST_PASSING: usize = 3;
pub(crate) const MOST_FAILURES: usize = 50;

/// The page of a test.
pub(crate) fn page(
    program: &RustProgram,
    name: &str,
    outcome: &Outcome,
    failures: &[Explanation],
) -> PageBuilder {
    let title = |it: &Explanation| headline(it.failure.kind.name(), &it.failure.message);
    let mut page = PageBuilder::new(failures.first().map_or_else(|| name.to_owned(), title), name);
    let whole = if outcome.is_complete() { "everything" } else { "not everything" };
    let executions = count(outcome.executions, "complete execution");
    page.fact(format!("{executions}; {whole} was explored"));
    let left_out = outcome.failures.len().saturating_sub(failures.len());
    if left_out > 0 {
        page.fact(format!("{} not shown here", count(left_out as u64, "failure")));
    }
    for it in failures {
        // Some failures belong to no execution.
        if it.recording.events.is_empty() {
            page.fact(title(it));
        } else {
            page.show_failure(it, Some(command(name, it, outcome.untold)));
        }
    }
    for (at, schedule) in outcome.passing.iter().enumerate() {
        // What was complete may have failed at its end.
        let recording = replay(program, schedule).unwrap_or_default();
        if !recording.events.is_empty() && recording.faults().next().is_none() {
            let shown = Shown::new(format!("passing execution {}", at + 1), &recording);
            let line = line_of(schedule, None, Some(outcome.knowledge));
            let again = format!("MAZURKA_REPLAY='{line}' cargo test {name}");
            page.show(Shown { replay: Some(again), ..shown });
        }
    }
    page
}
