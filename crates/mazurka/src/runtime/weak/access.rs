//! What happens to atomics: operations as they are announced, and accesses as they were performed.

use crate::runtime::clock::Clock;
use mazurka_engine::{Access as EngineAccess, Effect, HandlerId, ObjectId, TaskId};
use std::sync::atomic::Ordering;

/// A value of an atomic that can be compared across executions: an address counts from the beginning of the memory of its execution.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Key {
    pub is_address: bool,
    pub bits: i64,
}

/// A store of an atomic: the step that made it, or none for the value before the first.
pub(crate) type Source = Option<u32>;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Load,
    Store,
    Update,
    /// An update if it reads this, and a load otherwise.
    Exchange(Key),
}

/// An access of an atomic that a task has announced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Announced {
    pub object: ObjectId,
    pub kind: Kind,
    pub order: Ordering,
    /// The order of an exchange that fails.
    pub failure: Ordering,
}

/// An operation of the memory model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Access(Announced),
    Fence(Ordering),
}

/// An outcome of an access: what it reads, and before which of the stores so far it writes. By default the newest, and behind all.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Candidate {
    pub reads: Option<Source>,
    pub place: Option<usize>,
    /// Does it conflict with loads although it may turn out to be one? An exchange does that could succeed if fewer loads came before it.
    pub exclusive: bool,
}

impl Candidate {
    /// The same where steps have other numbers; none if the one that it reads is not there.
    pub(crate) fn renumbered(self, number: impl Fn(u32) -> Option<usize>) -> Option<Self> {
        let reads = match self.reads {
            Some(Some(step)) => Some(Some(number(step)? as u32)),
            reads => reads,
        };
        Some(Candidate { reads, ..self })
    }
}

/// How an access of an atomic turned out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub order: Ordering,
    pub reads: bool,
    /// What it wrote, if it did.
    pub written: Option<Key>,
}

/// A step that has been performed.
#[derive(Clone, Copy)]
pub(crate) struct Happened<'a> {
    pub task: TaskId,
    /// The handler of a message.
    pub handler: Option<HandlerId>,
    pub accesses: &'a [EngineAccess],
    pub effect: Effect,
    /// Are they accesses of plain memory, which synchronise nothing?
    pub plain: bool,
    pub operation: Option<Operation>,
    pub candidate: Candidate,
    /// The access as it turned out.
    pub outcome: Outcome,
    /// The value of its atomic before the first access.
    pub initial: Key,
    /// Values that were changed through `&mut`.
    pub rewritten: &'a [(ObjectId, Key)],
}

/// What happens before something in the sense of C11.
#[derive(Clone, Default, Debug)]
pub(crate) struct Past {
    /// As far as that follows from the trace.
    pub hb: Clock,
    /// With the order in which messages ran on their handlers.
    pub full: Clock,
}

impl Past {
    pub(crate) fn join(&mut self, other: &Past) {
        self.hb.join(&other.hb);
        self.full.join(&other.full);
    }
}

/// An access of an atomic.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub object: ObjectId,
    pub order: Ordering,
    pub reads: Option<Source>,
    pub writes: bool,
    pub key: Key,
    /// What who reads it and acquires learns.
    pub released: Past,
}

/// What a step did.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Atomic(Access),
    Fence(Ordering),
    Other(Option<ObjectId>),
}

impl Deed {
    pub(crate) fn is_sequential(&self) -> bool {
        match self {
            Deed::Atomic(access) => access.order == Ordering::SeqCst,
            Deed::Fence(order) => *order == Ordering::SeqCst,
            Deed::Other(_) => false,
        }
    }

    /// The object that it touched.
    pub(crate) fn object(&self) -> Option<ObjectId> {
        match self {
            Deed::Atomic(access) => Some(access.object),
            Deed::Fence(_) => None,
            Deed::Other(object) => *object,
        }
    }
}

/// A step of the execution.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub task: TaskId,
    /// Which step of its task, counted from 1.
    pub step: u32,
    pub deed: Deed,
    /// What happens before it in the trace, and itself.
    pub trace: Clock,
    /// What happens before it in the sense of C11, and itself.
    pub hb: Clock,
    /// How many changes there had been before it.
    pub changes: usize,
    /// Did the steps before it contradict each other?
    pub was_impossible: bool,
}

/// Where an access stands among those of its atomic: a store at its position in modification order, a load behind the store that it reads.
/// Twice the position, and one more for a load.
pub(crate) type Rank = usize;
