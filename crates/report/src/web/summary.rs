//! The report for the terminal.

use super::model::{RaceEnd, Severity, WebRace, WebReport};
use crate::palette::{Palette, Role};
use crate::text::{count, seconds};
use mazurka_engine::Verdict;
use std::collections::BTreeMap;

/// So many races are told in full; the page has all of them.
const TOLD: usize = 10;
/// So many lines of one kind of difference.
const LINES: usize = 3;

/// The verdict, the numbers, and the races that hurt, the worst first. Ends with a line break.
pub fn summary(report: &WebReport, palette: Palette) -> String {
    let mut lines = vec![format!("{}: {}", verdict(report, palette), headline(report))];
    lines.push(format!("  {}", effort(report)));
    for why in &report.incomplete {
        let line = format!("not everything was explored: {}", why.words);
        lines.push(format!("  {}", palette.paint(Role::Caution, &line)));
    }
    lines.extend(report.notes.iter().map(|note| format!("  note: {note}")));
    for failure in report.failures.iter().filter(|failure| failure.kind != "race") {
        let place = failure.location.as_ref().map_or(String::new(), |at| format!("\n  at {at}"));
        let text = format!("{}: {}", failure.kind, failure.message);
        lines.push(format!("\n{}{place}", palette.paint(Role::Bad, &text)));
    }
    let races = report.races_by_severity();
    let (harmless, harmful): (Vec<&WebRace>, Vec<&WebRace>) =
        races.into_iter().partition(|race| race.is_harmless());
    for race in harmful.iter().take(TOLD) {
        lines.push(String::new());
        lines.extend(told(report, race, palette));
    }
    if harmful.len() > TOLD {
        let more = count((harmful.len() - TOLD) as u64, "more race");
        lines.push(format!("\n… and {more}"));
    }
    lines.extend(passed_over(&harmless, palette));
    lines.join("\n") + "\n"
}

fn verdict(report: &WebReport, palette: Palette) -> String {
    let role = match report.verdict {
        Verdict::Safe => Role::Good,
        Verdict::Violation => Role::Bad,
        Verdict::Incomplete => Role::Caution,
    };
    palette.paint(role, report.verdict.name())
}

fn headline(report: &WebReport) -> String {
    let harmful = report.races.iter().filter(|race| !race.is_harmless());
    let mut of = BTreeMap::new();
    harmful.for_each(|race| *of.entry(race.severity).or_insert(0) += 1);
    let levels: Vec<String> =
        of.iter().rev().map(|(level, number)| format!("{number} {}", level.name())).collect();
    let races = match levels.is_empty() {
        true => "no race that matters".to_owned(),
        false => {
            let number: u64 = of.values().sum();
            format!("{} ({})", count(number, "race"), levels.join(", "))
        }
    };
    format!("{}, {races}", report.page)
}

fn effort(report: &WebReport) -> String {
    format!(
        "{} recorded, {} explored {}, {}",
        count(report.recorded_events() as u64, "event"),
        count(report.sequences.len() as u64, "sequence"),
        how_far(report.bound),
        seconds(report.elapsed),
    )
}

/// How far the exploration was to go.
pub(super) fn how_far(bound: Option<u32>) -> String {
    match bound {
        Some(bound) => format!("with at most {}", count(u64::from(bound), "reversal")),
        None => "with any number of reversals".to_owned(),
    }
}

fn told(report: &WebReport, race: &WebRace, palette: Palette) -> Vec<String> {
    let role = match race.severity {
        Severity::High => Role::Bad,
        Severity::Normal => Role::Caution,
        Severity::Low => Role::Faint,
    };
    let name = |end: &RaceEnd| palette.paint(Role::Strong, &report.event(end.event).words());
    let mut lines = vec![format!(
        "{}  {} comes before {}",
        palette.paint(role, race.severity.name()),
        name(&race.second),
        name(&race.first),
    )];
    lines.push(format!("  they race for {}", race.location));
    for end in [&race.first, &race.second] {
        let place = end.place.as_deref().or(report.event(end.event).place.as_deref());
        let Some(place) = place else { continue };
        let source = end.source.as_deref().map_or("", str::trim);
        let line = format!("  {} at {place}  {source}", end.access);
        lines.push(palette.paint(Role::Faint, line.trim_end()));
    }
    let names: Vec<&str> = race.differences.iter().map(|difference| difference.name()).collect();
    lines.push(format!("  differs: {}", names.join(", ")));
    lines.extend(worst(race).into_iter().map(|line| format!("    {line}")));
    lines
}

/// What can be said in a few lines of what differs.
fn worst(race: &WebRace) -> Vec<String> {
    let details = &race.details;
    let exceptions = details.exceptions_added.iter().map(|exception| {
        let place = exception.place.as_ref().map_or(String::new(), |at| format!(" ({at})"));
        format!("uncaught: {}{place}", exception.message)
    });
    let asserts = details.asserts.added.iter().map(|text| format!("does not hold: {text}"));
    let requests = details.requests.added.iter().map(|text| format!("new request: {text}"));
    let lost = details.requests.removed.iter().map(|text| format!("no request any more: {text}"));
    let console = details.console.added.iter().map(|text| format!("console: {text}"));
    let heap = details.heap.iter().map(|change| {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        format!("{}: {} -> {}", change.path, value(&change.before), value(&change.after))
    });
    let mut lines: Vec<String> = exceptions.take(LINES).collect();
    lines.extend(asserts.take(LINES));
    lines.extend(requests.take(LINES));
    lines.extend(lost.take(LINES));
    lines.extend(console.take(LINES));
    lines.extend(heap.take(LINES));
    lines
}

/// How many races are harmless, and why.
fn passed_over(harmless: &[&WebRace], palette: Palette) -> Vec<String> {
    if harmless.is_empty() {
        return Vec::new();
    }
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for race in harmless {
        let reason = race.reason.as_deref().unwrap_or("both orders end in the same state");
        *reasons.entry(reason).or_insert(0) += 1;
    }
    let mut lines = vec![format!("\n{}:", count(harmless.len() as u64, "harmless race"))];
    let told = reasons.iter().map(|(reason, number)| format!("  {number}: {reason}"));
    lines.extend(told.map(|line| palette.paint(Role::Faint, &line)));
    lines
}
