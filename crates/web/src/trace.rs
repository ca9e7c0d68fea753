//! Events by number: the same event has the same number in every execution.

use std::collections::HashMap;

/// What is known of an event, whatever the execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Event {
    /// `click`, `load`, `timer`, …
    pub kind: String,
    /// A selector, a file, …
    pub name: String,
    /// The character that is typed.
    pub text: Option<String>,
    /// Where it was registered.
    pub place: Option<String>,
    /// The event that caused it.
    pub creator: Option<u32>,
    /// Does the user do it?
    pub by_user: bool,
    /// The same in every process: a hash of its creator, its kind, its name and how many equal ones its creator caused before.
    pub hash: u64,
}

/// All events of all executions.
#[derive(Default)]
pub struct Names {
    events: Vec<Event>,
    numbers: HashMap<u64, u32>,
}

impl Names {
    /// The number of the event that is the `count`-th one with its creator, kind and name.
    pub fn number(&mut self, mut event: Event, count: u32) -> u32 {
        let creator = event.creator.map_or(0, |creator| self.events[creator as usize].hash);
        let text = event.text.as_deref().unwrap_or_default();
        let key = format!("{creator:x}|{}|{}|{text}|{count}", event.kind, event.name);
        event.hash = fnv(key.as_bytes());
        let number = self.promise(event.hash);
        let known = &mut self.events[number as usize];
        if known.kind.is_empty() {
            *known = event;
        }
        number
    }

    /// The number of an event that has perhaps not been seen yet.
    pub fn promise(&mut self, hash: u64) -> u32 {
        *self.numbers.entry(hash).or_insert_with(|| {
            self.events.push(Event { hash, ..Event::default() });
            self.events.len() as u32 - 1
        })
    }

    /// An event by its number.
    pub fn event(&self, number: u32) -> &Event {
        &self.events[number as usize]
    }

    /// All of them.
    pub fn all(&self) -> &[Event] {
        &self.events
    }
}

/// FNV-1a: the same in every process.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_apart_by_creator_and_count() {
        let mut names = Names::default();
        let event = |creator| Event { kind: "timer".to_owned(), creator, ..Event::default() };
        let first = names.number(event(None), 0);
        let second = names.number(event(None), 1);
        let child = names.number(event(Some(first)), 0);
        assert_eq!(names.number(event(None), 0), first);
        assert!(first != second && child != first && child != second);
        let hash = names.event(child).hash;
        assert_eq!(names.promise(hash), child);
    }
}
