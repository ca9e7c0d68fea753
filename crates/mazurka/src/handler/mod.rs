//! Event-driven code: handler threads with a mailbox, and the messages posted to them.
//!
//! A handler runs the closures that are posted to it one at a time, each to completion. In an exploration every
//! message is a task of its own, and two messages of one handler are exchanged only where what they touch says
//! that their order matters. Outside of an exploration a handler is a real event loop on a thread of `std`,
//! so production code can use this module as it is.
//!
//! An execution is over when every thread has ended, every handler is idle and every mailbox is empty; a
//! handler need not be quit by hand.

mod checked;
mod message;
mod polls;
mod real;

use crate::runtime::context::{Presence, presence};
pub(crate) use checked::CheckedHandler;
use mazurka_engine::Mailbox;
use message::Inner;
pub use message::{Message, MessageError};
pub(crate) use polls::PollHandler;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

/// A handler thread. Clones are the same handler.
#[derive(Clone)]
pub struct Handler(Kind);

#[derive(Clone)]
enum Kind {
    Checked(checked::CheckedHandler),
    Real(real::RealHandler),
}

/// Starts a handler with a FIFO mailbox; the same as [`Handler::spawn`].
#[track_caller]
pub fn spawn(name: impl Into<String>) -> Handler {
    Handler::spawn(name)
}

/// Posts a message; the same as [`Handler::post`].
#[track_caller]
pub fn post<F, R>(handler: &Handler, code: F) -> Message<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    handler.post(code)
}

/// Posts a message for later; the same as [`Handler::post_delayed`].
#[track_caller]
pub fn post_delayed<F, R>(handler: &Handler, delay: Duration, code: F) -> Message<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    handler.post_delayed(delay, code)
}

/// Posts a message before all others; the same as [`Handler::post_front`].
#[track_caller]
pub fn post_front<F, R>(handler: &Handler, code: F) -> Message<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    handler.post_front(code)
}

impl Handler {
    /// Starts a handler whose mailbox keeps the order of the posts.
    ///
    /// # Panics
    ///
    /// Outside of an exploration, when the system refuses a thread.
    #[track_caller]
    pub fn spawn(name: impl Into<String>) -> Self {
        Handler(match presence() {
            Presence::Outside => Kind::Real(real::RealHandler::spawn(name.into())),
            Presence::Task => {
                Kind::Checked(checked::CheckedHandler::spawn(name.into(), Mailbox::Fifo))
            }
        })
    }

    /// Starts a handler that takes any of the posted messages next. Outside of an exploration it takes
    /// them in the order of the posts, which is one of the possible orders.
    ///
    /// # Panics
    ///
    /// Outside of an exploration, when the system refuses a thread.
    #[track_caller]
    pub fn spawn_unordered(name: impl Into<String>) -> Self {
        Handler(match presence() {
            Presence::Outside => Kind::Real(real::RealHandler::spawn(name.into())),
            Presence::Task => {
                Kind::Checked(checked::CheckedHandler::spawn(name.into(), Mailbox::Multiset))
            }
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Checked(handler) => handler.name(),
            Kind::Real(handler) => handler.name(),
        }
    }

    /// Posts a message: the handler runs `code` when its turn comes.
    #[track_caller]
    pub fn post<F, R>(&self, code: F) -> Message<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        Message(match &self.0 {
            Kind::Checked(handler) => Inner::Checked(handler.post(code, Location::caller())),
            Kind::Real(handler) => Inner::Real(handler.post(code)),
        })
    }

    /// Posts a message at some later time. An exploration knows no time: the post happens at any point after
    /// this call, by a helper thread of its own.
    #[track_caller]
    pub fn post_delayed<F, R>(&self, delay: Duration, code: F) -> Message<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        Message(match &self.0 {
            Kind::Checked(handler) => {
                Inner::Checked(handler.post_delayed(code, Location::caller()))
            }
            Kind::Real(handler) => Inner::Real(handler.post_delayed(delay, code)),
        })
    }

    /// Posts a message before all that wait.
    ///
    /// An exploration runs a FIFO handler that is ever posted to in this way as a chain of threads that take
    /// from the front of a queue. That is exact, but two of its messages always conflict, so more executions are
    /// explored than for a handler without front posts.
    #[track_caller]
    pub fn post_front<F, R>(&self, code: F) -> Message<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        Message(match &self.0 {
            Kind::Checked(handler) => Inner::Checked(handler.post_front(code, Location::caller())),
            Kind::Real(handler) => Inner::Real(handler.post_front(code)),
        })
    }

    /// Ends the handler: messages that it has not begun are dropped, and so are later ones.
    #[track_caller]
    pub fn quit(&self) {
        match &self.0 {
            Kind::Checked(handler) => handler.quit(Location::caller()),
            Kind::Real(handler) => handler.quit(),
        }
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler").field("name", &self.name()).finish_non_exhaustive()
    }
}
