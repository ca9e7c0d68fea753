//! [`Arc`], whose owners are seen: which of them is the last to drop it is explored, where that matters.
#![expect(unsafe_code, reason = "raw parts")]

use mazurka::__private::Count;
use std::borrow::Borrow;
use std::fmt;
use std::mem::{ManuallyDrop, forget};
use std::ops::Deref;
use std::pin::Pin;

/// Stands in for [`std::sync::Arc`]. It cannot be made to point to a trait object or slice by itself; make a [`std::sync::Arc`]
/// point to one and use [`Arc::from_std`].
pub struct Arc<T: ?Sized> {
    count: std::sync::Arc<Count>,
    value: ManuallyDrop<std::sync::Arc<T>>,
    /// Is it the owner that was made with the value?
    is_first: bool,
}

impl<T> Arc<T> {
    /// The first owner of a value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Arc::from_std(std::sync::Arc::new(value))
    }

    /// The first owner of a value that stays where it is.
    #[track_caller]
    pub fn pin(value: T) -> Pin<Self> {
        // SAFETY: the value lies behind a std::sync::Arc, which does not move it.
        unsafe { Pin::new_unchecked(Arc::new(value)) }
    }

    /// The value, if there is no other owner.
    ///
    /// # Errors
    ///
    /// The owner, if there is another.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        if !this.count.is_only_owner() {
            return Err(this);
        }
        this.count.forget_last(address(&this));
        let mut this = ManuallyDrop::new(this);
        // SAFETY: neither is used again.
        let value = unsafe {
            std::ptr::drop_in_place(&raw mut this.count);
            ManuallyDrop::take(&mut this.value)
        };
        match std::sync::Arc::try_unwrap(value) {
            Ok(value) => Ok(value),
            Err(_) => unreachable!("the only owner"),
        }
    }
}

impl<T: ?Sized> Arc<T> {
    /// Takes over a std::sync::Arc, which must be the only owner.
    ///
    /// # Panics
    ///
    /// If there is another.
    #[track_caller]
    pub fn from_std(mut value: std::sync::Arc<T>) -> Self {
        let only = std::sync::Arc::get_mut(&mut value).is_some();
        assert!(only, "Arc provided to `from_std` is not unique");
        let count = std::sync::Arc::new(Count::new());
        let arc = Arc { count, value: ManuallyDrop::new(value), is_first: true };
        arc.count.register(address(&arc), std::sync::Arc::as_ptr(&arc.count));
        arc
    }

    /// The number of owners.
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        this.count.look()
    }

    /// Adds an owner.
    ///
    /// # Safety
    ///
    /// As [`std::sync::Arc::increment_strong_count`].
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: the caller's contract is the same.
        let arc = ManuallyDrop::new(unsafe { Arc::from_raw(pointer) });
        forget(Arc::clone(&arc));
    }

    /// Removes an owner.
    ///
    /// # Safety
    ///
    /// As [`std::sync::Arc::decrement_strong_count`].
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: the caller's contract is the same.
        drop(unsafe { Arc::from_raw(pointer) });
    }

    /// The value, if there is no other owner.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        if this.count.is_only_owner() { std::sync::Arc::get_mut(&mut this.value) } else { None }
    }

    /// Do both own the same value?
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&this.value, &other.value)
    }

    /// The address of the value, of which this stays an owner.
    #[track_caller]
    pub fn into_raw(this: Self) -> *const T {
        if this.is_first {
            this.count.first_becomes_raw();
        }
        let pointer = Arc::as_ptr(&this);
        forget(this);
        pointer
    }

    /// The address of the value.
    pub fn as_ptr(this: &Self) -> *const T {
        std::sync::Arc::as_ptr(&this.value)
    }

    /// The owner that [`Arc::into_raw`] made an address of.
    ///
    /// # Safety
    ///
    /// As [`std::sync::Arc::from_raw`].
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let count = Count::find(pointer.cast::<()>() as usize);
        // SAFETY: the address was made by `into_raw`, which left an owner of the value and one of its count behind. The
        // count was registered for the address, and lives as long as the value has owners.
        unsafe {
            let value = ManuallyDrop::new(std::sync::Arc::from_raw(pointer));
            Arc { count: std::sync::Arc::from_raw(count), value, is_first: false }
        }
    }
}

fn address<T: ?Sized>(arc: &Arc<T>) -> usize {
    Arc::as_ptr(arc).cast::<()>() as usize
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.count.add();
        let count = std::sync::Arc::clone(&self.count);
        Arc { count, value: self.value.clone(), is_first: false }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        let last = self.count.remove(address(self), self.is_first);
        // SAFETY: it is not used again.
        let value = unsafe { ManuallyDrop::take(&mut self.value) };
        match last {
            true => mazurka::__private::drop_last(value, self.count.made_at()),
            false => drop(value),
        }
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Self {
        Arc::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Arc::new(value)
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
