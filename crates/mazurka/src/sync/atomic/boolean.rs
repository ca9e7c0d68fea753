//! The boolean.

use super::word::{Tracked, Word};
use mazurka_engine::Mode::{Read, Update, Write};
use std::fmt;
use std::panic::Location;
use std::sync::atomic as real;
use std::sync::atomic::Ordering;

impl Word for real::AtomicBool {
    fn kind(&self) -> &'static str {
        "AtomicBool"
    }

    fn is_comparable(&self) -> bool {
        true
    }

    fn peek(&self) -> i64 {
        i64::from(self.load(Ordering::Relaxed))
    }

    fn restore(&self, bits: i64) {
        self.store(bits != 0, Ordering::Relaxed);
    }
}

/// Stands in for [`std::sync::atomic::AtomicBool`].
pub struct AtomicBool {
    tracked: Tracked<real::AtomicBool>,
}

macro_rules! fetch_operations {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self, value: bool, order: Ordering) -> bool {
                self.tracked.event(Update, order, Location::caller(), |word| word.$name(value, order))
            }
        )*
    };
}

impl AtomicBool {
    /// An atomic with this value.
    #[track_caller]
    pub const fn new(value: bool) -> Self {
        AtomicBool { tracked: Tracked::new(real::AtomicBool::new(value)) }
    }

    /// Reads the value.
    #[track_caller]
    pub fn load(&self, order: Ordering) -> bool {
        self.tracked.event(Read, order, Location::caller(), |word| word.load(order))
    }

    /// Writes the value.
    #[track_caller]
    pub fn store(&self, value: bool, order: Ordering) {
        self.tracked.event(Write, order, Location::caller(), |word| word.store(value, order));
    }

    fetch_operations!(
        /// Writes a value and returns the one before.
        swap,
        /// Logical "and"; returns the value before.
        fetch_and,
        /// Logical "nand"; returns the value before.
        fetch_nand,
        /// Logical "or"; returns the value before.
        fetch_or,
        /// Logical "xor"; returns the value before.
        fetch_xor,
    );

    /// Logical "not"; returns the value before.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }

    /// Writes `new` if the value is `current`.
    ///
    /// # Errors
    ///
    /// The value, if it is another.
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: bool,
        new: bool,
        success: Ordering,
        failure: Ordering,
    ) -> Result<bool, bool> {
        self.tracked.attempt(i64::from(current), (success, failure), Location::caller(), |word| {
            word.compare_exchange(current, new, success, failure)
        })
    }

    /// As [`Self::compare_exchange`]; an exploration knows no spurious failures.
    ///
    /// # Errors
    ///
    /// The value, if it is another.
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: bool,
        new: bool,
        success: Ordering,
        failure: Ordering,
    ) -> Result<bool, bool> {
        self.compare_exchange(current, new, success, failure)
    }

    /// Reads, computes, and tries to write, until nobody came between.
    ///
    /// # Errors
    ///
    /// The value for which `update` gave none.
    #[track_caller]
    pub fn fetch_update<F: FnMut(bool) -> Option<bool>>(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        mut update: F,
    ) -> Result<bool, bool> {
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
    pub fn with_mut<R>(&mut self, code: impl FnOnce(&mut bool) -> R) -> R {
        code(self.get_mut())
    }

    /// Reads the value without an event. As loom's.
    ///
    /// # Safety
    ///
    /// Nobody else may write it at the same time.
    #[expect(unsafe_code, reason = "as loom's")]
    pub unsafe fn unsync_load(&self) -> bool {
        self.tracked.word.load(Ordering::Relaxed)
    }

    /// The value; nobody else can reach it.
    pub fn get_mut(&mut self) -> &mut bool {
        self.tracked.word.get_mut()
    }

    /// The value.
    pub fn into_inner(self) -> bool {
        self.tracked.word.into_inner()
    }

    /// The address of the value. What is done through it is not seen.
    pub const fn as_ptr(&self) -> *mut bool {
        self.tracked.word.as_ptr()
    }
}

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        AtomicBool::new(false)
    }
}

impl From<bool> for AtomicBool {
    #[track_caller]
    fn from(value: bool) -> Self {
        AtomicBool::new(value)
    }
}

impl fmt::Debug for AtomicBool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.tracked.word, f)
    }
}
