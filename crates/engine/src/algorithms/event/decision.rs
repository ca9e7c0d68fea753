//! Can a scenario be performed in any order at all? Asked when the quick steps of [`super::realise`] do not say.
//!
//! **What**: the question becomes an order problem of the consistency crate. Nodes are the events;
//! fixed edges are happens-before and what a leading message asks for; each handler is a group whose
//! messages are to be put in a row. **Guarantee**: sound and complete, the answer comes with an order. Where messages
//! are taken to run to their ends, what they do then is not asked for, and the order must be tried.
//! **Cost**: NP-hard in general; a conflict-driven search over pairs of messages of one handler, which
//! mostly ends without a decision. The problem and its solver are reused by all questions of a thread.

use super::scenario::{Core, Lead, Scenario};
use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use crate::program::Mailbox;
use crate::reversal::{Last, Member};
use crate::touch::{Touch, conflict};
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
    /// Messages in queues that do nothing among the events but may run through. Each has one node, behind the others.
    strangers: Vec<TaskId>,
    /// When to stop.
    watch: Watch,
    /// Has a question been left open since somebody asked?
    has_given_up: bool,
}

/// From now on questions of this thread are given up when the time of an exploration is up.
pub fn watch(watch: Watch) {
    WORKSPACE.with_borrow_mut(|workspace| workspace.watch = watch);
}

/// Has a question been left open since this was last asked? Then something may have been passed over.
pub fn has_given_up() -> bool {
    WORKSPACE.with_borrow_mut(|workspace| std::mem::take(&mut workspace.has_given_up))
}

/// An order in which the scenario can be performed, or events that are to blame. What is given up, because the time is up or
/// some thousand messages of one handler are to be ordered, counts as impossible ([`has_given_up`]).
pub fn decide(scenario: Scenario<'_>) -> Result<Vec<Member>, Core> {
    if !scenario.is_plausible() {
        return Err(None);
    }
    WORKSPACE.with_borrow_mut(|workspace| {
        let mut decision = Decision { execution: scenario.execution(), scenario, workspace };
        decision.find_strangers();
        decision.number();
        decision.order_as_happens_before();
        decision.put_strangers_off();
        for place in Place::all(scenario) {
            decision.add(&place).ok_or(None)?;
        }
        decision.solve()
    })
}

/// A question that is being put into the words of the solver. Functions that return an `Option` return
/// nothing if there is no order.
struct Decision<'d, 'w> {
    execution: &'d Execution,
    scenario: Scenario<'d>,
    workspace: &'w mut Workspace,
}

/// Messages that start on a handler, and where.
type Starts = SmallVec<[(TaskId, u32); 8]>;

impl Decision<'_, '_> {
    /// If messages run to their ends, those do too that are posted to a FIFO mailbox and do not start.
    fn find_strangers(&mut self) {
        let (execution, scenario) = (self.execution, self.scenario);
        self.workspace.strangers.clear();
        if !scenario.all_end {
            return;
        }
        for place in Place::all(scenario).filter(|p| p.mailbox == Mailbox::Fifo) {
            let posted = execution.posted(place.id).iter().copied();
            let is_stranger = |&message: &TaskId| {
                let post = execution.creator(message);
                let is_posted = post.is_some_and(|post| bits::contains(scenario.members, post));
                (is_posted || place.queue.contains(&message))
                    && !place.starting.contains(&message)
                    && scenario.last.is_none_or(|last| last.task != message)
                    && scenario.lead.is_none_or(|lead| lead.message != message)
            };
            self.workspace.strangers.extend(posted.filter(is_stranger));
        }
    }

    /// The node of the first of the messages that may run through.
    fn first_stranger(&self) -> u32 {
        self.workspace.events.len() as u32 + u32::from(self.scenario.last.is_some())
    }

    /// The messages that may run through, and where.
    fn strangers(&self) -> Starts {
        self.workspace.strangers.iter().copied().zip(self.first_stranger()..).collect()
    }

    /// Messages that run through come after whatever they conflict with, as far as is known what they do.
    fn put_strangers_off(&mut self) {
        let execution = self.execution;
        for (message, node) in self.strangers() {
            let post = self.post_of(message);
            let events = execution.events_of(message).iter().map(|&event| event as usize);
            let touches: SmallVec<[Touch; 8]> =
                events.flat_map(|event| execution.touches(event)).copied().collect();
            let conflicts = |last: &&Last| conflict(&touches, &last.touches);
            let last = self.scenario.last.filter(conflicts).and_then(|_| self.last_node());
            let others = touches.iter().flat_map(|&touch| execution.conflicting_with(touch));
            let others: SmallVec<[u32; 8]> = others.filter_map(|event| self.node(event)).collect();
            for before in others.into_iter().chain(post).chain(last) {
                self.edge(before, node);
            }
        }
    }

    /// Gives each event a node.
    fn number(&mut self) {
        let Workspace { problem, events, nodes, strangers, .. } = &mut *self.workspace;
        events.clear();
        events.extend(bits::iter(self.scenario.members));
        nodes.clear();
        nodes.resize(self.execution.len(), u32::MAX);
        for (node, &event) in events.iter().enumerate() {
            nodes[event] = node as u32;
        }
        problem.reset(events.len() + usize::from(self.scenario.last.is_some()) + strangers.len());
    }

    fn node(&self, event: usize) -> Option<u32> {
        bits::contains(self.scenario.members, event).then(|| self.workspace.nodes[event])
    }

    /// The node of the second event of the race.
    fn last_node(&self) -> Option<u32> {
        self.scenario.last.map(|_| self.workspace.events.len() as u32)
    }

    fn edge(&mut self, from: u32, to: u32) {
        self.workspace.problem.edge(from, to);
    }

    fn order_as_happens_before(&mut self) {
        let execution = self.execution;
        for node in 0..self.workspace.events.len() {
            let event = self.workspace.events[node];
            self.follow(node as u32, &execution.before(event));
        }
        if let (Some(last), Some(node)) = (self.scenario.last, self.last_node()) {
            let all = self.scenario.members;
            self.follow(node, if self.scenario.last_at_end { all } else { &last.before });
        }
    }

    /// Edges to `node` from the members of `before`, but those that come before others of them.
    fn follow(&mut self, node: u32, before: &[u64]) {
        let mut rest = Bits::from_slice(before);
        bits::intersect(&mut rest, self.scenario.members);
        while let Some(event) = bits::last(&rest) {
            self.edge(self.workspace.nodes[event], node);
            bits::remove(&mut rest, event);
            bits::subtract(&mut rest, &self.execution.before(event));
        }
    }

    /// A handler becomes a group.
    fn add(&mut self, place: &Place) -> Option<()> {
        let starts = self.starts(place);
        let lead = self.scenario.lead;
        let lead = lead.filter(|lead| self.execution.handler(lead.message) == Some(place.id));
        let policy = match place.mailbox {
            Mailbox::Fifo => Policy::Fifo,
            Mailbox::Multiset => Policy::Multiset,
        };
        let group = self.workspace.problem.group(policy);
        if let Some(lead) = lead {
            self.let_lead(place, &starts, lead)?;
        }
        self.add_pending(place, &starts, group);
        if starts.is_empty() {
            return Some(());
        }
        if let Some(active) = place.active {
            let release = self.release_of(active)?;
            for &(_, start) in &starts {
                self.edge(release, start);
            }
        }
        self.add_messages(place, &starts, group)
    }

    /// The messages that start, the second event of the race included.
    fn starts(&self, place: &Place) -> Starts {
        let start = |&message: &TaskId| {
            let start = self.execution.start_of(message).expect("it starts");
            (message, self.workspace.nodes[start])
        };
        let mut starts: Starts = place.starting.iter().map(start).collect();
        if self.scenario.last_starts_on(place.id) {
            starts.extend(self.scenario.last.map(|last| last.task).zip(self.last_node()));
        }
        starts
    }

    /// What a message does among the members, in order.
    fn nodes_of(&self, message: TaskId) -> SmallVec<[u32; 8]> {
        let own = self.execution.events_of(message).iter();
        let own = own.filter_map(|&event| self.node(event as usize));
        let last = self.scenario.last.filter(|last| last.task == message);
        own.chain(last.and_then(|_| self.last_node())).collect()
    }

    /// The event with which a message that is running at the point makes room for others.
    fn release_of(&self, active: TaskId) -> Option<u32> {
        let own = self.nodes_of(active);
        // What a leading message has still to do is not seen; others wait for all that is.
        let leads = self.scenario.lead.is_some_and(|lead| lead.message == active);
        if leads { own.first().copied() } else { own.last().copied() }
    }

    /// What must be behind the leading message follows it.
    fn let_lead(&mut self, place: &Place, starts: &Starts, lead: &Lead) -> Option<()> {
        let mut first = self.nodes_of(lead.message);
        first.extend(bits::iter(&lead.barrier).filter_map(|event| self.node(event)));
        first.extend(self.last_node().filter(|_| lead.barrier_has_last));
        for &(message, start) in starts {
            if self.scenario.is_behind_lead(lead, message) {
                if first.contains(&start) {
                    return None;
                }
                for &node in &first {
                    self.edge(node, start);
                }
            }
        }
        if place.mailbox == Mailbox::Fifo
            && let Some(post) = self.post_of(lead.message)
        {
            for &other in self.execution.posted(place.id) {
                if let Some(later) = self.post_of(other).filter(|_| other != lead.message) {
                    self.edge(post, later);
                }
            }
        }
        Some(())
    }

    fn post_of(&self, message: TaskId) -> Option<u32> {
        self.execution.creator(message).and_then(|post| self.node(post))
    }

    /// Messages that are posted to a FIFO mailbox and do not start are behind all that do, unless they run through. A
    /// leading one will have gone.
    fn add_pending(&mut self, place: &Place, starts: &Starts, group: GroupId) {
        if place.mailbox == Mailbox::Multiset || self.scenario.all_end {
            return;
        }
        for &message in self.execution.posted(place.id) {
            let waits = starts.iter().all(|&(other, _)| other != message)
                && self.scenario.lead.is_none_or(|lead| lead.message != message);
            if let Some(post) = self.post_of(message).filter(|_| waits) {
                self.workspace.problem.pending(Pending { group, post, sender: 0 });
            }
        }
    }

    fn add_messages(&mut self, place: &Place, starts: &Starts, group: GroupId) -> Option<()> {
        let is_fifo = place.mailbox == Mailbox::Fifo;
        let mut ids: SmallVec<[u32; 8]> = SmallVec::new();
        for &(message, get) in starts {
            let is_last = Some(get) == self.last_node();
            let queued = !is_fifo || place.queue.contains(&message);
            let post = if queued { None } else { Some(self.post_of(message)?) };
            let last = *self.nodes_of(message).last().expect("it starts");
            let complete = !is_last && self.scenario.completes(message);
            let it = Message { group, post, sender: 0, get, last, complete };
            ids.push(self.workspace.problem.message(it));
        }
        if !is_fifo {
            return Some(());
        }
        let mut running: SmallVec<[TaskId; 8]> =
            starts.iter().map(|&(message, _)| message).collect();
        let strangers = self.strangers().into_iter();
        for (message, node) in
            strangers.filter(|&(message, _)| self.execution.handler(message) == Some(place.id))
        {
            let post = self.post_of(message);
            let it = Message { post, ..Message::complete(group, node, node) };
            ids.push(self.workspace.problem.message(it));
            running.push(message);
        }
        self.keep_queue(place, &running, &ids)
    }

    /// Messages in the queue start in its order; nothing passes one that does not start.
    fn keep_queue(&mut self, place: &Place, running: &[TaskId], ids: &[u32]) -> Option<()> {
        let id = |message: TaskId| {
            running.iter().position(|&other| other == message).map(|index| ids[index])
        };
        let leaving = place.queue.iter().take_while(|&&message| id(message).is_some()).count();
        if leaving < place.queue.len()
            && running.iter().any(|message| !place.queue[..leaving].contains(message))
        {
            return None;
        }
        for pair in place.queue[..leaving].windows(2) {
            if let (Some(first), Some(second)) = (id(pair[0]), id(pair[1])) {
                self.workspace.problem.before(first, second);
            }
        }
        Some(())
    }

    fn solve(&mut self) -> Result<Vec<Member>, Core> {
        let first_stranger = self.first_stranger();
        let Workspace { problem, events, watch, has_given_up, .. } = &mut *self.workspace;
        let limits =
            Limits { deadline: watch.deadline(), cancel: watch.cancel(), ..Limits::default() };
        match problem.solve(&limits) {
            Status::Contradiction => return Err(self.core()),
            Status::Unknown(_) => {
                *has_given_up = true;
                return Err(None);
            }
            Status::Ordered => {}
        }
        let order = problem.linearise().expect("the orders that were found fit together");
        let member =
            |node: u32| events.get(node as usize).map_or(Member::Last, |&e| Member::Event(e));
        Ok(order.into_iter().filter(|&node| node < first_stranger).map(member).collect())
    }

    /// The events that the last contradiction is about, the second event of the race aside.
    fn core(&mut self) -> Core {
        let nodes = self.workspace.problem.core_nodes()?;
        let mut core = bits::empty(self.execution.words());
        let events = nodes.iter().filter_map(|&node| self.workspace.events.get(node as usize));
        events.for_each(|&event| bits::insert(&mut core, event));
        Some(core)
    }
}

/// A handler that takes part.
#[derive(Clone, Debug)]
struct Place {
    /// Which.
    id: HandlerId,
    /// Its policy.
    mailbox: Mailbox,
    /// The message that it is running.
    active: Option<TaskId>,
    /// Posted and not started, for FIFO mailboxes.
    queue: Vec<TaskId>,
    /// Messages that start among the members, in the order of the explored execution.
    starting: Vec<TaskId>,
}

impl Place {
    /// The handlers that have messages, as they are at a point.
    fn all(scenario: Scenario<'_>) -> impl Iterator<Item = Place> {
        let execution = scenario.execution();
        (0..execution.handler_count())
            .map(HandlerId::from)
            .filter(|&id| !execution.posted(id).is_empty())
            .map(move |id| Place::new(scenario, id))
    }

    fn new(scenario: Scenario<'_>, id: HandlerId) -> Self {
        let execution = scenario.execution();
        let mailbox = execution.mailbox(id);
        let queue = match mailbox {
            Mailbox::Fifo => scenario.point.queue(id),
            Mailbox::Multiset => Vec::new(),
        };
        let starts = bits::common(scenario.members, execution.starts_on(id));
        let starting = bits::iter(&starts).map(|start| execution.events()[start].task).collect();
        Place { id, mailbox, active: scenario.point.active(id), queue, starting }
    }
}

impl Scenario<'_> {
    /// Messages that are not complete must be the last of their handler; are there few enough?
    fn is_plausible(self) -> bool {
        Place::all(self).all(|place| {
            let starts_last = self.last_starts_on(place.id);
            let starting = place.starting.len() + usize::from(starts_last);
            let cut = place.starting.iter().filter(|&&message| !self.completes(message)).count();
            let blocked = place.active.is_some_and(|message| !self.completes(message));
            starting == 0 || (!blocked && cut + usize::from(starts_last) <= 1)
        })
    }
}
