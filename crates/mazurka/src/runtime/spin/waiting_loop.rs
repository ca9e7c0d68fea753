//! One loop that waits.

use super::is_change;
use super::round::Round;
use crate::runtime::state::Source;
use mazurka_engine::{Access, Mode, ObjectId};
use std::hash::Hash;

/// What a task has seen and done since it last said at one place that it waits.
#[derive(Default)]
pub(super) struct Loop {
    /// Where it says so. `None`: it has not yet.
    pub place: Option<Source>,
    round: Round,
    /// What it saw in the last round, if that changed nothing.
    before: Option<u64>,
    repeated: u32,
    /// What it saw in the round before.
    last_values: Vec<(ObjectId, i64)>,
    /// How often it has changed objects itself since it first said that it waits.
    pub own_changes: Vec<(ObjectId, u32)>,
    /// A round saw plain memory: from the next one on it is known what the task does to it.
    pub watches_memory: bool,
}

impl Loop {
    /// For another loop.
    pub fn clear(&mut self) {
        self.round.clear();
        self.last_values.clear();
        self.own_changes.clear();
        *self = Loop {
            round: std::mem::take(&mut self.round),
            last_values: std::mem::take(&mut self.last_values),
            own_changes: std::mem::take(&mut self.own_changes),
            ..Loop::default()
        };
    }

    /// The task made an access. `before`: the value that a write replaced, where that is known. `changes`: how often the
    /// object had been changed.
    pub fn saw(&mut self, access: &Access, before: Option<i64>, changes: u32) {
        let Access { object, mode, read, written } = *access;
        self.counts(object, mode, changes);
        let round = &mut self.round;
        (object, mode, read).hash(&mut round.seen);
        round.looked = true;
        match mode {
            Mode::Read => round.values.push((object, read)),
            Mode::Write | Mode::Update => match before {
                Some(before) => round.replaced(object, before, written),
                None => round.progress = true,
            },
            Mode::Lock | Mode::LockShared | Mode::Wait => round.add(object, 1),
            Mode::Unlock | Mode::UnlockShared | Mode::Signal => round.add(object, -1),
        }
    }

    /// Takes note of how often others have changed an object.
    fn counts(&mut self, object: ObjectId, mode: Mode, changes: u32) {
        if self.place.is_none() {
            return;
        }
        let own = self.own_changes.iter_mut().find(|(other, _)| *other == object);
        let by_itself = own.as_ref().map_or(0, |(_, own)| *own);
        changes.wrapping_sub(by_itself).hash(&mut self.round.changes);
        match own {
            _ if !is_change(mode) => {}
            Some((_, own)) => *own += 1,
            None => self.own_changes.push((object, 1)),
        }
    }

    /// The task started something that others can see.
    pub fn made_progress(&mut self) {
        self.round.looked = true;
        self.round.progress = true;
    }

    /// The task has seen what a lock guards, whose own bytes are these when it gives the lock back.
    pub fn saw_behind_lock(&mut self, bytes: u64) {
        bytes.hash(&mut self.round.seen);
        self.round.saw_memory = true;
    }

    /// The task begins to write plain memory that has these bytes. Until it has ended nobody knows what it leaves.
    pub fn begins_to_write(&mut self, object: ObjectId, bytes: u64, changes: u32) {
        self.counts(object, Mode::Write, changes);
        let round = &mut self.round;
        (object, bytes).hash(&mut round.seen);
        round.looked = true;
        round.saw_memory = true;
        match round.changed.iter_mut().find(|(other, ..)| *other == object) {
            Some(change) => change.2 = !change.1,
            None => round.changed.push((object, bytes as i64, !bytes as i64)),
        }
    }

    /// The task has written plain memory, which had and has these bytes.
    pub fn has_written(&mut self, object: ObjectId, before: u64, after: u64) {
        match self.round.changed.iter_mut().find(|(other, ..)| *other == object) {
            Some(change) => change.2 = after as i64,
            None => self.round.changed.push((object, before as i64, after as i64)),
        }
    }

    /// What the task did to the memory of the execution.
    pub fn changed_memory(&mut self, difference: u64) {
        self.round.difference = self.round.difference.wrapping_add(difference);
    }

    /// Must what the task does to memory be known for the round that ends?
    pub fn sees_memory(&self) -> bool {
        self.watches_memory || self.round.saw_memory
    }

    /// The round ends; returns how many rounds before this one were the same, if this one has changed nothing.
    pub fn round_ends(&mut self, place: Source) -> u32 {
        if !self.round.looked && self.place.is_some() {
            return 0;
        }
        let watched = self.watches_memory;
        self.watches_memory = self.sees_memory();
        let waits = self.round.waits(watched);
        let seen = waits.then(|| self.round.digest());
        std::mem::swap(&mut self.last_values, &mut self.round.values);
        self.round.clear();
        self.repeated = if waits && self.before == seen { self.repeated + 1 } else { 0 };
        self.before = seen;
        self.place = Some(place);
        self.repeated
    }

    /// The values that the last whole round saw.
    pub fn last_values(&self) -> &[(ObjectId, i64)] {
        &self.last_values
    }
}
