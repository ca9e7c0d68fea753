//! The judge: who may move, how an execution ends, and which traces there are, from the definitions.
//!
//! Every algorithm is compared with `naive`, which asks this folder. So nothing here uses what the algorithms rest
//! on: not the state that follows an execution and takes steps back ([`crate::state`]), not the conflicts of touches
//! ([`crate::touch`]) or of modes, not the happens-before relation that is kept event by event ([`crate::execution`]).
//! Everything is worked out anew from the list of steps, plainly and slowly. A mistake would have to be made twice, in two
//! ways of thinking, to go unseen.

mod classes;
mod past;
mod trace;

pub use classes::OracleClasses;
pub use past::Past;
pub use trace::{Trace, trace};
