//! The values of atomics in the execution that the coroutines are in.
//!
//! The [`super::Graph`] says which store a load reads, and outlives the coroutines; values may be addresses, which each execution has its own of.

use super::access::{Candidate, Key, Source};
use crate::runtime::memory::slab::Slab;
use mazurka_engine::ObjectId;
use rustc_hash::FxHashMap;

/// The values of an atomic.
#[derive(Debug)]
struct Values {
    initial: i64,
    /// The newest one.
    bits: i64,
    /// The steps that stored, in modification order.
    stores: Vec<u32>,
}

impl Values {
    fn newest(&self) -> Source {
        self.stores.last().copied()
    }
}

/// What an access does to its atomic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    /// The bits of the store that it reads.
    pub bits: i64,
    /// Does it become the newest, if it writes?
    pub appends: bool,
    /// Does it conflict with loads although it may turn out to be one?
    pub exclusive: bool,
}

/// The values of an execution.
#[derive(Default, Debug)]
pub(crate) struct Live {
    /// What each step wrote.
    written: Vec<i64>,
    values: FxHashMap<ObjectId, Values>,
    /// What the access of the current step does, if not what happens by default.
    candidate: Candidate,
    /// The store that it reads.
    source: Source,
    /// Values that were changed through `&mut` since the last step.
    pub rewritten: Vec<(ObjectId, Key)>,
}

/// The value as it is compared.
pub(crate) fn key(bits: i64) -> Key {
    match Slab::of(bits as usize) {
        Some((_, offset)) => Key { is_address: true, bits: offset as i64 },
        None => Key { is_address: false, bits },
    }
}

impl Live {
    /// A step begins, with this to do.
    pub(crate) fn step(&mut self, candidate: Candidate) {
        self.written.push(0);
        self.candidate = candidate;
        self.rewritten.clear();
    }

    /// An atomic that holds these bits is about to be used.
    pub(crate) fn finds(&mut self, object: ObjectId, bits: i64) {
        let new = || Values { initial: bits, bits, stores: Vec::new() };
        let values = self.values.entry(object).or_insert_with(new);
        if values.bits != bits {
            values.bits = bits;
            match values.newest() {
                Some(store) => self.written[store as usize] = bits,
                None => values.initial = bits,
            }
            self.rewritten.push((object, key(bits)));
        }
    }

    /// What the access of the current step does.
    pub(crate) fn chosen(&mut self, object: ObjectId) -> Chosen {
        let values = &self.values[&object];
        let source = self.candidate.reads.unwrap_or(values.newest());
        self.source = source;
        let bits = match source {
            Some(store) => self.written[store as usize],
            None => values.initial,
        };
        let Candidate { place, exclusive, .. } = self.candidate;
        Chosen { bits, appends: place.is_none(), exclusive }
    }

    /// The store that the access of the current step reads, if it reads.
    pub(crate) fn source(&self) -> Source {
        self.source
    }

    /// The newest value of an atomic.
    pub(crate) fn newest(&self, object: ObjectId) -> Option<i64> {
        self.values.get(&object).map(|values| values.bits)
    }

    /// The number of the current step.
    pub(crate) fn number(&self) -> u32 {
        self.written.len() as u32 - 1
    }

    /// The access of the current step wrote this.
    pub(crate) fn wrote(&mut self, object: ObjectId, bits: i64) {
        let step = self.written.len() - 1;
        self.written[step] = bits;
        let Some(values) = self.values.get_mut(&object) else { return };
        match self.candidate.place {
            Some(place) => values.stores.insert(place, step as u32),
            None => {
                values.stores.push(step as u32);
                values.bits = bits;
            }
        }
    }

    /// What was stored to each atomic, in modification order.
    pub(crate) fn orders(&self) -> Vec<Vec<i64>> {
        let written = |&step: &u32| self.written[step as usize];
        let orders = self.values.values().map(|it| it.stores.iter().map(written).collect());
        let mut orders: Vec<Vec<i64>> = orders.collect();
        orders.sort();
        orders
    }

    /// The value of an atomic before its first access.
    pub(crate) fn initial(&self, object: ObjectId) -> Key {
        self.values.get(&object).map(|values| key(values.initial)).unwrap_or_default()
    }
}
