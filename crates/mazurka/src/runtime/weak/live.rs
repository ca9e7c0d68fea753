//! The values of atomics in the execution that the coroutines are in.
//!
//! The [`super::Graph`] says which store a load reads, and outlives the coroutines; values may be addresses, which each execution has its own of.

use super::access::{Candidate, Key, Source};
use crate::runtime::memory::slab::Slab;
use mazurka_engine::ObjectId;

/// The values of an atomic.
#[derive(Default, Debug)]
struct Values {
    /// Has it been used in this execution?
    used: bool,
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
    /// By object.
    values: Vec<Values>,
    /// Those that have been used.
    used: Vec<ObjectId>,
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
    /// An execution begins. What was allocated for the one before is used again.
    pub(crate) fn begin(&mut self) {
        for object in self.used.drain(..) {
            let values = &mut self.values[object.index()];
            values.used = false;
            values.stores.clear();
        }
        self.written.clear();
        self.candidate = Candidate::default();
        self.source = None;
        self.rewritten.clear();
    }

    fn values(&self, object: ObjectId) -> Option<&Values> {
        self.values.get(object.index()).filter(|values| values.used)
    }

    /// A step begins, with this to do.
    pub(crate) fn step(&mut self, candidate: Candidate) {
        self.written.push(0);
        self.candidate = candidate;
        self.rewritten.clear();
    }

    /// An atomic that holds these bits is about to be used.
    pub(crate) fn finds(&mut self, object: ObjectId, bits: i64) {
        if self.values.len() <= object.index() {
            self.values.resize_with(object.index() + 1, Values::default);
        }
        let values = &mut self.values[object.index()];
        if !values.used {
            (values.used, values.initial, values.bits) = (true, bits, bits);
            self.used.push(object);
        } else if values.bits != bits {
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
        let values = &self.values[object.index()];
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
        self.values(object).map(|values| values.bits)
    }

    /// The number of the current step.
    pub(crate) fn number(&self) -> u32 {
        self.written.len() as u32 - 1
    }

    /// The access of the current step wrote this.
    pub(crate) fn wrote(&mut self, object: ObjectId, bits: i64) {
        let step = self.written.len() - 1;
        self.written[step] = bits;
        let values = &mut self.values[object.index()];
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
        let stores = self.used.iter().map(|object| &self.values[object.index()].stores);
        let mut orders: Vec<Vec<i64>> =
            stores.map(|stores| stores.iter().map(written).collect()).collect();
        orders.sort();
        orders
    }

    /// The value of an atomic before its first access.
    pub(crate) fn initial(&self, object: ObjectId) -> Key {
        self.values(object).map(|values| key(values.initial)).unwrap_or_default()
    }
}
