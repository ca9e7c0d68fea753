//! Happens-before as a graph for `dot`.

use super::{Columns, headline};
use crate::words;
use mazurka_engine::{CauseKind, Failure, Recording};

/// The graph: a box for each thread and handler, an arrow where one event comes directly after another.
pub(super) fn graph(recording: &Recording, failure: Option<&Failure>) -> String {
    let mut out = "digraph execution {\n    rankdir=TB;\n    node [shape=box, fontname=\"sans-serif\", fontsize=10];\n".to_owned();
    if let Some(failure) = failure {
        out.push_str(&format!("    label={};\n    labelloc=t;\n", quoted(&headline(failure))));
    }
    let columns = Columns::of(recording);
    for (number, column) in columns.names.iter().enumerate() {
        out.push_str(&format!(
            "    subgraph cluster_{number} {{\n        label={};\n",
            quoted(column)
        ));
        let events = recording.events.iter().enumerate();
        for (at, event) in events.filter(|(_, event)| columns.number(event) == number) {
            let label = quoted(&format!("{}. {}", at + 1, words::event_of(event, recording)));
            let failed = if event.faults.is_empty() { "" } else { ", color=red, penwidth=2" };
            out.push_str(&format!("        e{at} [label={label}{failed}];\n"));
        }
        out.push_str("    }\n");
    }
    for (to, causes) in recording.causes.iter().enumerate() {
        for cause in causes {
            let style = match cause.kind {
                CauseKind::Program => "",
                CauseKind::Post | CauseKind::Fork => " [style=bold]",
                CauseKind::Join | CauseKind::Given => " [style=dotted]",
                CauseKind::Conflict | CauseKind::Lock | CauseKind::Signal => {
                    " [style=dashed, constraint=false]"
                }
            };
            let from = cause.event;
            out.push_str(&format!("    e{from} -> e{to}{style};\n"));
        }
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
