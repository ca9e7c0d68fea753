//! Loops that wait for another task by reading again and again.
//!
//! Explored as written, such a loop has as many executions as one has patience. A loop says that it waits
//! by [`crate::hint::spin_loop`] or [`crate::thread::yield_now`]; when a round of it only reads, and reads
//! what the round before read, nothing has changed: going on would only repeat it. The task is then held
//! back for the rest of this execution, which counts as blocked; the executions in which it reads
//! something else are explored as such.

use mazurka_engine::{Access, Mode};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// What a task has read since it last said that it waits.
#[derive(Default)]
pub(crate) struct Spin {
    round: FxHasher,
    reads: u32,
    progress: bool,
    before: Option<u64>,
    repeated: u32,
}

impl Spin {
    /// The task made an access.
    pub(crate) fn saw(&mut self, access: &Access) {
        // An exchange that leaves the value as it is (a lock that is held, a flag that is down) changes nothing.
        let idle = access.mode == Mode::Update && access.read == access.written;
        if access.mode == Mode::Read || idle {
            (access.object, access.read).hash(&mut self.round);
            self.reads += 1;
        } else {
            self.progress = true;
        }
    }

    /// The task says that it waits; returns how many rounds before this one were the same.
    pub(crate) fn round_ends(&mut self) -> u32 {
        let round = self.round.finish();
        let waits = self.reads > 0 && !self.progress;
        self.repeated = if waits && self.before == Some(round) { self.repeated + 1 } else { 0 };
        let (before, repeated) = (waits.then_some(round), self.repeated);
        *self = Spin { before, repeated, ..Spin::default() };
        repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_engine::ObjectId;

    fn access(mode: Mode, read: i64, written: i64) -> Access {
        Access { object: ObjectId(1), mode, read, written }
    }

    #[test]
    fn rounds_that_read_the_same_are_counted() {
        let mut spin = Spin::default();
        let mut round = |value| {
            spin.saw(&access(Mode::Read, value, 0));
            spin.round_ends()
        };
        assert_eq!([round(0), round(0), round(0), round(1), round(1)], [0, 1, 2, 0, 1]);
    }

    #[test]
    fn a_write_is_progress_and_an_empty_round_is_no_waiting() {
        let mut spin = Spin::default();
        for _ in 0..3 {
            spin.saw(&access(Mode::Read, 0, 0));
            spin.saw(&access(Mode::Write, 0, 0));
            assert_eq!(spin.round_ends(), 0);
        }
        assert_eq!([spin.round_ends(), spin.round_ends()], [0, 0]);
    }

    #[test]
    fn an_exchange_that_changes_nothing_is_waiting() {
        let mut spin = Spin::default();
        let mut round = |written| {
            spin.saw(&access(Mode::Update, 1, written));
            spin.round_ends()
        };
        assert_eq!([round(1), round(1), round(2), round(1)], [0, 1, 0, 0]);
    }
}
