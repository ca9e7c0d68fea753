//! Channels with many senders and one receiver.

use super::semaphore::Semaphore;
use super::shared::{Done, Shared};
use crate::runtime::state::Source;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

pub use error::{SendError, TryRecvError, TrySendError};

/// What can go wrong.
pub mod error {
    use std::fmt;

    /// The receiver is gone; the message.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub struct SendError<T>(pub T);

    impl<T> fmt::Debug for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("SendError { .. }")
        }
    }

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("channel closed")
        }
    }

    impl<T> std::error::Error for SendError<T> {}

    /// Why a message could not be sent now.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TrySendError<T> {
        /// There is no place.
        Full(T),
        /// The receiver is gone.
        Closed(T),
    }

    impl<T> fmt::Display for TrySendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TrySendError::Full(_) => "no available capacity",
                TrySendError::Closed(_) => "channel closed",
            })
        }
    }

    impl<T: fmt::Debug> std::error::Error for TrySendError<T> {}

    /// Why there is no message now.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TryRecvError {
        /// None has been sent.
        Empty,
        /// All senders are gone.
        Disconnected,
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TryRecvError::Empty => "receiving on an empty channel",
                TryRecvError::Disconnected => "receiving on a closed channel",
            })
        }
    }

    impl std::error::Error for TryRecvError {}
}

struct State<T> {
    queue: VecDeque<T>,
    senders: usize,
    receiver: bool,
    waiting: Option<Waker>,
}

struct Channel<T> {
    shared: Shared<State<T>>,
    /// The free places of a bounded channel.
    places: Option<Semaphore>,
}

impl<T> Channel<T> {
    #[track_caller]
    fn new(places: Option<usize>) -> Arc<Self> {
        let state = State { queue: VecDeque::new(), senders: 1, receiver: true, waiting: None };
        Arc::new(Channel {
            shared: Shared::new("channel", state),
            places: places.map(Semaphore::new),
        })
    }

    #[track_caller]
    fn put(&self, message: T) -> Result<(), T> {
        self.put_at(message, Location::caller())
    }

    fn put_at(&self, message: T, source: Source) -> Result<(), T> {
        self.shared.operate_at(source, |state| {
            if !state.receiver {
                return Done::looked(Err(message));
            }
            state.queue.push_back(message);
            Done::waking(Ok(()), state.waiting.take())
        })
    }

    fn add_sender(&self) {
        // No event: the new sender exists for others only by events that come later.
        self.shared.without_event(|state| state.senders += 1);
    }

    #[track_caller]
    fn drop_sender(&self) {
        self.shared.operate(|state| {
            state.senders -= 1;
            let waker = if state.senders == 0 { state.waiting.take() } else { None };
            Done::waking((), waker)
        });
    }

    fn poll_recv(&self, context: &Context<'_>, source: Source) -> Poll<Option<T>> {
        let polled = self.shared.operate_at(source, |state| match state.queue.pop_front() {
            Some(message) => Done::changed(Poll::Ready(Some(message))),
            None if state.senders == 0 || !state.receiver => Done::looked(Poll::Ready(None)),
            None => {
                state.waiting = Some(context.waker().clone());
                Done::changed(Poll::Pending)
            }
        });
        self.took(matches!(polled, Poll::Ready(Some(_))));
        polled
    }

    #[track_caller]
    fn try_recv(&self) -> Result<T, TryRecvError> {
        let got = self.shared.operate(|state| match state.queue.pop_front() {
            Some(message) => Done::changed(Ok(message)),
            None if state.senders == 0 => Done::looked(Err(TryRecvError::Disconnected)),
            None => Done::looked(Err(TryRecvError::Empty)),
        });
        self.took(got.is_ok());
        got
    }

    #[track_caller]
    fn took(&self, took: bool) {
        if let (true, Some(places)) = (took, &self.places) {
            places.add_permits(1);
        }
    }

    #[track_caller]
    fn close(&self, drain: bool) {
        let dropped = self.shared.operate(|state| {
            state.receiver = false;
            Done::changed(if drain { std::mem::take(&mut state.queue) } else { VecDeque::new() })
        });
        drop(dropped);
        if let Some(places) = &self.places {
            places.close();
        }
    }
}

/// A channel with so many places.
///
/// # Panics
///
/// If there are none.
#[track_caller]
pub fn channel<T>(places: usize) -> (Sender<T>, Receiver<T>) {
    assert!(places > 0, "mpsc bounded channel requires buffer > 0");
    let channel = Channel::new(Some(places));
    (Sender { channel: Arc::clone(&channel) }, Receiver { channel })
}

/// A channel with places enough.
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let channel = Channel::new(None);
    (UnboundedSender { channel: Arc::clone(&channel) }, UnboundedReceiver { channel })
}

macro_rules! ends {
    ($sender:ident, $receiver:ident) => {
        /// A sender.
        pub struct $sender<T> {
            channel: Arc<Channel<T>>,
        }

        impl<T> $sender<T> {
            /// Is the receiver gone?
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                self.channel.shared.look(|state| !state.receiver)
            }
        }

        impl<T> Clone for $sender<T> {
            fn clone(&self) -> Self {
                self.channel.add_sender();
                $sender { channel: Arc::clone(&self.channel) }
            }
        }

        impl<T> Drop for $sender<T> {
            fn drop(&mut self) {
                self.channel.drop_sender();
            }
        }

        impl<T> fmt::Debug for $sender<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($sender)).finish_non_exhaustive()
            }
        }

        /// The receiver.
        pub struct $receiver<T> {
            channel: Arc<Channel<T>>,
        }

        impl<T> $receiver<T> {
            /// Waits for a message; `None` when all senders are gone.
            #[track_caller]
            pub fn recv(&mut self) -> impl Future<Output = Option<T>> {
                let source = Location::caller();
                std::future::poll_fn(move |context| self.channel.poll_recv(context, source))
            }

            /// Polls for a message.
            #[track_caller]
            pub fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
                self.channel.poll_recv(context, Location::caller())
            }

            /// Waits for a message, blocking the thread.
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                crate::future::block_on(self.recv())
            }

            /// Takes a message if there is one.
            ///
            /// # Errors
            ///
            /// If there is none.
            #[track_caller]
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                self.channel.try_recv()
            }

            /// Refuses further messages; those that were sent can still be received.
            #[track_caller]
            pub fn close(&mut self) {
                self.channel.close(false);
            }
        }

        impl<T> Drop for $receiver<T> {
            fn drop(&mut self) {
                self.channel.close(true);
            }
        }

        impl<T> fmt::Debug for $receiver<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($receiver)).finish_non_exhaustive()
            }
        }
    };
}

ends!(Sender, Receiver);
ends!(UnboundedSender, UnboundedReceiver);

impl<T> Sender<T> {
    /// Waits for a place and sends a message.
    ///
    /// # Errors
    ///
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> impl Future<Output = Result<(), SendError<T>>> {
        let source = Location::caller();
        async move {
            if let Some(places) = &self.channel.places
                && places.wait_for_at(1, source).await.is_err()
            {
                return Err(SendError(message));
            }
            self.channel.put_at(message, source).map_err(SendError)
        }
    }

    /// Sends a message if there is a place.
    ///
    /// # Errors
    ///
    /// The message, if there is none or the receiver is gone.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        if let Some(places) = &self.channel.places {
            match places.try_acquire() {
                Ok(permit) => permit.forget(),
                Err(super::TryAcquireError::NoPermits) => return Err(TrySendError::Full(message)),
                Err(super::TryAcquireError::Closed) => return Err(TrySendError::Closed(message)),
            }
        }
        self.channel.put(message).map_err(TrySendError::Closed)
    }

    /// Sends a message, blocking the thread.
    ///
    /// # Errors
    ///
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn blocking_send(&self, message: T) -> Result<(), SendError<T>> {
        crate::future::block_on(self.send(message))
    }

    /// The free places.
    pub fn capacity(&self) -> usize {
        self.channel.places.as_ref().map_or(usize::MAX, Semaphore::available_permits)
    }
}

impl<T> UnboundedSender<T> {
    /// Sends a message.
    ///
    /// # Errors
    ///
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.channel.put(message).map_err(SendError)
    }
}
