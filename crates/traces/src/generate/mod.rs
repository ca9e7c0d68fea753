//! Small random recorded traces, for tests of the algorithms.
//!
//! [`random_trace`] makes up the code of a few threads and messages (`plan`), then executes it under a
//! random schedule (`schedule`): what was executed is a well-formed recorded trace. The same seed gives the
//! same trace on every machine. [`shrink`] makes a trace smaller as long as it shows a problem.

mod environment;
mod plan;
mod schedule;
mod shrink;

pub use shrink::{shrink, smaller};

use crate::trace::{Dependence, RecordedTrace};
use mazurka_engine::rng::Rng;

/// How large a random trace may get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Threads, at least 2.
    pub threads: u32,
    /// Threads among them that loop, at least 1.
    pub loopers: u32,
    /// Messages.
    pub messages: u32,
    /// Accesses, locks, notifications and posts.
    pub actions: u32,
    /// Distinct variables, at least 1.
    pub variables: u32,
    /// Distinct locks; 0 for none.
    pub locks: u32,
    /// May there be NOTIFY and WAIT?
    pub notifications: bool,
    /// May there be dependences between operations?
    pub dependences: bool,
    /// May there be what stands for the system and the user: posts by threads of their own, native threads,
    /// lifecycle and other markers?
    pub environment: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            threads: 4,
            loopers: 3,
            messages: 4,
            actions: 8,
            variables: 2,
            locks: 2,
            notifications: true,
            dependences: true,
            environment: true,
        }
    }
}

/// A random well-formed trace of at most the default [`Shape`].
pub fn random_trace(seed: u64) -> RecordedTrace {
    random_trace_of(seed, &Shape::default())
}

/// A random well-formed trace of at most this shape.
pub fn random_trace_of(seed: u64, shape: &Shape) -> RecordedTrace {
    let mut rng = Rng::new(seed);
    loop {
        let plan = plan::plan(&mut rng, shape);
        // A schedule may run into a deadlock; then another one may not. Some plans have no other end.
        if let Some(operations) = (0..4).find_map(|_| schedule::execute(&mut rng, &plan)) {
            let mut trace = RecordedTrace {
                name: format!("random-{seed}"),
                operations,
                ..RecordedTrace::default()
            };
            if shape.dependences && rng.below(4) == 0 {
                add_dependence(&mut rng, &mut trace);
            }
            return trace;
        }
    }
}

/// Any order of two operations that the recorded execution has may be asked for.
fn add_dependence(rng: &mut Rng, trace: &mut RecordedTrace) {
    let count = trace.operations.len() as u64;
    let (one, other) = (rng.below(count) as usize, rng.below(count) as usize);
    if one != other {
        let index = |position: usize| trace.operations[position].index;
        let edge = Dependence::from((index(one.min(other)), index(one.max(other))));
        trace.dependences.push(edge);
    }
}
