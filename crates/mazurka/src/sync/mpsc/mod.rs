//! Stand-ins for [`std::sync::mpsc`].
//!
//! A channel is a semaphore that counts what is in it: sending is one event that gives a permit, receiving one
//! that takes it. A bounded channel has a second semaphore for its free places. Dropping a sender is an event of
//! its own object, and the last one gives a permit, so that a receiver that waits finds the channel closed.
//!
//! [`Receiver::recv_timeout`] does not wait: the task may be delayed for as long as one likes and finds then
//! something or nothing. It times out only [`crate::Builder::timeout_bound`] times in one execution.
//!
//! Outside of an exploration these are channels of `std`.

mod channel;
mod receiver;
mod sender;

use crate::runtime::context::{Presence, presence};
use channel::Channel;
pub use receiver::{IntoIter, Iter, Receiver, TryIter};
pub use sender::{Sender, SyncSender};
use std::panic::Location;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// An unbounded channel.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if presence() == Presence::Outside {
        let (sender, receiver) = std::sync::mpsc::channel();
        return (Sender::real(sender), Receiver::real(receiver));
    }
    let channel = Channel::new(None, Location::caller());
    (Sender::checked(channel.clone()), Receiver::checked(channel))
}

/// A channel with so many places; with none, a sender waits until its message is taken.
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if presence() == Presence::Outside {
        let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
        return (SyncSender::real(sender), Receiver::real(receiver));
    }
    let channel = Channel::new(Some(bound), Location::caller());
    (SyncSender::checked(channel.clone()), Receiver::checked(channel))
}
