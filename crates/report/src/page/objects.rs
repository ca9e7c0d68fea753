//! What the events of a recording touch: variables with their values, locks with their holders.

use super::model::{Change, Object, ObjectKind};
use mazurka_engine::{Mode, RecordedAccess, RecordedEvent, Recording};
use std::collections::HashMap;

/// The objects of a recording, followed from event to event.
pub(super) struct Objects<'a> {
    pub objects: Vec<Object>,
    numbers: HashMap<&'a str, usize>,
    /// Objects whose values are known.
    has_values: Vec<bool>,
    /// Who holds each lock, as far as they have been touched.
    holders: HashMap<usize, Vec<&'a str>>,
}

impl<'a> Objects<'a> {
    pub fn new(recording: &'a Recording) -> Self {
        let mut objects = Objects {
            objects: Vec::new(),
            numbers: HashMap::new(),
            has_values: Vec::new(),
            holders: HashMap::new(),
        };
        for variable in &recording.variables {
            let initial = variable.initial.map(|value| value.to_string());
            objects.enter(&variable.name, ObjectKind::Variable, initial, true);
        }
        objects
    }

    /// Is the value of an object that has been touched known?
    pub fn has_value(&self, object: &str) -> bool {
        self.numbers.get(object).is_some_and(|&number| self.has_values[number])
    }

    /// What an event changes, and what it only looks at.
    pub fn follow(&mut self, event: &'a RecordedEvent) -> (Vec<Change>, Vec<usize>) {
        let mut changes = Vec::new();
        let mut reads = Vec::new();
        // What is told in words of its own is an affair of whoever implements it.
        let accesses = event.accesses.iter().filter(|_| event.words.is_none());
        for access in accesses {
            let object = self.number(access);
            match access.mode {
                Mode::Read => reads.push(object),
                Mode::Write | Mode::Update => {
                    let value = self.has_values[object].then(|| access.written.to_string());
                    changes.push(Change(object, value));
                }
                Mode::Signal => changes.push(Change(object, Some("signalled".to_owned()))),
                Mode::Wait => changes.push(Change(object, Some("taken".to_owned()))),
                Mode::Lock | Mode::LockShared => {
                    self.holders.entry(object).or_default().push(&event.task);
                    changes.push(self.held(object));
                }
                Mode::Unlock | Mode::UnlockShared => {
                    let holders = self.holders.entry(object).or_default();
                    if let Some(at) = holders.iter().position(|&holder| holder == event.task) {
                        holders.remove(at);
                    }
                    changes.push(self.held(object));
                }
            }
        }
        reads.retain(|read| !changes.iter().any(|Change(object, _)| object == read));
        (changes, reads)
    }

    fn held(&self, lock: usize) -> Change {
        let holders = &self.holders[&lock];
        Change(lock, (!holders.is_empty()).then(|| holders.join(", ")))
    }

    fn number(&mut self, access: &'a RecordedAccess) -> usize {
        if let Some(&number) = self.numbers.get(access.object.as_str()) {
            return number;
        }
        let kind = match access.mode {
            Mode::Read | Mode::Write | Mode::Update => ObjectKind::Variable,
            Mode::Signal | Mode::Wait => ObjectKind::Semaphore,
            _ => ObjectKind::Lock,
        };
        self.enter(&access.object, kind, None, false)
    }

    fn enter(
        &mut self,
        name: &'a str,
        kind: ObjectKind,
        initial: Option<String>,
        has_values: bool,
    ) -> usize {
        self.objects.push(Object { name: name.to_owned(), kind, initial });
        self.has_values.push(has_values);
        self.numbers.insert(name, self.objects.len() - 1);
        self.objects.len() - 1
    }
}
