//! The summary of an exploration, for people.

use crate::left;
use crate::palette::{Palette, Role};
use crate::reasons::{Reason, reasons};
use crate::subject::Exploration;
use crate::text::{count, grouped, seconds};
use crate::words;
use mazurka_engine::{Failure, Verdict};

/// Failures beyond the first are listed up to this many.
const LISTED_FAILURES: usize = 20;

/// The verdict and the numbers. Ends with a line break.
pub fn summary(exploration: &Exploration<'_>, palette: Palette) -> String {
    let mut lines = vec![format!(
        "{}: {}, {}",
        verdict(exploration, palette),
        exploration.subject.describe(),
        exploration.config.algorithm.name(),
    )];
    lines.push(format!("  {}", effort(exploration)));
    lines.extend(endings(exploration).map(|line| format!("  {line}")));
    lines.extend(classes(exploration).map(|line| format!("  {line}")));
    if let Some(estimate) = left::at_limit(exploration) {
        let statistics = &exploration.outcome.statistics;
        let left = left::time(&estimate, statistics);
        lines.push(format!("  an estimate: {}, {left}", left::in_all(&estimate)));
    }
    for reason in reasons(exploration) {
        let role = match reason {
            Reason::FirstFailure => Role::Faint,
            _ => Role::Caution,
        };
        let line = format!("not everything was explored: {}", reason.words());
        lines.push(format!("  {}", palette.paint(role, &line)));
    }
    lines.join("\n") + "\n"
}

/// What is wrong and where, in one or two lines.
pub fn failure(failure: &Failure, palette: Palette) -> String {
    let headline = words::headline(failure.kind.name(), &failure.message);
    let place = failure.location.as_ref();
    let place = place.map_or_else(String::new, |place| format!("\n  at {place}"));
    format!("{}{place}\n", palette.paint(Role::Bad, &headline))
}

/// The failures beyond the first, a line each; empty if there are none.
pub fn other_failures(exploration: &Exploration<'_>) -> String {
    let others = exploration.outcome.failures.get(1..).unwrap_or(&[]);
    if others.is_empty() {
        return String::new();
    }
    let mut out = format!("and {}:\n", count(others.len() as u64, "more failure"));
    for failure in others.iter().take(LISTED_FAILURES) {
        let headline = words::headline(failure.kind.name(), &failure.message);
        let place = failure.location.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" ({place})"));
        out.push_str(&format!("  {headline}{place}\n"));
    }
    if others.len() > LISTED_FAILURES {
        out.push_str("  …\n");
    }
    out
}

fn verdict(exploration: &Exploration<'_>, palette: Palette) -> String {
    match exploration.outcome.verdict() {
        Verdict::Safe => palette.paint(Role::Good, "safe"),
        Verdict::Violation => palette.paint(Role::Bad, "violation"),
        Verdict::Incomplete => palette.paint(Role::Caution, "incomplete"),
    }
}

fn effort(exploration: &Exploration<'_>) -> String {
    let statistics = &exploration.outcome.statistics;
    format!(
        "{}, {}, {}",
        count(statistics.executions, "complete execution"),
        count(statistics.transitions, "event"),
        seconds(statistics.elapsed),
    )
}

/// The other ways in which executions ended, those that occurred.
fn endings(exploration: &Exploration<'_>) -> impl Iterator<Item = String> {
    let statistics = &exploration.outcome.statistics;
    let all = [
        (statistics.blocked, "blocked by an assume or a waiting loop"),
        (statistics.deadlocks, "deadlocked"),
        (statistics.truncated, "cut at a bound"),
        (statistics.redundant, "abandoned as redundant"),
    ];
    let some: Vec<String> = all
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", grouped(*number)))
        .collect();
    (!some.is_empty()).then(|| some.join(", ")).into_iter()
}

/// The distinct classes, where they were counted; of the other endings only if there are any.
fn classes(exploration: &Exploration<'_>) -> impl Iterator<Item = String> {
    exploration.outcome.classes.into_iter().map(|classes| {
        let mut line = format!(
            "{}, {} when the order of messages on a handler counts",
            count(classes.complete, exploration.config.algorithm.equivalence().noun()),
            grouped(classes.ordered),
        );
        let others = [(classes.deadlocked, "deadlocked"), (classes.blocked, "blocked or cut")];
        for (number, what) in others.into_iter().filter(|(number, _)| *number > 0) {
            line.push_str(&format!("; {} {what}", grouped(number)));
        }
        line
    })
}
