//! Time does not pass in an exploration: a sleep is a yield, and a time-out may or may not come first.
//!
//! Outside of an exploration time is real; a helper thread rings when it is over.

use crate::future::time_is_over;
use crate::runtime::context::{Presence, presence};
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

pub use std::time::Duration;

/// Yields once; outside of an exploration, waits so long.
pub async fn sleep(duration: Duration) {
    if presence() == Presence::Outside {
        let mut timer = Timer::new(duration);
        std::future::poll_fn(|context| timer.poll(context)).await;
    } else {
        crate::task::yield_now().await;
    }
}

/// Real time.
struct Timer {
    end: Option<Instant>,
    /// Whom to wake; `None` before a thread watches the clock.
    waker: Option<Arc<Mutex<Waker>>>,
}

impl Timer {
    fn new(duration: Duration) -> Self {
        // A time that no clock can show never comes.
        Timer { end: Instant::now().checked_add(duration), waker: None }
    }

    fn poll(&mut self, context: &Context<'_>) -> Poll<()> {
        let Some(end) = self.end else { return Poll::Pending };
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Poll::Ready(());
        }
        match &self.waker {
            Some(waker) => {
                let mut waker = waker.lock().unwrap_or_else(PoisonError::into_inner);
                waker.clone_from(context.waker());
            }
            None => {
                let waker = Arc::new(Mutex::new(context.waker().clone()));
                let bell = Arc::clone(&waker);
                std::thread::spawn(move || {
                    std::thread::sleep(left);
                    bell.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
                });
                self.waker = Some(waker);
            }
        }
        Poll::Pending
    }
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
/// one task time out only [`crate::Builder::timeout_bound`] times in one execution. Outside of an exploration the time
/// is real.
///
/// # Errors
///
/// If the time was over first; the future is dropped then.
#[track_caller]
pub fn timeout<F: Future>(
    duration: Duration,
    future: F,
) -> impl Future<Output = Result<F::Output, Elapsed>> {
    let source = Location::caller();
    async move {
        let mut timer = (presence() == Presence::Outside).then(|| Timer::new(duration));
        let mut future = pin!(future);
        std::future::poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Ok(output));
            }
            let over = match &mut timer {
                Some(timer) => timer.poll(context).is_ready(),
                None => time_is_over(source),
            };
            if over { Poll::Ready(Err(Elapsed(()))) } else { Poll::Pending }
        })
        .await
    }
}
