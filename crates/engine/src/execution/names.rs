//! Names of events and of sets of events that hold across executions.
//!
//! An event is named after its task, its place there, and the names of what it directly follows: the event before it in its
//! program, what it follows in a queue, and those that it conflicts with, back to one that comes after all older ones. Which these are is said by
//! the trace, so the name says what the event is with all that happens before it.

use crate::fingerprint::Fingerprint;

/// The names of the events so far.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    events: Vec<Fingerprint>,
    /// For each event, the name of the set of all up to it.
    sums: Vec<Fingerprint>,
}

impl Names {
    /// Names the next event, which is `own` without its past, by what it directly follows.
    #[inline]
    pub fn push(&mut self, own: Fingerprint, past: impl Iterator<Item = u32>) {
        let past = past.map(|event| self.events[event as usize]);
        let name = past.fold(own, Fingerprint::and).mixed();
        let sum = self.of_first(self.events.len()).and(name);
        self.events.push(name);
        self.sums.push(sum);
    }

    /// The name of each event.
    pub fn all(&self) -> &[Fingerprint] {
        &self.events
    }

    /// The name of a set of events.
    pub fn of(&self, set: impl IntoIterator<Item = usize>) -> Fingerprint {
        set.into_iter().fold(Fingerprint::default(), |sum, event| sum.and(self.events[event]))
    }

    /// The name of the set of the first events.
    #[inline]
    pub fn of_first(&self, length: usize) -> Fingerprint {
        length.checked_sub(1).map_or(Fingerprint::default(), |last| self.sums[last])
    }

    /// Only the first events are left.
    pub fn truncate(&mut self, length: usize) {
        self.events.truncate(length);
        self.sums.truncate(length);
    }
}
