//! A failure as one HTML page: nothing to load, nothing to run, everything escaped.

use crate::rows::{Row, Rows};
use crate::subject::Exploration;
use crate::text::{count, seconds};
use crate::words;
use mazurka_engine::{Ending, Failure, Fault, Recording};

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:90rem;padding:0 1rem;color:#1c1c1c;background:#fff}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}code,td,th{font-family:ui-monospace,monospace;font-size:13px}\
.wide{overflow-x:auto}table{border-collapse:collapse}th,td{padding:.15rem .8rem;text-align:left;vertical-align:top}\
th{border-bottom:2px solid #888;position:sticky;top:0;background:#fff}tr:nth-child(even) td{background:#f5f5f5}\
td.n,td.at{color:#777;text-align:right}td.control{color:#05668d}tr.bad td{background:#fde8e8;color:#a4161a}\
.failure{border-left:4px solid #a4161a;padding:.5rem 1rem;background:#fde8e8}details{margin-top:2rem}";

/// The page for one failure of an exploration, whose execution is `recording`.
pub fn page(exploration: &Exploration<'_>, failure: &Failure, recording: &Recording) -> String {
    let title = escape(&format!("{} in {}", failure.kind.name(), exploration.subject.program));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{}{}{}{}</body>\n</html>\n",
        headline(failure),
        facts(exploration),
        account(recording),
        moves(failure),
    )
}

fn headline(failure: &Failure) -> String {
    let text = escape(&words::headline(failure.kind.name(), &failure.message));
    let place = failure
        .location
        .as_deref()
        .map_or_else(String::new, |at| format!("<br>at <code>{}</code>", escape(at)));
    format!("<p class=\"failure\"><strong>{text}</strong>{place}</p>\n")
}

fn facts(exploration: &Exploration<'_>) -> String {
    let statistics = &exploration.outcome.statistics;
    let text = format!(
        "{}, explored with {}: {}, {}, {}.",
        exploration.subject.describe(),
        exploration.config.algorithm.name(),
        count(statistics.executions, "complete execution"),
        count(statistics.transitions, "event"),
        seconds(statistics.elapsed),
    );
    format!("<p>{}</p>\n", escape(&text))
}

fn account(recording: &Recording) -> String {
    let rows = Rows::new(recording, None, [None; 2]);
    let names: String =
        rows.columns.iter().map(|name| format!("<th>{}</th>", escape(name))).collect();
    let file = escape(rows.file.as_deref().unwrap_or(""));
    let body: String = rows.rows.iter().map(|row| line(&rows, row)).collect();
    format!(
        "<h2>The execution</h2>\n<div class=\"wide\"><table>\n\
         <thead><tr><th>step</th>{names}<th>{file}</th></tr></thead>\n<tbody>\n{body}</tbody>\n\
         </table></div>\n{}",
        ending(recording)
    )
}

fn line(rows: &Rows<'_>, row: &Row<'_>) -> String {
    let kind = if words::is_control(row.event) { " class=\"control\"" } else { "" };
    let faults: String = row.event.faults.iter().map(fault).collect();
    let cells: String = (0..rows.columns.len())
        .map(|column| match column == row.column {
            true => format!("<td{kind}>{}{faults}</td>", escape(&row.words)),
            false => "<td></td>".to_owned(),
        })
        .collect();
    let bad = match row.event.faults.is_empty() {
        true => "",
        false => " class=\"bad\"",
    };
    format!(
        "<tr{bad}><td class=\"n\">{}</td>{cells}<td class=\"at\">{}</td></tr>\n",
        row.number,
        escape(&row.place)
    )
}

fn fault(fault: &Fault) -> String {
    format!("<br><strong>✗ {}</strong>", escape(&words::fault(fault)))
}

fn ending(recording: &Recording) -> String {
    if recording.ending == Some(Ending::Deadlocked) {
        let waits: String =
            recording.waiting.iter().map(|wait| format!("<li>{}</li>\n", escape(wait))).collect();
        return format!("<h2>Who waits for what</h2>\n<ul>\n{waits}</ul>\n");
    }
    let faults = recording.final_faults.iter();
    faults
        .map(|fault| {
            let text = escape(&words::fault(fault));
            format!("<p class=\"failure\">✗ At the end: {text}</p>\n")
        })
        .collect()
}

fn moves(failure: &Failure) -> String {
    let moves: Vec<String> = failure
        .schedule
        .moves
        .iter()
        .map(|step| match step.choice {
            0 => escape(&step.task),
            choice => escape(&format!("{} (choice {choice})", step.task)),
        })
        .collect();
    format!(
        "<details><summary>The schedule, {}</summary><p><code>{}</code></p></details>\n",
        count(moves.len() as u64, "move"),
        moves.join(", ")
    )
}

/// Text that can stand anywhere in a page.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
