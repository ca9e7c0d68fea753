//! Which pairs of events EM-DPOR tries to reorder.

use super::order::Order;
use crate::bits;
use crate::execution::{Execution, Touch};
use crate::ids::TaskId;
use crate::operation::Mode;
use crate::program::Run;

/// The events that one of `task` which touches `touches` and comes after `past` races with: those whose order
/// with it matters, without another one in between. All reads since the last write, and all acquisitions
/// of a lock by unordered messages, count (appendix C of the paper).
pub fn races_with(
    execution: &Execution,
    order: &Order,
    task: TaskId,
    touches: &[Touch],
    waits: bool,
    past: &[u64],
) -> Vec<usize> {
    let mut rivals = Vec::new();
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
                && !rivals.contains(&event)
            {
                rivals.push(event);
            }
        }
    }
    let nearest = |&event: &usize| !rivals.iter().any(|&later| order.happens_before(event, later));
    let mut races: Vec<usize> = rivals.iter().copied().filter(nearest).collect();
    // The nearest first.
    races.sort_unstable_by(|a, b| b.cmp(a));
    races
}

/// Can an operation on a semaphore be performed without the permit of `first`? `end`: it comes after so many
/// events.
pub fn can_do_without<R: Run>(
    run: &R,
    execution: &Execution,
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
        let permits = i64::from(run.permits(object)) + (0..end).map(change).sum::<i64>();
        permits - change(first) > 0
    })
}
