//! [`UnsafeCell`].

use super::plain::{read, write};
use crate::runtime::identity::Identity;
use std::fmt;
use std::panic::Location;

/// Stands in for [`std::cell::UnsafeCell`], with the methods of loom's: [`UnsafeCell::with`] reads and
/// [`UnsafeCell::with_mut`] writes. [`UnsafeCell::get`] cannot tell what its pointer is used for, and counts as
/// a read.
pub struct UnsafeCell<T: ?Sized> {
    identity: Identity,
    value: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        UnsafeCell { identity: Identity::new(), value: std::cell::UnsafeCell::new(value) }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads: `code` may read through the pointer, and must not write.
    #[track_caller]
    pub fn with<R>(&self, code: impl FnOnce(*const T) -> R) -> R {
        let value = self.value.get();
        read(&self.identity, "UnsafeCell", value, Location::caller());
        code(value)
    }

    /// Writes: `code` may read and write through the pointer.
    #[track_caller]
    pub fn with_mut<R>(&self, code: impl FnOnce(*mut T) -> R) -> R {
        let value = self.value.get();
        write(&self.identity, "UnsafeCell", value, Location::caller(), || code(value))
    }

    /// The address of the value. Counts as a read, now; what is done through it later is not seen.
    #[track_caller]
    pub fn get(&self) -> *mut T {
        read(&self.identity, "UnsafeCell", self.value.get(), Location::caller());
        self.value.get()
    }

    /// The value; nobody else can reach it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> Self {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
