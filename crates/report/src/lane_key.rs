//! Where an event is shown: under its thread, or under the handler that ran its message. The same in accounts, pages and exports.

use mazurka_engine::{Action, RecordedEvent, Recording};
use std::collections::HashMap;

/// What tells columns apart: is it a handler, its name, and the path of a thread, since several may have one name.
pub(crate) type Key<'a> = (bool, &'a str, &'a str);

/// Where an event is shown.
pub(crate) fn key_of(event: &RecordedEvent) -> Key<'_> {
    let path = if event.on_handler { "" } else { &event.path };
    (event.on_handler, &event.column, path)
}

/// Where the messages of a handler are shown.
pub(crate) fn key_of_handler(handler: &str) -> Key<'_> {
    (true, handler, "")
}

/// The names of these, with the path where two threads would look the same.
pub(crate) fn names(keys: &[Key<'_>]) -> Vec<String> {
    let mut times: HashMap<(bool, &str), usize> = HashMap::new();
    for &(on_handler, name, _) in keys {
        *times.entry((on_handler, name)).or_default() += 1;
    }
    let name = |&(on_handler, name, path): &Key<'_>| {
        let is_alike = !on_handler && times[&(on_handler, name)] > 1 && path != name;
        if is_alike { format!("{name} [{path}]") } else { name.to_owned() }
    };
    keys.iter().map(name).collect()
}

/// Everybody who moves or is posted to, in the order of their first events.
pub(crate) fn keys_of(recording: &Recording) -> Vec<Key<'_>> {
    let mut keys: Vec<Key<'_>> = Vec::new();
    let mut seen: HashMap<Key<'_>, ()> = HashMap::new();
    let mut add = |key| {
        if seen.insert(key, ()).is_none() {
            keys.push(key);
        }
    };
    for event in &recording.events {
        add(key_of(event));
        if let Action::Post { handler, .. } = &event.action {
            add(key_of_handler(handler));
        }
    }
    keys
}
