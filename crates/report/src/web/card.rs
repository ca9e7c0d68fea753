//! One race on the page: its two events, what differs, the two orders, and the command that shows it again.

use super::folder::{Pictures, schedule_path};
use super::model::{RaceClass, RaceEnd, WebRace, WebReport};
use super::page::badge;
use super::{details, lanes};
use crate::text::escape;

/// What a card needs beside its race.
pub struct Context<'r> {
    /// The report.
    pub report: &'r WebReport,
    /// The pictures that have files.
    pub pictures: &'r Pictures,
    /// What the user calls the report's folder.
    pub folder: &'r str,
}

/// A race that makes a difference.
pub fn card(context: &Context<'_>, at: usize, race: &WebRace) -> String {
    format!(
        "<section class=\"race {}\" id=\"race-{}\">\n<h2>{} {}</h2>\n{}</section>\n",
        race.severity.name(),
        at + 1,
        badge(race.severity),
        title(context.report, race),
        body(context, at, race),
    )
}

/// A race that does no harm, to be opened.
pub fn folded_card(context: &Context<'_>, at: usize, race: &WebRace) -> String {
    format!(
        "<details class=\"race\" id=\"race-{}\"><summary>{} <code>{}</code></summary>\n{}</details>\n",
        at + 1,
        title(context.report, race),
        escape(&race.location),
        body(context, at, race),
    )
}

/// Why a race does no harm.
pub fn reason(race: &WebRace) -> &str {
    let default = match race.class {
        RaceClass::Equivalent => "Both orders end in the same state",
        RaceClass::Approximate => "Both orders differ only in how they wait",
        RaceClass::Different => "",
    };
    race.reason.as_deref().unwrap_or(default)
}

fn title(report: &WebReport, race: &WebRace) -> String {
    format!(
        "{} <span class=\"swap\">⇄</span> {}",
        escape(&report.event(race.first.event).words()),
        escape(&report.event(race.second.event).words())
    )
}

fn body(context: &Context<'_>, at: usize, race: &WebRace) -> String {
    format!(
        "{}{}{}{}",
        ends(context.report, race),
        details::details(context, race),
        lanes::lanes(context.report, race),
        command(context, at),
    )
}

fn ends(report: &WebReport, race: &WebRace) -> String {
    let others = match race.other_locations.is_empty() {
        true => String::new(),
        false => format!(" and for {}", code_list(&race.other_locations)),
    };
    format!(
        "<p>They race for <code>{}</code>{others}.</p>\n<div class=\"ends\">\n{}{}</div>\n",
        escape(&race.location),
        end(report, &race.first, "first in the original order"),
        end(report, &race.second, "first once reversed"),
    )
}

fn code_list(texts: &[String]) -> String {
    let codes: Vec<String> =
        texts.iter().map(|text| format!("<code>{}</code>", escape(text))).collect();
    codes.join(", ")
}

fn end(report: &WebReport, end: &RaceEnd, when: &str) -> String {
    let event = report.event(end.event);
    let place = end.place.as_deref().or(event.place.as_deref());
    let place = place.map_or(String::new(), |at| format!(" at <code>{}</code>", escape(at)));
    let source = end.source.as_deref().map_or(String::new(), |source| {
        format!("<pre class=\"source\">{}</pre>\n", escape(source.trim()))
    });
    format!(
        "<div><p><strong>{}</strong> <span class=\"faint\">{when}</span></p>\n<p>{}{place}</p>\n{source}</div>\n",
        escape(&event.words()),
        escape(&end.access),
    )
}

fn command(context: &Context<'_>, at: usize) -> String {
    let page = shell_word(&context.report.page);
    let schedule = format!("{}/{}", context.folder.trim_end_matches('/'), schedule_path(at));
    let command = format!("mazurka web replay {page} {}", shell_word(&schedule));
    format!("<p>See it again: <code class=\"command\">{}</code></p>\n", escape(&command))
}

/// A word that a shell takes as it is.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_spaces_are_quoted_for_the_shell() {
        assert_eq!(shell_word("report/race-1.json"), "report/race-1.json");
        assert_eq!(shell_word("my page's.html"), "'my page'\\''s.html'");
    }
}
