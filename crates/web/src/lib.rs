//! Web pages in a real browser: recorded, reordered, replayed, compared.
//!
//! A page is an event-driven program. Here every callback is held (`scheduler`, injected into the page), one is let go at a
//! time (`record`), accesses to shared memory are seen (`rewrite`), and the orders that the explorer of the engine asks for
//! are performed, compared (`compare`) and gathered for a report (`explore`). Chromium stays as it is.

pub mod actions;
pub mod browser;
pub mod compare;
pub mod error;
pub mod explore;
mod locations;
pub mod record;
pub mod rewrite;
mod schedule;
mod scheduler;
pub mod server;
pub mod trace;

pub use error::Error;
pub use explore::{Options, Progress, explore, explore_in, replay};
pub use schedule::{Planned, Schedule};
