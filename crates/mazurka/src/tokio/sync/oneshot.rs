//! A channel for one value.

use super::shared::{Done, Shared};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

#[derive(Debug)]
struct State<T> {
    value: Option<T>,
    sender: bool,
    receiver: bool,
    waiting: Option<Waker>,
    closing: Option<Waker>,
}

/// The sender is gone without a value.
pub mod error {
    use std::fmt;

    /// The sender is gone.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct RecvError(pub(super) ());

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl std::error::Error for RecvError {}

    /// Why there is no value now.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TryRecvError {
        /// The value has not been sent yet.
        Empty,
        /// The sender is gone.
        Closed,
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TryRecvError::Empty => "channel empty",
                TryRecvError::Closed => "channel closed",
            })
        }
    }

    impl std::error::Error for TryRecvError {}
}

/// Stands in for `tokio::sync::oneshot::channel`.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { value: None, sender: true, receiver: true, waiting: None, closing: None };
    let shared = Arc::new(Shared::new("oneshot channel", state));
    (Sender { shared: Arc::clone(&shared), sent: false }, Receiver { shared, finished: false })
}

/// Sends the value.
pub struct Sender<T> {
    shared: Arc<Shared<State<T>>>,
    sent: bool,
}

impl<T> Sender<T> {
    /// Sends the value.
    ///
    /// # Errors
    ///
    /// The value, if the receiver is gone.
    #[track_caller]
    pub fn send(mut self, value: T) -> Result<(), T> {
        self.sent = true;
        self.shared.operate(|state| {
            if !state.receiver {
                return Done::looked(Err(value));
            }
            state.value = Some(value);
            state.sender = false;
            Done::waking(Ok(()), state.waiting.take())
        })
    }

    /// Is the receiver gone?
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.shared.look(|state| !state.receiver)
    }

    /// Waits until the receiver is gone.
    pub async fn closed(&mut self) {
        std::future::poll_fn(|context| {
            self.shared.operate(|state| {
                if !state.receiver {
                    return Done::looked(Poll::Ready(()));
                }
                state.closing = Some(context.waker().clone());
                Done::changed(Poll::Pending)
            })
        })
        .await;
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if !self.sent {
            self.shared.operate(|state| {
                state.sender = false;
                Done::waking((), state.waiting.take())
            });
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// Awaits the value.
pub struct Receiver<T> {
    shared: Arc<Shared<State<T>>>,
    finished: bool,
}

impl<T> Receiver<T> {
    /// Refuses a value that has not been sent.
    #[track_caller]
    pub fn close(&mut self) {
        self.shared.operate(|state| {
            state.receiver = false;
            Done::waking((), state.closing.take())
        });
    }

    /// The value, if it has been sent.
    ///
    /// # Errors
    ///
    /// If it has not.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, error::TryRecvError> {
        let got = self.shared.operate(|state| match state.value.take() {
            Some(value) => Done::changed(Ok(value)),
            None if state.sender && state.receiver => Done::looked(Err(error::TryRecvError::Empty)),
            None => Done::looked(Err(error::TryRecvError::Closed)),
        });
        self.finished = got.is_ok();
        got
    }

    /// The value, blocking the thread.
    ///
    /// # Errors
    ///
    /// If the sender is gone.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, error::RecvError> {
        crate::future::block_on(self)
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, error::RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let polled = self.shared.operate(|state| match state.value.take() {
            Some(value) => Done::changed(Poll::Ready(Ok(value))),
            None if !state.sender || !state.receiver => {
                Done::looked(Poll::Ready(Err(error::RecvError(()))))
            }
            None => {
                state.waiting = Some(waker);
                Done::changed(Poll::Pending)
            }
        });
        self.finished |= polled.is_ready();
        polled
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if !self.finished {
            let dropped = self.shared.operate(|state| {
                state.receiver = false;
                Done::waking(state.value.take(), state.closing.take())
            });
            drop(dropped);
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
