//! Approximate replay: a planned sequence, as far as it is possible.

use crate::ids::EventId;

/// A planned sequence while it is being performed. In every state the first event that is left and possible comes next;
/// where none is, the front-end goes on with what is possible and was not planned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// What is left, the next one last.
    left: Vec<EventId>,
}

impl Replay {
    /// Of these events, in this order.
    pub fn new(events: &[EventId]) -> Self {
        Replay { left: events.iter().rev().copied().collect() }
    }

    /// The event that comes next, given what is possible now. It counts as performed.
    pub fn next(&mut self, mut is_possible: impl FnMut(EventId) -> bool) -> Option<EventId> {
        let at = self.left.iter().rposition(|&event| is_possible(event))?;
        Some(self.left.remove(at))
    }

    /// The planned events that have not been performed, in order: at the end, those that were skipped.
    pub fn left(&self) -> impl Iterator<Item = EventId> + '_ {
        self.left.iter().rev().copied()
    }

    /// Has everything been performed?
    pub fn is_done(&self) -> bool {
        self.left.is_empty()
    }
}
