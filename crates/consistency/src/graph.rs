//! The graph of the fixed edges over all nodes, in compressed rows, with its topological order.

/// A directed graph with buffers that survive from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    start: Vec<u32>,
    target: Vec<u32>,
    order: Vec<u32>,
    incoming: Vec<u32>,
}

impl Graph {
    /// Builds the graph over `nodes` nodes. Time and memory: nodes + edges.
    pub(crate) fn build(&mut self, nodes: usize, edges: &[(u32, u32)]) {
        self.start.clear();
        self.start.resize(nodes + 2, 0);
        self.incoming.clear();
        self.incoming.resize(nodes, 0);
        // Two places ahead, so that filling the rows leaves every row's start where it belongs.
        for &(from, to) in edges {
            self.start[from as usize + 2] += 1;
            self.incoming[to as usize] += 1;
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

    /// Sorts topologically (Kahn). False when there is a cycle; then [`Graph::order`] holds what comes before every cycle.
    pub(crate) fn sort(&mut self) -> bool {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend((0..self.nodes() as u32).filter(|&node| self.incoming[node as usize] == 0));
        let mut next = 0;
        while next < order.len() {
            let node = order[next] as usize;
            next += 1;
            for place in self.start[node]..self.start[node + 1] {
                let successor = self.target[place as usize];
                let left = &mut self.incoming[successor as usize];
                *left -= 1;
                if *left == 0 {
                    order.push(successor);
                }
            }
        }
        self.order = order;
        self.order.len() == self.nodes()
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
        assert_eq!(graph.order(), [2, 1, 3, 0]);
        graph.build(3, &[(0, 1), (1, 2), (2, 1)]);
        assert!(!graph.sort());
        assert_eq!(graph.order(), [0]);
    }
}
