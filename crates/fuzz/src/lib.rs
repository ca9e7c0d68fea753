//! Random event-driven programs against the oracle.
//!
//! [`generate`] draws a small program from a seed, [`compare`] explores it with the oracle and with an
//! algorithm and checks what the algorithm promises, [`shrink`] makes a program that breaks a promise
//! small enough to be understood.

pub mod description;
pub mod estimate;
mod generate;
pub mod properties;
mod render;
mod shape;
pub mod trim;

pub use description::Description;
pub use generate::generate;
pub use properties::is_non_branching;
pub use render::render_ed;
pub use shape::{Branching, SHAPES, Shape};
