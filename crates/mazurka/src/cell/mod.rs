//! Plain memory that is watched: stand-ins for [`std::cell`], with data race detection.
//!
//! Every access is an event, so every order of accesses is explored, and two accesses that no synchronisation
//! orders, one of them a write, are reported as a data race with both places. The orderings of atomics count
//! for that: a `Relaxed` store does not publish what was written before it.
//!
//! Outside of an exploration these are plain cells.

mod plain;
mod ref_cell;
mod simple;
mod unsafe_cell;

pub use ref_cell::{Ref, RefCell, RefMut};
pub use simple::Cell;
pub use std::cell::{BorrowError, BorrowMutError};
pub use unsafe_cell::UnsafeCell;
