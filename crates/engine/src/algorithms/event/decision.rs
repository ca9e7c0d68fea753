//! Can a scenario be performed in any order at all? Asked when the quick steps of [`super::realise`] do not say, or do not say why not.
//!
//! **What**: the question becomes an order problem of the consistency crate. Nodes are the events;
//! fixed edges are happens-before; each handler is a group whose messages are to be put in a row. **Guarantee**: sound and complete, the
//! answer comes with an order, or with the events that are to blame.
//! **Cost**: NP-hard in general; a conflict-driven search over pairs of messages of one handler, which
//! mostly ends without a decision. The problem and its solver are reused by all questions of a thread.

use super::scenario::{Core, Order, Scenario};
use crate::bits::{self, Bits};
use crate::ids::{HandlerId, TaskId};
use crate::program::Mailbox;
use crate::watch::Watch;
use mazurka_consistency::order::{GroupId, Message, OrderProblem, Pending, Status};
use mazurka_consistency::{Limits, Policy};
use smallvec::SmallVec;
use std::cell::RefCell;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// What questions leave to the next one: memory.
#[derive(Default)]
struct Workspace {
    problem: OrderProblem,
    /// The event of each node; the second event of the race has the node behind them.
    events: Vec<usize>,
    /// The node of each event that is a member.
    nodes: Vec<u32>,
    /// When to stop.
    watch: Watch,
    /// How many questions were put since somebody asked.
    asked: u64,
    /// Has one of them been left open?
    has_given_up: bool,
}

/// What has been asked of the solver.
pub struct Asked {
    /// How many questions.
    pub questions: u64,
    /// Has one been left open? Then something may have been passed over.
    pub has_given_up: bool,
}

/// From now on questions of this thread are given up when the time of an exploration is up.
pub fn watch(watch: Watch) {
    WORKSPACE.with_borrow_mut(|workspace| workspace.watch = watch);
}

/// What has been asked since this was called last.
pub fn asked() -> Asked {
    WORKSPACE.with_borrow_mut(|workspace| Asked {
        questions: std::mem::take(&mut workspace.asked),
        has_given_up: std::mem::take(&mut workspace.has_given_up),
    })
}

/// An order in which the scenario can be performed, or events that are to blame. What is given up, because the time is up or
/// some thousand messages of one handler are to be ordered, counts as impossible ([`Asked::has_given_up`]).
pub fn decide(scenario: Scenario<'_>) -> Result<Order, Core> {
    if !is_plausible(scenario) {
        return Err(None);
    }
    WORKSPACE.with_borrow_mut(|workspace| {
        workspace.asked += 1;
        let mut decision = Decision { scenario, workspace };
        decision.number();
        decision.order_as_happens_before();
        for id in (0..scenario.execution.handler_count()).map(HandlerId::from) {
            decision.add(id);
        }
        decision.solve()
    })
}

/// Messages that are not complete must be the last of their handler; are there few enough?
fn is_plausible(scenario: Scenario<'_>) -> bool {
    (0..scenario.execution.handler_count()).map(HandlerId::from).all(|id| {
        let cut = scenario.starting_on(id).filter(|&message| !scenario.completes(message)).count();
        cut + usize::from(scenario.last_starts_on(id)) <= 1
    })
}

/// A question that is being put into the words of the solver.
struct Decision<'d, 'w> {
    scenario: Scenario<'d>,
    workspace: &'w mut Workspace,
}

/// Messages that start on a handler, and where.
type Starts = SmallVec<[(TaskId, u32); 8]>;

impl Decision<'_, '_> {
    /// Gives each event a node.
    fn number(&mut self) {
        let Workspace { problem, events, nodes, .. } = &mut *self.workspace;
        events.clear();
        events.extend(bits::iter(self.scenario.members));
        nodes.clear();
        nodes.resize(self.scenario.execution.len(), u32::MAX);
        for (node, &event) in events.iter().enumerate() {
            nodes[event] = node as u32;
        }
        problem.reset(events.len() + usize::from(self.scenario.last.is_some()));
    }

    fn node(&self, event: usize) -> Option<u32> {
        bits::contains(self.scenario.members, event).then(|| self.workspace.nodes[event])
    }

    /// The node of the second event of the race.
    fn last_node(&self) -> Option<u32> {
        self.scenario.last.map(|_| self.workspace.events.len() as u32)
    }

    fn order_as_happens_before(&mut self) {
        let Scenario { execution, members, .. } = self.scenario;
        for node in 0..self.workspace.events.len() {
            let event = self.workspace.events[node];
            self.follow(node as u32, &execution.before(event));
        }
        if let Some(node) = self.last_node() {
            self.follow(node, members);
        }
    }

    /// Edges to `node` from the members of `before`, but those that come before others of them.
    fn follow(&mut self, node: u32, before: &[u64]) {
        let mut rest = Bits::from_slice(before);
        bits::intersect(&mut rest, self.scenario.members);
        while let Some(event) = bits::last(&rest) {
            let Workspace { problem, nodes, .. } = &mut *self.workspace;
            problem.edge(nodes[event], node);
            bits::remove(&mut rest, event);
            bits::subtract(&mut rest, &self.scenario.execution.before(event));
        }
    }

    /// A handler becomes a group.
    fn add(&mut self, id: HandlerId) {
        let policy = match self.scenario.execution.mailbox(id) {
            Mailbox::Fifo => Policy::Fifo,
            Mailbox::Multiset => Policy::Multiset,
        };
        let group = self.workspace.problem.group(policy);
        let starts = self.starts(id);
        if policy == Policy::Fifo {
            self.leave_in_queue(id, group);
        }
        for &(message, get) in &starts {
            let is_last = Some(get) == self.last_node();
            let post = self.post_of(message).filter(|_| policy == Policy::Fifo);
            let last = *self.nodes_of(message).last().unwrap_or(&get);
            let complete = !is_last && self.scenario.completes(message);
            self.workspace.problem.message(Message { group, post, sender: 0, get, last, complete });
        }
    }

    /// The messages that start, the second event of the race included.
    fn starts(&self, id: HandlerId) -> Starts {
        let start = |message: TaskId| {
            let start = self.scenario.execution.start_of(message).expect("it starts");
            (message, self.workspace.nodes[start])
        };
        let mut starts: Starts = self.scenario.starting_on(id).map(start).collect();
        if self.scenario.last_starts_on(id) {
            starts.extend(self.scenario.last.map(|last| last.task).zip(self.last_node()));
        }
        starts
    }

    /// What a message does, in order.
    fn nodes_of(&self, message: TaskId) -> SmallVec<[u32; 8]> {
        let own = self.scenario.events_of(message).map(|event| self.workspace.nodes[event]);
        let last = self.scenario.last.filter(|last| last.task == message);
        own.chain(last.and_then(|_| self.last_node())).collect()
    }

    fn post_of(&self, message: TaskId) -> Option<u32> {
        self.scenario.execution.creator(message).and_then(|post| self.node(post))
    }

    /// Messages that are posted to a FIFO mailbox and do not start are behind all that do.
    fn leave_in_queue(&mut self, id: HandlerId, group: GroupId) {
        for &message in self.scenario.execution.posted(id) {
            let starts = !self.nodes_of(message).is_empty();
            if let Some(post) = self.post_of(message).filter(|_| !starts) {
                self.workspace.problem.pending(Pending { group, post, sender: 0 });
            }
        }
    }

    fn solve(&mut self) -> Result<Order, Core> {
        let Workspace { problem, events, watch, has_given_up, .. } = &mut *self.workspace;
        let limits =
            Limits { deadline: watch.deadline(), cancel: watch.cancel(), ..Limits::default() };
        match problem.solve(&limits) {
            Status::Contradiction => return Err(self.core()),
            Status::Unknown(_) => {
                *has_given_up = true;
                // Nothing is to blame, so nothing else is tried.
                return Err(Some(bits::empty(self.scenario.execution.words())));
            }
            Status::Ordered => {}
        }
        let order = problem.linearise().expect("the orders that were found fit together");
        let event = |node: u32| events.get(node as usize).map(|&event| event as u32);
        Ok(order.into_iter().filter_map(event).collect())
    }

    /// The events that the last contradiction is about, the second event of the race aside.
    fn core(&mut self) -> Core {
        let nodes = self.workspace.problem.core_nodes()?;
        let mut core = bits::empty(self.scenario.execution.words());
        let events = nodes.iter().filter_map(|&node| self.workspace.events.get(node as usize));
        events.for_each(|&event| bits::insert(&mut core, event));
        Some(core)
    }
}
