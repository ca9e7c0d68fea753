//! Stand-ins for [`std::sync::atomic`].
//!
//! Orderings mean what they do in C11 (an invalid one panics, as in `std`): where a program uses a weaker one than `SeqCst`, a load may
//! read an older store than the newest, unless something makes the newer one happen before it. Which executions are explored is said
//! by [`crate::Memory`]. A weak compare-and-exchange never fails spuriously. Outside of an
//! exploration everything works as in `std`, with the orderings given.
//!
//! A `static` atomic has its initial value again when an execution begins.

mod boolean;
mod integer;
mod pointer;
mod word;

use crate::runtime::context::{Presence, announce_weak, has_weak_memory, presence, with};
use crate::runtime::weak;
pub use boolean::AtomicBool;
pub use integer::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize,
};
use mazurka_engine::Operation;
pub use pointer::AtomicPtr;
use std::panic::Location;
pub use std::sync::atomic::{Ordering, compiler_fence};

/// A fence. An event where an exploration has weak memory.
#[track_caller]
pub fn fence(order: Ordering) {
    std::sync::atomic::fence(order);
    if presence() == Presence::Outside {
        return;
    }
    // A fence alone is weaker than nothing: only weaker atomics give it a meaning.
    let weak = has_weak_memory(Ordering::SeqCst);
    if weak {
        let fence = weak::access::Operation::Fence(order);
        announce_weak(Operation::Local, Some(fence), Location::caller());
    }
    with(|state| {
        let task = state.current;
        if let Some(clocks) = &mut state.clocks {
            clocks.fence(task, order, weak);
        }
    });
}
