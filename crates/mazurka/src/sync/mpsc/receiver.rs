//! The receiving end.

use super::channel::Channel;
use crate::runtime::state::Source;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::mpsc::{RecvError, RecvTimeoutError, TryRecvError};
use std::time::Duration;

/// Stands in for [`std::sync::mpsc::Receiver`].
pub struct Receiver<T>(Inner<T>);

enum Inner<T> {
    Real(std::sync::mpsc::Receiver<T>),
    Checked(End<T>),
}

/// The receiver of a channel, and where it was made.
struct End<T> {
    channel: Arc<Channel<T>>,
    made_at: Source,
}

impl<T> Drop for End<T> {
    fn drop(&mut self) {
        self.channel.drop_receiver(self.made_at);
    }
}

impl<T> Receiver<T> {
    pub(super) fn real(receiver: std::sync::mpsc::Receiver<T>) -> Self {
        Receiver(Inner::Real(receiver))
    }

    #[track_caller]
    pub(super) fn checked(channel: Arc<Channel<T>>) -> Self {
        Receiver(Inner::Checked(End { channel, made_at: Location::caller() }))
    }

    /// Waits for a message.
    ///
    /// # Errors
    ///
    /// If there is none and all senders are gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.0 {
            Inner::Real(receiver) => receiver.recv(),
            Inner::Checked(end) => end.channel.recv(Location::caller()),
        }
    }

    /// Takes a message if there is one.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.0 {
            Inner::Real(receiver) => receiver.try_recv(),
            Inner::Checked(end) => end.channel.try_recv(Location::caller()),
        }
    }

    /// Waits for a message, but not for longer than this.
    ///
    /// # Errors
    ///
    /// If none came in time, or all senders are gone.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.0 {
            Inner::Real(receiver) => receiver.recv_timeout(timeout),
            Inner::Checked(end) => end.channel.recv_timeout(Location::caller()),
        }
    }

    /// The messages, until all senders are gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// Stands in for [`std::sync::mpsc::Iter`].
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

/// Stands in for [`std::sync::mpsc::TryIter`].
#[derive(Debug)]
pub struct TryIter<'a, T> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

/// Stands in for [`std::sync::mpsc::IntoIter`].
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
