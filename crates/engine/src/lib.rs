//! The engine of Mazurka: what an event-driven program may do, which of its executions are equivalent,
//! and the algorithms that explore one of each.
//!
//! No front-end and no input or output lives here. A front-end implements [`Program`] and [`Run`].

pub mod config;
pub mod ids;
pub mod names;
pub mod operation;
pub mod outcome;
pub mod program;
pub mod schedule;

pub use config::{Algorithm, Config, Limits};
pub use ids::{HandlerId, LocationId, ObjectId, TaskId};
pub use operation::{Access, Effect, FailureKind, Fault, Mode, Next, Operation, Step};
pub use outcome::{Ending, Failure, Observer, Outcome, Statistics, Verdict};
pub use program::{Mailbox, Program, Run};
pub use schedule::{Move, Schedule};
