//! Poisoning: a lock remembers that a task panicked while it held it.

use crate::runtime::context;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{LockResult, PoisonError};

/// The poison mark of a lock.
#[derive(Debug)]
pub(crate) struct Poison {
    mark: AtomicBool,
}

impl Poison {
    pub(crate) const fn new() -> Self {
        Poison { mark: AtomicBool::new(false) }
    }

    pub(crate) fn get(&self) -> bool {
        self.mark.load(Relaxed)
    }

    pub(crate) fn clear(&self) {
        self.mark.store(false, Relaxed);
    }

    /// A guard is dropped that was taken while `panicking` or not.
    pub(crate) fn released(&self, panicking: bool) {
        if !panicking && context::panicking() {
            self.mark.store(true, Relaxed);
        }
    }

    /// The guard, as an error if the lock is poisoned.
    pub(crate) fn wrap<G>(&self, guard: G) -> LockResult<G> {
        if self.get() { Err(PoisonError::new(guard)) } else { Ok(guard) }
    }
}
