//! Stand-ins for [`std::sync::atomic`].
//!
//! Exploration is sequentially consistent: every ordering weaker than `SeqCst` is treated as `SeqCst`
//! (an invalid one panics, as in `std`). A weak compare-and-exchange never fails spuriously. Outside of an
//! exploration everything works as in `std`, with the orderings given.
//!
//! A `static` atomic has its initial value again when an execution begins.

mod boolean;
mod integer;
mod pointer;
mod word;

use crate::runtime::context::try_with;
pub use boolean::AtomicBool;
pub use integer::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize,
};
pub use pointer::AtomicPtr;
pub use std::sync::atomic::{Ordering, compiler_fence};

/// A fence. Everything is sequentially consistent in an exploration, so a fence is no event; it counts for
/// data races of plain memory ([`crate::cell`]).
pub fn fence(order: Ordering) {
    std::sync::atomic::fence(order);
    try_with(|state| {
        let task = state.current;
        if let Some(clocks) = &mut state.clocks {
            clocks.fence(task, order);
        }
    });
}
