//! Stands in for [`std::thread`].

pub use mazurka::thread::{
    Builder, JoinHandle, LocalKey, Thread, ThreadId, current, panicking, park, sleep, yield_now,
};
pub use std::thread::AccessError;

/// Starts a thread. As in loom, what it runs need not be `Send`: all threads of a test run on one OS thread.
///
/// # Panics
///
/// Outside of [`crate::model()`].
#[track_caller]
pub fn spawn<F, T>(code: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    mazurka::__private::spawn_here(code)
}
