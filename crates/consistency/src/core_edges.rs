//! From paths between terminals back to the fixed edges they consist of.

use crate::graph::Graph;
use rustc_hash::FxHashSet;

/// Finds shortest paths of fixed edges; remembers which pairs were asked for already.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    asked: FxHashSet<(u32, u32)>,
    known: FxHashSet<(u32, u32)>,
    parent: Vec<u32>,
    queue: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl Finder {
    pub(crate) fn clear(&mut self) {
        self.asked.clear();
    }

    /// Appends the edges of a shortest path, unless it was asked for before.
    pub(crate) fn path(&mut self, graph: &Graph, from: u32, to: u32, edges: &mut Vec<(u32, u32)>) {
        if from == to || !self.asked.insert((from, to)) {
            return;
        }
        self.parent.clear();
        self.parent.resize(graph.nodes(), UNSEEN);
        self.queue.clear();
        self.queue.push(from);
        let mut next = 0;
        while self.parent[to as usize] == UNSEEN && next < self.queue.len() {
            let node = self.queue[next];
            next += 1;
            for &successor in graph.successors(node) {
                if self.parent[successor as usize] == UNSEEN {
                    self.parent[successor as usize] = node;
                    self.queue.push(successor);
                }
            }
        }
        let mut at = to;
        while at != from && self.parent[at as usize] != UNSEEN {
            let parent = self.parent[at as usize];
            edges.push((parent, at));
            at = parent;
        }
    }

    /// Keeps the edges of `edges` that are among `given`.
    pub(crate) fn keep_known(&mut self, given: &[(u32, u32)], edges: &mut Vec<(u32, u32)>) {
        self.known.clear();
        self.known.extend(given.iter().copied());
        edges.retain(|edge| self.known.contains(edge));
    }
}
