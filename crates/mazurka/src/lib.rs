//! Checks real concurrent and event-driven Rust code.

mod builder;
mod choice;
mod environment;
pub mod handler;
pub mod hint;
mod outcome;
mod replay;
mod report;
mod runtime;
mod settings;
pub mod sync;
pub mod thread;

pub use builder::Builder;
pub use choice::{assume, choose};
pub use mazurka_engine::{Algorithm, Move, Schedule, Statistics};
pub use outcome::{Failure, FailureKind, Outcome};
