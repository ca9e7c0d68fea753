//! Races that need not be considered again.
//!
//! Executions that are explored one after the other share long prefixes, and with them races. What the reversal of a race is made of are the events
//! that do not happen after its first event. If these are the same as in the execution before, the race has been considered: it is settled. That
//! is seen without looking at them: where all that is new happens after the first event, and all that it took the place of did too. This is what keeps
//! the time for an execution close to what is new in it.

use crate::bits::{self, Bits};
use crate::execution::Execution;

/// Which races of the current execution have been settled.
#[derive(Debug)]
pub struct Settled {
    /// For each race of the execution, from where on all events of the execution that was considered last happen after its first event. Nothing if it
    /// is new.
    races: Vec<Option<u32>>,
    /// So many of the first events are those of the execution that was considered last.
    shared: usize,
    /// The events that all later ones happen after.
    awaited: Bits,
}

impl Default for Settled {
    fn default() -> Self {
        Settled { races: Vec::new(), shared: 0, awaited: bits::empty(0) }
    }
}

impl Settled {
    /// The exploration has gone back: forgets the last events, and races that are gone.
    pub fn truncate(&mut self, events: usize, races: usize) {
        self.shared = self.shared.min(events);
        self.races.truncate(races);
    }

    /// The races of an execution are about to be considered.
    pub fn begin(&mut self, execution: &Execution) {
        self.awaited = execution.awaited_from(self.shared);
        self.races.resize(execution.races().len(), None);
    }

    /// All races of an execution have been considered.
    pub fn considered(&mut self, execution: &Execution) {
        self.shared = execution.len();
    }

    /// Has this race been considered as it is? `at` is its position among the races of the execution, `first` the event that its reversals are made
    /// without.
    #[inline]
    pub fn is_settled(&self, at: usize, first: usize) -> bool {
        let is_old = self.races[at].is_some_and(|from| from as usize <= self.shared);
        is_old && bits::contains(&self.awaited, first)
    }

    /// It is considered now. `unaffected` are the events that do not happen after the first one.
    #[inline]
    pub fn consider(&mut self, execution: &Execution, at: usize, unaffected: &[u64]) {
        let last = bits::last_but(unaffected, execution.starts_that_go_on());
        self.races[at] = Some(last.map_or(0, |last| last as u32 + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three events are shared; all that is new happens after the first of them.
    fn settled(affected_from: Option<u32>) -> Settled {
        Settled { races: vec![affected_from], shared: 3, awaited: bits::first(1, 1) }
    }

    #[test]
    fn what_is_new_and_what_it_took_the_place_of_must_come_behind_the_first_event() {
        assert!(settled(Some(2)).is_settled(0, 0) && settled(Some(3)).is_settled(0, 0));
        assert!(!settled(Some(2)).is_settled(0, 1), "something new does not come behind it");
        assert!(!settled(Some(4)).is_settled(0, 0), "something else did not come behind it");
        assert!(!settled(None).is_settled(0, 0), "it has not been considered");
    }

    #[test]
    fn what_goes_back_shares_less() {
        let mut settled = settled(Some(3));
        settled.truncate(2, 1);
        assert!(!settled.is_settled(0, 0));
        settled.truncate(2, 0);
        assert_eq!(settled.races, []);
    }
}
