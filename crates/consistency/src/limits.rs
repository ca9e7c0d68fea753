//! When to give up: the only source of the verdict `unknown`.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Limits of one search. The default has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Stop after this many conflicts (or, for the enumeration, branches).
    pub conflicts: Option<u64>,
    /// Stop when somebody sets this.
    pub cancel: Option<&'a AtomicBool>,
}

/// Which limit stopped a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The deadline passed.
    Time,
    /// The allowed number of conflicts was used up.
    Conflicts,
    /// Somebody cancelled it.
    Cancelled,
    /// The dense closure or the pairs of messages would not fit in the memory allowed for them.
    Size,
    /// The solver itself gave no answer.
    Solver,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "the time limit was reached",
            Self::Conflicts => "the limit of conflicts was reached",
            Self::Cancelled => "the search was cancelled",
            Self::Size => "too many messages for the dense closure",
            Self::Solver => "the solver gave no answer",
        })
    }
}

impl Limits<'_> {
    /// The limit that is exceeded after `conflicts` conflicts, if any. Looks at the clock.
    pub(crate) fn exceeded(&self, conflicts: u64) -> Option<Limit> {
        if self.conflicts.is_some_and(|most| conflicts > most) {
            return Some(Limit::Conflicts);
        }
        self.interrupted()
    }

    /// The limit that does not depend on counting.
    pub(crate) fn interrupted(&self) -> Option<Limit> {
        if self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Limit::Cancelled);
        }
        let passed = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        passed.then_some(Limit::Time)
    }
}
