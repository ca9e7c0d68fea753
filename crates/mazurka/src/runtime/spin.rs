//! Loops that wait for another task by looking again and again.
//!
//! Explored as written, such a loop has as many executions as one has patience. A loop says that it waits by
//! [`crate::hint::spin_loop`], [`crate::thread::yield_now`], or as a future that wakes itself. When a round of it has left
//! everything as it was, and has seen what the round before saw, it waits for a change by somebody else: going on would
//! only repeat it. The task is then held back for the rest of this execution, which counts as blocked; the executions in
//! which it sees something else are explored as such.
//!
//! A round may write, if it leaves the values as it found them; it may take locks, if it gives them back and what they
//! guard has not changed; and it may signal what it waits for itself.

use mazurka_engine::{Access, Mode, ObjectId};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// What a task has seen and done since it last said that it waits.
#[derive(Default)]
pub(crate) struct Spin {
    seen: FxHasher,
    /// The values that it has seen.
    values: Vec<(ObjectId, i64)>,
    /// Objects that it has changed: their values before the first change and after the last.
    changed: SmallVec<[(ObjectId, i64, i64); 2]>,
    /// Locks that it has taken and permits that it has taken, less those that it gave.
    balance: SmallVec<[(ObjectId, i32); 2]>,
    /// It did something whose result is not known to be nothing.
    progress: bool,
    /// It has seen memory behind a lock: all memory of the execution counts as seen.
    saw_memory: bool,
    /// It has said before that it waits.
    waiting: bool,
    looked: bool,
    before: Option<u64>,
    repeated: u32,
    /// What it saw in the round before.
    last_values: Vec<(ObjectId, i64)>,
}

impl Spin {
    /// The task made an access. `before`: the value that a write replaced, where that is known.
    pub(crate) fn saw(&mut self, access: &Access, before: Option<i64>) {
        let Access { object, mode, read, written } = *access;
        (object, mode, read).hash(&mut self.seen);
        self.looked = true;
        match mode {
            Mode::Read => self.values.push((object, read)),
            Mode::Write | Mode::Update => match before {
                Some(before) => self.replaced(object, before, written),
                None => self.progress = true,
            },
            Mode::Lock | Mode::LockShared | Mode::Wait => self.add(object, 1),
            Mode::Unlock | Mode::UnlockShared | Mode::Signal => self.add(object, -1),
        }
    }

    /// Has the task said before that it waits?
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// The task has seen what a lock guards, whose own bytes are these when it gives the lock back.
    pub(crate) fn saw_behind_lock(&mut self, bytes: u64) {
        bytes.hash(&mut self.seen);
        self.saw_memory = true;
    }

    fn replaced(&mut self, object: ObjectId, before: i64, after: i64) {
        match self.changed.iter_mut().find(|(other, ..)| *other == object) {
            Some(change) => change.2 = after,
            None => {
                self.values.push((object, before));
                self.changed.push((object, before, after));
            }
        }
    }

    fn add(&mut self, object: ObjectId, taken: i32) {
        match self.balance.iter_mut().find(|(other, _)| *other == object) {
            Some(balance) => balance.1 += taken,
            None => self.balance.push((object, taken)),
        }
    }

    /// The task says that it waits; returns how many rounds before this one were the same. `memory` gives what lies in
    /// the memory of the execution.
    pub(crate) fn round_ends(&mut self, memory: impl FnOnce() -> u64) -> u32 {
        let waits = self.looked
            && !self.progress
            && self.changed.iter().all(|(_, before, after)| before == after)
            && self.balance.iter().all(|(_, balance)| *balance == 0);
        if waits && self.saw_memory {
            memory().hash(&mut self.seen);
        }
        let round = self.seen.finish();
        let repeated = if waits && self.before == Some(round) { self.repeated + 1 } else { 0 };
        *self = Spin {
            before: waits.then_some(round),
            repeated,
            waiting: true,
            last_values: std::mem::take(&mut self.values),
            ..Spin::default()
        };
        repeated
    }

    /// The values that the last whole round saw.
    pub(crate) fn last_values(&self) -> &[(ObjectId, i64)] {
        &self.last_values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(mode: Mode, read: i64, written: i64) -> Access {
        Access { object: ObjectId(1), mode, read, written }
    }

    fn ends(spin: &mut Spin) -> u32 {
        spin.round_ends(|| 0)
    }

    #[test]
    fn rounds_that_read_the_same_are_counted() {
        let mut spin = Spin::default();
        let mut round = |value| {
            spin.saw(&access(Mode::Read, value, 0), None);
            ends(&mut spin)
        };
        assert_eq!([round(0), round(0), round(0), round(1), round(1)], [0, 1, 2, 0, 1]);
    }

    #[test]
    fn a_change_is_progress_and_an_empty_round_is_no_waiting() {
        let mut spin = Spin::default();
        for value in 0..3 {
            spin.saw(&access(Mode::Read, 0, 0), None);
            spin.saw(&access(Mode::Write, 0, value + 1), Some(value));
            assert_eq!(ends(&mut spin), 0);
        }
        for _ in 0..3 {
            spin.saw(&access(Mode::Update, 0, 0), None);
            assert_eq!(ends(&mut spin), 0, "nobody knows what it did");
        }
        assert_eq!([ends(&mut spin), ends(&mut spin)], [0, 0]);
    }

    #[test]
    fn an_exchange_that_changes_nothing_is_waiting() {
        let mut spin = Spin::default();
        let mut round = |written| {
            spin.saw(&access(Mode::Update, 1, written), Some(1));
            ends(&mut spin)
        };
        assert_eq!([round(1), round(1), round(2), round(1)], [0, 1, 0, 0]);
    }

    #[test]
    fn what_is_put_back_and_given_back_is_no_change() {
        let mut spin = Spin::default();
        let mut round = |unlock: bool, memory: u64| {
            spin.saw(&access(Mode::Update, 0, 1), Some(0));
            spin.saw(&access(Mode::Update, 1, 0), Some(1));
            spin.saw(&Access { object: ObjectId(2), ..access(Mode::Lock, 0, 0) }, None);
            spin.saw_behind_lock(7);
            if unlock {
                spin.saw(&Access { object: ObjectId(2), ..access(Mode::Unlock, 0, 0) }, None);
            }
            spin.round_ends(|| memory)
        };
        let rounds =
            [round(true, 5), round(true, 5), round(true, 6), round(true, 6), round(false, 6)];
        assert_eq!(rounds, [0, 1, 0, 1, 0]);
    }
}
