//! The interface of [loom](https://docs.rs/loom) on top of [Mazurka](https://docs.rs/mazurka).
//!
//! A project whose tests are written for loom changes one thing:
//!
//! ```text
//! [patch.crates-io]
//! loom = { package = "mazurka-loom", … }
//! ```
//!
//! and its tests explore one execution for each equivalence class, with Mazurka's reports: the steps in columns, the
//! places, and the command that runs the failing execution again.
//!
//! # What differs
//!
//! - Weak memory is that of RC11 (see `mazurka::Memory`): `SeqCst` has its one order, so that store buffering with it is no
//!   false alarm, and stores may come before others in modification order although they are performed later.
//! - With [`model::Builder::preemption_bound`] or `LOOM_MAX_PREEMPTIONS` only what so many preemptions reach is explored, as in loom; without
//!   it everything, which most tests that loom needs a bound for can do. So is what [`stop_exploring`] and [`skip_branch`]
//!   would leave out.
//! - [`model::Builder::max_branches`] and `LOOM_MAX_BRANCHES` bound the operations of a thread only from 20,000 on: a loop that
//!   changes nothing waits, and one that nobody can end is reported as what it is. [`model::Builder::max_threads`] is not used.
//! - An exploration that `LOOM_MAX_DURATION` or `LOOM_MAX_PERMUTATIONS` cut short fails, unless
//!   `MAZURKA_ALLOW_INCOMPLETE=1` allows it. There are no checkpoints: reports have a schedule instead.
//! - There are no spurious wake-ups of [`sync::Notify`], and no spurious failures of weak exchanges.
//! - Outside of [`model()`] everything works as in `std`, instead of panicking.
//! - Use after free and double free are reported for all memory, not only for [`alloc`]. Leaks are reported for
//!   [`sync::Arc`], [`alloc::alloc`] and [`alloc::Track`], as in loom; where the test uses [`lazy_static!`], not.
//! - A table of the tests of published packages, through Mazurka and through loom, is in the manual (`docs/src/loom.md`).
//! - The variables of Mazurka work as well: `MAZURKA_LOG=1`, `MAZURKA_REPLAY`, `MAZURKA_MAX_DURATION`, ….

pub mod alloc;
pub mod cell;
pub mod future;
pub mod hint;
pub mod lazy_static;
pub mod model;
pub mod sync;
pub mod thread;

#[doc(inline)]
pub use crate::model::model;

#[doc(hidden)]
pub use mazurka as __mazurka;

/// The largest number of threads of a loom test. There is none here.
pub const MAX_THREADS: usize = usize::MAX;

/// In loom, begins to explore. Everything is explored here.
pub fn explore() {}

/// In loom, stops exploring until [`explore`]. Everything is explored here.
pub fn stop_exploring() {}

/// In loom, does not explore the current branch. Everything is explored here.
pub fn skip_branch() {}

/// Stands in for [`std::thread_local!`].
#[macro_export]
macro_rules! thread_local {
    ($($tokens:tt)*) => { $crate::__mazurka::thread_local! { $($tokens)* } };
}

/// Stands in for `lazy_static::lazy_static!`.
#[macro_export]
macro_rules! lazy_static {
    ($(#[$attribute:meta])* $visibility:vis static ref $name:ident : $type:ty = $value:expr; $($rest:tt)*) => {
        #[allow(missing_copy_implementations, non_camel_case_types, dead_code, missing_docs, reason = "as the crate's")]
        $(#[$attribute])*
        $visibility struct $name {
            __private_field: (),
        }
        #[doc(hidden)]
        $visibility static $name: $name = $name { __private_field: () };
        impl ::core::ops::Deref for $name {
            type Target = $type;

            fn deref(&self) -> &$type {
                static LAZY: $crate::lazy_static::Lazy<$type> = $crate::lazy_static::Lazy::new(|| $value);
                LAZY.get()
            }
        }
        $crate::lazy_static! { $($rest)* }
    };
    () => {};
}
