//! Executions that are performed aside, to see where they lead. The current one stays.

use crate::driver::{Driver, Move, shared};
use crate::execution::Execution;
use crate::program::Program;
use crate::rng::Rng;

/// The execution that was performed last: the next one often begins in the same way.
#[derive(Default, Debug)]
pub struct Aside {
    last: Option<(Vec<Move>, Execution)>,
}

impl Aside {
    /// Makes these moves from the initial state, and then those of everybody who can move on, the oldest first unless they are to be taken
    /// at random. Nothing if the moves cannot be made.
    pub fn perform<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        moves: &[Move],
        rng: Option<&mut Rng>,
    ) -> Option<(&[Move], &Execution)> {
        let (old, mut execution) = self
            .last
            .take()
            .unwrap_or_else(|| (Vec::new(), Execution::new(driver.execution().dependence())));
        execution.truncate(shared(&old, moves));
        let made = driver.whole_after(moves, rng, &mut execution)?;
        let (moves, execution) = self.last.insert((made, execution));
        Some((moves, execution))
    }
}
