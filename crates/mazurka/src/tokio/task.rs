//! Tasks: the same as [`crate::task`].

pub use crate::task::{AbortHandle, JoinError, JoinHandle, spawn, spawn_blocking, yield_now};
