//! What an execution is to do, and what became of it.

use super::end::{Ending, Touched};
use mazurka_engine::reorder::Happened;

/// What an execution is to do: events by the hashes that are the same in every process. A recording has none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// The planned events.
    pub events: Vec<u64>,
}

/// One execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// What was possible before the first event.
    pub initially: Vec<u32>,
    /// What happened, without accesses.
    pub steps: Vec<Happened>,
    /// Locations that several events touch.
    pub touched: Vec<Touched>,
    /// Events that come in the order in which they were registered.
    pub queued: Vec<Queued>,
    /// The final state.
    pub ending: Ending,
    /// Planned events that did not happen.
    pub skipped: Vec<u32>,
    /// Why it was stopped although there was more to do.
    pub cut: Vec<String>,
    /// What the user could not do.
    pub missed: Vec<String>,
    /// What people should know.
    pub notes: Vec<String>,
}

/// An event that stood in a queue with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queued {
    /// Which queue.
    pub queue: String,
    /// The event's position.
    pub position: usize,
    /// The position of the event that put it there.
    pub creator: usize,
}
