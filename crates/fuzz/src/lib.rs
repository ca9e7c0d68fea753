//! Random event-driven programs against the oracle.
//!
//! [`generate`] draws a small program from a seed, [`compare()`] explores it with the oracle and with an
//! algorithm and checks what the algorithm promises, [`shrink`] makes a program that breaks a promise
//! small enough to be understood. [`traces`] does the same with recorded traces.

pub mod coarse;
pub mod compare;
pub mod declarations;
pub mod description;
pub mod ed;
pub mod estimate;
mod generate;
pub mod hunt;
pub mod interpret;
pub mod lower;
mod panics;
pub mod promise;
pub mod properties;
mod render;
mod shape;
mod shrink;
mod sleepers;
pub mod traces;
pub mod trim;

pub use compare::{Disagreement, Kind, Report, Subject, Truth, ask_oracle, compare, compare_with};
pub use description::Description;
pub use generate::generate;
pub use interpret::Interpreted;
pub use promise::{Promise, Traits, applies, promise};
pub use properties::is_non_branching;
pub use render::render_ed;
pub use shape::{Branching, SHAPES, Shape};
pub use shrink::shrink;
