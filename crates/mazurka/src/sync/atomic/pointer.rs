//! The pointer. Addresses differ from execution to execution, so its values are neither compared nor
//! shown.

use super::word::{Tracked, Word};
use mazurka_engine::Mode::{Read, Update, Write};
use std::fmt;
use std::panic::Location;
use std::sync::atomic as real;
use std::sync::atomic::Ordering;

impl<T> Word for real::AtomicPtr<T> {
    fn kind(&self) -> &'static str {
        "AtomicPtr"
    }

    fn is_comparable(&self) -> bool {
        false
    }

    fn peek(&self) -> i64 {
        self.load(Ordering::Relaxed).expose_provenance() as i64
    }

    fn restore(&self, bits: i64) {
        self.store(std::ptr::with_exposed_provenance_mut(bits as usize), Ordering::Relaxed);
    }
}

/// Stands in for [`std::sync::atomic::AtomicPtr`].
pub struct AtomicPtr<T> {
    tracked: Tracked<real::AtomicPtr<T>>,
}

impl<T> AtomicPtr<T> {
    /// An atomic with this value.
    #[track_caller]
    pub const fn new(value: *mut T) -> Self {
        AtomicPtr { tracked: Tracked::new(real::AtomicPtr::new(value)) }
    }

    /// Reads the value.
    #[track_caller]
    pub fn load(&self, order: Ordering) -> *mut T {
        self.tracked.event(Read, order, Location::caller(), |word| word.load(order))
    }

    /// Writes the value.
    #[track_caller]
    pub fn store(&self, value: *mut T, order: Ordering) {
        self.tracked.event(Write, order, Location::caller(), |word| word.store(value, order));
    }

    /// Writes a value and returns the one before.
    #[track_caller]
    pub fn swap(&self, value: *mut T, order: Ordering) -> *mut T {
        self.tracked.event(Update, order, Location::caller(), |word| word.swap(value, order))
    }

    /// Writes `new` if the value is `current`.
    ///
    /// # Errors
    ///
    /// The value, if it is another.
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.tracked.attempt(
            current as usize as i64,
            (success, failure),
            Location::caller(),
            |word| word.compare_exchange(current, new, success, failure),
        )
    }

    /// As [`Self::compare_exchange`]; an exploration knows no spurious failures.
    ///
    /// # Errors
    ///
    /// The value, if it is another.
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.compare_exchange(current, new, success, failure)
    }

    /// Reads, computes, and tries to write, until nobody came between.
    ///
    /// # Errors
    ///
    /// The value for which `update` gave none.
    #[track_caller]
    pub fn fetch_update<F: FnMut(*mut T) -> Option<*mut T>>(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        mut update: F,
    ) -> Result<*mut T, *mut T> {
        let mut value = self.load(fetch_order);
        while let Some(new) = update(value) {
            match self.compare_exchange_weak(value, new, set_order, fetch_order) {
                Ok(before) => return Ok(before),
                Err(found) => value = found,
            }
        }
        Err(value)
    }

    /// Runs `code` on the value; nobody else can reach it. As loom's.
    pub fn with_mut<R>(&mut self, code: impl FnOnce(&mut *mut T) -> R) -> R {
        code(self.get_mut())
    }

    /// Reads the value without an event. As loom's.
    ///
    /// # Safety
    ///
    /// Nobody else may write it at the same time.
    #[expect(unsafe_code, reason = "as loom's")]
    pub unsafe fn unsync_load(&self) -> *mut T {
        self.tracked.word.load(Ordering::Relaxed)
    }

    /// The value; nobody else can reach it.
    pub fn get_mut(&mut self) -> &mut *mut T {
        self.tracked.word.get_mut()
    }

    /// The value.
    pub fn into_inner(self) -> *mut T {
        self.tracked.word.into_inner()
    }

    /// The address of the value. What is done through it is not seen.
    pub const fn as_ptr(&self) -> *mut *mut T {
        self.tracked.word.as_ptr()
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

impl<T> From<*mut T> for AtomicPtr<T> {
    #[track_caller]
    fn from(value: *mut T) -> Self {
        AtomicPtr::new(value)
    }
}

impl<T> fmt::Debug for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.tracked.word, f)
    }
}
