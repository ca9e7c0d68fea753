//! [`RwLock`]: a fair asynchronous read-write lock; a writer needs all permits.
#![expect(unsafe_code, reason = "a lock hands out references to what it guards")]

use super::TryLockError;
use super::semaphore::Semaphore;
use crate::runtime::state::Source;
use std::cell::UnsafeCell;
use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

/// So many can read at once.
const READERS: usize = 1 << 16;

/// Stands in for `tokio::sync::RwLock`.
pub struct RwLock<T: ?Sized> {
    semaphore: Semaphore,
    data: UnsafeCell<T>,
}

// SAFETY: whoever reaches the data has a permit to read, or all of them to write.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T> RwLock<T> {
    /// A free lock around `value`.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        RwLock { semaphore: Semaphore::new(READERS), data: UnsafeCell::new(value) }
    }

    /// The same as [`RwLock::new`].
    #[track_caller]
    pub const fn const_new(value: T) -> Self {
        RwLock::new(value)
    }

    /// What it guarded.
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until no writer holds it.
    #[track_caller]
    pub fn read(&self) -> impl Future<Output = RwLockReadGuard<'_, T>> {
        let (source, acquire) = (Location::caller(), self.semaphore.wait_for(1));
        async move {
            acquire.await.expect("nobody closes the lock");
            RwLockReadGuard { lock: self, source }
        }
    }

    /// Waits until nobody holds it.
    #[track_caller]
    pub fn write(&self) -> impl Future<Output = RwLockWriteGuard<'_, T>> {
        let (source, acquire) = (Location::caller(), self.semaphore.wait_for(READERS));
        async move {
            acquire.await.expect("nobody closes the lock");
            RwLockWriteGuard { lock: self, source }
        }
    }

    /// Takes it for reading if no writer holds it.
    ///
    /// # Errors
    ///
    /// If a writer holds it.
    #[track_caller]
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        self.semaphore.try_take(1).map_err(|_| TryLockError::would_block())?;
        Ok(RwLockReadGuard { lock: self, source: Location::caller() })
    }

    /// Takes it for writing if nobody holds it.
    ///
    /// # Errors
    ///
    /// If somebody holds it.
    #[track_caller]
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        self.semaphore.try_take(READERS).map_err(|_| TryLockError::would_block())?;
        Ok(RwLockWriteGuard { lock: self, source: Location::caller() })
    }

    /// What it guards; nobody else can hold it.
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").finish_non_exhaustive()
    }
}

/// A reader's access to what an [`RwLock`] guards.
#[must_use]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    source: Source,
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard has a permit, so no writer has all of them.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.semaphore.add_permits_at(1, self.source);
    }
}

impl<T: ?Sized> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLockReadGuard").finish_non_exhaustive()
    }
}

/// A writer's access to what an [`RwLock`] guards.
#[must_use]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    source: Source,
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard has all permits.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard has all permits, and is borrowed exclusively.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.semaphore.add_permits_at(READERS, self.source);
    }
}

impl<T: ?Sized> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLockWriteGuard").finish_non_exhaustive()
    }
}
