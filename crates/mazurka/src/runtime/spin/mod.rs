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
//! Saying it again without having done anything in between, as loops do that wait longer and longer, is no round. A loop may say
//! it at several places, or contain another one that says it: a round goes from one place to where the task is there again.
//!
//! All of this is about what the task did and what happened before that. What others do at the same time must not decide:
//! the engine would not know it.

mod round;
mod waiting_loop;

use crate::runtime::state::Source;
use mazurka_engine::{Access, Mode, ObjectId};
use waiting_loop::Loop;

/// So many loops of a task are known, one inside of the other.
const MOST_LOOPS: usize = 4;

/// The loops of a task. They are used again for other tasks: their tables stay, so that they need not be made for every
/// execution. (They are no small vectors, whose unused parts would hold what lay on a stack, and pass for pointers when
/// leaks are looked for.)
pub(crate) struct Spin {
    /// There is at least one. Which said it last that it waits is the last one.
    loops: Vec<Loop>,
    /// The memory when the task went on.
    memory: u64,
}

/// Does an access in this mode count as a change? Only what is ordered with all other accesses does.
pub(crate) fn is_change(mode: Mode) -> bool {
    matches!(mode, Mode::Write | Mode::Update | Mode::Lock | Mode::Unlock)
}

impl Default for Spin {
    fn default() -> Self {
        Spin { loops: vec![Loop::default()], memory: 0 }
    }
}

impl Spin {
    /// For another task.
    pub(crate) fn clear(&mut self) {
        self.loops.truncate(1);
        self.loops[0].clear();
    }

    /// The task made an access. `before`: the value that a write replaced, where that is known. `changes`: how often the
    /// object had been changed.
    #[inline]
    pub(crate) fn saw(&mut self, access: &Access, before: Option<i64>, changes: u32) {
        self.loops.iter_mut().for_each(|it| it.saw(access, before, changes));
    }

    /// The task started something that others can see.
    pub(crate) fn made_progress(&mut self) {
        self.loops.iter_mut().for_each(Loop::made_progress);
    }

    /// Has the task said before that it waits?
    pub(crate) fn is_waiting(&self) -> bool {
        self.loops[0].place.is_some()
    }

    /// The task has seen what a lock guards, whose own bytes are these when it gives the lock back.
    pub(crate) fn saw_behind_lock(&mut self, bytes: u64) {
        self.loops.iter_mut().for_each(|it| it.saw_behind_lock(bytes));
    }

    /// The task begins to write plain memory that has these bytes. Until it has ended nobody knows what it leaves.
    pub(crate) fn begins_to_write(&mut self, object: ObjectId, bytes: u64, changes: u32) {
        self.loops.iter_mut().for_each(|it| it.begins_to_write(object, bytes, changes));
    }

    /// The task has written plain memory, which had and has these bytes.
    pub(crate) fn has_written(&mut self, object: ObjectId, before: u64, after: u64) {
        self.loops.iter_mut().for_each(|it| it.has_written(object, before, after));
    }

    /// Must it be told of the memory of the execution when the task goes on and when it stops?
    #[inline]
    pub(crate) fn watches_memory(&self) -> bool {
        self.loops.iter().any(|it| it.watches_memory)
    }

    /// The task goes on, and finds the memory of the execution so.
    pub(crate) fn goes_on(&mut self, memory: u64) {
        self.memory = memory;
    }

    /// The task stops, and leaves the memory of the execution so.
    pub(crate) fn stops(&mut self, memory: u64) {
        let difference = memory.wrapping_sub(self.memory);
        self.loops.iter_mut().for_each(|it| it.changed_memory(difference));
        self.memory = memory;
    }

    /// The task says at this place that it waits; returns how many rounds of that loop before this one were the same, if
    /// this one has changed nothing. `memory` gives what lies in the memory of the execution.
    pub(crate) fn round_ends(&mut self, place: Source, memory: impl FnOnce() -> u64) -> u32 {
        self.comes_last(place);
        let last = self.loops.len() - 1;
        if self.watches_memory() || self.loops[last].sees_memory() {
            self.stops(memory());
        }
        self.loops[last].round_ends(place)
    }

    /// Puts the loop of this place last.
    fn comes_last(&mut self, place: Source) {
        let known = self.loops.iter().position(|it| it.place.is_none_or(|it| it == place));
        let at = known.unwrap_or_else(|| {
            if self.loops.len() == MOST_LOOPS {
                self.loops[0].clear();
                return 0;
            }
            self.loops.push(Loop::default());
            self.loops.len() - 1
        });
        self.loops[at..].rotate_left(1);
    }

    /// The values that the last whole round of the loop saw that said last that it waits.
    pub(crate) fn last_values(&self) -> &[(ObjectId, i64)] {
        self.loops[self.loops.len() - 1].last_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::Location;

    fn access(mode: Mode, read: i64, written: i64) -> Access {
        Access { object: ObjectId(1), mode, read, written }
    }

    fn ends(spin: &mut Spin) -> u32 {
        spin.round_ends(Location::caller(), || 0)
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
                spin.loops[0].own_changes.iter().find(|it| it.0 == object).map_or(0, |it| it.1)
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
            spin.round_ends(Location::caller(), || left)
        };
        // In the first round nobody watched the memory.
        assert_eq!([round(true, 5, 0), round(true, 5, 0), round(true, 5, 0)], [0, 0, 1]);
        assert_eq!([round(true, 6, 0), round(true, 5, 0), round(true, 5, 0)], [0, 0, 1]);
        assert_eq!([round(true, 5, 1), round(true, 5, 1), round(false, 5, 1)], [0, 1, 0]);
    }

    #[test]
    fn a_loop_may_say_it_at_two_places() {
        let mut spin = Spin::default();
        let mut round = |value| {
            spin.saw(&access(Mode::Signal, 0, 0), None, 0);
            let first = spin.round_ends(Location::caller(), || 0);
            spin.saw(&Access { object: ObjectId(2), ..access(Mode::Read, value, 0) }, None, 0);
            spin.saw(&access(Mode::Wait, 0, 0), None, 0);
            (first, spin.round_ends(Location::caller(), || 0))
        };
        assert_eq!([round(0), round(0), round(0)], [(0, 0), (0, 0), (1, 1)]);
        assert_eq!([round(1), round(1), round(1)], [(2, 0), (0, 1), (1, 2)]);
    }

    #[test]
    fn loops_that_are_over_are_forgotten() {
        let (mut spin, here) = (Spin::default(), Location::caller);
        for place in [here(), here(), here(), here(), here(), here()] {
            assert_eq!(spin.round_ends(place, || 0), 0);
        }
        assert_eq!(spin.loops.len(), MOST_LOOPS);
    }
}
