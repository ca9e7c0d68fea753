//! [`RwLock`]: readers do not conflict with each other.
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
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// The holders when a writer holds the lock.
const WRITER: i64 = -1;

/// Stands in for [`std::sync::RwLock`]. Outside of an exploration it is a working lock.
///
/// A `static` lock is free again when an execution begins; what it guards is left as it is.
pub struct RwLock<T: ?Sized> {
    identity: Identity,
    poison: Poison,
    /// Tasks of the execution in progress that hold it: so many readers, or [`WRITER`].
    holders: AtomicI64,
    /// The lock outside of explorations.
    real: std::sync::RwLock<()>,
    data: UnsafeCell<T>,
}

// SAFETY: as for std's lock: whoever reaches the data holds the lock, in an exploration (whose tasks share
// one OS thread) as outside of it.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above; readers share `&T`.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

/// How a guard holds the lock outside of an exploration.
enum Real<'a> {
    Checked,
    Read(#[expect(dead_code, reason = "kept for its drop")] std::sync::RwLockReadGuard<'a, ()>),
    Write(#[expect(dead_code, reason = "kept for its drop")] std::sync::RwLockWriteGuard<'a, ()>),
}

impl<T> RwLock<T> {
    /// A free lock around `value`.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        RwLock {
            identity: Identity::new(),
            poison: Poison::new(),
            holders: AtomicI64::new(0),
            real: std::sync::RwLock::new(()),
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

impl<T: ?Sized> RwLock<T> {
    fn object(&self) -> ObjectId {
        let found = self.identity.find("RwLock", || 0);
        if found.reset.is_some() {
            self.holders.store(0, Relaxed);
            self.poison.clear();
        }
        found.id
    }

    /// Takes the lock as an event, for the tasks of an exploration.
    fn take(&self, mode: Mode, source: Source) {
        if presence() == Presence::Task {
            let object = self.object();
            announce(Operation::Access(object, mode), source);
            self.count(mode);
            performed(object, mode, 0, 0);
        }
    }

    /// Takes the lock if it is free; `false` if it is not.
    fn try_take(&self, mode: Mode, source: Source) -> bool {
        if presence() != Presence::Task {
            return true;
        }
        let object = self.object();
        announce(Operation::Atomic, source);
        context::data_dependent();
        let holders = self.holders.load(Relaxed);
        let free = if mode == Mode::Lock { holders == 0 } else { holders != WRITER };
        if free {
            self.count(mode);
        }
        performed(object, if free { mode } else { Mode::Read }, holders, 0);
        free
    }

    fn give_back(&self, mode: Mode, source: Source) {
        if presence() == Presence::Task {
            let object = self.object();
            announce(Operation::Access(object, mode), source);
            performed(object, mode, 0, 0);
        }
        self.count(mode);
    }

    fn count(&self, mode: Mode) {
        let holders = self.holders.load(Relaxed);
        let holders = match mode {
            Mode::Lock => WRITER,
            Mode::LockShared => holders + 1,
            Mode::UnlockShared => (holders - 1).max(0),
            _ => 0,
        };
        self.holders.store(holders, Relaxed);
    }

    /// Waits until no writer holds it and takes it for reading.
    ///
    /// # Errors
    ///
    /// If it is poisoned.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let source = Location::caller();
        let real = if presence() == Presence::Outside {
            Real::Read(self.real.read().unwrap_or_else(PoisonError::into_inner))
        } else {
            self.take(Mode::LockShared, source);
            Real::Checked
        };
        self.poison.wrap(RwLockReadGuard { lock: self, real, source, not_send: PhantomData })
    }

    /// Waits until nobody holds it and takes it for writing.
    ///
    /// # Errors
    ///
    /// If it is poisoned.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let source = Location::caller();
        let real = if presence() == Presence::Outside {
            Real::Write(self.real.write().unwrap_or_else(PoisonError::into_inner))
        } else {
            self.take(Mode::Lock, source);
            Real::Checked
        };
        self.poison.wrap(RwLockWriteGuard::new(self, real, source))
    }

    /// Takes it for reading if no writer holds it.
    ///
    /// # Errors
    ///
    /// If a writer holds it, or it is poisoned.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let source = Location::caller();
        let real = if presence() == Presence::Outside {
            match self.real.try_read() {
                Ok(guard) => Real::Read(guard),
                Err(TryLockError::Poisoned(error)) => Real::Read(error.into_inner()),
                Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
            }
        } else if self.try_take(Mode::LockShared, source) {
            Real::Checked
        } else {
            return Err(TryLockError::WouldBlock);
        };
        let guard = RwLockReadGuard { lock: self, real, source, not_send: PhantomData };
        self.poison.wrap(guard).map_err(TryLockError::Poisoned)
    }

    /// Takes it for writing if nobody holds it.
    ///
    /// # Errors
    ///
    /// If somebody holds it, or it is poisoned.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let source = Location::caller();
        let real = if presence() == Presence::Outside {
            match self.real.try_write() {
                Ok(guard) => Real::Write(guard),
                Err(TryLockError::Poisoned(error)) => Real::Write(error.into_inner()),
                Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
            }
        } else if self.try_take(Mode::Lock, source) {
            Real::Checked
        } else {
            return Err(TryLockError::WouldBlock);
        };
        self.poison.wrap(RwLockWriteGuard::new(self, real, source)).map_err(TryLockError::Poisoned)
    }

    /// Did a task panic while it held the lock for writing?
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
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        RwLock::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").field("poisoned", &self.poison.get()).finish_non_exhaustive()
    }
}

/// A reader's access to what an [`RwLock`] guards.
#[must_use = "the lock is given back at once if its guard is not kept"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    real: Real<'a>,
    source: Source,
    not_send: PhantomData<*const ()>,
}

// SAFETY: sharing the guard only shares `&T`.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard's existence means that the lock is held for reading.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        if matches!(self.real, Real::Checked) {
            context::saw_behind_lock(&**self);
            self.lock.give_back(Mode::UnlockShared, self.source);
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A writer's access to what an [`RwLock`] guards.
#[must_use = "the lock is given back at once if its guard is not kept"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    real: Real<'a>,
    panicking: bool,
    source: Source,
    not_send: PhantomData<*const ()>,
}

// SAFETY: sharing the guard only shares `&T`.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    fn new(lock: &'a RwLock<T>, real: Real<'a>, source: Source) -> Self {
        RwLockWriteGuard {
            lock,
            real,
            panicking: context::panicking(),
            source,
            not_send: PhantomData,
        }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard's existence means that the lock is held for writing.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and the guard is borrowed exclusively.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.poison.released(self.panicking);
        if matches!(self.real, Real::Checked) {
            context::saw_behind_lock(&**self);
            self.lock.give_back(Mode::Unlock, self.source);
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
