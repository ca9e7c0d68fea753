//! The page of a report: nothing to load but its pictures, everything escaped, works from disk.

use super::folder::{ORDERS, Pictures};
use super::model::{Severity, WebRace, WebReport};
use super::summary::how_far;
use super::{card, order};
use crate::text::escape;
use crate::text::{count, seconds};
use std::collections::BTreeMap;

const STYLE: &str = include_str!("style.css");

/// The page. `name` is what the user calls the report's folder.
pub fn page(report: &WebReport, races: &[&WebRace], pictures: &Pictures, name: &str) -> String {
    let title = escape(&format!("{}: {}", report.page, report.verdict.name()));
    let (harmful, harmless): (Vec<_>, Vec<_>) =
        races.iter().enumerate().partition(|(_, race)| !race.is_harmless());
    let context = card::Context { report, pictures, folder: name };
    let cards: String = harmful.iter().map(|&(at, race)| card::card(&context, at, race)).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{}{}<main>\n{cards}{}</main>\n</body>\n</html>\n",
        header(report),
        if report.is_replay { order::order(report, pictures) } else { contents(report, &harmful) },
        folded(&context, &harmless),
    )
}

fn header(report: &WebReport) -> String {
    let events = count(report.recorded_events() as u64, "event");
    let what = match report.is_replay {
        true => format!("{events} performed again"),
        false => {
            let sequences = count(report.sequences.len() as u64, "sequence");
            format!("{events} recorded · {sequences} explored {}", how_far(report.bound))
        }
    };
    let facts = format!("{what} · {}", seconds(report.elapsed));
    let verdict = report.verdict.name();
    let failures = report.failures.iter().filter(|failure| failure.kind != "race");
    let failures: String = failures
        .map(|failure| {
            let at = failure.location.as_deref();
            let at = at.map_or(String::new(), |at| format!(" <code>{}</code>", escape(at)));
            let text = escape(&format!("{}: {}", failure.kind, failure.message));
            format!("<p class=\"failure\">{text}{at}</p>\n")
        })
        .collect();
    let incomplete = report.incomplete.iter().map(|why| &why.words);
    let incomplete: String = incomplete
        .map(|why| {
            format!("<p class=\"caution\">Not everything was explored: {}.</p>\n", escape(why))
        })
        .collect();
    format!(
        "<header>\n<h1><span class=\"verdict {verdict}\">{verdict}</span> {}</h1>\n\
         <p class=\"facts\">{} · <a href=\"{ORDERS}\">step through the orders</a></p>\n\
         {failures}{incomplete}{}</header>\n",
        escape(&report.page),
        escape(&facts),
        notes(report),
    )
}

fn notes(report: &WebReport) -> String {
    if report.notes.is_empty() {
        return String::new();
    }
    let notes: String =
        report.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
    let number = count(report.notes.len() as u64, "note");
    format!("<details class=\"notes\"><summary>{number}</summary><ul>\n{notes}</ul></details>\n")
}

/// The list of races, the worst first.
fn contents(report: &WebReport, harmful: &[(usize, &&WebRace)]) -> String {
    if harmful.is_empty() {
        return "<p class=\"good\">No race was found that makes a difference.</p>\n".to_owned();
    }
    let rows: String = harmful
        .iter()
        .map(|&(at, race)| {
            let differences: Vec<&str> =
                race.differences.iter().map(|difference| difference.name()).collect();
            format!(
                "<tr><td>{}</td><td><a href=\"#race-{}\">{} <span class=\"swap\">⇄</span> {}</a></td>\
                 <td><code>{}</code></td><td>{}</td></tr>\n",
                badge(race.severity),
                at + 1,
                escape(&report.event(race.first.event).words()),
                escape(&report.event(race.second.event).words()),
                escape(&race.location),
                differences.join(", "),
            )
        })
        .collect();
    format!(
        "<nav><table class=\"contents\">\n<thead><tr><th></th><th>race</th><th>for</th><th>differs</th></tr></thead>\n\
         <tbody>\n{rows}</tbody></table></nav>\n"
    )
}

pub(super) fn badge(severity: Severity) -> String {
    let name = severity.name();
    format!("<span class=\"badge {name}\">{name}</span>")
}

/// What does no harm, by the reason why.
fn folded(context: &card::Context<'_>, harmless: &[(usize, &&WebRace)]) -> String {
    if harmless.is_empty() {
        return String::new();
    }
    let mut by_reason: BTreeMap<&str, Vec<(usize, &WebRace)>> = BTreeMap::new();
    for &(at, race) in harmless {
        by_reason.entry(card::reason(race)).or_default().push((at, race));
    }
    let groups: String = by_reason
        .iter()
        .map(|(reason, races)| {
            let cards: String =
                races.iter().map(|&(at, race)| card::folded_card(context, at, race)).collect();
            format!("<h3>{}</h3>\n{cards}", escape(reason))
        })
        .collect();
    let number = count(harmless.len() as u64, "harmless race");
    format!("<details class=\"harmless\"><summary>{number}</summary>\n{groups}</details>\n")
}
