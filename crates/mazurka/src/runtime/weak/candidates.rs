//! What the next access of a task may read, and where it may write.

use super::Graph;
use super::access::{Announced, Candidate, Deed, Happened, Key, Kind, Operation, Outcome, Source};
use super::location::Location;
use crate::runtime::clock::Clock;
use mazurka_engine::{Access, Effect, Mode, TaskId};
use smallvec::{SmallVec, smallvec};

/// The outcomes of an access; the first is what happens by default.
pub(crate) type Candidates = SmallVec<[Candidate; 1]>;

impl Graph {
    /// The outcomes that the next access of a task can have.
    pub(crate) fn candidates(&mut self, task: TaskId, access: &Announced) -> Candidates {
        let mut found: Candidates = smallvec![Candidate::default()];
        let is_exchange = matches!(access.kind, Kind::Exchange(_));
        let Some(own) = self.tasks.get(task.index()) else { return found };
        let Some(location) = self.locations.get(&access.object) else { return found };
        let newest = location.stores.len();
        let floor = location.floor(&own.past.hb) / 2;
        if floor == newest {
            return found;
        }
        let positions = (floor..newest).rev();
        let coherent: SmallVec<[Candidate; 4]> = positions
            .filter_map(|position| self.at(location, access, position))
            .filter(|candidate| {
                // The stores come before the loads, so they need not be asked. But which outcomes an exchange has must not
                // depend on loads while it may be one itself.
                let conflicts = !is_exchange && candidate.place.is_some();
                conflicts && !location.readers.is_empty()
                    || self.passes_stores(location, &own.trace, candidate)
            })
            .collect();
        // Then its outcomes depend on the loads before it, so it conflicts with them.
        let exclusive = is_exchange && coherent.iter().any(|candidate| candidate.place.is_some());
        found[0].exclusive = exclusive;
        let held: SmallVec<[Candidate; 4]> = coherent
            .into_iter()
            .filter(|candidate| self.passes_loads(location, &own.trace, candidate))
            .collect();
        for candidate in held {
            let candidate = Candidate { exclusive, ..candidate };
            if self.is_allowed(task, access, candidate) {
                found.push(candidate);
            }
        }
        found
    }

    /// The candidate that reads the store at this position, or writes behind it.
    fn at(&self, location: &Location, access: &Announced, position: usize) -> Option<Candidate> {
        let source = location.store(position);
        let reads = Some(source);
        // An update stays behind what it reads.
        let place = Some(position).filter(|&place| !location.is_update(place));
        let (reads, place) = match access.kind {
            Kind::Load => (reads, None),
            Kind::Store => (None, Some(place?)),
            Kind::Update => (reads, Some(place?)),
            Kind::Exchange(expected) if self.key_of(access.object, source) == expected => {
                (reads, Some(place?))
            }
            Kind::Exchange(_) => (reads, None),
        };
        Some(Candidate { reads, place, exclusive: false })
    }

    /// Do the stores that this candidate puts behind itself come before it for another reason than their conflict? It is enough to
    /// ask the last one: the others come before that.
    fn passes_stores(&self, location: &Location, trace: &Clock, candidate: &Candidate) -> bool {
        let last = location.last_store;
        last.is_none_or(|store| stays(location, candidate, last) || self.is_known(trace, store))
    }

    /// Do the loads that it puts behind itself? (It does if they have read what comes behind it.) It is enough to ask the last ones.
    fn passes_loads(&self, location: &Location, trace: &Clock, candidate: &Candidate) -> bool {
        let is_last = |reader: &u32| {
            let one = &self.nodes[*reader as usize];
            !location.readers.iter().any(|other| {
                other != reader && self.nodes[*other as usize].trace.has(one.task, one.step)
            })
        };
        // Loads do not conflict with each other.
        candidate.place.is_none()
            || location.readers.iter().filter(|reader| is_last(reader)).all(|&reader| {
                let saw = match &self.nodes[reader as usize].deed {
                    Deed::Atomic(access) => access.reads.flatten(),
                    Deed::Fence(_) | Deed::Other(_) => None,
                };
                stays(location, candidate, saw) || self.is_known(trace, reader)
            })
    }

    fn is_known(&self, trace: &Clock, node: u32) -> bool {
        let node = &self.nodes[node as usize];
        trace.has(node.task, node.step)
    }

    /// Does it leave one order of all that is `SeqCst`, as far as its past knows?
    fn is_allowed(&mut self, task: TaskId, access: &Announced, candidate: Candidate) -> bool {
        let mode = match (candidate.reads, candidate.place) {
            (_, None) => Mode::Read,
            (None, Some(_)) => Mode::Write,
            (Some(_), Some(_)) => Mode::Update,
        };
        let is_failure = mode == Mode::Read && matches!(access.kind, Kind::Exchange(_));
        let order = if is_failure { access.failure } else { access.order };
        if self.sequential == 0 && order != std::sync::atomic::Ordering::SeqCst {
            return true;
        }
        let mode = if candidate.exclusive { Mode::Update } else { mode };
        let past = self.trace_of(task, access.object, mode);
        let performed = Access { object: access.object, mode, read: 0, written: 0 };
        self.push(&Happened {
            task,
            handler: None,
            accesses: &[performed],
            effect: Effect::None,
            plain: false,
            operation: Some(Operation::Access(*access)),
            candidate,
            outcome: Outcome {
                order,
                reads: candidate.reads.is_some(),
                written: candidate.place.map(|_| Key::default()),
            },
            initial: Key::default(),
            rewritten: &[],
        });
        let allowed = self.is_ordered(Some(&past));
        self.pop();
        allowed
    }
}

/// Does what was read or stored so stay before this candidate?
fn stays(location: &Location, candidate: &Candidate, saw: Source) -> bool {
    2 * location.position(saw) < location.rank_of(candidate.reads, candidate.place)
}
