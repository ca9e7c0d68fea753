//! [`OnceLock`] and [`LazyLock`].
#![expect(unsafe_code, reason = "a value that is written once is shared by reference")]

use super::once::Once;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;

/// Stands in for [`std::sync::OnceLock`]. Outside of an exploration it is a working one. A `static` one is
/// empty when an execution begins.
pub struct OnceLock<T> {
    once: Once,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value is written once, under the lock of `once`, and only read afterwards; as for std's.
unsafe impl<T: Sync + Send> Sync for OnceLock<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for OnceLock<T> {}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> OnceLock<T> {
    /// An empty one.
    #[track_caller]
    pub const fn new() -> Self {
        OnceLock { once: Once::new(), value: UnsafeCell::new(None) }
    }

    /// Is there a value? Forgets one that an earlier execution left.
    fn look(&self, source: &'static Location<'static>) -> bool {
        self.once.look(source, || {
            // A `static` is never dropped, and what the value owned died with the earlier execution's memory.
            // SAFETY: this is the first use in an execution; references of earlier executions are gone
            // with their tasks, and nobody else runs.
            unsafe { self.value.get().write(None) };
        })
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        self.get_at(Location::caller())
    }

    fn get_at(&self, source: &'static Location<'static>) -> Option<&T> {
        if !self.look(source) {
            return None;
        }
        // SAFETY: the code of `once` has run, so nobody writes the value any more.
        unsafe { (*self.value.get()).as_ref() }
    }

    /// Waits until there is a value.
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.once.wait();
        self.get_at(Location::caller()).expect("somebody has set the value")
    }

    /// The value, if there is one; nobody else can reach it.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// Puts a value in, if there is none.
    ///
    /// # Errors
    ///
    /// The value, if there is another.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let source = Location::caller();
        if self.look(source) {
            return Err(value);
        }
        match self.once.turn(source) {
            None => Err(value),
            Some(turn) => {
                // SAFETY: whoever has the turn is the only one who reaches the value.
                unsafe { *self.value.get() = Some(value) };
                turn.complete(true);
                Ok(())
            }
        }
    }

    /// The value, made by `code` if there is none.
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, code: F) -> &T {
        let source = Location::caller();
        if !self.look(source)
            && let Some(turn) = self.once.turn(source)
        {
            struct GivesUp<'a>(Option<super::once::Turn<'a>>);
            impl Drop for GivesUp<'_> {
                fn drop(&mut self) {
                    // As std: a panic leaves it empty, not poisoned.
                    if let Some(turn) = self.0.take() {
                        turn.complete(false);
                    }
                }
            }
            let mut turn = GivesUp(Some(turn));
            let value = code();
            // SAFETY: as in `set`.
            unsafe { *self.value.get() = Some(value) };
            if let Some(turn) = turn.0.take() {
                turn.complete(true);
            }
        }
        // SAFETY: as in `get`: the value was there, or somebody put it there while we waited, or we did.
        unsafe { (*self.value.get()).as_ref() }.expect("the value has been made")
    }

    /// The value.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// Takes the value out; nobody else can reach it.
    pub fn take(&mut self) -> Option<T> {
        if self.once.has_run() {
            self.once.undo();
        }
        self.value.get_mut().take()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceLock").finish_non_exhaustive()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        let lock = OnceLock::new();
        // The lock is new: setting it cannot fail.
        let _ = lock.set(value);
        lock
    }
}

/// Stands in for [`std::sync::LazyLock`]. A `static` one is made anew in every execution, if the closure owns
/// nothing that must be dropped (what a `static` has never does).
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    code: UnsafeCell<Option<F>>,
}

// SAFETY: the code is reached only under the lock of `value`, as for std's.
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that `code` makes when it is first needed.
    #[track_caller]
    pub const fn new(code: F) -> Self {
        LazyLock { value: OnceLock::new(), code: UnsafeCell::new(Some(code)) }
    }

    /// The value, made now if it was not.
    ///
    /// # Panics
    ///
    /// If making it panicked before.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        this.value.get_or_init(|| {
            let code = if std::mem::needs_drop::<F>() {
                // SAFETY: the turn of `value` is ours, so nobody else reaches the code.
                unsafe { (*this.code.get()).take() }
            } else {
                // SAFETY: as above; and a closure without anything to drop may be copied and called once in
                // each execution, since the value that it made in an earlier one is gone.
                unsafe { std::ptr::read(this.code.get()) }
            };
            code.expect("LazyLock instance has previously been poisoned")()
        })
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[track_caller]
    fn default() -> Self {
        LazyLock::new(T::default)
    }
}

impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyLock").finish_non_exhaustive()
    }
}
