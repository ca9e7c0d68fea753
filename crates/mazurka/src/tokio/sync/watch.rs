//! A channel that keeps the last value only.
//!
//! [`Receiver::borrow`] gives a copy in a guard rather than a lock on the value: holding it does not block the
//! sender, as it would in tokio.

use super::shared::{Done, Shared};
use crate::runtime::state::Source;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// What can go wrong.
pub mod error {
    use std::fmt;

    /// There is no receiver; the value.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct SendError<T>(pub T);

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl<T: fmt::Debug> std::error::Error for SendError<T> {}

    /// The sender is gone.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct RecvError(pub(super) ());

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl std::error::Error for RecvError {}
}

struct State<T> {
    value: Arc<T>,
    version: u64,
    senders: usize,
    receivers: usize,
    waiting: Vec<Waker>,
}

/// A channel with an initial value.
#[track_caller]
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let state =
        State { value: Arc::new(value), version: 0, senders: 1, receivers: 1, waiting: Vec::new() };
    let shared = Arc::new(Shared::new("watch channel", state));
    (Sender { shared: Arc::clone(&shared) }, Receiver { shared, seen: 0 })
}

/// A value as it was.
#[derive(Debug)]
pub struct Ref<T>(Arc<T>);

impl<T> Deref for Ref<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Sets the value.
pub struct Sender<T> {
    shared: Arc<Shared<State<T>>>,
}

impl<T> Sender<T> {
    /// Sets the value.
    ///
    /// # Errors
    ///
    /// The value, if there is no receiver.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), error::SendError<T>> {
        self.shared.operate(|state| {
            if state.receivers == 0 {
                return Done::looked(Err(error::SendError(value)));
            }
            state.value = Arc::new(value);
            state.version += 1;
            let woken = std::mem::take(&mut state.waiting);
            Done::waking(Ok(()), woken)
        })
    }

    /// Sets the value, also without a receiver; returns the one before.
    #[track_caller]
    pub fn send_replace(&self, value: T) -> Ref<T> {
        self.shared.operate(|state| {
            let before = std::mem::replace(&mut state.value, Arc::new(value));
            state.version += 1;
            let woken = std::mem::take(&mut state.waiting);
            Done::waking(Ref(before), woken)
        })
    }

    /// Changes the value.
    #[track_caller]
    pub fn send_modify(&self, modify: impl FnOnce(&mut T))
    where
        T: Clone,
    {
        self.shared.operate(|state| {
            modify(Arc::make_mut(&mut state.value));
            state.version += 1;
            let woken = std::mem::take(&mut state.waiting);
            Done::waking((), woken)
        });
    }

    /// The value.
    #[track_caller]
    pub fn borrow(&self) -> Ref<T> {
        Ref(self.shared.look(|state| Arc::clone(&state.value)))
    }

    /// Another receiver, which has seen the value that is there.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let seen = self.shared.operate(|state| {
            state.receivers += 1;
            Done::changed(state.version)
        });
        Receiver { shared: Arc::clone(&self.shared), seen }
    }

    /// Are all receivers gone?
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.shared.look(|state| state.receivers == 0)
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.shared.operate(|state| {
            state.senders -= 1;
            let woken = std::mem::take(&mut state.waiting);
            Done::waking((), woken)
        });
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// Sees the value.
pub struct Receiver<T> {
    shared: Arc<Shared<State<T>>>,
    seen: u64,
}

impl<T> Receiver<T> {
    /// The value, which does not count as seen.
    #[track_caller]
    pub fn borrow(&self) -> Ref<T> {
        Ref(self.shared.look(|state| Arc::clone(&state.value)))
    }

    /// The value, which counts as seen.
    #[track_caller]
    pub fn borrow_and_update(&mut self) -> Ref<T> {
        let (value, version) = self.shared.look(|state| (Arc::clone(&state.value), state.version));
        self.seen = version;
        Ref(value)
    }

    /// Is there a value that has not been seen?
    ///
    /// # Errors
    ///
    /// If the sender is gone.
    #[track_caller]
    pub fn has_changed(&self) -> Result<bool, error::RecvError> {
        let (version, senders) = self.shared.look(|state| (state.version, state.senders));
        if senders == 0 { Err(error::RecvError(())) } else { Ok(version != self.seen) }
    }

    /// Waits for a value that has not been seen, which counts as seen then.
    ///
    /// # Errors
    ///
    /// If there is none and the sender is gone.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), error::RecvError>> {
        let source = Location::caller();
        std::future::poll_fn(move |context| self.poll_changed(context, source))
    }

    fn poll_changed(
        &mut self,
        context: &Context<'_>,
        source: Source,
    ) -> Poll<Result<(), error::RecvError>> {
        let seen = &mut self.seen;
        self.shared.operate_at(source, |state| {
            if state.version != *seen {
                *seen = state.version;
                return Done::looked(Poll::Ready(Ok(())));
            }
            if state.senders == 0 {
                return Done::looked(Poll::Ready(Err(error::RecvError(()))));
            }
            state.waiting.push(context.waker().clone());
            Done::changed(Poll::Pending)
        })
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.shared.operate(|state| {
            state.receivers += 1;
            Done::changed(())
        });
        Receiver { shared: Arc::clone(&self.shared), seen: self.seen }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.shared.operate(|state| {
            state.receivers -= 1;
            Done::changed(())
        });
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
