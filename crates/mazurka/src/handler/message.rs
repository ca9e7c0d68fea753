//! A posted message, as the poster sees it.

use super::{checked, real};
use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Why a message has no result.
pub enum MessageError {
    /// It panicked, with this.
    Panicked(Box<dyn Any + Send>),
    /// The handler had quit, and the message was dropped.
    Dropped,
}

impl fmt::Debug for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Panicked(payload) => f
                .debug_tuple("Panicked")
                .field(&crate::runtime::panics::message_of(&**payload))
                .finish(),
            MessageError::Dropped => f.write_str("Dropped"),
        }
    }
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Panicked(payload) => {
                write!(
                    f,
                    "the message panicked: {}",
                    crate::runtime::panics::message_of(&**payload)
                )
            }
            MessageError::Dropped => f.write_str("the handler has quit, and dropped the message"),
        }
    }
}

impl std::error::Error for MessageError {}

/// A posted message. Dropping it does not recall the message.
pub struct Message<R>(pub(super) Inner<R>);

pub(super) enum Inner<R> {
    Checked(checked::CheckedMessage<R>),
    Real(real::RealMessage<R>),
}

impl<R> Message<R> {
    /// Waits until the message has run. A message that waits for a later message of its own handler waits
    /// for ever; the exploration reports that as a deadlock.
    ///
    /// # Errors
    ///
    /// If it panicked, or the handler had quit.
    #[track_caller]
    pub fn join(self) -> Result<R, MessageError> {
        match self.0 {
            Inner::Checked(message) => message.join(Location::caller()),
            Inner::Real(message) => message.join(),
        }
    }
}

/// A message can be awaited as well as joined.
impl<R> Future for Message<R> {
    type Output = Result<R, MessageError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &self.0 {
            Inner::Checked(message) => message.poll(context),
            Inner::Real(message) => message.poll(context),
        }
    }
}

impl<R> fmt::Debug for Message<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").finish_non_exhaustive()
    }
}
