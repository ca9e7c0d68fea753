//! Loops that wait for another task by looking again and again.
//!
//! Explored as written, such a loop has as many executions as one has patience. A loop says that it waits by
//! [`crate::hint::spin_loop`], [`crate::thread::yield_now`], or as a future that wakes itself. When a round of it has left
//! everything as it was, and has seen what the round before saw, it waits for a change by somebody else: going on would
//! only repeat it. The task is then held back for the rest of this execution, which counts as blocked; the executions in
//! which it sees something else are explored as such.
//!
//! A round may write, if it leaves the values as it found them; it may take locks, if it gives them back; and it may signal
//! what it waits for itself. Where it sees plain memory, by a lock or a cell, two more things are asked for: that it has
//! left the memory of the execution as it was, and that nobody else has changed what it looked at, not even for a while.
//! Saying it again without having done anything in between, as loops do that wait longer and longer, is no round.
//!
//! All of this is about what the task did and what happened before that. What others do at the same time must not decide:
//! the engine would not know it.

use mazurka_engine::{Access, Mode, ObjectId};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// What a task has seen and done since it last said that it waits. It is used again for other tasks: its tables stay, so that they
/// need not be made for every execution. (They are no small vectors, whose unused parts would hold what lay on a stack, and
/// pass for pointers when leaks are looked for.)
#[derive(Default)]
pub(crate) struct Spin {
    round: Round,
    /// It has said before that it waits.
    waiting: bool,
    /// What it saw in the last round, if that changed nothing.
    before: Option<u64>,
    repeated: u32,
    /// What it saw in the round before.
    last_values: Vec<(ObjectId, i64)>,
    /// How often it has changed objects itself since it first said that it waits.
    own_changes: Vec<(ObjectId, u32)>,
    /// A round saw plain memory: from the next one on it is known what the task does to it.
    watches_memory: bool,
    /// The memory when the task went on.
    memory: u64,
}

/// Does an access in this mode count as a change? Only what is ordered with all other accesses does.
pub(crate) fn is_change(mode: Mode) -> bool {
    matches!(mode, Mode::Write | Mode::Update | Mode::Lock | Mode::Unlock)
}

#[derive(Default)]
struct Round {
    seen: FxHasher,
    /// How often others had changed what it accessed.
    changes: FxHasher,
    /// The values that it has seen.
    values: Vec<(ObjectId, i64)>,
    /// Objects that it has changed: their values before the first change and after the last.
    changed: Vec<(ObjectId, i64, i64)>,
    /// Locks that it has taken and permits that it has taken, less those that it gave.
    balance: Vec<(ObjectId, i32)>,
    /// It did something whose result is not known to be nothing.
    progress: bool,
    /// It has seen plain memory.
    saw_memory: bool,
    /// What it did to the memory of the execution.
    difference: u64,
    looked: bool,
}

impl Round {
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

    /// Has it left everything as it was, as far as that is known?
    fn waits(&self, watched_memory: bool) -> bool {
        self.looked
            && !self.progress
            && self.changed.iter().all(|(_, before, after)| before == after)
            && self.balance.iter().all(|(_, balance)| *balance == 0)
            && (!self.saw_memory || watched_memory && self.difference == 0)
    }

    /// What it saw, as a number.
    fn digest(&self) -> u64 {
        match self.saw_memory {
            true => self.seen.finish().rotate_left(1) ^ self.changes.finish(),
            false => self.seen.finish(),
        }
    }

    /// Begins again.
    fn clear(&mut self) {
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

impl Spin {
    /// For another task.
    pub(crate) fn clear(&mut self) {
        self.round.clear();
        self.last_values.clear();
        self.own_changes.clear();
        *self = Spin {
            round: std::mem::take(&mut self.round),
            last_values: std::mem::take(&mut self.last_values),
            own_changes: std::mem::take(&mut self.own_changes),
            ..Spin::default()
        };
    }

    /// The task made an access. `before`: the value that a write replaced, where that is known. `changes`: how often the
    /// object had been changed.
    pub(crate) fn saw(&mut self, access: &Access, before: Option<i64>, changes: u32) {
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
        if !self.waiting {
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
    pub(crate) fn made_progress(&mut self) {
        self.round.looked = true;
        self.round.progress = true;
    }

    /// Has the task said before that it waits?
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// The task has seen what a lock guards, whose own bytes are these when it gives the lock back.
    pub(crate) fn saw_behind_lock(&mut self, bytes: u64) {
        bytes.hash(&mut self.round.seen);
        self.round.saw_memory = true;
    }

    /// The task begins to write plain memory that has these bytes. Until it has ended nobody knows what it leaves.
    pub(crate) fn begins_to_write(&mut self, object: ObjectId, bytes: u64, changes: u32) {
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
    pub(crate) fn has_written(&mut self, object: ObjectId, before: u64, after: u64) {
        match self.round.changed.iter_mut().find(|(other, ..)| *other == object) {
            Some(change) => change.2 = after as i64,
            None => self.round.changed.push((object, before as i64, after as i64)),
        }
    }

    /// Must it be told of the memory of the execution when the task goes on and when it stops?
    #[inline]
    pub(crate) fn watches_memory(&self) -> bool {
        self.watches_memory
    }

    /// The task goes on, and finds the memory of the execution so.
    pub(crate) fn goes_on(&mut self, memory: u64) {
        self.memory = memory;
    }

    /// The task stops, and leaves the memory of the execution so.
    pub(crate) fn stops(&mut self, memory: u64) {
        let difference = memory.wrapping_sub(self.memory);
        self.round.difference = self.round.difference.wrapping_add(difference);
        self.memory = memory;
    }

    /// The task says that it waits; returns how many rounds before this one were the same, if this one has changed nothing.
    /// `memory` gives what lies in the memory of the execution.
    pub(crate) fn round_ends(&mut self, memory: impl FnOnce() -> u64) -> u32 {
        if !self.round.looked && self.waiting {
            return 0;
        }
        let (watched, sees) = (self.watches_memory, self.round.saw_memory);
        if watched || sees {
            self.stops(memory());
            self.watches_memory = true;
        }
        let waits = self.round.waits(watched);
        let seen = waits.then(|| self.round.digest());
        std::mem::swap(&mut self.last_values, &mut self.round.values);
        self.round.clear();
        self.repeated = if waits && self.before == seen { self.repeated + 1 } else { 0 };
        self.before = seen;
        self.waiting = true;
        self.repeated
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
            spin.saw(&access(Mode::Read, value, 0), None, 0);
            ends(&mut spin)
        };
        assert_eq!([round(0), round(0), round(0), round(1), round(1)], [0, 1, 2, 0, 1]);
    }

    #[test]
    fn a_change_is_progress_and_an_empty_round_is_no_waiting() {
        let mut spin = Spin::default();
        for value in 0..3 {
            spin.saw(&access(Mode::Read, 0, 0), None, 0);
            spin.saw(&access(Mode::Write, 0, value + 1), Some(value), 0);
            assert_eq!(ends(&mut spin), 0);
        }
        for _ in 0..3 {
            spin.saw(&access(Mode::Update, 0, 0), None, 0);
            assert_eq!(ends(&mut spin), 0, "nobody knows what it did");
        }
        assert_eq!([ends(&mut spin), ends(&mut spin)], [0, 0]);
    }

    #[test]
    fn waiting_longer_and_longer_is_waiting() {
        let mut spin = Spin::default();
        let mut round = |pauses: u32| {
            spin.saw(&access(Mode::Read, 0, 0), None, 0);
            let repeated = ends(&mut spin);
            (1..pauses).for_each(|_| assert_eq!(ends(&mut spin), 0));
            repeated
        };
        assert_eq!([round(1), round(2), round(4), round(8)], [0, 1, 2, 3]);
    }

    #[test]
    fn plain_memory_counts_by_its_bytes() {
        let mut spin = Spin::default();
        let mut own = 0;
        let mut round = |before: u64, after: u64, ended: bool| {
            spin.begins_to_write(ObjectId(1), before, own);
            own += u32::from(spin.is_waiting());
            if ended {
                spin.has_written(ObjectId(1), before, after);
            }
            ends(&mut spin)
        };
        let rounds = [
            round(7, 7, true),
            round(7, 7, true),
            round(7, 8, true),
            round(8, 8, true),
            round(8, 8, true),
            round(8, 8, false),
            round(8, 8, true),
        ];
        assert_eq!(rounds, [0, 0, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn an_exchange_that_changes_nothing_is_waiting() {
        let mut spin = Spin::default();
        let mut round = |written| {
            spin.saw(&access(Mode::Update, 1, written), Some(1), 0);
            ends(&mut spin)
        };
        assert_eq!([round(1), round(1), round(2), round(1)], [0, 1, 0, 0]);
    }

    #[test]
    fn what_is_put_back_and_given_back_is_no_change() {
        let mut spin = Spin::default();
        let mut round = |unlock: bool, left: u64, others: u32| {
            spin.goes_on(5);
            let own = |spin: &Spin, object| {
                spin.own_changes.iter().find(|it| it.0 == object).map_or(0, |it| it.1)
            };
            let flagged = own(&spin, ObjectId(1));
            spin.saw(&access(Mode::Update, 0, 1), Some(0), flagged);
            spin.saw(&access(Mode::Update, 1, 0), Some(1), flagged + 1);
            let lock = |mode| Access { object: ObjectId(2), ..access(mode, 0, 0) };
            let taken = own(&spin, ObjectId(2));
            spin.saw(&lock(Mode::Lock), None, others + taken);
            spin.saw_behind_lock(7);
            if unlock {
                spin.saw(&lock(Mode::Unlock), None, others + taken + 1);
            }
            spin.round_ends(|| left)
        };
        // In the first round nobody watched the memory.
        assert_eq!([round(true, 5, 0), round(true, 5, 0), round(true, 5, 0)], [0, 0, 1]);
        assert_eq!([round(true, 6, 0), round(true, 5, 0), round(true, 5, 0)], [0, 0, 1]);
        assert_eq!([round(true, 5, 1), round(true, 5, 1), round(false, 5, 1)], [0, 1, 0]);
    }
}
