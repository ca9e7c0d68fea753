//! [`Barrier`].

use super::semaphore::{access, new_waiting, say};
use crate::runtime::context::{Presence, presence};
use crate::runtime::identity::Identity;
use mazurka_engine::{Mode, ObjectId};
use std::fmt;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

/// Stands in for [`std::sync::Barrier`]. Outside of an exploration it is a working one.
pub struct Barrier {
    identity: Identity,
    size: usize,
    waiting: Mutex<Vec<ObjectId>>,
    real: std::sync::Barrier,
}

/// Stands in for [`std::sync::BarrierWaitResult`].
#[derive(Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Is this the one that let the others go on?
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for so many threads.
    #[track_caller]
    pub const fn new(size: usize) -> Self {
        Barrier {
            identity: Identity::new(),
            size,
            waiting: Mutex::new(Vec::new()),
            real: std::sync::Barrier::new(size),
        }
    }

    /// Waits until all threads have come here.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let source = Location::caller();
        match presence() {
            Presence::Outside => BarrierWaitResult(self.real.wait().is_leader()),
            Presence::Task => {
                let object = self.object();
                let own = new_waiting(object, source);
                let released = access(object, Mode::Update, source, || {
                    say("come to", object);
                    self.arrive(own)
                });
                match released {
                    None => access(own, Mode::Wait, source, || say("pass", object)),
                    Some(others) => {
                        let let_pass =
                            |other| access(other, Mode::Signal, source, || say("open", object));
                        others.into_iter().for_each(let_pass);
                        return BarrierWaitResult(true);
                    }
                }
                BarrierWaitResult(false)
            }
        }
    }

    /// Those who waited, if this is the last one.
    fn arrive(&self, own: ObjectId) -> Option<Vec<ObjectId>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() + 1 >= self.size {
            return Some(std::mem::take(&mut *waiting));
        }
        waiting.push(own);
        None
    }

    fn object(&self) -> ObjectId {
        let found = self.identity.find("Barrier", || 0);
        if found.reset.is_some() {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        found.id
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}
