//! Asynchronous tasks: every poll of a task is a message of a handler.
//!
//! A spawned task has a handler of its own, as on a runtime with workers enough, so the polls of one task never
//! overlap and those of different tasks may. With [`crate::Builder::workers`] so many handlers share the
//! tasks: with one of them, tasks take turns only where they await.
//!
//! Outside of an exploration a task is a thread of `std` that blocks on its future.

mod cell;
mod join;

pub(crate) use cell::TaskCell;
pub use join::{AbortHandle, JoinError, JoinHandle};
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Starts a task.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    JoinHandle::new(TaskCell::spawn(future, Location::caller()))
}

/// Runs blocking code as a thread, and awaits it as a task.
#[track_caller]
pub fn spawn_blocking<F, R>(code: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    let cell = TaskCell::without_future(Location::caller());
    let inside = std::sync::Arc::clone(&cell);
    crate::thread::spawn(move || {
        inside.finish(crate::runtime::panics::run_task(code).map_err(JoinError::panicked))
    });
    JoinHandle::new(cell)
}

/// Lets other tasks run: the next poll is a new message.
pub fn yield_now() -> impl Future<Output = ()> {
    YieldNow { yielded: false }
}

struct YieldNow {
    yielded: bool,
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.yielded {
            return Poll::Ready(());
        }
        self.yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
