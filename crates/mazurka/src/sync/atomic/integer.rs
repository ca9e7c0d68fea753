//! The integers.

use super::word::{Tracked, Word};
use mazurka_engine::Mode::{Read, Update, Write};
use std::fmt;
use std::panic::Location;
use std::sync::atomic as real;
use std::sync::atomic::Ordering;

macro_rules! fetch_operations {
    ($int:ty: $($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self, value: $int, order: Ordering) -> $int {
                self.tracked.event(Update, order, Location::caller(), |word| word.$name(value, order))
            }
        )*
    };
}

macro_rules! atomic_integer {
    ($name:ident, $int:ty, $comparable:expr) => {
        impl Word for real::$name {
            fn kind(&self) -> &'static str {
                stringify!($name)
            }

            fn is_comparable(&self) -> bool {
                $comparable
            }

            fn peek(&self) -> i64 {
                self.load(Ordering::Relaxed) as i64
            }

            fn restore(&self, bits: i64) {
                self.store(bits as $int, Ordering::Relaxed);
            }
        }

        #[doc = concat!("Stands in for [`std::sync::atomic::", stringify!($name), "`].")]
        pub struct $name {
            tracked: Tracked<real::$name>,
        }

        impl $name {
            /// An atomic with this value.
            #[track_caller]
            pub const fn new(value: $int) -> Self {
                $name { tracked: Tracked::new(real::$name::new(value)) }
            }

            /// Reads the value.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $int {
                self.tracked.event(Read, order, Location::caller(), |word| word.load(order))
            }

            /// Writes the value.
            #[track_caller]
            pub fn store(&self, value: $int, order: Ordering) {
                self.tracked.event(Write, order, Location::caller(), |word| word.store(value, order));
            }

            fetch_operations!($int:
                /// Writes a value and returns the one before.
                swap,
                /// Adds, wrapping around, and returns the value before.
                fetch_add,
                /// Subtracts, wrapping around, and returns the value before.
                fetch_sub,
                /// Bitwise "and"; returns the value before.
                fetch_and,
                /// Bitwise "nand"; returns the value before.
                fetch_nand,
                /// Bitwise "or"; returns the value before.
                fetch_or,
                /// Bitwise "xor"; returns the value before.
                fetch_xor,
                /// The larger of both; returns the value before.
                fetch_max,
                /// The smaller of both; returns the value before.
                fetch_min,
            );

            /// Writes `new` if the value is `current`.
            ///
            /// # Errors
            ///
            /// The value, if it is another.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                self.tracked.attempt(current as i64, (success, failure), Location::caller(), |word| {
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
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                self.compare_exchange(current, new, success, failure)
            }

            /// Reads, computes, and tries to write, until nobody came between.
            ///
            /// # Errors
            ///
            /// The value for which `update` gave none.
            #[track_caller]
            pub fn fetch_update<F: FnMut($int) -> Option<$int>>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut update: F,
            ) -> Result<$int, $int> {
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
            pub fn with_mut<R>(&mut self, code: impl FnOnce(&mut $int) -> R) -> R {
                code(self.get_mut())
            }

            /// Reads the value without an event. As loom's.
            ///
            /// # Safety
            ///
            /// Nobody else may write it at the same time.
            #[expect(unsafe_code, reason = "as loom's")]
            pub unsafe fn unsync_load(&self) -> $int {
                self.tracked.word.load(Ordering::Relaxed)
            }

            /// The value; nobody else can reach it.
            pub fn get_mut(&mut self) -> &mut $int {
                self.tracked.word.get_mut()
            }

            /// The value.
            pub fn into_inner(self) -> $int {
                self.tracked.word.into_inner()
            }

            /// The address of the value. What is done through it is not seen.
            pub const fn as_ptr(&self) -> *mut $int {
                self.tracked.word.as_ptr()
            }
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                $name::new(0)
            }
        }

        impl From<$int> for $name {
            #[track_caller]
            fn from(value: $int) -> Self {
                $name::new(value)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.tracked.word, f)
            }
        }
    };
}

atomic_integer!(AtomicI8, i8, true);
atomic_integer!(AtomicI16, i16, true);
atomic_integer!(AtomicI32, i32, true);
atomic_integer!(AtomicI64, i64, true);
atomic_integer!(AtomicIsize, isize, false);
atomic_integer!(AtomicU8, u8, true);
atomic_integer!(AtomicU16, u16, true);
atomic_integer!(AtomicU32, u32, true);
atomic_integer!(AtomicU64, u64, true);
atomic_integer!(AtomicUsize, usize, false);
