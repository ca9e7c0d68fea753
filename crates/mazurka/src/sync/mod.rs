//! Stand-ins for [`std::sync`].
//!
//! [`Arc`] and [`Weak`] are `std`'s own: their counters are not explored (see the crate's limits).

pub mod atomic;
mod mutex;
mod poison;

pub use mutex::{Mutex, MutexGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
