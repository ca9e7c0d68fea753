//! Can some events of an explored execution be performed so that each reads what the same event wrote, in which order,
//! and if not, which of them are to blame?
//!
//! Whoever reads what somebody wrote comes behind every other write that came before the read, so all that is asked of reads
//! and writes is an order of pairs. Handlers are left to the solver of the consistency crate: sound and complete, NP-hard in general.

use super::explored::Explored;
use super::machine::Machine;
use super::wanted::Wanted;
use crate::bits::{self, Bits};
use crate::driver::Driver;
use crate::ids::{HandlerId, TaskId};
use crate::pace::Pace;
use crate::program::{Mailbox, Program};
use mazurka_consistency::order::{Message, OrderProblem, Pending, Status};
use mazurka_consistency::{Limits, Policy};
use smallvec::SmallVec;

/// An edge takes as long as so many words.
const WORK_FOR_AN_EDGE: usize = 16;

/// Finds orders. One is meant to be used again and again: it keeps its memory.
#[derive(Default)]
pub struct Orders {
    problem: OrderProblem,
    /// The node of each event.
    nodes: Vec<u32>,
    /// Edges that are there only because somebody reads, with that event.
    observed: Vec<(usize, usize, usize)>,
}

/// Why there is no order.
pub enum Refusal {
    /// One of these must go.
    Core(Bits),
    /// The solver has given up.
    Unknown,
}

impl Orders {
    /// An order in which these members can be performed as is wanted, the target behind them.
    pub fn find<P: Program>(
        &mut self,
        driver: &Driver<'_, P>,
        explored: &Explored,
        wanted: &Wanted,
        members: &[u64],
    ) -> Result<Vec<usize>, Refusal> {
        if is_possible_as_explored(explored, wanted, members) {
            return Ok(bits::iter(members).collect());
        }
        self.number(explored, wanted, members);
        let watch = driver.watch();
        let mut pace = Pace::new(watch);
        self.order_as_related(explored, members, &mut pace)?;
        self.order_as_read(explored, wanted, members, &mut pace)?;
        for handler in (0..explored.execution.handler_count()).map(HandlerId::from) {
            self.take_turns(explored, wanted, members, handler);
        }
        let limits =
            Limits { deadline: watch.deadline(), cancel: watch.cancel(), ..Limits::default() };
        let events: Vec<usize> = bits::iter(members).collect();
        match self.problem.solve(&limits) {
            Status::Ordered => {
                let order =
                    self.problem.linearise().expect("the orders that were found fit together");
                Ok(order.iter().filter_map(|&node| events.get(node as usize)).copied().collect())
            }
            Status::Contradiction => Err(Refusal::Core(self.core(&events, members))),
            Status::Unknown(_) => Err(Refusal::Unknown),
        }
    }

    /// Gives each event a node, and the target one behind them.
    fn number(&mut self, explored: &Explored, wanted: &Wanted, members: &[u64]) {
        self.nodes.clear();
        self.nodes.resize(explored.execution.len(), u32::MAX);
        let mut count = 0;
        for event in bits::iter(members) {
            self.nodes[event] = count;
            count += 1;
        }
        self.observed.clear();
        self.problem.reset(count as usize + usize::from(wanted.target.is_some()));
        if wanted.target.is_some() {
            (0..count).for_each(|node| self.problem.edge(node, count));
        }
    }

    /// Edges for the relation, but those that follow from others.
    fn order_as_related(
        &mut self,
        explored: &Explored,
        members: &[u64],
        pace: &mut Pace<'_>,
    ) -> Result<(), Refusal> {
        for event in bits::iter(members) {
            let mut rest = bits::common(explored.relation.before(event), members);
            while let Some(earlier) = bits::last(&rest) {
                self.problem.edge(self.nodes[earlier], self.nodes[event]);
                bits::remove(&mut rest, earlier);
                bits::subtract(&mut rest, explored.relation.before(earlier));
                go_on(pace, rest.len())?;
            }
        }
        Ok(())
    }

    /// What somebody reads was written behind all others that wrote it before the read. Where the relation says so it is said
    /// already.
    fn order_as_read(
        &mut self,
        explored: &Explored,
        wanted: &Wanted,
        members: &[u64],
        pace: &mut Pace<'_>,
    ) -> Result<(), Refusal> {
        let relation = &explored.relation;
        for reader in bits::iter(members) {
            for &(slot, writer) in &explored.sources[reader] {
                let Some(writer) = writer else { continue };
                for other in relation.writers(slot).take_while(|&other| other < reader) {
                    if other != writer
                        && bits::contains(members, other)
                        && !relation.happens_before(other, writer)
                    {
                        self.problem.edge(self.nodes[other], self.nodes[writer]);
                        self.observed.push((other, writer, reader));
                        go_on(pace, WORK_FOR_AN_EDGE)?;
                    }
                }
            }
        }
        for &(slot, writer) in &wanted.last_writes {
            for other in relation.writers(slot) {
                if other != writer && bits::contains(members, other) {
                    self.problem.edge(self.nodes[other], self.nodes[writer]);
                }
            }
        }
        Ok(())
    }

    /// The messages of a handler are put in a row.
    fn take_turns(
        &mut self,
        explored: &Explored,
        wanted: &Wanted,
        members: &[u64],
        handler: HandlerId,
    ) {
        let execution = &explored.execution;
        let is_queue = execution.mailbox(handler) == Mailbox::Fifo;
        let policy = if is_queue { Policy::Fifo } else { Policy::Multiset };
        let group = self.problem.group(policy);
        let target = wanted.target.as_ref();
        let target_node = bits::count(members);
        for &message in execution.posted(handler) {
            let own = target.filter(|target| target.task == message).map(|_| target_node);
            let nodes: SmallVec<[u32; 8]> =
                events_of(explored, members, message).map(|e| self.nodes[e]).chain(own).collect();
            let post = execution.creator(message).filter(|&post| bits::contains(members, post));
            let post = post.filter(|_| is_queue).map(|post| self.nodes[post]);
            let (Some(&get), Some(&last)) = (nodes.first(), nodes.last()) else {
                if let Some(post) = post {
                    self.problem.pending(Pending { group, post, sender: 0 });
                }
                continue;
            };
            let complete = own.is_none() && completes(explored, members, message);
            self.problem.message(Message { group, post, sender: 0, get, last, complete });
        }
    }

    /// The events that the last contradiction is about.
    fn core(&mut self, events: &[usize], members: &[u64]) -> Bits {
        let Some(nodes) = self.problem.core_nodes() else { return Bits::from_slice(members) };
        let mut core = bits::empty(members.len());
        let blamed = nodes.iter().filter_map(|&node| events.get(node as usize));
        blamed.for_each(|&event| bits::insert(&mut core, event));
        let pairs = core.clone();
        for &(first, second, reader) in &self.observed {
            if bits::contains(&pairs, first) && bits::contains(&pairs, second) {
                bits::insert(&mut core, reader);
            }
        }
        core
    }
}

/// So much has been done. If the time is up, nothing is known.
fn go_on(pace: &mut Pace<'_>, work: usize) -> Result<(), Refusal> {
    if pace.is_up_after(work) { Err(Refusal::Unknown) } else { Ok(()) }
}

/// The events of a message among the members.
pub fn events_of<'m>(
    explored: &'m Explored,
    members: &'m [u64],
    message: TaskId,
) -> impl Iterator<Item = usize> + 'm {
    let events = explored.execution.events_of(message).iter().map(|&event| event as usize);
    events.filter(|&event| bits::contains(members, event))
}

/// Does a message end among the members?
pub fn completes(explored: &Explored, members: &[u64], message: TaskId) -> bool {
    explored.execution.end_of(message).is_some_and(|end| bits::contains(members, end))
}

/// Is there nothing to be reordered?
fn is_possible_as_explored(explored: &Explored, wanted: &Wanted, members: &[u64]) -> bool {
    let is_last = |&(slot, writer): &(u32, usize)| {
        let written =
            explored.relation.writers(slot).filter(|&event| bits::contains(members, event));
        written.last() == Some(writer)
    };
    if !wanted.last_writes.iter().all(is_last) {
        return false;
    }
    let mut machine = Machine::new(explored);
    let is_admitted = bits::iter(members).all(|event| {
        let admits = machine.admits(event);
        machine.perform(event);
        admits
    });
    is_admitted && wanted.target.as_ref().is_none_or(|target| machine.admits_target(target))
}
