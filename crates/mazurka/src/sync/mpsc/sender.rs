//! The sending ends.

use super::channel::Channel;
use crate::runtime::state::Source;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::mpsc::{SendError, TrySendError};

/// One sender of a channel, and where it was made.
struct End<T> {
    channel: Arc<Channel<T>>,
    made_at: Source,
}

impl<T> End<T> {
    fn another(&self, made_at: Source) -> Self {
        self.channel.add_sender();
        End { channel: Arc::clone(&self.channel), made_at }
    }
}

impl<T> Drop for End<T> {
    fn drop(&mut self) {
        self.channel.drop_sender(self.made_at);
    }
}

macro_rules! sender {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<T>(Inner<T, std::sync::mpsc::$name<T>>);

        impl<T> $name<T> {
            pub(super) fn real(sender: std::sync::mpsc::$name<T>) -> Self {
                $name(Inner::Real(sender))
            }

            #[track_caller]
            pub(super) fn checked(channel: Arc<Channel<T>>) -> Self {
                $name(Inner::Checked(End { channel, made_at: Location::caller() }))
            }

            /// Sends a message; in a bounded channel, waits for a free place.
            ///
            /// # Errors
            ///
            /// The message, if the receiver is gone.
            #[track_caller]
            pub fn send(&self, message: T) -> Result<(), SendError<T>> {
                match &self.0 {
                    Inner::Real(sender) => sender.send(message),
                    Inner::Checked(end) => end.channel.send(message, Location::caller()),
                }
            }
        }

        impl<T> Clone for $name<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                $name(match &self.0 {
                    Inner::Real(sender) => Inner::Real(sender.clone()),
                    Inner::Checked(end) => Inner::Checked(end.another(Location::caller())),
                })
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

enum Inner<T, R> {
    Real(R),
    Checked(End<T>),
}

sender!(
    /// Stands in for [`std::sync::mpsc::Sender`].
    Sender
);
sender!(
    /// Stands in for [`std::sync::mpsc::SyncSender`].
    SyncSender
);

impl<T> SyncSender<T> {
    /// Sends a message if there is a free place. (In a channel without places this finds one when no other
    /// message waits, whether or not the receiver waits already.)
    ///
    /// # Errors
    ///
    /// The message, if there is no place or the receiver is gone.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            Inner::Real(sender) => sender.try_send(message),
            Inner::Checked(end) => end.channel.try_send(message, Location::caller()),
        }
    }
}
