//! Is a partial event-driven trace realisable? Verdict, witness and certificate.

pub mod answer;
mod bits;
pub mod certificate;
mod closure;
mod core_edges;
mod cycle;
pub mod fixed;
pub mod format;
mod graph;
pub mod limits;
mod optimistic;
pub mod order;
pub mod policy;
mod proof;
pub mod read;
pub mod reduction;
mod sat;
mod saturation;
#[cfg(feature = "smt")]
mod smt;
mod terminals;
mod theory;
pub mod trace;
pub mod well_formed;
pub mod witness;

pub use answer::{Answer, Solver, Verdict, check, verify};
pub use limits::{Limit, Limits};
pub use policy::Policy;
pub use trace::Trace;
