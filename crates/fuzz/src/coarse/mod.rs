//! Algorithms whose classes are coarser than traces, against the oracle: observers, and independence that depends on states.
//!
//! What they owe is not a class for each trace but every class with observers, every final state, or every
//! behaviour; so programs here assert, and look at the end. They are `.ed` text: states are compared by the
//! virtual machine.

mod check;
mod generate;
mod hunt;
mod program;

pub use check::{Disagreement, Obligation, check, check_program, obligation};
pub use generate::{CoarseShape, generate};
pub use hunt::{CoarseCatch, CoarseHunt, CoarseTally, judged_algorithms};
pub use program::{Program, Statement, shrink};
