//! The graph of the fixed edges over all nodes, in compressed rows, with its topological order.

/// A directed graph with buffers that survive from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    start: Vec<u32>,
    target: Vec<u32>,
    order: Vec<u32>,
    incoming: Vec<u32>,
    stack: Vec<u32>,
}

impl Graph {
    /// Builds the graph over `nodes` nodes. Time and memory: nodes + edges.
    pub(crate) fn build(&mut self, nodes: usize, edges: &[(u32, u32)]) {
        self.start.clear();
        self.start.resize(nodes + 2, 0);
        self.incoming.clear();
        self.incoming.resize(nodes, 0);
        // Two places ahead, so that filling the rows leaves every row's start where it belongs.
        for &(from, _) in edges {
            self.start[from as usize + 2] += 1;
        }
        for node in 2..nodes + 2 {
            self.start[node] += self.start[node - 1];
        }
        self.target.clear();
        self.target.resize(edges.len(), 0);
        for &(from, to) in edges {
            let place = &mut self.start[from as usize + 1];
            self.target[*place as usize] = to;
            *place += 1;
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.incoming.len()
    }

    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.target[self.start[node] as usize..self.start[node + 1] as usize]
    }

    /// Sorts topologically. False when there is a cycle; then [`Graph::order`] holds what comes before every cycle.
    pub(crate) fn sort(&mut self) -> bool {
        self.sort_with(&[])
    }

    /// Sorts topologically as if `extra`, sorted by source, were edges too. Kahn's algorithm with a stack instead of a
    /// queue: neighbours in a message mostly stay neighbours in the order, which keeps later passes in the cache.
    pub(crate) fn sort_with(&mut self, extra: &[(u32, u32)]) -> bool {
        let Self { start, target, order, incoming, stack } = self;
        incoming.fill(0);
        for &to in target.iter().chain(extra.iter().map(|(_, to)| to)) {
            incoming[to as usize] += 1;
        }
        order.clear();
        stack.clear();
        stack.extend((0..incoming.len() as u32).rev().filter(|&node| incoming[node as usize] == 0));
        while let Some(node) = stack.pop() {
            order.push(node);
            let row = start[node as usize] as usize..start[node as usize + 1] as usize;
            let mut visit = |successor: u32| {
                let left = &mut incoming[successor as usize];
                *left -= 1;
                if *left == 0 {
                    stack.push(successor);
                }
            };
            target[row].iter().for_each(|&successor| visit(successor));
            if !extra.is_empty() {
                let first = extra.partition_point(|&(from, _)| from < node);
                extra[first..]
                    .iter()
                    .take_while(|&&(from, _)| from == node)
                    .for_each(|&(_, to)| visit(to));
            }
        }
        order.len() == incoming.len()
    }

    /// The topological order found by [`Graph::sort`].
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_or_reports_a_cycle() {
        let mut graph = Graph::default();
        graph.build(4, &[(2, 1), (1, 0), (2, 3), (3, 0)]);
        assert_eq!(graph.successors(2), [1, 3]);
        assert!(graph.sort());
        assert_eq!(graph.order(), [2, 3, 1, 0]);
        assert!(graph.sort_with(&[(1, 3)]));
        assert_eq!(graph.order(), [2, 1, 3, 0]);
        assert!(!graph.sort_with(&[(0, 2)]));
        graph.build(3, &[(0, 1), (1, 2), (2, 1)]);
        assert!(!graph.sort());
        assert_eq!(graph.order(), [0]);
    }
}
