//! Races that need not be considered again.
//!
//! Executions that are explored one after the other share long prefixes, and with them races. A race whose
//! reversal depends on nothing behind its second event gives the same sequences in every execution that
//! shares the prefix up to there and in which that is so too: those are considered once. This is what keeps
//! the time for an execution close to what is new in it.

use crate::bits::{self, Bits};
use crate::execution::Execution;

/// What is known of a race of the current execution.
#[derive(Clone, Copy, Default, Debug)]
struct Known {
    /// Has it been considered where nothing behind bore on it?
    is_settled: bool,
    /// Nothing before this event, and behind the race, bears on it.
    closed_until: usize,
}

/// Which races of the current execution have been settled.
#[derive(Debug)]
pub struct Settled {
    /// By position among the races of the execution.
    races: Vec<Known>,
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

/// Must a race be considered?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No: that has been done.
    Settled,
    /// Yes, and then never again while its events are there and nothing behind bears on it.
    New,
    /// Yes: something behind its second event bears on it.
    Open,
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
        self.races.resize(execution.races().len(), Known::default());
    }

    /// All races of an execution have been considered.
    pub fn considered(&mut self, execution: &Execution) {
        self.shared = execution.len();
    }

    /// Must this race be considered? `at` is its position among the races of the execution.
    pub fn judge(
        &mut self,
        execution: &Execution,
        at: usize,
        first: usize,
        second: usize,
    ) -> Verdict {
        let known = &mut self.races[at];
        let from = known.closed_until.min(self.shared).max(second + 1);
        let is_closed = from == self.shared && bits::contains(&self.awaited, first);
        let unaffected = if is_closed { None } else { execution.first_unaffected(first, from) };
        known.closed_until = unaffected.unwrap_or(execution.len());
        match unaffected {
            Some(_) => Verdict::Open,
            None if std::mem::replace(&mut known.is_settled, true) => Verdict::Settled,
            None => Verdict::New,
        }
    }
}
