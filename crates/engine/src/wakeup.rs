//! Wakeup trees and the explored events beside them.
//!
//! Definition 7 of the Event-DPOR paper; the trees come from Abdulla, Aronis, Jonsson, Sagonas, "Optimal
//! dynamic partial order reduction", POPL 2014. What an order of events is, is said by the sequences
//! ([`WakeupSequence`]); the trees are the same for every relation.

use crate::execution::Execution;
use crate::ids::TaskId;
use crate::reversal::{Member, Reversal};
use crate::touch::Touch;
use smallvec::SmallVec;

/// What a wakeup tree asks of a sequence that is being placed in it.
pub trait WakeupSequence {
    /// One of its events.
    type Member: Copy;

    /// Will a sequence that a branch covers without sharing an event with it be found again below the
    /// branch? Then it need not be placed there.
    const FOUND_AGAIN: bool;

    /// The first event of `task` in the sequence.
    fn next_of(&self, task: TaskId) -> Option<Self::Member>;

    /// The alternative that a member picks.
    fn choice(&self, member: Self::Member) -> u32;

    /// Does nothing in the sequence happen before this member?
    fn is_initial(&self, member: Self::Member) -> bool;

    /// Would something in the sequence happen before an event behind it that touches these?
    fn conflicts(&self, touches: &[Touch]) -> bool;

    /// Takes a member out: it has been placed.
    fn remove(&mut self, member: Self::Member);

    /// Is nothing left to place?
    fn is_empty(&self) -> bool;

    /// What is left, in an order in which it can be performed.
    fn sequence(&self) -> impl Iterator<Item = (TaskId, u32, &[Touch])> + '_;
}

impl WakeupSequence for Reversal<'_> {
    type Member = Member;

    const FOUND_AGAIN: bool = true;

    fn next_of(&self, task: TaskId) -> Option<Member> {
        Reversal::next_of(self, task)
    }

    fn choice(&self, member: Member) -> u32 {
        Reversal::choice(self, member)
    }

    fn is_initial(&self, member: Member) -> bool {
        Reversal::is_initial(self, member)
    }

    fn conflicts(&self, touches: &[Touch]) -> bool {
        Reversal::conflicts(self, touches)
    }

    fn remove(&mut self, member: Member) {
        Reversal::remove(self, member);
    }

    fn is_empty(&self) -> bool {
        Reversal::is_empty(self)
    }

    fn sequence(&self) -> impl Iterator<Item = (TaskId, u32, &[Touch])> + '_ {
        Reversal::sequence(self)
    }
}

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
    /// An event of an execution.
    pub fn performed(execution: &Execution, event: usize) -> Self {
        let it = &execution.events()[event];
        let touches = SmallVec::from_slice(execution.touches(event));
        Explored { task: it.task, choice: it.choice, touches }
    }

    /// Is it a weak initial of the sequence: can the sequence, or something that contains it, begin with
    /// this event? (Definition 4, for events that do not start a message on a contended handler.)
    pub fn is_weak_initial(&self, sequence: &impl WakeupSequence) -> bool {
        match sequence.next_of(self.task) {
            Some(member) => sequence.choice(member) == self.choice && sequence.is_initial(member),
            None => !sequence.conflicts(&self.touches),
        }
    }

    /// Is it an initial of the sequence: one of its events, with nothing in it before?
    pub fn is_initial(&self, sequence: &impl WakeupSequence) -> bool {
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
    /// Inserts a sequence unless a branch covers it (Algorithm 3 of the Event-DPOR paper, without
    /// messages). Says whether the tree has a new leaf.
    pub fn insert(&mut self, sequence: impl WakeupSequence) -> bool {
        self.insert_below(sequence, |_| true)
    }

    /// The same, where only the branches from the root that `may_cover` allows lead anywhere.
    pub fn insert_below(
        &mut self,
        mut sequence: impl WakeupSequence,
        may_cover: impl Fn(&Explored) -> bool,
    ) -> bool {
        let mut tree = self;
        let mut at_root = true;
        'descend: loop {
            for at in 0..tree.branches.len() {
                let event = &tree.branches[at].event;
                if !event.is_weak_initial(&sequence) || (at_root && !may_cover(event)) {
                    continue;
                }
                if !place(event.task, &mut sequence) {
                    return false;
                }
                let is_leaf = tree.branches[at].tree.branches.is_empty();
                if sequence.is_empty() || is_leaf {
                    return false;
                }
                tree = &mut tree.branches[at].tree;
                at_root = false;
                continue 'descend;
            }
            tree.append(&sequence);
            return true;
        }
    }

    /// Adds the first event of a sequence as a new branch behind the others.
    pub fn append_first(&mut self, sequence: &impl WakeupSequence) {
        let first = sequence.sequence().next();
        self.branches.extend(first.map(|(task, choice, touches)| Branch {
            event: Explored { task, choice, touches: SmallVec::from_slice(touches) },
            tree: WakeupTree::default(),
        }));
    }

    /// Adds a sequence as a new branch behind the others.
    fn append(&mut self, sequence: &impl WakeupSequence) {
        let mut tree = self;
        for (task, choice, touches) in sequence.sequence() {
            let event = Explored { task, choice, touches: SmallVec::from_slice(touches) };
            tree.branches.push(Branch { event, tree: WakeupTree::default() });
            tree = &mut tree.branches.last_mut().expect("just pushed").tree;
        }
    }
}

/// Places the next event of `task`, which a branch begins with. Says whether what is left must be placed below
/// the branch.
fn place<S: WakeupSequence>(task: TaskId, sequence: &mut S) -> bool {
    match sequence.next_of(task) {
        Some(member) => sequence.remove(member),
        None => return !S::FOUND_AGAIN,
    }
    true
}
