//! Races that need not be considered again.
//!
//! Executions that are explored one after the other share long prefixes, and with them races. A race whose
//! reversal depends on nothing behind its second event gives the same sequences in every execution that
//! shares the prefix up to there and in which that is so too: those are considered once. This is what keeps
//! the time for an execution close to what is new in it.

use crate::execution::Execution;

/// Which races of the current execution have been settled.
#[derive(Default, Debug)]
pub struct Settled {
    /// By position among the races of the execution: considered where nothing behind bore on it.
    races: Vec<bool>,
}

impl Settled {
    /// Forgets races of events that are gone.
    pub fn truncate(&mut self, races: usize) {
        self.races.truncate(races);
    }

    /// Must this race be considered? `at` is its position among the races of the execution.
    pub fn must_consider(
        &mut self,
        execution: &Execution,
        at: usize,
        first: usize,
        second: usize,
    ) -> bool {
        if self.races.len() <= at {
            self.races.resize(at + 1, false);
        }
        let closed = execution.is_closed(first, second);
        let is_settled = closed && self.races[at];
        self.races[at] |= closed;
        !is_settled
    }
}
