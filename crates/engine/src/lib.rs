//! The engine of Mazurka: what an event-driven program may do, which of its executions are equivalent,
//! and the algorithms that explore one of each.
//!
//! No front-end and no input or output lives here. A front-end implements [`Program`] and [`Run`].

mod algorithms;
pub mod bits;
pub mod canonical;
mod chapter;
pub mod coarse_oracle;
pub mod config;
pub mod determinism;
pub mod driver;
pub mod endless;
pub mod estimate;
pub mod execution;
pub mod explain;
pub mod fingerprint;
mod fingerprint_set;
pub mod ids;
pub mod memory;
pub mod names;
pub mod operation;
pub mod oracle;
pub mod outcome;
pub mod pace;
#[cfg(feature = "partial-traces")]
pub mod partial_trace;
pub mod program;
pub mod relation;
pub mod reorder;
pub mod replay;
pub mod reversal;
pub mod rng;
pub mod schedule;
pub mod sequence;
pub mod state;
pub mod touch;
pub mod waiting;
pub mod wakeup;
pub mod watch;
pub mod words;

pub use algorithms::{explore, not_shown};
pub use config::{Algorithm, Config, Decision, Equivalence, Interference, Limits};
pub use estimate::Estimate;
pub use ids::{HandlerId, LocationId, ObjectId, TaskId};
pub use operation::{
    Access, Effect, FailureKind, Fault, MOST_ALTERNATIVES, Mode, Next, Operation, Step, Value,
};
pub use outcome::{
    Bound, ClassCounts, Cut, Ending, Failure, Observer, Outcome, Statistics, Verdict,
};
pub use program::{LeaveOut, Mailbox, Program, Run};
pub use replay::{
    Action, Cause, CauseKind, RecordedAccess, RecordedEvent, Recording, ReplayError, Variable,
    replay, replay_watched,
};
pub use schedule::{Move, Schedule};
pub use watch::Watch;
