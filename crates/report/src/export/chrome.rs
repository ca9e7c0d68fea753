//! A trace for Perfetto and `chrome://tracing`. Time is the number of the step.

use super::{Columns, headline};
use crate::words;
use mazurka_engine::{Action, Cause, CauseKind, Failure, RecordedEvent, Recording};
use serde_json::{Value, json};
use std::collections::HashMap;

/// So many microseconds are shown between two steps.
const STEP: usize = 10;

/// The trace: a track for each thread and handler, a slice for each message with its events in it, arrows from posts and forks to what
/// they began.
pub(super) fn trace(recording: &Recording, failure: Option<&Failure>) -> String {
    let columns = Columns::of(recording);
    let track = |event: &RecordedEvent| columns.number(event) + 1;
    let names = columns.names.iter().zip(1..);
    let mut events: Vec<Value> = names
        .map(|(name, track): (_, usize)| {
            json!({ "ph": "M", "name": "thread_name", "pid": 1, "tid": track, "args": { "name": name } })
        })
        .collect();
    let mut started: HashMap<&str, usize> = HashMap::new();
    for (at, event) in recording.events.iter().enumerate() {
        let tid = track(event);
        if event.action == Action::Start {
            started.insert(&event.path, at);
        }
        events.push(json!({
            "ph": "X", "name": words::event_of(event, recording), "cat": "event", "pid": 1, "tid": tid,
            "ts": at * STEP + 1, "dur": STEP - 2,
            "args": { "step": at + 1, "task": event.task, "location": event.location },
        }));
        let is_over = event.ends_task || at + 1 == recording.events.len();
        if let Some(start) = started.get(event.path.as_str()).copied().filter(|_| is_over) {
            events.push(json!({
                "ph": "X", "name": event.task, "cat": "message", "pid": 1, "tid": tid,
                "ts": start * STEP, "dur": (at - start + 1) * STEP,
            }));
        }
    }
    for (to, causes) in recording.causes.iter().enumerate() {
        let begins = |cause: &&Cause| matches!(cause.kind, CauseKind::Post | CauseKind::Fork);
        for &Cause { event: from, .. } in causes.iter().filter(begins) {
            let end = |at: usize, phase: &str| {
                json!({
                    "ph": phase, "name": "begins", "cat": "begins", "id": to, "bp": "e", "pid": 1,
                    "tid": track(&recording.events[at]), "ts": at * STEP + STEP / 2,
                })
            };
            events.extend([end(from, "s"), end(to, "f")]);
        }
    }
    if let Some(failure) = failure {
        events.push(json!({
            "ph": "i", "name": headline(failure), "cat": "failure", "s": "g", "pid": 1, "tid": 1,
            "ts": recording.events.len() * STEP,
        }));
    }
    format!("{}\n", json!({ "displayTimeUnit": "ms", "traceEvents": events }))
}
