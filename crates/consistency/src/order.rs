//! The order problem: groups of messages to be put in total orders, over a graph of fixed edges.
//!
//! This is what consistency is once events and variables are forgotten, and the entry point for callers that build it in
//! memory. One [`OrderProblem`] is meant to be reused: [`OrderProblem::reset`] keeps every buffer, so problems of some
//! hundred nodes are solved without touching the allocator much.
//!
//! ```
//! use mazurka_consistency::order::{Message, OrderProblem, Status};
//! use mazurka_consistency::{Limits, Policy};
//!
//! // Two posters (nodes 0 and 1) post two messages (2..=3 and 4..=5) to one queue.
//! let mut problem = OrderProblem::new();
//! problem.reset(6);
//! let queue = problem.group(Policy::Fifo);
//! let a = problem.message(Message { post: Some(0), ..Message::complete(queue, 2, 3) });
//! let b = problem.message(Message { post: Some(1), ..Message::complete(queue, 4, 5) });
//! problem.edge(5, 2); // something in a reads what the end of b wrote
//! assert_eq!(problem.solve(&Limits::default()), Status::Ordered);
//! assert_eq!(problem.order(queue), [b, a]);
//!
//! problem.edge(0, 1); // but a was posted first
//! assert_eq!(problem.solve(&Limits::default()), Status::Contradiction);
//! assert_eq!(problem.core(), [(0, 1), (5, 2)]);
//! ```

use crate::bits::ones;
use crate::core_edges;
use crate::graph::Graph;
use crate::limits::{Limit, Limits};
use crate::policy::Policy;
use crate::proof::{Kind, Proof};
use crate::sat::{Found, Sat};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of a group, in the order in which they were added.
pub type GroupId = u32;
/// Number of a message, over all groups, in the order in which they were added.
pub type MessageId = u32;

/// A message that is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The group that executes it.
    pub group: GroupId,
    /// The node that posts it; `None`: it is there from the beginning (before all posts, in no order with others like it).
    pub post: Option<u32>,
    /// Who posted it; only looked at under [`Policy::P2p`].
    pub sender: u32,
    /// Its first node.
    pub get: u32,
    /// Its last node (so far).
    pub last: u32,
    /// Has it ended? One that has not comes last in its group.
    pub complete: bool,
}

impl Message {
    /// A complete message that is there from the beginning; set `post` and `sender` where they matter.
    #[must_use]
    pub fn complete(group: GroupId, get: u32, last: u32) -> Self {
        Self { group, post: None, sender: 0, get, last, complete: true }
    }
}

/// A message that was posted and is never executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    /// The group it was posted to.
    pub group: GroupId,
    /// The node that posts it.
    pub post: u32,
    /// Who posted it; only looked at under [`Policy::P2p`].
    pub sender: u32,
}

/// A group: messages of which one is executed at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) policy: Policy,
}

/// Is there an order?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Yes: [`OrderProblem::order`] has it.
    Ordered,
    /// No: [`OrderProblem::core`] says because of which fixed edges.
    Contradiction,
    /// A limit came first.
    Unknown(Limit),
}

/// How a contradiction came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contradiction {
    /// The fixed edges alone are cyclic.
    FixedCycle,
    /// Two messages of one group have not ended.
    TwoUnfinished,
    /// The proof of the search ends with the empty clause.
    Proof,
    /// A solver says so and gives no proof.
    #[cfg(feature = "smt")]
    Unproven,
}

/// Most terminals for which dense matrices are built: 128 MiB each.
const MOST_TERMINALS: usize = 1 << 15;
/// Most pairs of messages: some 100 bytes each.
const MOST_PAIRS: usize = 1 << 22;

/// A problem, its solver, its answer. See the [module](self) for an example.
#[derive(Debug, Default)]
pub struct OrderProblem {
    nodes: usize,
    /// With the extra nodes for pending messages.
    graph_nodes: usize,
    edges: Vec<(u32, u32)>,
    groups: Vec<Group>,
    messages: Vec<Message>,
    pending: Vec<Pending>,
    ordered: Vec<(MessageId, MessageId)>,
    all_edges: Vec<(u32, u32)>,
    given: Vec<(MessageId, MessageId)>,
    chains: Vec<(u32, u32)>,
    pub(crate) graph: Graph,
    pub(crate) sat: Sat,
    contradiction: Option<Contradiction>,
    order: Vec<MessageId>,
    core: Vec<(u32, u32)>,
    finder: core_edges::Finder,
}

impl OrderProblem {
    /// A problem without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything but the buffers; the next problem has the nodes `0..nodes`.
    pub fn reset(&mut self, nodes: usize) {
        self.nodes = nodes;
        self.edges.clear();
        self.groups.clear();
        self.messages.clear();
        self.pending.clear();
        self.ordered.clear();
    }

    /// A fixed edge: `from` comes before `to`.
    ///
    /// # Panics
    /// If one of them is no node.
    pub fn edge(&mut self, from: u32, to: u32) {
        assert!(
            from.max(to) < self.nodes as u32,
            "edge {from} -> {to} leaves the {} nodes",
            self.nodes
        );
        self.edges.push((from, to));
    }

    /// Fixed edges from every node of a bit set (bit i of word w: node 64 w + i) to `node`.
    ///
    /// # Panics
    /// If one of them is no node.
    pub fn predecessors(&mut self, node: u32, set: &[u64]) {
        for before in ones(set) {
            self.edge(before as u32, node);
        }
    }

    /// A new group.
    pub fn group(&mut self, policy: Policy) -> GroupId {
        self.groups.push(Group { policy });
        self.groups.len() as GroupId - 1
    }

    /// A message. The edges post -> get -> last are understood. Each node may be the get of at most one message, the last
    /// node of at most one. A node may post several messages; their order in one group stays open unless
    /// [`OrderProblem::before`] states it.
    ///
    /// # Panics
    /// If a node or the group does not exist.
    pub fn message(&mut self, message: Message) -> MessageId {
        let highest = message.get.max(message.last).max(message.post.unwrap_or(0));
        assert!(highest < self.nodes as u32, "a message leaves the {} nodes", self.nodes);
        assert!(
            (message.group as usize) < self.groups.len(),
            "group {} does not exist",
            message.group
        );
        self.messages.push(message);
        self.messages.len() as MessageId - 1
    }

    /// A message that is never executed. Under FIFO it was posted after all executed messages of its group, under
    /// [`Policy::P2p`] after those of its sender.
    ///
    /// # Panics
    /// If a node or the group does not exist.
    pub fn pending(&mut self, pending: Pending) {
        assert!(
            pending.post < self.nodes as u32,
            "a pending message leaves the {} nodes",
            self.nodes
        );
        assert!(
            (pending.group as usize) < self.groups.len(),
            "group {} does not exist",
            pending.group
        );
        self.pending.push(pending);
    }

    /// `first` is executed before `second`, a message of the same group.
    ///
    /// # Panics
    /// If they are of different groups.
    pub fn before(&mut self, first: MessageId, second: MessageId) {
        let group = |message: MessageId| self.messages[message as usize].group;
        assert!(
            first != second && group(first) == group(second),
            "only messages of one group are ordered"
        );
        self.ordered.push((first, second));
    }

    /// Finds an order for every group, or a contradiction.
    pub fn solve(&mut self, limits: &Limits<'_>) -> Status {
        if let Err(status) = self.prepare() {
            return status;
        }
        match self.sat.solve(&self.given, self.groups.len(), limits) {
            Found::Order => {
                self.read_order();
                Status::Ordered
            }
            Found::Contradiction => {
                self.sat.proof.trim();
                self.refuted(Contradiction::Proof)
            }
            Found::Stopped(limit) => Status::Unknown(limit),
        }
    }

    /// Everything before the search: edges, topological order, terminals.
    pub(crate) fn prepare(&mut self) -> Result<(), Status> {
        self.contradiction = None;
        self.collect_edges();
        self.graph.build(self.graph_nodes, &self.all_edges);
        if !self.graph.sort() {
            return Err(self.refuted(Contradiction::FixedCycle));
        }
        if !self.collect_given() {
            return Err(self.refuted(Contradiction::TwoUnfinished));
        }
        let terminals = &mut self.sat.theory.terminals;
        terminals.assign(self.graph_nodes, &self.groups, &self.messages);
        let pairs: usize =
            (0..self.groups.len()).map(|g| terminals.group(g).len().pow(2) / 2).sum();
        if terminals.len() > MOST_TERMINALS || pairs > MOST_PAIRS {
            return Err(self.only_run());
        }
        terminals.connect(&self.graph);
        Ok(())
    }

    /// Too large for matrices: one optimistic run over all nodes, which may be lucky.
    fn only_run(&mut self) -> Status {
        let Self { sat, graph, groups, messages, given, .. } = self;
        if !given.is_empty() {
            return Status::Unknown(Limit::Size);
        }
        let terminals = &mut sat.theory.terminals;
        terminals.assign_all(graph.nodes(), groups, messages);
        if !sat.run.run(terminals, graph, groups.len()) {
            return Status::Unknown(Limit::Size);
        }
        self.order.clear();
        for group in 0..groups.len() {
            let first = self.order.len();
            self.order.extend_from_slice(terminals.group(group));
            self.order[first..].sort_unstable_by_key(|&message| {
                sat.run.when[messages[message as usize].get as usize]
            });
        }
        Status::Ordered
    }

    /// The fixed edges, then those that messages and pending messages bring with them.
    fn collect_edges(&mut self) {
        self.all_edges.clear();
        self.all_edges.extend_from_slice(&self.edges);
        for message in &self.messages {
            self.all_edges.extend(message.post.map(|post| (post, message.get)));
            self.all_edges
                .extend((message.get != message.last).then_some((message.get, message.last)));
        }
        self.graph_nodes = self.nodes;
        if !self.pending.is_empty() {
            self.collect_pending();
        }
    }

    /// Executed messages are posted before pending ones. An extra node for each lane of a mailbox keeps that linear.
    fn collect_pending(&mut self) {
        let Self { all_edges, messages, pending, groups, graph_nodes, .. } = self;
        let lane = |group: GroupId, sender: u32| match groups[group as usize].policy {
            Policy::Fifo => Some((group, 0)),
            Policy::P2p => Some((group, sender)),
            Policy::Multiset => None,
        };
        let (mut lanes, mut posts) = (FxHashMap::default(), FxHashSet::default());
        for waiting in pending.iter() {
            let Some(lane) = lane(waiting.group, waiting.sender) else {
                continue;
            };
            let node = *lanes.entry(lane).or_insert_with(|| {
                *graph_nodes += 1;
                *graph_nodes as u32 - 1
            });
            all_edges.push((node, waiting.post));
            posts.insert((lane, waiting.post));
        }
        for message in messages.iter() {
            let Some(post) = message.post else { continue };
            let Some(key) = lane(message.group, message.sender) else {
                continue;
            };
            let Some(&node) = lanes.get(&key) else {
                continue;
            };
            if posts.contains(&(key, post)) {
                // One node posts both: through the lane it would come before itself.
                let others =
                    posts.iter().filter(|&&(other_lane, other)| other_lane == key && other != post);
                all_edges.extend(others.map(|&(_, other)| (post, other)));
            } else {
                all_edges.push((post, node));
            }
        }
    }

    /// The orders that hold from the start; false if two messages of a group have not ended.
    fn collect_given(&mut self) -> bool {
        let Self { given, ordered, messages, groups, .. } = self;
        given.clear();
        given.extend_from_slice(ordered);
        for (index, message) in messages.iter().enumerate() {
            let early =
                message.post.is_none() && groups[message.group as usize].policy == Policy::Fifo;
            if message.complete && !early {
                continue;
            }
            let others = messages
                .iter()
                .enumerate()
                .filter(|&(other, m)| other != index && m.group == message.group);
            for (other, also) in others {
                if !message.complete {
                    if !also.complete {
                        return false;
                    }
                    given.push((other as u32, index as u32));
                }
                if early && also.post.is_some() {
                    given.push((index as u32, other as u32));
                }
            }
        }
        true
    }

    pub(crate) fn refuted(&mut self, contradiction: Contradiction) -> Status {
        self.contradiction = Some(contradiction);
        Status::Contradiction
    }

    fn read_order(&mut self) {
        let terminals = &self.sat.theory.terminals;
        self.order.clear();
        for group in 0..self.groups.len() {
            let first = self.order.len();
            self.order.extend_from_slice(terminals.group(group));
            let sat = &self.sat;
            self.order[first..].sort_unstable_by(|&a, &b| match a == b {
                true => std::cmp::Ordering::Equal,
                false => sat.before(b, a).cmp(&sat.before(a, b)),
            });
        }
    }

    /// The messages of a group, in the order found by the last [`OrderProblem::solve`] that said [`Status::Ordered`].
    #[must_use]
    pub fn order(&self, group: GroupId) -> &[MessageId] {
        let start = &self.sat.theory.terminals.start;
        &self.order[start[group as usize] as usize..start[group as usize + 1] as usize]
    }

    /// Takes the order that another solver found: the value (1: true) of each literal.
    pub(crate) fn set_order_by(&mut self, value: &[i8]) {
        self.sat.take_values(value);
        self.read_order();
    }

    /// All nodes in an order that the fixed edges and the orders found allow; `None` if those are cyclic after all.
    #[must_use]
    pub fn linearise(&mut self) -> Option<Vec<u32>> {
        let mut chains = std::mem::take(&mut self.chains);
        chains.clear();
        for group in 0..self.groups.len() {
            self.chain(group as GroupId, &mut chains);
        }
        chains.sort_unstable();
        let acyclic = self.graph.sort_with(&chains);
        self.chains = chains;
        let real = |&node: &u32| (node as usize) < self.nodes;
        acyclic.then(|| self.graph.order().iter().copied().filter(real).collect())
    }

    /// The edges between neighbours in the order of a group.
    fn chain(&self, group: GroupId, chains: &mut Vec<(u32, u32)>) {
        let policy = self.groups[group as usize].policy;
        let mut latest = FxHashMap::default();
        let mut previous: Option<&Message> = None;
        for &id in self.order(group) {
            let message = &self.messages[id as usize];
            chains.extend(previous.map(|before| (before.last, message.get)));
            previous = Some(message);
            let lane = if policy == Policy::P2p { message.sender } else { 0 };
            if policy != Policy::Multiset
                && let Some(post) = message.post
                && let Some(before) = latest.insert(lane, post)
                && before != post
            {
                chains.push((before, post));
            }
        }
    }

    /// After [`Status::Contradiction`]: fixed edges (as given to [`OrderProblem::edge`], sorted) that together contradict
    /// each other. The problem with these fixed edges alone has no order either. Small, but not always minimal.
    #[must_use]
    pub fn core(&mut self) -> &[(u32, u32)] {
        self.core.clear();
        match self.contradiction {
            Some(Contradiction::Proof) => {
                // `linearise` is only for orders, so the graph still is the one of the fixed edges.
                let (terminals, proof) = (&self.sat.theory.terminals, &self.sat.proof);
                self.finder.clear();
                for (_, _, segments) in proof.kept().filter(|(kind, ..)| *kind == Kind::Theory) {
                    for &(from, to) in segments {
                        let (from, to) =
                            (terminals.node[from as usize], terminals.node[to as usize]);
                        self.finder.path(&self.graph, from, to, &mut self.core);
                    }
                }
            }
            Some(Contradiction::FixedCycle) => {
                self.core.extend(crate::cycle::shortest(&self.graph));
            }
            #[cfg(feature = "smt")]
            Some(Contradiction::Unproven) => self.core.extend_from_slice(&self.edges),
            Some(Contradiction::TwoUnfinished) | None => {}
        }
        self.core.sort_unstable();
        self.core.dedup();
        // Edges that messages bring with them are there in any case.
        self.finder.keep_known(&self.edges, &mut self.core);
        &self.core
    }

    /// After [`Status::Contradiction`]: nodes that together contradict each other. Any smaller problem that has all of
    /// them, with what is fixed between them, has no order either. `None` if that is not known.
    #[must_use]
    pub fn core_nodes(&mut self) -> Option<Vec<u32>> {
        let mut edges = Vec::new();
        let mut nodes = Vec::new();
        match self.contradiction? {
            Contradiction::Proof => {
                let terminals = &self.sat.theory.terminals;
                self.finder.clear();
                for (_, lits, segments) in self.sat.proof.kept() {
                    for &lit in lits {
                        let (first, second) = self.sat.theory.messages(lit);
                        nodes.extend([first, second].map(|id| self.messages[id as usize].get));
                    }
                    for &(from, to) in segments {
                        let node = |terminal: u32| terminals.node[terminal as usize];
                        nodes.extend([node(from), node(to)]);
                        self.finder.path(&self.graph, node(from), node(to), &mut edges);
                    }
                }
            }
            Contradiction::FixedCycle => edges.extend(crate::cycle::shortest(&self.graph)),
            _ => return None,
        }
        for &(from, to) in &edges {
            nodes.extend([from, to]);
            // A post comes before pending ones only if its message is executed.
            let to_pending = to as usize >= self.nodes || self.pending.iter().any(|p| p.post == to);
            let posted = self.messages.iter().filter(|message| message.post == Some(from));
            nodes.extend(posted.filter(|_| to_pending).map(|message| message.get));
        }
        nodes.retain(|&node| (node as usize) < self.nodes);
        nodes.sort_unstable();
        nodes.dedup();
        Some(nodes)
    }

    #[cfg(test)]
    pub(crate) fn keep_edges(&mut self, edges: &[(u32, u32)]) {
        self.edges.clear();
        self.edges.extend_from_slice(edges);
    }

    /// How many conflicts and decisions the last search took: 0 and 0 when it was settled without one.
    #[must_use]
    pub fn effort(&self) -> (u64, u64) {
        (self.sat.conflicts, self.sat.decisions)
    }

    pub(crate) fn contradiction(&self) -> Option<Contradiction> {
        self.contradiction
    }

    pub(crate) fn proof(&self) -> &Proof {
        &self.sat.proof
    }

    pub(crate) fn given(&self) -> &[(MessageId, MessageId)] {
        &self.given
    }
}
