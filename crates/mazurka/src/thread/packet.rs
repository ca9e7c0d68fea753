//! Where a task leaves its result.

use crate::runtime::panics;
use crate::runtime::state::Source;
use std::sync::{Arc, Mutex, PoisonError};

/// Shared by a task and whoever joins it.
pub(crate) struct Packet<T> {
    result: Arc<Mutex<Option<std::thread::Result<T>>>>,
}

impl<T> Clone for Packet<T> {
    fn clone(&self) -> Self {
        Packet { result: Arc::clone(&self.result) }
    }
}

impl<T> Packet<T> {
    pub(crate) fn new() -> Self {
        Packet { result: Arc::new(Mutex::new(None)) }
    }

    /// Runs the code of a task and keeps its result.
    pub(crate) fn run(&self, code: impl FnOnce() -> T) {
        let result = panics::run_task(code);
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    /// Runs the code of a thread.
    pub(crate) fn run_thread(&self, code: impl FnOnce() -> T, source: Source) {
        self.run(|| {
            let result = code();
            super::drop_locals();
            result
        });
        super::handle::tell_end(source);
    }

    /// The result, once; `None` when there is none yet, or none any more.
    pub(crate) fn take(&self) -> Option<std::thread::Result<T>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Is the result a panic?
    pub(crate) fn holds_panic(&self) -> bool {
        matches!(*self.result.lock().unwrap_or_else(PoisonError::into_inner), Some(Err(_)))
    }
}
