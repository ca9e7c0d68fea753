//! A schedule: who moved, in which order. It is all that is needed to show an execution again.

/// One step of a schedule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The task's path ([`crate::Run::task_path`]).
    pub task: String,
    /// The alternative it picked; 0 where there was nothing to pick.
    pub choice: u32,
}

/// The moves of an execution, from the initial state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Schedule {
    /// In the order in which they were made.
    pub moves: Vec<Move>,
}
