//! The tree of performed sequences, with what was possible in each of their states.

use super::replay::Replay;
use super::sequence::{Change, Sequence};
use crate::ids::EventId;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// A state, known by the events that lead there.
#[derive(Default, Debug)]
struct Node {
    /// The events that have been performed from here, and where they lead: V of the paper.
    children: SmallVec<[(EventId, u32); 1]>,
    /// What the last event has changed.
    change: Change,
}

/// The sequences performed so far. The root is the initial state.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    initially: Vec<EventId>,
}

impl Tree {
    /// Nothing has been performed.
    pub fn new() -> Self {
        Tree { nodes: vec![Node::default()], initially: Vec::new() }
    }

    /// Takes note of a sequence.
    pub fn add(&mut self, sequence: &Sequence) {
        if self.initially.is_empty() {
            self.initially.clone_from(&sequence.initially);
        }
        let mut at = 0;
        for (position, &event) in sequence.events.iter().enumerate() {
            at = match self.child(at, event) {
                Some(child) => child,
                None => {
                    let change = sequence.changes[position].clone();
                    let child = self.nodes.len();
                    self.nodes.push(Node { children: SmallVec::new(), change });
                    self.nodes[at].children.push((event, child as u32));
                    child
                }
            };
        }
    }

    /// Would this plan only perform what has been performed? It is followed as a replay would perform it: what is known
    /// not to be possible is put off, and so the rest of a plan is found behind a prefix that it shares with another one.
    pub fn contains(&self, plan: &[EventId]) -> bool {
        let mut possible: FxHashSet<EventId> = self.initially.iter().copied().collect();
        let mut replay = Replay::new(plan);
        let mut at = 0;
        while let Some(event) = replay.next(|event| possible.contains(&event)) {
            let Some(child) = self.child(at, event) else { return false };
            let change = &self.nodes[child].change;
            possible.remove(&event);
            change.vanished.iter().for_each(|event| {
                possible.remove(event);
            });
            possible.extend(change.appeared.iter().copied());
            at = child;
        }
        true
    }

    fn child(&self, at: usize, event: EventId) -> Option<usize> {
        let mut children = self.nodes[at].children.iter();
        children.find(|&&(other, _)| other == event).map(|&(_, child)| child as usize)
    }
}
