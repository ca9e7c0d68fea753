//! Wakeup trees whose branches may have parked sequences.

use super::redundancy::Kind;
use crate::bits;
use crate::execution::Execution;
use crate::reversal::{Last, Member};
use crate::wakeup::Explored;
use std::rc::Rc;

/// An ordered tree of sequences that wait to be explored (Definition 7).
#[derive(Default, Debug)]
pub struct Tree {
    /// The branches, in the order in which they will be explored.
    pub branches: Vec<Branch>,
}

/// A branch of a wakeup tree.
#[derive(Debug)]
pub struct Branch {
    /// Its first event.
    pub event: Explored,
    /// What kind of event that is.
    pub kind: Kind,
    /// What follows it.
    pub tree: Tree,
    /// Sequences whose place is known when everything behind the first event has been explored.
    pub parked: Vec<Parked>,
}

/// A wakeup sequence that waits until a branch has been explored.
#[derive(Clone, Debug)]
pub struct Parked {
    /// The execution whose race it reverses.
    pub execution: Rc<Execution>,
    /// The length of the prefix of that execution that the point shares with it, and the events of it
    /// that lead on to the point.
    pub path: Path,
    /// The events of the sequence.
    pub members: Vec<u64>,
    /// An order in which they can be performed.
    pub order: Vec<Member>,
    /// The second event of the race.
    pub last: Last,
    /// What it may be reduced to.
    pub reserve: Reserve,
}

impl Parked {
    /// Do both mean the same events in the same happens-before order? They may come from different
    /// executions.
    pub fn is_same(&self, other: &Parked) -> bool {
        let same_last = self.last.task == other.last.task
            && self.last.choice == other.last.choice
            && self.last.touches == other.last.touches;
        same_last && self.names() == other.names()
    }

    /// Each event by name, with the names of those in the sequence that happen before it.
    fn names(&self) -> Vec<Vec<(u32, u32)>> {
        let events = self.execution.events();
        let name = |event: usize| (events[event].task.0, events[event].index);
        let mut names: Vec<Vec<(u32, u32)>> = bits::iter(&self.members)
            .map(|event| {
                let before = bits::iter(self.execution.before(event));
                let mut before: Vec<_> =
                    before.filter(|&e| bits::contains(&self.members, e)).map(name).collect();
                before.sort_unstable();
                before.insert(0, name(event));
                before
            })
            .collect();
        names.sort_unstable();
        names
    }
}

/// A way to a point: a prefix of the explored execution, then some more of its events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The length of the prefix.
    pub depth: usize,
    /// The events performed behind it, in this order.
    pub placed: Vec<usize>,
}

/// The events that a sequence may be made of, and those that it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reserve {
    /// All that does not happen after the first event of the race.
    pub available: Vec<u64>,
    /// What happens before the second event.
    pub needed: Vec<u64>,
}

impl Tree {
    /// Adds a sequence, in this order, as a new branch behind the others.
    pub fn append(&mut self, execution: &Execution, order: &[Member], last: &Last) {
        let mut tree = self;
        for &member in order {
            let (event, kind) = match member {
                Member::Event(event) => {
                    let it = &execution.events()[event];
                    let touches = execution.touches(event).into();
                    let explored = Explored { task: it.task, choice: it.choice, touches };
                    (explored, Kind::of(execution, event))
                }
                Member::Last => {
                    let touches = last.touches.clone();
                    let explored = Explored { task: last.task, choice: last.choice, touches };
                    (explored, Kind::of_last(execution, last))
                }
            };
            let branch = Branch { event, kind, tree: Tree::default(), parked: Vec::new() };
            tree.branches.push(branch);
            tree = &mut tree.branches.last_mut().expect("just pushed").tree;
        }
    }
}
