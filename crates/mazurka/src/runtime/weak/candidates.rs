//! What the next access of a task may read, and where it may write.

use super::Graph;
use super::access::{Announced, Candidate, Happened, Kind, Operation, Source};
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
        let Some(own) = self.tasks.get(task.index()) else { return found };
        let Some(location) = self.locations.get(&access.object) else { return found };
        let newest = location.stores.len();
        let floor = location.floor(&own.past.hb) / 2;
        if floor == newest {
            return found;
        }
        let foreseen: SmallVec<[Candidate; 4]> = (floor..newest)
            .rev()
            .filter_map(|position| {
                let candidate = self.at(location, access, position)?;
                self.is_held(location, &own.trace, candidate).then_some(candidate)
            })
            .collect();
        for candidate in foreseen {
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
        match access.kind {
            Kind::Load => Some(Candidate { reads, place: None }),
            Kind::Store => Some(Candidate { reads: None, place: Some(place?) }),
            Kind::Update => Some(Candidate { reads, place: Some(place?) }),
            Kind::Exchange(expected) if self.key_of(access.object, source) == expected => {
                Some(Candidate { reads, place: Some(place?) })
            }
            Kind::Exchange(_) => Some(Candidate { reads, place: None }),
        }
    }

    /// Does each access that this candidate puts behind itself come before it for another reason than their conflict? It is enough to
    /// ask the last ones: the others come before those.
    fn is_held(&self, location: &Location, trace: &Clock, candidate: Candidate) -> bool {
        let rank = location.rank_of(candidate.reads, candidate.place);
        let is_known = |node: u32| {
            let node = &self.nodes[node as usize];
            trace.has(node.task, node.step)
        };
        let stays = |saw: Source| 2 * location.position(saw) < rank;
        let last_store = || {
            location.last_store.is_none_or(|store| stays(location.last_store) || is_known(store))
        };
        if candidate.place.is_none() {
            // Loads do not conflict with each other.
            return last_store();
        }
        if location.readers.is_empty() {
            return last_store();
        }
        let is_last = |reader: u32| {
            let one = &self.nodes[reader as usize];
            !location.readers.iter().any(|&other| {
                other != reader && self.nodes[other as usize].trace.has(one.task, one.step)
            })
        };
        location.readers.iter().filter(|&&reader| is_last(reader)).all(|&reader| {
            let saw = match &self.nodes[reader as usize].deed {
                super::Deed::Atomic(access) => access.reads.flatten(),
                super::Deed::Fence(_) | super::Deed::Other(_) => None,
            };
            stays(saw) || is_known(reader)
        })
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
            order,
            key: super::access::Key::default(),
            initial: super::access::Key::default(),
            rewritten: &[],
        });
        let allowed = self.is_ordered(Some(&past));
        self.pop();
        allowed
    }
}
