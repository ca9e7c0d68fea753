//! [`Mutex`]: taking it and giving it back are events of the lock; what it guards is not.
#![expect(unsafe_code, reason = "a lock hands out references to what it guards")]

use super::poison::Poison;
use crate::runtime::context::{self, Presence, announce, performed, presence};
use crate::runtime::identity::Identity;
use crate::runtime::state::Source;
use mazurka_engine::{Mode, ObjectId, Operation};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
use std::time::Duration;

/// Stands in for [`std::sync::Mutex`]. Outside of an exploration it is a working mutex.
///
/// A `static` mutex is free again when an execution begins; what it guards is left as it is.
pub struct Mutex<T: ?Sized> {
    identity: Identity,
    poison: Poison,
    /// Is it held by a task of the execution in progress?
    held: AtomicBool,
    /// The lock outside of explorations.
    real: std::sync::Mutex<()>,
    data: UnsafeCell<T>,
}

// SAFETY: as for std's mutex: whoever reaches the data holds the lock, which is exclusive among tasks
// of an exploration (they share one OS thread) and among OS threads outside of it.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// A free mutex around `value`.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Mutex {
            identity: Identity::new(),
            poison: Poison::new(),
            held: AtomicBool::new(false),
            real: std::sync::Mutex::new(()),
            data: UnsafeCell::new(value),
        }
    }

    /// What it guarded.
    ///
    /// # Errors
    ///
    /// If it is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        let poisoned = self.poison.get();
        let value = self.data.into_inner();
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

impl<T: ?Sized> Mutex<T> {
    pub(crate) fn object(&self) -> ObjectId {
        let found = self.identity.find("Mutex", || 0);
        if found.reset.is_some() {
            self.held.store(false, Relaxed);
            self.poison.clear();
        }
        found.id
    }

    /// Waits until it is free and takes it.
    ///
    /// # Errors
    ///
    /// If it is poisoned: a holder panicked.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.lock_at(Location::caller())
    }

    pub(crate) fn lock_at(&self, source: Source) -> LockResult<MutexGuard<'_, T>> {
        let guard = match presence() {
            Presence::Outside => {
                let real = self.real.lock().unwrap_or_else(PoisonError::into_inner);
                self.identity.forget();
                MutexGuard::new(self, Some(real), source)
            }
            Presence::Task => {
                let object = self.object();
                announce(Operation::Access(object, Mode::Lock), source);
                self.held.store(true, Relaxed);
                performed(object, Mode::Lock, 0, 0);
                MutexGuard::new(self, None, source)
            }
        };
        self.poison.wrap(guard)
    }

    /// Takes it if it is free.
    ///
    /// # Errors
    ///
    /// If it is held, or poisoned.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let source = Location::caller();
        let guard = match presence() {
            Presence::Outside => match self.real.try_lock() {
                Ok(real) => MutexGuard::new(self, Some(real), source),
                Err(TryLockError::Poisoned(error)) => {
                    MutexGuard::new(self, Some(error.into_inner()), source)
                }
                Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
            },
            Presence::Task => {
                let object = self.object();
                announce(Operation::Atomic, source);
                context::data_dependent();
                if self.held.swap(true, Relaxed) {
                    performed(object, Mode::Read, 1, 0);
                    return Err(TryLockError::WouldBlock);
                }
                performed(object, Mode::Lock, 0, 0);
                MutexGuard::new(self, None, source)
            }
        };
        self.poison.wrap(guard).map_err(TryLockError::Poisoned)
    }

    /// Did a task panic while it held the mutex?
    pub fn is_poisoned(&self) -> bool {
        self.poison.get()
    }

    /// Takes the poison mark off.
    pub fn clear_poison(&self) {
        self.poison.clear();
    }

    /// What it guards; nobody else can hold it.
    ///
    /// # Errors
    ///
    /// If it is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = self.poison.get();
        let value = self.data.get_mut();
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }

    fn unlock(&self, source: Source) {
        if presence() == Presence::Task {
            let object = self.object();
            announce(Operation::Access(object, Mode::Unlock), source);
            performed(object, Mode::Unlock, 0, 0);
        }
        self.held.store(false, Relaxed);
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Mutex::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").field("poisoned", &self.poison.get()).finish_non_exhaustive()
    }
}

/// The holder's access to what a [`Mutex`] guards; gives the mutex back when dropped.
#[must_use = "the mutex is given back at once if its guard is not kept"]
pub struct MutexGuard<'a, T: ?Sized> {
    lock: &'a Mutex<T>,
    real: Option<std::sync::MutexGuard<'a, ()>>,
    panicking: bool,
    source: Source,
    /// A guard stays on its thread, as std's.
    not_send: PhantomData<*const ()>,
}

// SAFETY: sharing the guard only shares `&T`.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn new(
        lock: &'a Mutex<T>,
        real: Option<std::sync::MutexGuard<'a, ()>>,
        source: Source,
    ) -> Self {
        MutexGuard { lock, real, panicking: context::panicking(), source, not_send: PhantomData }
    }

    /// Waits on a condition variable of std, outside of an exploration; says whether the time was over.
    pub(crate) fn wait_really(
        mut self,
        condvar: &std::sync::Condvar,
        timeout: Option<Duration>,
    ) -> LockResult<(Self, bool)> {
        let mut over = false;
        if let Some(real) = self.real.take() {
            self.real = Some(match timeout {
                None => condvar.wait(real).unwrap_or_else(PoisonError::into_inner),
                Some(timeout) => {
                    let (real, result) =
                        condvar.wait_timeout(real, timeout).unwrap_or_else(PoisonError::into_inner);
                    over = result.timed_out();
                    real
                }
            });
        }
        self.lock.poison.wrap((self, over))
    }

    /// The mutex it belongs to.
    pub(crate) fn mutex(&self) -> &'a Mutex<T> {
        self.lock
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard's existence means that this task or thread holds the lock.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and the guard is borrowed exclusively.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.poison.released(self.panicking);
        if self.real.is_none() {
            context::saw_behind_lock(&**self);
            self.lock.unlock(self.source);
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
