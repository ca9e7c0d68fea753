//! A sequence of events that stands on its own: it outlives the execution that it was found in, and knows the
//! happens-before relation of its own events, whichever that is.

use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::relation::{Order, Relation};
use crate::touch::Touch;
use crate::wakeup::WakeupSequence;
use crate::watch::Watch;
use smallvec::SmallVec;

/// The name of an event: its task, and its position in it, counted from 1.
pub type EventName = (TaskId, u32);

/// An event of a sequence.
#[derive(Clone, Debug)]
pub struct Happening {
    /// Whose event it is.
    pub task: TaskId,
    /// It is the `index`-th event of its task, counted from 1.
    pub index: u32,
    /// Which alternative it picks.
    pub choice: u32,
    /// What it touches.
    pub touches: SmallVec<[Touch; 2]>,
    /// The events that it follows whatever the schedule.
    pub past: SmallVec<[EventName; 2]>,
}

impl Happening {
    /// An event of an execution.
    pub fn performed(execution: &Execution, event: usize) -> Self {
        let it = &execution.events()[event];
        Happening {
            task: it.task,
            index: it.index,
            choice: it.choice,
            touches: SmallVec::from_slice(execution.touches(event)),
            past: names(execution, execution.program_past(event)),
        }
    }

    /// The next event of a task, which has not happened.
    pub fn next(execution: &Execution, task: TaskId, past: &[u32], touches: &[Touch]) -> Self {
        Happening {
            task,
            index: execution.events_of(task).len() as u32 + 1,
            choice: 0,
            touches: SmallVec::from_slice(touches),
            past: names(execution, past),
        }
    }
}

fn names(execution: &Execution, events: &[u32]) -> SmallVec<[EventName; 2]> {
    let name = |&event: &u32| {
        let it = &execution.events()[event as usize];
        (it.task, it.index)
    };
    events.iter().map(name).collect()
}

/// Computes the relation of the events of an execution from `from` to `depth`, followed by `events`. Says whether it came to its end before
/// the time was up.
#[must_use]
pub fn relate(
    relation: &mut Relation,
    order: Order,
    execution: &Execution,
    (from, depth): (usize, usize),
    events: &[Happening],
    final_reads: &[u32],
    watch: &Watch,
) -> bool {
    let before = depth - from;
    let touches = |at: usize| match at.checked_sub(before) {
        Some(at) => &events[at].touches[..],
        None => execution.touches(from + at),
    };
    // What somebody follows stands mostly close before.
    let position = |&(task, index): &EventName, until: usize| -> Option<u32> {
        let performed = execution.events_of(task).get(index as usize - 1);
        match performed.filter(|&&event| (event as usize) < depth) {
            Some(&event) => event.checked_sub(from as u32),
            None => {
                let mut earlier = events[..until].iter();
                let at = earlier.rposition(|e| e.task == task && e.index == index);
                at.map(|at| (before + at) as u32)
            }
        }
    };
    let past = |at: usize| -> SmallVec<[u32; 4]> {
        match at.checked_sub(before) {
            Some(at) => events[at].past.iter().filter_map(|name| position(name, at)).collect(),
            None => {
                let past = execution.program_past(from + at).iter();
                past.filter_map(|event| event.checked_sub(from as u32)).collect()
            }
        }
    };
    relation.compute(order, before + events.len(), touches, past, final_reads, watch)
}

/// A sequence; what is placed already has been taken out.
#[derive(Clone, Debug)]
pub struct Sequence {
    order: Order,
    events: Vec<Happening>,
    /// For each event, those of the sequence that happen before it.
    rows: Vec<Bits>,
    members: Bits,
}

impl Sequence {
    /// The sequence of `events`, which stand from position `from` on in a relation.
    pub fn new(order: Order, events: Vec<Happening>, relation: &Relation, from: usize) -> Self {
        let words = events.len().div_ceil(64).max(1);
        let row = |at: usize| bits::from_bit(relation.before(from + at), from, words);
        let rows = (0..events.len()).map(row).collect();
        let members = bits::first(events.len(), words);
        Sequence { order, events, rows, members }
    }

    /// The events that are left.
    pub fn events(&self) -> impl Iterator<Item = &Happening> + '_ {
        bits::iter(&self.members).map(|at| &self.events[at])
    }

    /// Takes out the next event of `task` and all that happens after it.
    pub fn remove_with_successors(&mut self, task: TaskId) {
        let Some(first) = self.next_of(task) else { return };
        for at in first..self.events.len() {
            if at == first || bits::contains(&self.rows[at], first) {
                bits::remove(&mut self.members, at);
            }
        }
    }
}

impl WakeupSequence for Sequence {
    type Member = usize;

    const FOUND_AGAIN: bool = false;

    fn next_of(&self, task: TaskId) -> Option<usize> {
        bits::iter(&self.members).find(|&at| self.events[at].task == task)
    }

    fn choice(&self, member: usize) -> u32 {
        self.events[member].choice
    }

    fn is_initial(&self, member: usize) -> bool {
        !bits::intersects(&self.rows[member], &self.members)
    }

    fn conflicts(&self, touches: &[Touch]) -> bool {
        self.events().any(|event| self.order.conflict(&event.touches, touches))
    }

    fn remove(&mut self, member: usize) {
        bits::remove(&mut self.members, member);
    }

    fn is_empty(&self) -> bool {
        bits::is_empty(&self.members)
    }

    fn sequence(&self) -> impl Iterator<Item = (TaskId, u32, &[Touch])> + '_ {
        self.events().map(|event| (event.task, event.choice, &event.touches[..]))
    }
}
