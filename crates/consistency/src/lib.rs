//! Is a partial event-driven trace realisable? Verdict, witness and certificate.
//!
//! A partial trace says which events each message executed, who read from whom (rf), in which order each variable was
//! written (co) and who posted what (pb). What it does not say is the order of the messages on each handler. Whether some
//! order makes it an execution is NP-complete; after Abdulla, Atig, Govind, Grahn and Thinniyam, "Checking Consistency of
//! Event-driven Traces".
//!
//! ```
//! use mazurka_consistency::{Limits, Policy, Solver, check, format, verify};
//!
//! // One poster; the second message writes what the first one reads.
//! let text = br#"{"format":"ed-trace/1","handlers":2,"vars":1,"co":[[5]],"messages":[
//!     {"h":0,"init":true,"ev":[["p",1],["p",2]]},
//!     {"h":1,"ev":[["g"],["r",0,5]]},
//!     {"h":1,"ev":[["g"],["w",0]]}]}"#;
//! let trace = format::parse(text)?;
//! let queue = check(&trace, Policy::Fifo, Solver::Sat, &Limits::default());
//! let bag = check(&trace, Policy::Multiset, Solver::Sat, &Limits::default());
//! assert_eq!(queue.verdict.name(), "inconsistent");
//! assert_eq!(bag.verdict.name(), "consistent");
//! assert!(verify(&trace, &queue).is_ok() && verify(&trace, &bag).is_ok());
//! # Ok::<(), mazurka_consistency::format::FormatError>(())
//! ```
//!
//! The way through the crate: [`read`] and [`mod@format`] give a [`Trace`], whose rules [`well_formed`] checks; [`fixed`] turns it
//! into an [`order`] problem, which is also the entry point for callers without files; [`check`] answers, [`verify`] has the
//! answer checked by [`witness`] or [`certificate`], which share no code with the solvers, and [`explain`] puts an
//! inconsistency in words. [`reduction`] makes hard instances.
//!
//! Invariant: an order problem knows nothing of events and variables, and nothing here knows the engine.

#![cfg_attr(
    not(feature = "traces"),
    expect(dead_code, reason = "certificates and other solvers look deeper into an order problem")
)]

#[cfg(feature = "traces")]
pub mod answer;
mod bits;
#[cfg(feature = "traces")]
pub mod certificate;
mod closure;
mod core_edges;
mod cycle;
#[cfg(feature = "traces")]
pub mod explain;
#[cfg(feature = "traces")]
pub mod fixed;
#[cfg(feature = "traces")]
pub mod format;
mod graph;
pub mod limits;
mod optimistic;
pub mod order;
pub mod policy;
#[cfg(feature = "traces")]
pub mod polynomial;
mod proof;
#[cfg(feature = "traces")]
pub mod read;
#[cfg(feature = "traces")]
pub mod reduction;
mod sat;
#[cfg(feature = "traces")]
mod saturation;
#[cfg(feature = "smt")]
mod smt;
mod terminals;
mod theory;
#[cfg(feature = "traces")]
pub mod trace;
#[cfg(feature = "traces")]
pub mod well_formed;
#[cfg(feature = "traces")]
pub mod witness;

#[cfg(feature = "traces")]
pub use answer::{Answer, Solver, Verdict, check, verify};
pub use limits::{Limit, Limits};
pub use policy::Policy;
#[cfg(feature = "traces")]
pub use trace::Trace;
