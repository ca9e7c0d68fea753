//! When to stop: a moment, or a flag that somebody sets.

use crate::config::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A clock that can be asked from everywhere whether the time is up. The default has no end.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    deadline: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
}

impl Watch {
    /// The watch of an exploration that began at `started`.
    pub fn new(limits: &Limits, started: Instant) -> Self {
        let deadline = limits.timeout.and_then(|timeout| started.checked_add(timeout));
        Watch { deadline, cancel: limits.cancel.clone() }
    }

    /// A watch for so much time from now on.
    pub fn lasting(time: Duration) -> Self {
        Watch { deadline: Instant::now().checked_add(time), cancel: None }
    }

    /// The moment when the time is up.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The flag that somebody may set.
    pub fn cancel(&self) -> Option<&AtomicBool> {
        self.cancel.as_deref()
    }

    /// Is the time up, or has somebody cancelled?
    pub fn is_up(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
