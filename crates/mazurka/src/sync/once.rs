//! [`Once`]: a flag that says whether the code has run, and a lock that is taken only until it has.

use super::semaphore::access;
use crate::runtime::context::{Presence, announce, performed, presence};
use crate::runtime::identity::Identity;
use crate::runtime::state::Source;
use mazurka_engine::{Mode, ObjectId, Operation};
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const INCOMPLETE: u8 = 0;
const COMPLETE: u8 = 1;
const POISONED: u8 = 2;

/// Stands in for [`std::sync::Once`]. Outside of an exploration it is a working one. A `static` one has not
/// run when an execution begins.
pub struct Once {
    /// The flag.
    identity: Identity,
    lock: Identity,
    progress: AtomicU8,
    /// Held while the code runs, outside of explorations.
    real: Mutex<()>,
}

/// Stands in for [`std::sync::OnceState`].
#[derive(Debug)]
pub struct OnceState {
    poisoned: bool,
}

impl OnceState {
    /// Did an earlier run panic?
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

/// A right to run the code. Dropped without [`Turn::complete`], the code has panicked.
pub(crate) struct Turn<'a> {
    once: &'a Once,
    real: Option<MutexGuard<'a, ()>>,
    found: u8,
    result: u8,
    source: Source,
}

impl Turn<'_> {
    /// The code has run (or is given up without a panic: `false`).
    pub(crate) fn complete(mut self, done: bool) {
        self.result = if done { COMPLETE } else { INCOMPLETE };
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let store = || self.once.progress.store(self.result, Ordering::Release);
        if self.real.is_some() || presence() != Presence::Task {
            store();
            return;
        }
        let lock = self.once.lock_object();
        if self.result == self.found {
            access(lock, Mode::Unlock, self.source, || ());
            return;
        }
        let flag = self.once.object();
        announce(Operation::Atomic, self.source);
        store();
        performed(flag, Mode::Write, 0, self.result.into());
        performed(lock, Mode::Unlock, 0, 0);
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Self {
        Once::new()
    }
}

impl Once {
    /// One whose code has not run.
    #[track_caller]
    pub const fn new() -> Self {
        Once {
            identity: Identity::new(),
            lock: Identity::new(),
            progress: AtomicU8::new(INCOMPLETE),
            real: Mutex::new(()),
        }
    }

    fn object(&self) -> ObjectId {
        self.object_or_reset(|| ())
    }

    fn lock_object(&self) -> ObjectId {
        self.lock.find("Once", || 0).id
    }

    /// The number of the flag; a new execution begins with code that has not run.
    fn object_or_reset(&self, reset: impl FnOnce()) -> ObjectId {
        let found = self.identity.find("Once", || 0);
        if found.reset.is_some() {
            self.progress.store(INCOMPLETE, Ordering::Relaxed);
            reset();
        }
        found.id
    }

    /// Has the code run? One event that reads. `reset` hears that a new execution has begun.
    pub(crate) fn look(&self, source: Source, reset: impl FnOnce()) -> bool {
        if presence() == Presence::Task {
            let object = self.object_or_reset(reset);
            announce(Operation::Access(object, Mode::Read), source);
            let progress = self.progress.load(Ordering::Relaxed);
            performed(object, Mode::Read, progress.into(), 0);
            return progress == COMPLETE;
        }
        self.progress.load(Ordering::Acquire) == COMPLETE
    }

    /// Waits for the right to run the code; `None` if it has run meanwhile.
    pub(crate) fn turn(&self, source: Source) -> Option<Turn<'_>> {
        let real = match presence() {
            Presence::Outside => Some(self.real.lock().unwrap_or_else(PoisonError::into_inner)),
            Presence::Task => {
                access(self.lock_object(), Mode::Lock, source, || ());
                None
            }
        };
        let found = self.progress.load(Ordering::Acquire);
        if real.is_some() {
            self.identity.forget();
        }
        let turn = Turn { once: self, real, found, result: POISONED, source };
        if found == COMPLETE {
            turn.complete(true);
            return None;
        }
        Some(turn)
    }

    /// Runs the code if it has not run; waits if somebody is running it.
    ///
    /// # Panics
    ///
    /// If an earlier run panicked.
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, code: F) {
        let source = Location::caller();
        if self.look(source, || ()) {
            return;
        }
        if let Some(turn) = self.turn(source) {
            assert!(turn.found != POISONED, "Once instance has previously been poisoned");
            code();
            turn.complete(true);
        }
    }

    /// As [`Once::call_once`], also after a panic.
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, code: F) {
        let source = Location::caller();
        if self.look(source, || ()) {
            return;
        }
        if let Some(turn) = self.turn(source) {
            code(&OnceState { poisoned: turn.found == POISONED });
            turn.complete(true);
        }
    }

    /// Has the code run?
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.look(Location::caller(), || ())
    }

    /// Waits until the code has run.
    ///
    /// # Panics
    ///
    /// If it panicked.
    #[track_caller]
    pub fn wait(&self) {
        let source = Location::caller();
        while !self.look(source, || ()) {
            assert!(
                self.progress.load(Ordering::Acquire) != POISONED,
                "Once instance has previously been poisoned"
            );
            match presence() {
                Presence::Outside => std::thread::yield_now(),
                Presence::Task => crate::hint::spins(source),
            }
        }
    }

    /// Without an event, for whoever has exclusive access.
    pub(crate) fn has_run(&mut self) -> bool {
        *self.progress.get_mut() == COMPLETE
    }

    /// Without an event, for whoever has exclusive access.
    pub(crate) fn undo(&mut self) {
        *self.progress.get_mut() = INCOMPLETE;
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}
