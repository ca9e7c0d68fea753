//! Waiting for a task.

use super::cell::TaskCell;
use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Awaits a task's result. Dropping it lets the task go on.
pub struct JoinHandle<T> {
    cell: Arc<TaskCell<T>>,
}

impl<T: Send + 'static> JoinHandle<T> {
    pub(super) fn new(cell: Arc<TaskCell<T>>) -> Self {
        JoinHandle { cell }
    }

    /// Asks the task to end: it is polled no more, and its future is dropped.
    #[track_caller]
    pub fn abort(&self) {
        self.cell.abort();
    }

    /// Has the task ended?
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.cell.is_finished()
    }

    /// A handle that can only abort.
    pub fn abort_handle(&self) -> AbortHandle {
        let cell = Arc::clone(&self.cell);
        AbortHandle { abort: Arc::new(move || cell.abort()) }
    }
}

impl<T: Send + 'static> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.cell.poll_result(context)
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Aborts a task.
#[derive(Clone)]
pub struct AbortHandle {
    abort: Arc<dyn Fn() + Send + Sync>,
}

impl AbortHandle {
    /// Asks the task to end.
    pub fn abort(&self) {
        (self.abort)();
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").finish_non_exhaustive()
    }
}

/// Why a task has no result.
pub struct JoinError {
    /// What it panicked with; `None` if it was aborted.
    panic: Option<Box<dyn Any + Send>>,
}

impl JoinError {
    pub(super) fn panicked(payload: Box<dyn Any + Send>) -> Self {
        JoinError { panic: Some(payload) }
    }

    pub(super) fn cancelled() -> Self {
        JoinError { panic: None }
    }

    /// Was the task aborted?
    pub fn is_cancelled(&self) -> bool {
        self.panic.is_none()
    }

    /// Did the task panic?
    pub fn is_panic(&self) -> bool {
        self.panic.is_some()
    }

    /// What it panicked with.
    ///
    /// # Panics
    ///
    /// If it did not panic.
    pub fn into_panic(self) -> Box<dyn Any + Send> {
        self.panic.expect("the task was cancelled and did not panic")
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinError::{}", if self.is_panic() { "Panic" } else { "Cancelled" })
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.panic {
            None => f.write_str("task was cancelled"),
            Some(payload) => {
                write!(f, "task panicked: {}", crate::runtime::panics::message_of(&**payload))
            }
        }
    }
}

impl std::error::Error for JoinError {}
