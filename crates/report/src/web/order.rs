//! One order that was performed again: its events, what was not possible, and what the page looks like in the end.

use super::folder::Pictures;
use super::model::WebReport;
use crate::text::escape;

/// The only sequence of a report.
pub fn order(report: &WebReport, pictures: &Pictures) -> String {
    let Some(sequence) = report.sequences.first() else { return String::new() };
    let item = |&event: &u32, class: &str| {
        let event = report.event(event);
        let place = event.place.as_deref().filter(|place| *place != event.name);
        let place = place
            .map_or(String::new(), |at| format!(" <span class=\"faint\">{}</span>", escape(at)));
        format!("<li{class}>{}{place}</li>\n", escape(&event.words()))
    };
    let events: String = sequence.events.iter().map(|event| item(event, "")).collect();
    let skipped: String =
        sequence.skipped.iter().map(|event| item(event, " class=\"removed\"")).collect();
    let skipped = match skipped.is_empty() {
        true => String::new(),
        false => format!("<h3>Not possible in this order</h3>\n<ul>\n{skipped}</ul>\n"),
    };
    let picture = pictures.path(0).map_or(String::new(), |path| {
        format!(
            "<h3>What the user sees in the end</h3>\n<div class=\"shot\"><img src=\"{path}\" alt=\"the page in the end\"></div>\n"
        )
    });
    format!(
        "<section class=\"race\">\n<h2>One order, performed again</h2>\n<ol>\n{events}</ol>\n{skipped}{picture}</section>\n"
    )
}
