//! Stands in for [`std::sync`].

mod arc;
mod notify;

/// Stands in for [`std::sync::atomic`].
pub mod atomic {
    pub use mazurka::sync::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8,
        AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence, fence,
    };

    /// Lets others run.
    #[track_caller]
    pub fn spin_loop_hint() {
        crate::thread::yield_now();
    }
}

/// Stands in for [`std::sync::mpsc`].
pub mod mpsc {
    pub use mazurka::sync::mpsc::*;
}

pub use arc::Arc;
pub use mazurka::sync::{
    Barrier, BarrierWaitResult, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard,
    RwLockWriteGuard, WaitTimeoutResult,
};
pub use notify::Notify;
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
