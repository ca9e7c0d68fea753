//! The shortest cycle of a graph that has one.
//!
//! Breadth-first from every node that may lie on a cycle. Exact as long as that stays within a budget of steps; after
//! that the shortest cycle found so far is returned, which is still a cycle.

use crate::graph::Graph;

/// Edges looked at before the search is content with what it has.
const BUDGET: usize = 200_000_000;
const UNSEEN: u32 = u32::MAX;

/// The edges of a shortest cycle, in order. Empty if the graph, whose topological sort was tried, has none.
pub(crate) fn shortest(graph: &Graph) -> Vec<(u32, u32)> {
    let mut suspect = vec![true; graph.nodes()];
    for &node in graph.order() {
        suspect[node as usize] = false;
    }
    let mut search =
        Search { parent: vec![UNSEEN; graph.nodes()], queue: Vec::new(), budget: BUDGET };
    let mut best: Vec<(u32, u32)> = Vec::new();
    for start in (0..graph.nodes() as u32).filter(|&node| suspect[node as usize]) {
        let shorter_than = if best.is_empty() { usize::MAX } else { best.len() };
        if let Some(cycle) = search.from(graph, &suspect, start, shorter_than) {
            best = cycle;
        }
        if search.budget == 0 && !best.is_empty() {
            break;
        }
    }
    best
}

struct Search {
    parent: Vec<u32>,
    queue: Vec<(u32, u32)>,
    budget: usize,
}

impl Search {
    /// A shortest cycle through `start`, if it has fewer than `shorter_than` edges.
    fn from(
        &mut self,
        graph: &Graph,
        suspect: &[bool],
        start: u32,
        shorter_than: usize,
    ) -> Option<Vec<(u32, u32)>> {
        for &(node, _) in &self.queue {
            self.parent[node as usize] = UNSEEN;
        }
        self.queue.clear();
        self.queue.push((start, 0));
        let mut next = 0;
        while next < self.queue.len() {
            let (node, depth) = self.queue[next];
            next += 1;
            if depth as usize + 1 >= shorter_than {
                return None;
            }
            for &successor in graph.successors(node) {
                self.budget = self.budget.saturating_sub(1);
                if successor == start {
                    return Some(self.unwind(start, node));
                }
                if suspect[successor as usize] && self.parent[successor as usize] == UNSEEN {
                    self.parent[successor as usize] = node;
                    self.queue.push((successor, depth + 1));
                }
            }
        }
        None
    }

    fn unwind(&self, start: u32, end: u32) -> Vec<(u32, u32)> {
        let mut edges = vec![(end, start)];
        let mut at = end;
        while at != start {
            let parent = self.parent[at as usize];
            edges.push((parent, at));
            at = parent;
        }
        edges.reverse();
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_shorter_of_two_cycles() {
        let mut graph = Graph::default();
        graph.build(7, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 4), (5, 6)]);
        assert!(!graph.sort());
        assert_eq!(shortest(&graph), [(4, 5), (5, 4)]);
    }

    #[test]
    fn a_loop_is_a_cycle() {
        let mut graph = Graph::default();
        graph.build(2, &[(0, 1), (1, 1)]);
        assert!(!graph.sort());
        assert_eq!(shortest(&graph), [(1, 1)]);
    }
}
