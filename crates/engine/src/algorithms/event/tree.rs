//! Wakeup trees whose branches may have parked sequences.

use super::redundancy::Kind;
use super::wakeup_sequence::Sequence;
use crate::bits::Bits;
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use crate::reversal::{Last, Member};
use crate::wakeup::Explored;
use smallvec::SmallVec;
use std::cell::OnceCell;
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
    /// The sequence, made of events of that execution.
    pub sequence: Sequence,
    /// What it may be reduced to.
    pub reserve: Reserve,
    /// The name of the sequence, once somebody has asked.
    pub name: OnceCell<Fingerprint>,
}

impl Parked {
    /// The same for sequences that mean the same, whatever execution they come from.
    pub fn name(&self) -> Fingerprint {
        *self.name.get_or_init(|| self.sequence.name(&self.execution))
    }
}

/// The events that a sequence may be made of, and those that it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reserve {
    /// All that does not happen after the first event of the race.
    pub available: Bits,
    /// What happens before the second event.
    pub needed: Bits,
}

/// Sequences can be long, so trees are taken apart without recursion.
impl Drop for Tree {
    fn drop(&mut self) {
        let mut branches = std::mem::take(&mut self.branches);
        while let Some(mut branch) = branches.pop() {
            branches.append(&mut branch.tree.branches);
        }
    }
}

impl Tree {
    /// Adds a sequence, in this order, as a new branch behind the others.
    pub fn append(
        &mut self,
        execution: &Execution,
        order: impl Iterator<Item = Member>,
        last: &Last,
    ) {
        let mut tree = self;
        for member in order {
            let (event, kind) = match member {
                Member::Event(event) => {
                    let it = &execution.events()[event];
                    let touches = SmallVec::from_slice(execution.touches(event));
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
