//! How a failure reads: what and where, why, the steps in columns by thread and handler, and how to see it again. The words and
//! columns are those of the command.

use crate::again::Replayed;
use crate::outcome::Outcome;
use crate::replay::line;
use crate::runtime::knowledge::Knowledge;
use mazurka_engine::explain::Explanation;
use mazurka_report::{AccountOptions, Hints, Palette, account, again, count, explanation, summary};
use std::io::IsTerminal;

/// How users of tests see what is left out.
const HINTS: Hints = Hints {
    all_steps: "MAZURKA_ALL_STEPS=1 shows them",
    as_found: Some("MAZURKA_SHORTEN=0 shows it as it was found"),
};

/// Shows a failure on standard error.
#[expect(clippy::print_stderr, reason = "a failing test explains itself on standard error")]
pub(crate) fn show(name: &str, explained: &Explanation, outcome: &Outcome) {
    eprintln!("{}", render(name, explained, outcome, &options()));
}

/// Says on standard error that a replayed execution passed, and how far it followed what was recorded.
#[expect(clippy::print_stderr, reason = "a replay was asked for")]
pub(crate) fn passed(name: &str, replayed: &Replayed) {
    eprintln!("mazurka: {name}: {}", judgement(replayed, "passed").join("\n  "));
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

/// What was captured goes to standard output, whatever standard error is.
fn options() -> AccountOptions {
    let colours = std::io::stderr().is_terminal()
        && std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    let default = AccountOptions { hints: HINTS, ..AccountOptions::default() };
    AccountOptions {
        width: number("COLUMNS").unwrap_or(default.width),
        last: if number("MAZURKA_ALL_STEPS") == Some(1) { None } else { default.last },
        palette: if colours { Palette::COLOURS } else { Palette::PLAIN },
        ..default
    }
}

fn render(
    name: &str,
    explained: &Explanation,
    outcome: &Outcome,
    options: &AccountOptions,
) -> String {
    let Explanation { failure, recording, .. } = explained;
    let mut text = format!("\nmazurka: {}", summary::failure(failure, options.palette));
    let explored = outcome.statistics.ended();
    if failure.schedule.moves.is_empty() {
        // It belongs to the exploration, not to one execution.
        return format!("{text}\n{}", were_explored(explored));
    }
    text += &explanation(explained, options);
    text += &format!("\n{}\n", account(recording, &options.marking(explained)));
    match &outcome.replayed {
        Some(replayed) => text += &judgement(replayed, "violation").join("\n"),
        None => text += &format!("{} before this one", were_explored(explored)),
    }
    format!("{text}\nTo see it again:  {}", command(name, explained, outcome.untold))
}

fn were_explored(executions: u64) -> String {
    let verb = if executions == 1 { "was" } else { "were" };
    format!("{} {verb} explored", count(executions, "execution"))
}

/// What came of a replay: where it left what was recorded, and whether the failure is still there.
fn judgement(replayed: &Replayed, verdict: &str) -> Vec<String> {
    let shows = match (replayed.shows, verdict) {
        (None, _) => String::new(),
        (Some(true), _) => ": the recorded failure shows again".to_owned(),
        (Some(false), "passed") => ": the recorded failure does not show".to_owned(),
        (Some(false), _) => ": another failure than the recorded one".to_owned(),
    };
    let left = again::departure(&replayed.again);
    left.into_iter().chain([format!("{verdict}{shows}")]).collect()
}

/// The line that runs an execution again.
pub(crate) fn command(name: &str, explained: &Explanation, known: Option<Knowledge>) -> String {
    let Explanation { failure, recording, .. } = explained;
    format!("MAZURKA_REPLAY='{}' cargo test {name}", line(failure, recording, known))
}
