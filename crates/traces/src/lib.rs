//! Recorded traces of event-driven programs (Android applications, as DroidRacer and EM-Explorer write
//! them): reading and writing their formats, and a [`TraceProgram`] that re-executes one under every
//! other schedule.
//!
//! ```
//! let text = "2 THREADINIT tid:1\n3 FORK par-tid:1 child-tid:2\n4 THREADINIT tid:2\n";
//! let loaded = mazurka_traces::load("trace.txt", text.as_bytes(), None)?;
//! let program = mazurka_traces::TraceProgram::new(&loaded.trace)?;
//! assert_eq!(program.task_count(), 2);
//! # Ok::<(), mazurka_traces::Error>(())
//! ```
//!
//! The way through the crate: [`mod@format`] turns bytes into a [`RecordedTrace`]; [`check`] goes through it
//! in the recorded order, says what is wrong in it and which task every operation belongs to; and
//! [`program`] makes straight-line code of that. Nothing that failed its check can be explored. [`races`] lists what can happen in
//! the other order.

pub mod action;
pub mod check;
pub mod cleanup;
mod compact;
pub mod error;
pub mod format;
mod from_execution;
mod from_partial;
pub mod generate;
pub mod names;
pub mod program;
pub mod races;
pub mod run;
pub mod trace;

pub use action::{Action, MessageId, PostKind, ThreadId};
pub use error::{Error, Reason, Warning, WarningKind};
pub use format::{Format, Loaded, load};
pub use from_execution::{NotRecordable, from_execution};
pub use from_partial::from_partial;
pub use names::Names;
pub use program::TraceProgram;
pub use run::TraceRun;
pub use trace::{Dependence, Recorded, RecordedTrace};
