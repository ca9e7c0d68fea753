//! Time does not pass in an exploration: a sleep is a yield, and a time-out may or may not come first.
//!
//! Outside of an exploration nothing here waits for real time; use tokio there.

use crate::future::time_is_over;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::time::Duration;

/// Yields once.
pub async fn sleep(duration: Duration) {
    let _ = duration;
    crate::task::yield_now().await;
}

/// The time was over first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elapsed(());

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deadline has elapsed")
    }
}

impl std::error::Error for Elapsed {}

/// Runs a future, unless the time is over first. Whenever the future has to wait, both are explored; the waits of
/// one task time out only [`crate::Builder::timeout_bound`] times in one execution.
///
/// # Errors
///
/// If the time was over first; the future is dropped then.
#[track_caller]
pub fn timeout<F: Future>(
    duration: Duration,
    future: F,
) -> impl Future<Output = Result<F::Output, Elapsed>> {
    let _ = duration;
    let source = Location::caller();
    async move {
        let mut future = pin!(future);
        std::future::poll_fn(|context| {
            use std::task::Poll;
            match future.as_mut().poll(context) {
                Poll::Ready(output) => Poll::Ready(Ok(output)),
                Poll::Pending if time_is_over(source) => Poll::Ready(Err(Elapsed(()))),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }
}
