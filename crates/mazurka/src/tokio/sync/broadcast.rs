//! A channel in which every receiver sees every message.

use super::shared::{Done, Shared};
use crate::runtime::state::Source;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

pub use error::{RecvError, SendError, TryRecvError};

/// What can go wrong.
pub mod error {
    use std::fmt;

    /// There is no receiver; the message.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct SendError<T>(pub T);

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl<T: fmt::Debug> std::error::Error for SendError<T> {}

    /// Why a receiver has no message.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum RecvError {
        /// All senders are gone.
        Closed,
        /// The receiver was too slow, and missed so many messages.
        Lagged(u64),
    }

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                RecvError::Closed => f.write_str("channel closed"),
                RecvError::Lagged(missed) => write!(f, "channel lagged by {missed}"),
            }
        }
    }

    impl std::error::Error for RecvError {}

    /// Why a receiver has no message now.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TryRecvError {
        /// None has been sent.
        Empty,
        /// All senders are gone.
        Closed,
        /// The receiver was too slow, and missed so many messages.
        Lagged(u64),
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                TryRecvError::Empty => f.write_str("channel empty"),
                TryRecvError::Closed => f.write_str("channel closed"),
                TryRecvError::Lagged(missed) => write!(f, "channel lagged by {missed}"),
            }
        }
    }

    impl std::error::Error for TryRecvError {}
}

struct State<T> {
    /// The last messages; the first of them has number `first`.
    messages: VecDeque<T>,
    first: u64,
    places: usize,
    senders: usize,
    receivers: usize,
    waiting: Vec<Waker>,
}

impl<T: Clone> State<T> {
    /// The message that a receiver is to see next.
    fn next_for(&self, position: &mut u64) -> Result<T, TryRecvError> {
        if *position < self.first {
            let missed = self.first - *position;
            *position = self.first;
            return Err(TryRecvError::Lagged(missed));
        }
        match self.messages.get((*position - self.first) as usize) {
            Some(message) => {
                *position += 1;
                Ok(message.clone())
            }
            None if self.senders == 0 => Err(TryRecvError::Closed),
            None => Err(TryRecvError::Empty),
        }
    }
}

/// A channel that keeps so many messages for slow receivers.
///
/// # Panics
///
/// If it is to keep none.
#[track_caller]
pub fn channel<T: Clone>(places: usize) -> (Sender<T>, Receiver<T>) {
    assert!(places > 0, "broadcast channel capacity cannot be zero");
    let state = State {
        messages: VecDeque::new(),
        first: 0,
        places,
        senders: 1,
        receivers: 1,
        waiting: Vec::new(),
    };
    let shared = Arc::new(Shared::new("broadcast channel", state));
    (Sender { shared: Arc::clone(&shared) }, Receiver { shared, position: 0 })
}

/// A sender.
pub struct Sender<T> {
    shared: Arc<Shared<State<T>>>,
}

impl<T> Sender<T> {
    /// Sends a message to all receivers; says how many there are.
    ///
    /// # Errors
    ///
    /// The message, if there are none.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<usize, SendError<T>> {
        self.shared.operate(|state| {
            if state.receivers == 0 {
                return Done::looked(Err(SendError(message)));
            }
            state.messages.push_back(message);
            if state.messages.len() > state.places {
                state.messages.pop_front();
                state.first += 1;
            }
            let woken = std::mem::take(&mut state.waiting);
            Done::waking(Ok(state.receivers), woken)
        })
    }

    /// A receiver that sees what is sent from now on.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let position = self.shared.operate(|state| {
            state.receivers += 1;
            Done::changed(state.first + state.messages.len() as u64)
        });
        Receiver { shared: Arc::clone(&self.shared), position }
    }

    /// How many receivers there are.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.shared.look(|state| state.receivers)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.shared.without_event(|state| state.senders += 1);
        Sender { shared: Arc::clone(&self.shared) }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.shared.operate(|state| {
            state.senders -= 1;
            let woken =
                if state.senders == 0 { std::mem::take(&mut state.waiting) } else { Vec::new() };
            Done::waking((), woken)
        });
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// A receiver.
pub struct Receiver<T> {
    shared: Arc<Shared<State<T>>>,
    /// The number of the message to see next.
    position: u64,
}

impl<T: Clone> Receiver<T> {
    /// Waits for the next message.
    ///
    /// # Errors
    ///
    /// If this receiver missed messages, or all senders are gone.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> {
        let source = Location::caller();
        std::future::poll_fn(move |context| self.poll_recv(context, source))
    }

    fn poll_recv(&mut self, context: &Context<'_>, source: Source) -> Poll<Result<T, RecvError>> {
        let position = &mut self.position;
        self.shared.operate_at(source, |state| match state.next_for(position) {
            Ok(message) => Done::looked(Poll::Ready(Ok(message))),
            Err(TryRecvError::Lagged(missed)) => {
                Done::looked(Poll::Ready(Err(RecvError::Lagged(missed))))
            }
            Err(TryRecvError::Closed) => Done::looked(Poll::Ready(Err(RecvError::Closed))),
            Err(TryRecvError::Empty) => {
                state.waiting.push(context.waker().clone());
                Done::changed(Poll::Pending)
            }
        })
    }

    /// The next message, if there is one.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let position = &mut self.position;
        self.shared.operate(|state| Done::looked(state.next_for(position)))
    }

    /// Another receiver that sees what is sent from now on.
    #[track_caller]
    pub fn resubscribe(&self) -> Self {
        let position = self.shared.operate(|state| {
            state.receivers += 1;
            Done::changed(state.first + state.messages.len() as u64)
        });
        Receiver { shared: Arc::clone(&self.shared), position }
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
