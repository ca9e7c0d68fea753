//! Traces that were found lately: a reversal that one of them contains need not be performed.
//!
//! Most reversals lead to traces that were found shortly before, by reversing the same races in another order. Names say what an event is
//! with all its past, so a trace contains a reversal exactly if the names of its latest events ([`Race::frontier`]) are among those of the trace.
//!
//! [`Race::frontier`]: super::reverse_race::Race::frontier

use crate::fingerprint::Fingerprint;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// So many traces are remembered: more save few executions, and cost time for each question.
const TRACES: usize = 64 * WORDS;

/// Words in a set of remembered traces.
const WORDS: usize = 8;

/// And so many events altogether, which bounds memory: some tens of megabytes.
const EVENTS: usize = 1 << 18;

/// A set of remembered traces.
type Set = [u64; WORDS];

/// The events of the traces that were found lately.
#[derive(Default, Debug)]
pub struct Recent {
    /// For each event, in which traces it is.
    holders: FxHashMap<Fingerprint, Set>,
    /// The oldest first; a trace keeps its number.
    traces: VecDeque<Vec<Fingerprint>>,
    /// How many have been forgotten.
    forgotten: usize,
    events: usize,
}

impl Recent {
    /// A trace has been found.
    pub fn remember(&mut self, names: &[Fingerprint]) {
        let mut own_names = Vec::new();
        while self.traces.len() >= TRACES || self.events + names.len() > EVENTS {
            if self.traces.is_empty() {
                return;
            }
            own_names = self.forget_oldest();
        }
        let (word, own) = place(self.forgotten + self.traces.len());
        for &name in names {
            self.holders.entry(name).or_default()[word] |= own;
        }
        self.events += names.len();
        own_names.clear();
        own_names.extend_from_slice(names);
        self.traces.push_back(own_names);
    }

    /// Forgets a trace. What is left is room for another one.
    fn forget_oldest(&mut self) -> Vec<Fingerprint> {
        let (word, own) = place(self.forgotten);
        let names = self.traces.pop_front().unwrap_or_default();
        for name in &names {
            if let Some(holders) = self.holders.get_mut(name) {
                holders[word] &= !own;
                if is_empty(holders) {
                    self.holders.remove(name);
                }
            }
        }
        self.events -= names.len();
        self.forgotten += 1;
        names
    }

    /// Does one of the traces contain all these events, and so their pasts?
    pub fn contains(&self, names: &[Fingerprint]) -> bool {
        let mut left = [u64::MAX; WORDS];
        names.iter().all(|name| {
            let Some(holders) = self.holders.get(name) else { return false };
            left.iter_mut().zip(holders).for_each(|(left, holders)| *left &= holders);
            !is_empty(&left)
        })
    }
}

/// Has the set no members? (Comparing whole sets would call a function for it.)
fn is_empty(set: &Set) -> bool {
    set.iter().fold(0, |all, word| all | word) == 0
}

/// The word and the bit of a trace in a set.
fn place(number: usize) -> (usize, u64) {
    (number % TRACES / 64, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TaskId;

    fn name(event: u32) -> Fingerprint {
        Fingerprint::of_event(TaskId(event), 1, 0).mixed()
    }

    #[test]
    fn all_events_must_be_in_one_trace() {
        let mut recent = Recent::default();
        recent.remember(&[name(1), name(2)]);
        recent.remember(&[name(2), name(3)]);
        assert!(recent.contains(&[name(2)]) && recent.contains(&[name(3), name(2)]));
        assert!(!recent.contains(&[name(1), name(3)]) && !recent.contains(&[name(4)]));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut recent = Recent::default();
        for event in 0..TRACES as u32 + 70 {
            recent.remember(&[name(event), name(u32::MAX)]);
        }
        assert!(!recent.contains(&[name(69)]) && recent.contains(&[name(70), name(u32::MAX)]));
        assert_eq!((recent.traces.len(), recent.holders.len()), (TRACES, TRACES + 1));
        recent.remember(&vec![name(1); EVENTS]);
        assert_eq!((recent.traces.len(), recent.holders.len()), (1, 1));
    }
}
