//! A sequence diagram for Markdown pages.

use super::{columns, headline};
use crate::words;
use mazurka_engine::{Action, Failure, RecordedEvent, Recording};

/// The diagram: a participant for each thread and handler, an arrow for each post, a bar for each message.
pub(super) fn diagram(recording: &Recording, failure: Option<&Failure>) -> String {
    let columns = columns(recording);
    let number = |name: &str| columns.iter().position(|column| *column == name).unwrap_or(0);
    let mut out = "sequenceDiagram\n".to_owned();
    for (at, column) in columns.iter().enumerate() {
        out.push_str(&format!("    participant p{at} as {}\n", escaped(column)));
    }
    for event in &recording.events {
        let here = number(&event.column);
        match &event.action {
            Action::Post { message, handler } => {
                let there = number(handler);
                out.push_str(&format!("    p{here}-)p{there}: {}\n", escaped(message)));
            }
            Action::Start => {
                out.push_str(&format!("    activate p{here}\n"));
                out.push_str(&note(here, event));
            }
            _ => out.push_str(&note(here, event)),
        }
        if event.ends_task && event.on_handler {
            out.push_str(&format!("    deactivate p{here}\n"));
        }
    }
    if let Some(failure) = failure {
        let last = columns.len().saturating_sub(1);
        let over = if last == 0 { "p0".to_owned() } else { format!("p0,p{last}") };
        out.push_str(&format!("    Note over {over}: ✗ {}\n", escaped(&headline(failure))));
    }
    out
}

fn note(column: usize, event: &RecordedEvent) -> String {
    format!("    Note over p{column}: {}\n", escaped(&words::event(event)))
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
