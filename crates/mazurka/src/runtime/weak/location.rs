//! One atomic: its stores in modification order, and how far each task has seen.
//!
//! Coherence: what happens before an access, or was seen by something that does, is not newer than what it reads, and older than what it writes.
//! So the past of an access gives a *floor*.

use super::access::{Key, Rank, Source};
use crate::runtime::clock::Clock;
use mazurka_engine::TaskId;

/// The accesses of one atomic.
#[derive(Debug)]
pub(crate) struct Location {
    pub initial: Key,
    /// In modification order.
    pub stores: Vec<u32>,
    /// Is the store of that position an update?
    updates: Vec<bool>,
    /// The store that was performed last.
    pub last_store: Source,
    /// The loads since then.
    pub readers: Vec<u32>,
    /// For each task its accesses: which step, and the store that it made or read.
    seen: Vec<(TaskId, Vec<(u32, Source)>)>,
}

/// What is needed to take the last access back.
#[derive(Debug)]
pub(crate) struct Undo {
    last_store: Source,
    readers: Option<Vec<u32>>,
    place: Option<usize>,
}

impl Location {
    pub(crate) fn new(initial: Key) -> Self {
        Location {
            initial,
            stores: Vec::new(),
            updates: Vec::new(),
            last_store: None,
            readers: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// Has nothing happened to it?
    pub(crate) fn is_new(&self) -> bool {
        self.seen.iter().all(|(_, steps)| steps.is_empty())
    }

    /// The newest store.
    pub(crate) fn newest(&self) -> Source {
        self.stores.last().copied()
    }

    /// The position of a store in modification order; 0 is the initial value.
    pub(crate) fn position(&self, store: Source) -> usize {
        store.map_or(0, |store| {
            1 + self.stores.iter().rposition(|&other| other == store).unwrap_or(0)
        })
    }

    /// The store at a position.
    pub(crate) fn store(&self, position: usize) -> Source {
        position.checked_sub(1).map(|at| self.stores[at])
    }

    /// Is there an update at this place, which must stay behind what it reads?
    pub(crate) fn is_update(&self, place: usize) -> bool {
        self.updates.get(place).copied().unwrap_or(false)
    }

    /// Where an access stands.
    pub(crate) fn rank_of(&self, reads: Option<Source>, place: Option<usize>) -> Rank {
        match (reads, place) {
            (_, Some(place)) => 2 * (place + 1),
            (Some(source), None) => 2 * self.position(source) + 1,
            (None, None) => 0,
        }
    }

    /// The least rank of an access with this past.
    pub(crate) fn floor(&self, past: &Clock) -> Rank {
        let last = |(task, steps): &(TaskId, Vec<(u32, Source)>)| {
            let known = past.get(*task);
            let count = steps.partition_point(|(step, _)| *step <= known);
            count.checked_sub(1).map_or(0, |at| self.position(steps[at].1))
        };
        2 * self.seen.iter().map(last).max().unwrap_or(0)
    }

    pub(crate) fn push(
        &mut self,
        task: TaskId,
        step: u32,
        node: u32,
        saw: Source,
        place: Option<usize>,
        is_update: bool,
    ) -> Undo {
        let mut undo = Undo { last_store: self.last_store, readers: None, place };
        match place {
            Some(place) => {
                self.stores.insert(place, node);
                self.updates.insert(place, is_update);
                self.last_store = Some(node);
                undo.readers = Some(std::mem::take(&mut self.readers));
            }
            None => self.readers.push(node),
        }
        match self.seen.iter_mut().find(|(other, _)| *other == task) {
            Some((_, steps)) => steps.push((step, saw)),
            None => self.seen.push((task, vec![(step, saw)])),
        }
        undo
    }

    pub(crate) fn pop(&mut self, task: TaskId, undo: Undo) {
        match (undo.place, undo.readers) {
            (Some(place), Some(readers)) => {
                self.stores.remove(place);
                self.updates.remove(place);
                self.readers = readers;
            }
            _ => {
                self.readers.pop();
            }
        }
        self.last_store = undo.last_store;
        if let Some((_, steps)) = self.seen.iter_mut().find(|(other, _)| *other == task) {
            steps.pop();
        }
    }
}
