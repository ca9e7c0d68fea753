//! Wakeup trees and the explored events beside them.
//!
//! Definition 7 of the Event-DPOR paper; the trees come from Abdulla, Aronis, Jonsson, Sagonas, "Optimal
//! dynamic partial order reduction", POPL 2014.

use crate::ids::TaskId;
use crate::reversal::Reversal;
use crate::touch::Touch;
use smallvec::SmallVec;

/// An event that has been explored from some point, or will be: who, which alternative, touching what.
#[derive(PartialEq, Eq, Debug)]
pub struct Explored {
    /// Whose event it is.
    pub task: TaskId,
    /// Which alternative it picked.
    pub choice: u32,
    /// What it touches.
    pub touches: SmallVec<[Touch; 2]>,
}

/// By hand: a small vector of plain values copies slowly unless told that they are.
impl Clone for Explored {
    fn clone(&self) -> Self {
        Explored { touches: SmallVec::from_slice(&self.touches), ..*self }
    }
}

impl Explored {
    /// Is it a weak initial of the sequence: can the sequence, or something that contains it, begin with
    /// this event? (Definition 4, for events that do not start a message on a contended handler.)
    pub fn is_weak_initial(&self, sequence: &Reversal<'_>) -> bool {
        match sequence.next_of(self.task) {
            Some(member) => sequence.choice(member) == self.choice && sequence.is_initial(member),
            None => !sequence.conflicts(&self.touches),
        }
    }
}

impl Explored {
    /// Is it an initial of the sequence: one of its events, with nothing in it before?
    pub fn is_initial(&self, sequence: &Reversal<'_>) -> bool {
        sequence.next_of(self.task).is_some() && self.is_weak_initial(sequence)
    }
}

/// An ordered tree of sequences that wait to be explored.
#[derive(Clone, Default, Debug)]
pub struct WakeupTree {
    /// The branches, in the order in which they will be explored.
    pub branches: Vec<Branch>,
}

/// A branch of a wakeup tree.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its first event.
    pub event: Explored,
    /// What follows it.
    pub tree: WakeupTree,
}

/// Sequences can be long, so trees are taken apart without recursion.
impl Drop for WakeupTree {
    fn drop(&mut self) {
        if self.branches.is_empty() {
            return;
        }
        let mut branches = std::mem::take(&mut self.branches);
        while let Some(mut branch) = branches.pop() {
            branches.append(&mut branch.tree.branches);
        }
    }
}

impl WakeupTree {
    /// Goes down the first branch: becomes what follows its first event. The other branches come apart.
    pub fn descend(&mut self) -> Option<(Explored, WakeupTree)> {
        if self.branches.is_empty() {
            return None;
        }
        let Branch { event, tree } = self.branches.remove(0);
        Some((event, std::mem::replace(self, tree)))
    }

    /// Inserts a sequence unless a branch covers it (Algorithm 3 of the Event-DPOR paper, without
    /// messages). Says whether the tree has a new leaf.
    pub fn insert(&mut self, mut sequence: Reversal<'_>) -> bool {
        let mut tree = self;
        'descend: loop {
            for at in 0..tree.branches.len() {
                let event = &tree.branches[at].event;
                if !event.is_weak_initial(&sequence) {
                    continue;
                }
                // What the branch covers without sharing an event is found again below it.
                let Some(member) = sequence.next_of(event.task) else {
                    return false;
                };
                sequence.remove(member);
                let is_leaf = tree.branches[at].tree.branches.is_empty();
                if sequence.is_empty() || is_leaf {
                    return false;
                }
                tree = &mut tree.branches[at].tree;
                continue 'descend;
            }
            tree.append(&sequence);
            return true;
        }
    }

    /// Adds the first event of a sequence as a new branch behind the others.
    pub fn append_first(&mut self, sequence: &Reversal<'_>) {
        let first = sequence.sequence().next();
        self.branches.extend(first.map(|(task, choice, touches)| Branch {
            event: Explored { task, choice, touches: SmallVec::from_slice(touches) },
            tree: WakeupTree::default(),
        }));
    }

    /// Adds a sequence as a new branch behind the others.
    fn append(&mut self, sequence: &Reversal<'_>) {
        let mut tree = self;
        for (task, choice, touches) in sequence.sequence() {
            let event = Explored { task, choice, touches: SmallVec::from_slice(touches) };
            tree.branches.push(Branch { event, tree: WakeupTree::default() });
            tree = &mut tree.branches.last_mut().expect("just pushed").tree;
        }
    }
}
