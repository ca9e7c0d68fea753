//! How real Rust code is made to stop before each of its operations: the implementation of the engine's
//! seam by coroutines.
//!
//! Every thread and every message of the checked program runs on a coroutine of one OS thread. A stand-in
//! ([`crate::sync`], [`crate::thread`], …) *announces* its operation, which suspends the coroutine; the
//! engine decides who goes on; the coroutine then *performs* the operation and runs to its next
//! announcement. Going back is execution from the start, compared step by step with what was recorded.

mod bindings;
mod clock;
pub(crate) mod clocks;
pub(crate) mod context;
pub(crate) mod coroutine;
mod escape;
pub(crate) mod identity;
pub(crate) mod knowledge;
mod leaks;
mod live;
pub(crate) mod memory;
pub(crate) mod names;
mod overflow;
pub(crate) mod panics;
pub(crate) mod program;
pub(crate) mod record;
pub(crate) mod run;
pub(crate) mod spin;
pub(crate) mod state;
pub(crate) mod statics;
pub(crate) mod trials;
pub(crate) mod weak;
