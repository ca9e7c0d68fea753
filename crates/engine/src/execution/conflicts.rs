//! Which events touch what, and which of them a new one conflicts or competes with.

use crate::operation::Mode;
use crate::touch::{NO_OWNER, Touch};
use smallvec::SmallVec;

/// For each slot, the events that touch it, oldest first.
#[derive(Clone, Default, Debug)]
pub(super) struct Conflicts {
    histories: Vec<Vec<(u32, Touch)>>,
}

impl Conflicts {
    pub fn bytes(&self) -> usize {
        self.histories.iter().map(|history| size_of_val(history.as_slice())).sum()
    }

    /// The events that touch what `touch` does, oldest first.
    #[inline]
    pub fn history(&self, touch: Touch) -> &[(u32, Touch)] {
        self.histories.get(touch.slot as usize).map_or(&[], |history| history)
    }

    /// Appends the events that a touch must come after ([`behind`]).
    #[inline]
    pub fn of(&self, touch: Touch, into: &mut Vec<u32>) {
        into.extend(behind(self.history(touch), touch, |_| true));
    }

    /// Takes note of what a new event touches.
    #[inline]
    pub fn push(&mut self, event: u32, touches: &[Touch]) {
        for &touch in touches {
            let slot = touch.slot as usize;
            if self.histories.len() <= slot {
                self.histories.resize(slot + 1, Vec::new());
            }
            self.histories[slot].push((event, touch));
        }
    }

    /// Takes the last event back.
    #[inline]
    pub fn pop(&mut self, event: u32, touches: &[Touch]) {
        for touch in touches {
            let history = &mut self.histories[touch.slot as usize];
            while history.last().is_some_and(|&(last, _)| last == event) {
                history.pop();
            }
        }
    }
}

/// The events of a history that a touch must come after, the latest first, as far as they are there. Those that are ordered before another one
/// anyway may be left out; which these are, the trace says.
#[inline]
pub fn behind(
    history: &[(u32, Touch)],
    touch: Touch,
    is_there: impl Fn(u32) -> bool,
) -> impl Iterator<Item = u32> {
    let conflicting =
        move |(event, earlier): &&(u32, Touch)| earlier.conflicts(touch) && is_there(*event);
    let mut is_over = false;
    history.iter().rev().filter(conflicting).map_while(move |&(event, earlier)| {
        let goes_on = !is_over;
        is_over = touch.is_behind_all(earlier);
        goes_on.then_some(event)
    })
}

/// What an operation that waits competes with among earlier accesses of what it touches: the latest acquisitions that
/// exclude it.
pub fn rivals(
    history: &[(u32, Touch)],
    touch: Touch,
    happens_before: impl Fn(u32, u32) -> bool,
    into: &mut Vec<u32>,
) {
    let mut acquired: SmallVec<[u32; 4]> = SmallVec::new();
    for &(event, earlier) in history.iter().rev() {
        let is_rival = earlier.excludes(touch);
        let looks = matches!(earlier.mode, Mode::Read | Mode::Write | Mode::Update);
        // Nobody waits for a look at a lock or semaphore (an attempt that failed), so it can be overtaken.
        // A signal cannot always be, if its permit is needed, but then the wait before it may be. Readers may hold a lock
        // together, and then all of them must be overtaken.
        let is_shared = earlier.mode == Mode::LockShared;
        let always = looks || touch.mode == Mode::Wait || is_shared;
        let comes_before = |&later: &u32| happens_before(event, later);
        if is_rival && (always || !acquired.iter().any(comes_before)) {
            into.push(event);
        }
        if is_rival && !looks {
            acquired.push(event);
        }
        // Older ones come before this one, unless those of one owner do not conflict.
        let exclusive = matches!(earlier.mode, Mode::Lock | Mode::Wait);
        if is_rival && exclusive && earlier.owner == NO_OWNER {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(slot: u32, mode: Mode) -> Touch {
        Touch { slot, mode, owner: NO_OWNER }
    }

    #[test]
    fn a_write_hides_what_is_older() {
        let mut conflicts = Conflicts::default();
        for (event, mode) in [Mode::Read, Mode::Write, Mode::Read, Mode::Read].iter().enumerate() {
            conflicts.push(event as u32, &[touch(0, *mode)]);
        }
        let of = |mode| {
            let mut found = Vec::new();
            conflicts.of(touch(0, mode), &mut found);
            found
        };
        assert_eq!(of(Mode::Write), [3, 2, 1]);
        assert_eq!(of(Mode::Read), [1]);
    }

    #[test]
    fn what_is_taken_back_is_forgotten() {
        let mut conflicts = Conflicts::default();
        let both = [touch(0, Mode::Write), touch(1, Mode::Read)];
        conflicts.push(0, &both);
        conflicts.push(1, &both);
        conflicts.pop(1, &both);
        for touch in both {
            assert_eq!(conflicts.history(touch), [(0, touch)]);
        }
    }

    #[test]
    fn taking_a_lock_competes_with_the_last_time_it_was_taken() {
        let modes = [Mode::Lock, Mode::Unlock, Mode::Lock, Mode::Unlock];
        let history: Vec<_> = (0..).zip(modes).map(|(at, mode)| (at, touch(0, mode))).collect();
        let mut found = Vec::new();
        rivals(&history, touch(0, Mode::Lock), |first, second| first < second, &mut found);
        assert_eq!(found, [2]);
    }

    #[test]
    fn a_writer_competes_with_all_readers_that_hold_the_lock() {
        let history = [(0, touch(0, Mode::LockShared)), (1, touch(0, Mode::LockShared))];
        let mut found = Vec::new();
        rivals(&history, touch(0, Mode::Lock), |_, _| false, &mut found);
        assert_eq!(found, [1, 0]);
    }
}
