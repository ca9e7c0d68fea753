//! One round of a loop that waits.

use mazurka_engine::ObjectId;
use rustc_hash::FxHasher;
use std::hash::Hasher;

#[derive(Default)]
pub(super) struct Round {
    pub seen: FxHasher,
    /// How often others had changed what it accessed.
    pub changes: FxHasher,
    /// The values that it has seen.
    pub values: Vec<(ObjectId, i64)>,
    /// Objects that it has changed: their values before the first change and after the last.
    pub changed: Vec<(ObjectId, i64, i64)>,
    /// Locks that it has taken and permits that it has taken, less those that it gave.
    pub balance: Vec<(ObjectId, i32)>,
    /// It did something whose result is not known to be nothing.
    pub progress: bool,
    /// It has seen plain memory.
    pub saw_memory: bool,
    /// What it did to the memory of the execution.
    pub difference: u64,
    pub looked: bool,
}

impl Round {
    pub fn replaced(&mut self, object: ObjectId, before: i64, after: i64) {
        match self.changed.iter_mut().find(|(other, ..)| *other == object) {
            Some(change) => change.2 = after,
            None => {
                self.values.push((object, before));
                self.changed.push((object, before, after));
            }
        }
    }

    pub fn add(&mut self, object: ObjectId, taken: i32) {
        match self.balance.iter_mut().find(|(other, _)| *other == object) {
            Some(balance) => balance.1 += taken,
            None => self.balance.push((object, taken)),
        }
    }

    /// Has it left everything as it was, as far as that is known?
    pub fn waits(&self, watched_memory: bool) -> bool {
        self.looked
            && !self.progress
            && self.changed.iter().all(|(_, before, after)| before == after)
            && self.balance.iter().all(|(_, balance)| *balance == 0)
            && (!self.saw_memory || watched_memory && self.difference == 0)
    }

    /// What it saw, as a number.
    pub fn digest(&self) -> u64 {
        match self.saw_memory {
            true => self.seen.finish().rotate_left(1) ^ self.changes.finish(),
            false => self.seen.finish(),
        }
    }

    /// Begins again.
    pub fn clear(&mut self) {
        self.values.clear();
        self.changed.clear();
        self.balance.clear();
        *self = Round {
            values: std::mem::take(&mut self.values),
            changed: std::mem::take(&mut self.changed),
            balance: std::mem::take(&mut self.balance),
            ..Round::default()
        };
    }
}
