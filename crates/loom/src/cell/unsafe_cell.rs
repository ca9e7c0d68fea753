//! [`UnsafeCell`].
#![expect(unsafe_code, reason = "pointers into a cell are lent")]

/// Stands in for [`std::cell::UnsafeCell`]; every access says whether it reads or writes.
#[derive(Debug, Default)]
pub struct UnsafeCell<T: ?Sized>(mazurka::cell::UnsafeCell<T>);

/// A pointer into a cell, to read. Taking it counts as a read.
#[derive(Debug)]
pub struct ConstPtr<T: ?Sized>(*const T);

/// A pointer into a cell, to write. Taking it counts as a write.
#[derive(Debug)]
pub struct MutPtr<T: ?Sized>(*mut T);

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        UnsafeCell(mazurka::cell::UnsafeCell::new(value))
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads: `code` may read through the pointer, and must not write.
    #[track_caller]
    pub fn with<F: FnOnce(*const T) -> R, R>(&self, code: F) -> R {
        self.0.with(code)
    }

    /// Writes: `code` may read and write through the pointer.
    #[track_caller]
    pub fn with_mut<F: FnOnce(*mut T) -> R, R>(&self, code: F) -> R {
        self.0.with_mut(code)
    }

    /// A pointer to read through.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        ConstPtr(self.0.with(|value| value))
    }

    /// A pointer to write through.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        MutPtr(self.0.with_mut(|value| value))
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> ConstPtr<T> {
    /// What it points to.
    ///
    /// # Safety
    ///
    /// As for a raw pointer.
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: the caller's contract.
        unsafe { &*self.0 }
    }

    /// Reads.
    pub fn with<F: FnOnce(*const T) -> R, R>(&self, code: F) -> R {
        code(self.0)
    }
}

impl<T: ?Sized> MutPtr<T> {
    /// What it points to.
    ///
    /// # Safety
    ///
    /// As for a raw pointer.
    #[expect(clippy::mut_from_ref, reason = "as loom's")]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.0 }
    }

    /// Writes.
    pub fn with<F: FnOnce(*mut T) -> R, R>(&self, code: F) -> R {
        code(self.0)
    }
}
