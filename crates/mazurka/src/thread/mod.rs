//! Stand-ins for [`std::thread`].
//!
//! In an exploration a thread is a coroutine; outside of one, these are threads of `std`.

mod builder;
mod handle;
mod local;
mod packet;
mod scope;

pub(crate) use builder::fork;
#[doc(hidden)]
pub use builder::spawn_here;
pub use builder::{Builder, spawn};
pub use handle::{
    JoinHandle, Thread, ThreadId, current, panicking, park, park_timeout, sleep, yield_now,
};
pub use local::LocalKey;
pub(crate) use local::drop_locals;
pub(crate) use packet::Packet;
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use std::thread::{AccessError, Result, available_parallelism};
