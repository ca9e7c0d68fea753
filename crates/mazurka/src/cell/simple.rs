//! [`Cell`].

use super::plain::{read, write};
use crate::runtime::identity::Identity;
use crate::runtime::state::Source;
use std::fmt;
use std::panic::Location;

/// Stands in for [`std::cell::Cell`]: plain memory that is copied in and out. Not `Sync`, as `std`'s; inside of
/// something that says it is, a race shows.
pub struct Cell<T: ?Sized> {
    identity: Identity,
    value: std::cell::Cell<T>,
}

impl<T> Cell<T> {
    /// A cell with this value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Cell { identity: Identity::new(), value: std::cell::Cell::new(value) }
    }

    /// Writes.
    #[track_caller]
    pub fn set(&self, value: T) {
        self.write(Location::caller(), || self.value.set(value));
    }

    /// Writes, and returns the value before.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        self.write(Location::caller(), || self.value.replace(value))
    }

    /// Exchanges the values of two cells.
    #[track_caller]
    pub fn swap(&self, other: &Self) {
        let source = Location::caller();
        self.write(source, || other.write(source, || self.value.swap(&other.value)));
    }

    fn write<R>(&self, source: Source, code: impl FnOnce() -> R) -> R {
        write(&self.identity, "Cell", self.value.as_ptr(), source, code)
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: Copy> Cell<T> {
    /// Reads.
    #[track_caller]
    pub fn get(&self) -> T {
        read(&self.identity, "Cell", self.value.as_ptr(), Location::caller());
        self.value.get()
    }

    /// Reads, computes and writes: two accesses.
    #[track_caller]
    pub fn update(&self, update: impl FnOnce(T) -> T) {
        self.set(update(self.get()));
    }
}

impl<T: Default> Cell<T> {
    /// Takes the value and leaves the default.
    #[track_caller]
    pub fn take(&self) -> T {
        self.replace(T::default())
    }
}

impl<T: ?Sized> Cell<T> {
    /// The value; nobody else can reach it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The address of the value. What is done through it is not seen.
    pub const fn as_ptr(&self) -> *mut T {
        self.value.as_ptr()
    }
}

impl<T: Default> Default for Cell<T> {
    #[track_caller]
    fn default() -> Self {
        Cell::new(T::default())
    }
}

impl<T> From<T> for Cell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Cell::new(value)
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
