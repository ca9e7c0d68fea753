//! What stays of an execution where an event is left out, so that another one can go before it.
//!
//! All that happens after the event goes with it. An acquisition of a lock may still have to wait then: readers hold a lock
//! together, and one that stays may give it back only after something that is gone, or never. No execution takes the lock while
//! such a reader holds it, so that goes too, with all that happens after it, until the lock is free. Nothing goes
//! without need: whatever else the acquisition could come behind is part of what stays, so there is one way to leave out enough.
//!
//! Permits need no such care. Acquisitions of a semaphore are ordered, with each other and with what gives permits: without the latest one
//! there is a permit, and without one that gives a permit nothing helps that would not leave out the latest acquisition as well.

use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::Mode;
use crate::program::Run;
use crate::touch::Touch;
use smallvec::SmallVec;

/// What stays of an execution.
#[derive(Debug)]
pub struct Staying {
    /// The events that are left out, beside what happens after them.
    pub left_out: SmallVec<[usize; 2]>,
    /// The first of them: all that stands before it stays.
    pub depth: usize,
    /// The events behind that which stay.
    pub members: Bits,
}

/// An event that is to come behind what stays.
#[derive(Clone, Copy, Debug)]
pub struct Awaited<'e> {
    /// What it touches.
    pub touches: &'e [Touch],
    /// The events that it follows whatever the schedule.
    pub past: &'e [u32],
}

impl Staying {
    /// All but an event and what happens after it; `unaffected` is what stays behind it.
    pub fn without(event: usize, unaffected: Bits) -> Self {
        Staying { left_out: SmallVec::from_slice(&[event]), depth: event, members: unaffected }
    }

    /// As much as can stay without an event so that another one need not wait, if that can be. `unaffected_behind` an event
    /// is what stands behind it and does not happen after it.
    pub fn so_that_it_goes(
        execution: &Execution,
        run: &impl Run,
        event: usize,
        awaited: Awaited<'_>,
        unaffected_behind: impl Fn(usize) -> Bits,
    ) -> Option<Self> {
        let mut staying = Staying::without(event, unaffected_behind(event));
        for &touch in awaited.touches {
            match touch.waits_on() {
                None => {}
                Some((semaphore, Mode::Wait)) => {
                    let permits = i64::from(run.permits(semaphore));
                    if permits + staying.permits(execution, touch) <= 0 {
                        return None;
                    }
                }
                Some(_) => {
                    while let Some(holder) = staying.holder(execution, touch) {
                        staying.leave_out(holder, unaffected_behind(holder));
                    }
                }
            }
        }
        let has_past = awaited.past.iter().all(|&event| staying.contains(event as usize));
        has_past.then_some(staying)
    }

    /// Does an event stay?
    pub fn contains(&self, event: usize) -> bool {
        event < self.depth || bits::contains(&self.members, event)
    }

    fn leave_out(&mut self, event: usize, unaffected: Bits) {
        let words = self.members.len();
        let mut stays = bits::first(event, words);
        bits::union(&mut stays, &unaffected);
        bits::union(&mut self.members, &bits::first(self.depth, words));
        bits::intersect(&mut self.members, &stays);
        self.left_out.push(event);
        self.depth = self.depth.min(event);
        bits::subtract(&mut self.members, &bits::first(self.depth, words));
    }

    /// How many permits of a semaphore were given more than taken.
    fn permits(&self, execution: &Execution, touch: Touch) -> i64 {
        let modes = self.touches(execution, touch).map(|(_, mode)| mode);
        modes.map(|mode| i64::from(mode == Mode::Signal) - i64::from(mode == Mode::Wait)).sum()
    }

    /// An event that takes a lock which is not given back, and keeps others from taking it as `touch` does.
    fn holder(&self, execution: &Execution, touch: Touch) -> Option<usize> {
        holder(execution, self.touches(execution, touch), touch.mode)
    }

    /// The events that stay and touch what `touch` does, and how they do.
    fn touches(&self, execution: &Execution, touch: Touch) -> impl Iterator<Item = (usize, Mode)> {
        let history = execution.history(touch).iter().map(|&(event, it)| (event as usize, it.mode));
        history.filter(|&(event, _)| self.contains(event))
    }
}

/// Of events that take a lock or give it back: one that takes it, is not given back, and keeps others from taking it in this way.
pub fn holder(
    execution: &Execution,
    events: impl Iterator<Item = (usize, Mode)>,
    wanted: Mode,
) -> Option<usize> {
    let is_own = |mode: Mode| matches!(mode, Mode::Lock | Mode::Unlock);
    let mut held: SmallVec<[(usize, TaskId); 4]> = SmallVec::new();
    // Readers do not keep each other away.
    for (event, mode) in events.filter(|&(_, mode)| wanted == Mode::Lock || is_own(mode)) {
        let task = execution.events()[event].task;
        match mode {
            Mode::Lock | Mode::LockShared => held.push((event, task)),
            Mode::Unlock | Mode::UnlockShared if !held.is_empty() => {
                // Somebody else may give it back, where a guard can be handed on.
                let own = held.iter().rposition(|&(_, holder)| holder == task);
                held.remove(own.unwrap_or(0));
            }
            _ => {}
        }
    }
    held.first().map(|&(event, _)| event)
}
