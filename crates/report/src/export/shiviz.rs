//! A log for ShiViz: for each event a line with its host and vector clock, and one with what it did. ShiViz reads it with
//! `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`, which it offers first.

use super::{Columns, headline};
use crate::words;
use mazurka_engine::{Failure, Recording};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The log. A host is a thread or a handler, whose messages follow each other.
pub(super) fn log(recording: &Recording, failure: Option<&Failure>) -> String {
    let columns = Columns::of(recording);
    let mut clocks: Vec<HashMap<String, u64>> = Vec::with_capacity(recording.events.len());
    let mut last_of_host: HashMap<String, usize> = HashMap::new();
    let mut out = String::new();
    for (at, event) in recording.events.iter().enumerate() {
        let name = &columns.names[columns.number(event)];
        let host: String = name.split_whitespace().collect::<Vec<_>>().join("_");
        let mut clock: HashMap<String, u64> = HashMap::new();
        let before = recording.causes[at].iter().map(|cause| cause.event);
        for earlier in before.chain(last_of_host.get(&host).copied()) {
            for (name, count) in &clocks[earlier] {
                let known = clock.entry(name.clone()).or_default();
                *known = (*known).max(*count);
            }
        }
        *clock.entry(host.clone()).or_default() += 1;
        let what = words::event_of(event, recording).replace('\n', " ");
        let place = event.location.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" ({place})"));
        let is_last = at + 1 == recording.events.len();
        let failed = failure.filter(|_| is_last);
        let failed = failed.map_or_else(String::new, |it| format!(" ✗ {}", headline(it)));
        out.push_str(&format!("{host} {}\n{what}{place}{failed}\n", shown(&clock)));
        last_of_host.insert(host, at);
        clocks.push(clock);
    }
    out
}

/// The clock as JSON, hosts in the order of their names.
fn shown(clock: &HashMap<String, u64>) -> String {
    let mut entries: Vec<(&String, &u64)> = clock.iter().collect();
    entries.sort();
    let map: Map<String, Value> =
        entries.into_iter().map(|(host, count)| (host.clone(), Value::from(*count))).collect();
    Value::Object(map).to_string()
}
