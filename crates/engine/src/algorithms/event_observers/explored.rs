//! An explored execution, as its reversals are looked for: its events, their order as far as something is read, who
//! reads what whom wrote, and what would have been possible at its end.

use super::imagined::{Events, Imagined, Scripts};
use super::wanted::Target;
use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use crate::pace::Pace;
use crate::relation::{Order, Relation};
use crate::watch::Watch;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The slots that an event reads, each with the event that wrote what it reads; `None`: nobody did.
pub type Sources = SmallVec<[(u32, Option<usize>); 2]>;

/// What can be said of an execution only while the program stands at its end.
#[derive(Clone, Default, Debug)]
pub struct End {
    /// Tasks that have not ended.
    pub alive: Vec<TaskId>,
    /// Operations of them that wait for ever.
    pub waiting: Vec<Waiting>,
    /// What `finally` reads, in the order in which it does, if the execution is complete.
    pub final_reads: Option<Vec<u32>>,
    /// For each event how many alternatives it had.
    pub alternatives: Vec<u32>,
}

/// An operation that waits for ever.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The operation.
    pub target: Target,
    /// The events that it follows whatever the schedule.
    pub past: SmallVec<[u32; 2]>,
}

/// An explored execution.
pub struct Explored {
    /// Its events.
    pub execution: Execution,
    /// Their order ([`Order::Reads`]).
    pub relation: Relation,
    /// What each event reads.
    pub sources: Vec<Sources>,
    /// What is known of its end.
    pub end: End,
    imagined: Imagined,
}

impl Explored {
    /// Computes the relation of an execution, unless the time is up.
    pub fn new(execution: Execution, end: End, scripts: &Scripts, watch: &Watch) -> Option<Self> {
        let mut relation = Relation::default();
        let (touches, past) =
            (|event| execution.touches(event), |event| execution.program_past(event));
        if !relation.compute(Order::Reads, execution.len(), touches, past, &[], watch) {
            return None;
        }
        let sources = (0..execution.len()).map(|event| relation.sources(event)).collect();
        let imagined = scripts.imagine(&execution, &end);
        Some(Explored { execution, relation, sources, end, imagined })
    }

    /// The initial permits of semaphores, by slot.
    pub fn permits(&self) -> &FxHashMap<u32, i64> {
        &self.imagined.permits
    }

    /// Its events, and how those who wait at its end would go on.
    pub fn events(&self) -> Events<'_> {
        Events::new(&self.execution, &self.imagined)
    }

    /// All its events.
    pub fn all(&self) -> Bits {
        bits::first(self.execution.len(), self.relation.words())
    }

    /// Takes out an event and all that happens after it.
    pub fn drop_from(&self, members: &mut [u64], event: usize) {
        bits::remove(members, event);
        for later in bits::iter_from(&Bits::from_slice(members), event + 1) {
            if self.relation.happens_before(event, later) {
                bits::remove(members, later);
            }
        }
    }

    /// Adds an event and all that happens before it.
    pub fn add_with_past(&self, members: &mut [u64], event: usize) {
        bits::insert(members, event);
        bits::union(members, self.relation.before(event));
    }

    /// Does an event happen after one of these, or is it one?
    pub fn is_needed(&self, event: usize, past: &[u32]) -> bool {
        crate::algorithms::sequences::needs(&self.relation, past, event as u32)
    }
}

/// Names classes of executions.
#[derive(Default)]
pub struct Names {
    relation: Relation,
    positions: Vec<u32>,
    names: Vec<Fingerprint>,
}

impl Names {
    /// The name of the class of these events, performed in this order, and then looked at by `finally`.
    /// The same for two orders exactly if the same happens in them and everybody reads what the same event wrote. An event may
    /// pick another alternative than it did. Nothing if the time is up.
    pub fn class(
        &mut self,
        events: Events<'_>,
        order: &[usize],
        changed: Option<(usize, u32)>,
        final_reads: Option<&[u32]>,
        watch: &Watch,
    ) -> Option<Fingerprint> {
        let Names { relation, positions, names } = self;
        positions.clear();
        positions.resize(events.len(), u32::MAX);
        order.iter().enumerate().for_each(|(at, &event)| positions[event] = at as u32);
        let past = |at: usize| -> SmallVec<[u32; 4]> {
            let past = events.past(order[at]).iter();
            past.map(|&event| positions[event as usize]).collect()
        };
        let touches = |at: usize| events.touches(order[at]);
        if !relation.compute(Order::Reads, order.len(), touches, past, &[], watch) {
            return None;
        }
        let mut pace = Pace::new(watch);
        names.clear();
        for (at, &event) in order.iter().enumerate() {
            let it = events.event(event);
            let choice = changed.filter(|&(other, _)| other == event).map_or(it.choice, |it| it.1);
            let past = bits::iter(relation.before(at)).map(|earlier| names[earlier]);
            let past = past.fold(Fingerprint::default(), Fingerprint::and);
            let own = Fingerprint::of_event(it.task, it.index, choice).touching(touches(at));
            let sources = relation.sources(at);
            let name =
                sources.iter().fold(own, |name, &(_, from)| name.and(source(names, from)).mixed());
            names.push(name.and(past.mixed()).mixed());
            if pace.is_up_after(at) {
                return None;
            }
        }
        let all = names.iter().copied().fold(Fingerprint::default(), Fingerprint::and);
        let Some(final_reads) = final_reads else { return Some(all) };
        Some(final_reads.iter().fold(all.mixed(), |name, &slot| {
            name.plus(u64::from(slot)).and(source(names, relation.last_writer(slot))).mixed()
        }))
    }
}

fn source(names: &[Fingerprint], writer: Option<usize>) -> Fingerprint {
    writer.map_or(Fingerprint::default(), |writer| names[writer])
}
