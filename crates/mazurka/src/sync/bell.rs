//! [`Bell`], for the package `mazurka-loom`: a flag that a thread waits for.

use super::semaphore::{access, attempt};
use crate::runtime::context::{Presence, presence};
use crate::runtime::identity::Identity;
use mazurka_engine::Mode;
use std::panic::Location;
use std::sync::{Condvar, Mutex, PoisonError};

/// Ringing lets the thread that waits go on, or the next one that does. Ringing twice is ringing once.
#[derive(Debug)]
pub struct Bell {
    identity: Identity,
    rung: Mutex<bool>,
    /// Outside of explorations.
    real: Condvar,
}

impl Default for Bell {
    #[track_caller]
    fn default() -> Self {
        Bell::new()
    }
}

impl Bell {
    /// One that nobody has rung.
    #[track_caller]
    pub const fn new() -> Self {
        Bell { identity: Identity::new(), rung: Mutex::new(false), real: Condvar::new() }
    }

    fn replace(&self, rung: bool) -> bool {
        let mut slot = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *slot, rung)
    }

    /// Rings it.
    #[track_caller]
    pub fn ring(&self) {
        if presence() == Presence::Outside {
            self.replace(true);
            self.real.notify_one();
            return;
        }
        let bell = self.identity.find("Notify", || 0).id;
        attempt(bell, Mode::Signal, Location::caller(), || {
            ((), if self.replace(true) { Mode::Read } else { Mode::Signal })
        });
    }

    /// Waits until it is rung.
    #[track_caller]
    pub fn wait(&self) {
        if presence() == Presence::Outside {
            let slot = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = self.real.wait_while(slot, |rung| !*rung);
            *waited.unwrap_or_else(PoisonError::into_inner) = false;
            return;
        }
        let bell = self.identity.find("Notify", || 0).id;
        access(bell, Mode::Wait, Location::caller(), || self.replace(false));
    }
}
