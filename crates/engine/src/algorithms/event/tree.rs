//! Wakeup trees whose branches may have parked sequences.

use super::redundancy::Kind;
use crate::bits::{self, Bits};
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
    pub members: Bits,
    /// An order in which they can be performed.
    pub order: Vec<Member>,
    /// The second event of the race.
    pub last: Last,
    /// What it may be reduced to.
    pub reserve: Reserve,
    /// Its [`names`].
    pub names: Vec<u32>,
}

/// The names of a sequence's events, each with the names of those in the sequence that happen before it, and
/// of the second event of the race: equal for two sequences that mean the same, whatever execution they
/// come from.
pub fn names(execution: &Execution, members: &[u64], last: &Last) -> Vec<u32> {
    let events = execution.events();
    let mut order: Vec<usize> = bits::iter(members).collect();
    order.sort_unstable_by_key(|&event| (events[event].task, events[event].index));
    let mut names = vec![last.task.0, last.choice, last.touches.len() as u32];
    for &event in &order {
        names.extend([u32::MAX, events[event].task.0, events[event].index, events[event].choice]);
        let before = execution.before(event);
        let past = order.iter().filter(|&&earlier| bits::contains(before, earlier));
        names.extend(past.flat_map(|&earlier| [events[earlier].task.0, events[earlier].index]));
    }
    names
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
    pub available: Bits,
    /// What happens before the second event.
    pub needed: Bits,
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
