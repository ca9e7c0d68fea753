//! [`AtomicWaker`].

use mazurka::sync::Mutex;
use std::sync::{PoisonError, TryLockError};
use std::task::Waker;

/// Stands in for `AtomicWaker` of the crate `futures`.
#[derive(Debug, Default)]
pub struct AtomicWaker {
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// One without a waker.
    #[track_caller]
    pub fn new() -> Self {
        AtomicWaker { waker: Mutex::new(None) }
    }

    /// Puts a waker in. Where somebody else is at it, the waker is used at once.
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        let mut slot = match self.waker.try_lock() {
            Ok(slot) => slot,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => {
                waker.wake();
                crate::thread::yield_now();
                return;
            }
        };
        let before = slot.replace(waker);
        drop(slot);
        drop(before);
    }

    /// As [`AtomicWaker::register`].
    #[track_caller]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Wakes whoever has registered.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    /// Takes the waker out.
    #[track_caller]
    pub fn take_waker(&self) -> Option<Waker> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
