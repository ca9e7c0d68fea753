//! Checks real concurrent and event-driven Rust code.

mod builder;
pub mod cell;
mod choice;
mod entry;
mod environment;
pub mod handler;
pub mod future;
pub mod hint;
mod outcome;
mod reachable;
mod replay;
mod report;
mod runtime;
mod settings;
pub mod sync;
pub mod task;
pub mod thread;
pub mod tokio;

pub use builder::Builder;
pub use choice::{assume, choose};
pub use entry::{check, check_pct, check_random};
pub use mazurka_engine::{Algorithm, Move, Schedule, Statistics};
pub use outcome::{ClassCounts, Failure, FailureKind, Outcome};

/// What the macros need.
#[doc(hidden)]
pub mod __private {
    pub use crate::reachable::{PLACES, Place};
    pub use linkme::{self, distributed_slice};
}
