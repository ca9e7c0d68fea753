//! Wakeup trees whose branches may have parked sequences.

use super::kept::Moves;
use super::redundancy::Kind;
use super::wakeup_sequence::WakeupSequence;
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use crate::reversal::{Last, Member};
use crate::touch::Touch;
use crate::wakeup::Explored;

/// An ordered tree of sequences that wait to be explored (Definition 7).
#[derive(Default, Debug)]
pub struct WakeupTree {
    /// The branches, in the order in which they will be explored.
    pub branches: Vec<Branch>,
    /// The only sequence, as long as nobody has asked for branches: most never branch.
    chain: Chain,
}

/// A sequence, last event first. It can be long, and many wait, so it takes little room.
#[derive(Default, Debug)]
struct Chain {
    links: Vec<Link>,
    /// What the events touch, one after the other.
    touches: Vec<Touch>,
    /// The alternatives and kinds of those that have one.
    special: Vec<(u32, Kind)>,
}

/// An event of a sequence.
#[derive(Debug)]
struct Link {
    task: TaskId,
    touches: u32,
    is_special: bool,
}

impl Chain {
    fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    fn push(&mut self, task: TaskId, choice: u32, touches: &[Touch], kind: Kind) {
        let is_special = choice != 0 || kind != Kind::Free;
        self.special.extend(is_special.then_some((choice, kind)));
        self.touches.extend_from_slice(touches);
        self.links.push(Link { task, touches: touches.len() as u32, is_special });
    }

    /// Takes the first event off.
    fn pop(&mut self) -> Option<(Explored, Kind)> {
        let Link { task, touches, is_special } = self.links.pop()?;
        let special = if is_special { self.special.pop() } else { None };
        let (choice, kind) = special.unwrap_or((0, Kind::Free));
        let touches = self.touches.drain(self.touches.len() - touches as usize..).collect();
        Some((Explored { task, choice, touches }, kind))
    }
}

/// A step down a tree.
#[derive(Debug)]
pub struct Descent {
    /// Who moves.
    pub task: TaskId,
    /// Which alternative it picks.
    pub choice: u32,
    /// Sequences whose place is known when everything behind the step has been explored.
    pub parked: Vec<Parked>,
    /// The branches that were not taken.
    pub others: WakeupTree,
}

/// A branch of a wakeup tree.
#[derive(Debug)]
pub struct Branch {
    /// Its first event.
    pub event: Explored,
    /// What kind of event that is.
    pub kind: Kind,
    /// What follows it.
    pub tree: WakeupTree,
    /// Sequences whose place is known when everything behind the first event has been explored.
    pub parked: Vec<Parked>,
}

/// A wakeup sequence that waits until a branch has been explored.
#[derive(Clone, Debug)]
pub struct Parked {
    /// The execution whose race it reverses.
    pub moves: Moves,
    /// The sequence, made of events of that execution.
    pub sequence: WakeupSequence,
    /// Is its order another one than that of the execution? It is long, so it is found again rather than kept.
    pub is_reordered: bool,
    /// What it must do without, to reverse the race.
    pub without: Option<usize>,
    /// The same for sequences that mean the same, whatever execution they come from.
    pub name: Fingerprint,
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
    /// Does nothing wait here?
    pub fn is_empty(&self) -> bool {
        self.branches.is_empty() && self.chain.is_empty()
    }

    /// How many branches wait here.
    pub fn len(&self) -> usize {
        self.branches.len() + usize::from(!self.chain.is_empty())
    }

    /// Goes down the first branch: becomes what follows its first event.
    pub fn descend(&mut self) -> Option<Descent> {
        if let Some((event, _)) = self.chain.pop() {
            let Explored { task, choice, .. } = event;
            return Some(Descent {
                task,
                choice,
                parked: Vec::new(),
                others: WakeupTree::default(),
            });
        }
        if self.branches.is_empty() {
            return None;
        }
        let Branch { event, tree, parked, .. } = self.branches.remove(0);
        let others = std::mem::replace(self, tree);
        Some(Descent { task: event.task, choice: event.choice, parked, others })
    }

    /// Makes the branches from here visible.
    pub fn unfold(&mut self) {
        if let Some((event, kind)) = self.chain.pop() {
            let tree = std::mem::take(self);
            self.branches.push(Branch { event, kind, tree, parked: Vec::new() });
        }
    }

    /// Adds a sequence, in this order, as a new branch behind the others.
    pub fn append(
        &mut self,
        execution: &Execution,
        order: impl Iterator<Item = Member>,
        last: &Last,
    ) {
        self.unfold();
        let order: Vec<Member> = order.collect();
        let mut chain = Chain { links: Vec::with_capacity(order.len()), ..Chain::default() };
        for &member in order.iter().rev() {
            match member {
                Member::Event(event) => {
                    let it = &execution.events()[event];
                    let kind = Kind::of(execution, event);
                    chain.push(it.task, it.choice, execution.touches(event), kind);
                }
                Member::Last => {
                    let kind = Kind::of_last(execution, last);
                    chain.push(last.task, last.choice, &last.touches, kind);
                }
            }
        }
        chain.touches.shrink_to_fit();
        let mut sequence = WakeupTree { branches: Vec::new(), chain };
        if self.branches.is_empty() {
            *self = sequence;
        } else {
            sequence.unfold();
            self.branches.append(&mut sequence.branches);
        }
    }
}
