//! Which pairs of events EM-DPOR tries to reorder.

use super::order::Order;
use crate::bits;
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::Mode;
use crate::program::Run;
use crate::touch::Touch;

/// The events that one of `task` which touches `touches` and comes after `past` races with: those whose order
/// with it matters, without another one in between. All reads since the last write, all acquisitions
/// of a lock by unordered messages (appendix C of the paper), and all readers that a writer competes with, count.
/// `admits`: can the order be another one?
pub fn races_with(
    execution: &Execution,
    order: &Order,
    second: &Second<'_>,
    admits: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let &Second { task, touches, waits, past } = second;
    let mut rivals: Vec<(usize, Mode)> = Vec::new();
    for &touch in touches {
        let matters = |earlier: Touch| match waits && touch.may_block() {
            true => earlier.excludes(touch),
            false => earlier.conflicts(touch),
        };
        for &(event, earlier) in execution.history(touch) {
            let event = event as usize;
            if matters(earlier)
                && execution.events()[event].task != task
                && !bits::contains(past, event)
                && !rivals.iter().any(|&(known, _)| known == event)
                && admits(event)
            {
                rivals.push((event, earlier.mode));
            }
        }
    }
    // Readers may hold a lock together, and then all of them must be overtaken. An attempt that failed only looked: who waits
    // for the lock waits for somebody before it.
    let looks = |mode| waits && matches!(mode, Mode::Read | Mode::Write | Mode::Update);
    let is_hidden = |event: usize| {
        let mut others = rivals.iter().filter(|&&(_, mode)| !looks(mode));
        others.any(|&(later, _)| order.happens_before(event, later))
    };
    let nearest = |&&(event, mode): &&(usize, Mode)| mode == Mode::LockShared || !is_hidden(event);
    let mut races: Vec<usize> = rivals.iter().filter(nearest).map(|&(event, _)| event).collect();
    // The nearest first.
    races.sort_unstable_by(|a, b| b.cmp(a));
    races
}

/// The second event of a race, performed or waiting.
#[derive(Clone, Copy, Debug)]
pub struct Second<'e> {
    /// Who performs it.
    pub task: TaskId,
    /// What it touches.
    pub touches: &'e [Touch],
    /// May it have to wait?
    pub waits: bool,
    /// What it comes after whatever the schedule.
    pub past: &'e [u64],
}

/// Is there a permit for an operation on a semaphore that comes after the first `end` events without `first`
/// and what happens after that? Anything else can do without.
pub fn can_do_without<R: Run>(
    run: &R,
    execution: &Execution,
    order: &Order,
    first: usize,
    touches: &[Touch],
    end: usize,
) -> bool {
    let semaphores = touches.iter().filter_map(|touch| touch.waits_on());
    semaphores.filter(|&(_, mode)| mode == Mode::Wait).all(|(object, _)| {
        let change = |event: usize| -> i64 {
            let accesses = execution.accesses(event).iter();
            let modes = accesses.filter(|access| access.object == object).map(|a| a.mode);
            modes.map(|mode| i64::from(mode == Mode::Signal) - i64::from(mode == Mode::Wait)).sum()
        };
        let others = (0..end).filter(|&e| e != first && !order.happens_before(first, e));
        i64::from(run.permits(object)) + others.map(change).sum::<i64>() > 0
    })
}
