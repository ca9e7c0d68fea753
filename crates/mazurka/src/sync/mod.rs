//! Stand-ins for [`std::sync`].
//!
//! [`Arc`] and [`Weak`] are `std`'s own: their counters are not explored (see the crate's limits).

pub mod atomic;
mod barrier;
pub(crate) mod bell;
mod condvar;
pub(crate) mod counted;
pub mod mpsc;
mod mutex;
mod once;
mod once_lock;
mod poison;
mod rwlock;
pub(crate) mod semaphore;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceState};
pub use once_lock::{LazyLock, OnceLock};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
