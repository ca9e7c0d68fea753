//! [`Mutex`]: a fair asynchronous lock. It is not poisoned by a panic.
#![expect(unsafe_code, reason = "a lock hands out references to what it guards")]

use super::semaphore::Semaphore;
use crate::runtime::state::Source;
use std::cell::UnsafeCell;
use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::Arc;

/// Stands in for `tokio::sync::Mutex`.
pub struct Mutex<T: ?Sized> {
    semaphore: Semaphore,
    data: UnsafeCell<T>,
}

// SAFETY: whoever reaches the data has the only permit.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// The mutex is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TryLockError(());

impl TryLockError {
    pub(super) fn would_block() -> Self {
        TryLockError(())
    }
}

impl fmt::Display for TryLockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("operation would block")
    }
}

impl std::error::Error for TryLockError {}

impl<T> Mutex<T> {
    /// A free mutex around `value`.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Mutex { semaphore: Semaphore::new(1), data: UnsafeCell::new(value) }
    }

    /// The same as [`Mutex::new`].
    #[track_caller]
    pub const fn const_new(value: T) -> Self {
        Mutex::new(value)
    }

    /// What it guarded.
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until it is free and takes it.
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> {
        let (source, acquire) = (Location::caller(), self.semaphore.wait_for(1));
        async move {
            acquire.await.expect("nobody closes the mutex");
            MutexGuard { lock: self, source }
        }
    }

    /// Takes it with a guard that keeps it alive.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> impl Future<Output = OwnedMutexGuard<T>> {
        let source = Location::caller();
        async move {
            self.semaphore.wait_for_at(1, source).await.expect("nobody closes the mutex");
            OwnedMutexGuard { lock: self, source }
        }
    }

    /// Takes it, blocking the thread.
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        crate::future::block_on(self.lock())
    }

    /// Takes it if it is free.
    ///
    /// # Errors
    ///
    /// If it is held.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        self.semaphore.try_take(1).map_err(|_| TryLockError(()))?;
        Ok(MutexGuard { lock: self, source: Location::caller() })
    }

    /// What it guards; nobody else can hold it.
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

macro_rules! guard {
    ($(#[$doc:meta])* $name:ident $(<$lifetime:lifetime>)?, $lock:ty) => {
        $(#[$doc])*
        #[must_use]
        pub struct $name<$($lifetime,)? T: ?Sized> {
            lock: $lock,
            source: Source,
        }

        // SAFETY: sharing the guard only shares `&T`.
        unsafe impl<$($lifetime,)? T: ?Sized + Sync + Send> Sync for $name<$($lifetime,)? T> {}

        impl<$($lifetime,)? T: ?Sized> Deref for $name<$($lifetime,)? T> {
            type Target = T;

            fn deref(&self) -> &T {
                // SAFETY: the guard has the only permit.
                unsafe { &*self.lock.data.get() }
            }
        }

        impl<$($lifetime,)? T: ?Sized> DerefMut for $name<$($lifetime,)? T> {
            fn deref_mut(&mut self) -> &mut T {
                // SAFETY: the guard has the only permit, and is borrowed exclusively.
                unsafe { &mut *self.lock.data.get() }
            }
        }

        impl<$($lifetime,)? T: ?Sized> Drop for $name<$($lifetime,)? T> {
            fn drop(&mut self) {
                self.lock.semaphore.add_permits_at(1, self.source);
            }
        }

        impl<$($lifetime,)? T: ?Sized + fmt::Debug> fmt::Debug for $name<$($lifetime,)? T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

guard!(
    /// The holder's access to what a [`Mutex`] guards.
    MutexGuard<'a>, &'a Mutex<T>
);
guard!(
    /// The holder's access, keeping the [`Mutex`] alive.
    OwnedMutexGuard, Arc<Mutex<T>>
);
