//! Explored executions that parked sequences are made of: kept as moves, and performed again when they are needed.

use crate::driver::{Driver, shared};
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::program::Program;
use std::rc::Rc;

/// The moves of an execution.
pub type Moves = Rc<[(TaskId, u32)]>;

/// What is kept of executions.
#[derive(Default, Debug)]
pub struct Kept {
    /// The moves of the execution at hand, written down when first needed.
    current: Option<Moves>,
    /// The one that was performed again last: the next is often the same, or begins in the same way.
    recalled: Option<(Moves, Execution)>,
}

impl Kept {
    /// Another execution is at hand, which has just been explored.
    pub fn turn_to_explored(&mut self) {
        self.current = None;
    }

    /// The moves of the execution at hand.
    pub fn of(&mut self, execution: &Execution) -> Moves {
        let events = || execution.events().iter().map(|event| (event.task, event.choice));
        self.current.get_or_insert_with(|| events().collect()).clone()
    }

    /// The execution that these moves lead to is at hand. Nothing if they cannot be made, because the program is not a function
    /// of the schedule. It is given back by [`Kept::give_back`].
    pub fn recall<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        moves: &Moves,
    ) -> Option<Execution> {
        self.current = Some(moves.clone());
        let empty = || Execution::new(driver.execution().dependence());
        let (old, mut execution) =
            self.recalled.take().unwrap_or_else(|| (Moves::default(), empty()));
        if Rc::ptr_eq(&old, moves) {
            return Some(execution);
        }
        execution.truncate(shared(&old, moves));
        driver.walk.recall(moves, &mut execution).then_some(execution)
    }

    /// An execution that was recalled is not needed any more.
    pub fn give_back(&mut self, execution: Execution) {
        self.recalled = self.current.clone().map(|moves| (moves, execution));
    }
}
