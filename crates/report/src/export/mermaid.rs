//! A sequence diagram for Markdown pages.

use super::{Columns, headline};
use crate::words;
use mazurka_engine::{Action, Cause, CauseKind, Failure, Recording};

/// The diagram: a participant for each thread and handler, an arrow for each post and fork, a bar for each message.
pub(super) fn diagram(recording: &Recording, failure: Option<&Failure>) -> String {
    let columns = Columns::of(recording);
    let mut out = "sequenceDiagram\n".to_owned();
    for (at, column) in columns.names.iter().enumerate() {
        out.push_str(&format!("    participant p{at} as {}\n", escaped(column)));
    }
    for (at, event) in recording.events.iter().enumerate() {
        let here = columns.number(event);
        let words = escaped(&words::event_of(event, recording));
        let note = format!("    Note over p{here}: {words}\n");
        match &event.action {
            Action::Post { message, handler } => {
                let there = columns.handler(handler);
                out.push_str(&format!("    p{here}-)p{there}: {}\n", escaped(message)));
            }
            Action::Start => {
                out.push_str(&format!("    activate p{here}\n"));
                out.push_str(&note);
            }
            Action::Fork(_) => match begun_by(recording, at) {
                Some(first) => {
                    let there = columns.number(&recording.events[first]);
                    out.push_str(&format!("    p{here}-)p{there}: {words}\n"));
                }
                None => out.push_str(&note),
            },
            _ => out.push_str(&note),
        }
        if event.ends_task && event.on_handler {
            out.push_str(&format!("    deactivate p{here}\n"));
        }
    }
    if let Some(failure) = failure {
        let last = columns.names.len().saturating_sub(1);
        let over = if last == 0 { "p0".to_owned() } else { format!("p0,p{last}") };
        out.push_str(&format!("    Note over {over}: ✗ {}\n", escaped(&headline(failure))));
    }
    out
}

/// The first event of the thread that an event forks.
fn begun_by(recording: &Recording, fork: usize) -> Option<usize> {
    let is_it = |cause: &Cause| cause.kind == CauseKind::Fork && cause.event == fork;
    recording.causes.iter().position(|causes| causes.iter().any(is_it))
}

/// What ends a statement or begins an entity is written as an entity.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for sign in text.chars() {
        match sign {
            '#' => out.push_str("#35;"),
            ';' => out.push_str("#59;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '\n' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}
