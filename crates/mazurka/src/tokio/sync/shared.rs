//! State that asynchronous primitives share: one operation on it is one event.
//!
//! Inside of the event nobody is woken; the wakers that an operation wants to use are used after it.

use crate::runtime::context::{Presence, announce, data_dependent, performed, presence};
use crate::runtime::identity::Identity;
use crate::runtime::state::Source;
use mazurka_engine::{Mode, Operation};
use std::panic::Location;
use std::sync::{Mutex, PoisonError};
use std::task::Waker;

/// A state behind an event.
#[derive(Debug)]
pub(crate) struct Shared<S> {
    identity: Identity,
    kind: &'static str,
    state: Mutex<S>,
}

/// What an operation did: its result, and who is to be woken.
pub(crate) struct Done<R> {
    pub result: R,
    pub wake: Vec<Waker>,
    /// Did it only look?
    pub looked: bool,
}

impl<R> Done<R> {
    /// It changed the state and wakes nobody.
    pub(crate) fn changed(result: R) -> Self {
        Done { result, wake: Vec::new(), looked: false }
    }

    /// It changed the state and wakes these.
    pub(crate) fn waking(result: R, wake: impl IntoIterator<Item = Waker>) -> Self {
        Done { result, wake: wake.into_iter().collect(), looked: false }
    }

    /// It only looked.
    pub(crate) fn looked(result: R) -> Self {
        Done { result, wake: Vec::new(), looked: true }
    }
}

impl<S> Shared<S> {
    #[track_caller]
    pub(crate) const fn new(kind: &'static str, state: S) -> Self {
        Shared::made_at(kind, state, Location::caller())
    }

    pub(crate) const fn made_at(kind: &'static str, state: S, source: Source) -> Self {
        Shared { identity: Identity::made_at(source), kind, state: Mutex::new(state) }
    }

    /// Performs an operation as one event.
    #[track_caller]
    pub(crate) fn operate<R>(&self, operation: impl FnOnce(&mut S) -> Done<R>) -> R {
        self.operate_at(Location::caller(), operation)
    }

    /// Performs an operation of this place in the source as one event.
    pub(crate) fn operate_at<R>(
        &self,
        source: Source,
        operation: impl FnOnce(&mut S) -> Done<R>,
    ) -> R {
        let done = if presence() == Presence::Task {
            let object = self.identity.find(self.kind, || 0).id;
            announce(Operation::Access(object, Mode::Update), source);
            let done = self.without_event(operation);
            if done.looked {
                data_dependent();
            }
            performed(object, if done.looked { Mode::Read } else { Mode::Update }, 0, 0);
            done
        } else {
            self.without_event(operation)
        };
        done.wake.into_iter().for_each(Waker::wake);
        done.result
    }

    /// Reads the state as one event.
    #[track_caller]
    pub(crate) fn look<R>(&self, operation: impl FnOnce(&S) -> R) -> R {
        if presence() == Presence::Task {
            let object = self.identity.find(self.kind, || 0).id;
            announce(Operation::Access(object, Mode::Read), Location::caller());
            let result = self.without_event(|state| operation(state));
            performed(object, Mode::Read, 0, 0);
            return result;
        }
        self.without_event(|state| operation(state))
    }

    /// Touches the state without an event: for what nobody else can observe.
    pub(crate) fn without_event<R>(&self, operation: impl FnOnce(&mut S) -> R) -> R {
        operation(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
