//! [`RefCell`]: borrows are accesses of plain memory.

use super::plain::touch;
use crate::runtime::identity::Identity;
use std::cell::{BorrowError, BorrowMutError};
use std::fmt;
use std::panic::Location;

pub use std::cell::{Ref, RefMut};

/// Stands in for [`std::cell::RefCell`]: a shared borrow is a read and an exclusive one a write, at the time of
/// the borrow. Not `Sync`, as `std`'s; inside of something that says it is, a race shows.
pub struct RefCell<T: ?Sized> {
    identity: Identity,
    value: std::cell::RefCell<T>,
}

impl<T> RefCell<T> {
    /// A cell with this value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        RefCell { identity: Identity::new(), value: std::cell::RefCell::new(value) }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// Writes, and returns the value before.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        std::mem::replace(&mut *self.borrow_mut(), value)
    }
}

impl<T: ?Sized> RefCell<T> {
    /// Borrows for reading.
    ///
    /// # Panics
    ///
    /// If it is borrowed for writing.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        touch(&self.identity, "RefCell", false, Location::caller());
        self.value.borrow()
    }

    /// Borrows for writing.
    ///
    /// # Panics
    ///
    /// If it is borrowed.
    #[track_caller]
    pub fn borrow_mut(&self) -> RefMut<'_, T> {
        touch(&self.identity, "RefCell", true, Location::caller());
        self.value.borrow_mut()
    }

    /// Borrows for reading.
    ///
    /// # Errors
    ///
    /// If it is borrowed for writing.
    #[track_caller]
    pub fn try_borrow(&self) -> Result<Ref<'_, T>, BorrowError> {
        touch(&self.identity, "RefCell", false, Location::caller());
        self.value.try_borrow()
    }

    /// Borrows for writing.
    ///
    /// # Errors
    ///
    /// If it is borrowed.
    #[track_caller]
    pub fn try_borrow_mut(&self) -> Result<RefMut<'_, T>, BorrowMutError> {
        touch(&self.identity, "RefCell", true, Location::caller());
        self.value.try_borrow_mut()
    }

    /// The value; nobody else can reach it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: Default> RefCell<T> {
    /// Takes the value and leaves the default.
    #[track_caller]
    pub fn take(&self) -> T {
        self.replace(T::default())
    }
}

impl<T: Default> Default for RefCell<T> {
    #[track_caller]
    fn default() -> Self {
        RefCell::new(T::default())
    }
}

impl<T> From<T> for RefCell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        RefCell::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RefCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
