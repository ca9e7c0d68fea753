//! Messages that would wait for ever if they came before others of their queue.
//!
//! An event that waits (for a permit, a lock, the end of a task, the source of a gate) is performed once something
//! else has happened. If that needed an earlier message of the same queue, the other order of the two messages is
//! a deadlock: one waits for what the other would do, which waits in the queue behind it. Its trace is contained in
//! the one at hand, so no race leads there; the posts are reordered for its own sake.

use super::{EmDpor, Lane};
use crate::bits;
use crate::ids::TaskId;
use crate::operation::{Access, Mode, Next, Operation};
use crate::program::{Program, Run};

impl<P: Program> EmDpor<'_, P> {
    /// Reorders the message of `event` with those that the event had to wait for.
    pub(super) fn reorder_awaited(&mut self, event: usize) {
        let task = self.driver.execution().events()[event].task;
        let lane = self.lane(task);
        if !matches!(lane, Lane::Queue(_)) {
            return;
        }
        let mut awaited: Vec<TaskId> = Vec::new();
        let events = self.driver.execution().events();
        for other in bits::iter(&self.awaited(event)).map(|event| events[event].task) {
            if other != task && self.lane(other) == lane && !awaited.contains(&other) {
                awaited.push(other);
            }
        }
        for message in awaited {
            self.reorder_posts(message, task);
        }
    }

    /// Where an assumption has ended the execution, a message that waits for ever is no deadlock, but it is one before a message that led to the
    /// assumption. So it is reordered with those that came before it.
    pub(super) fn reorder_waiting_for_ever(&mut self) {
        for task in self.driver.walk.state.alive().to_vec() {
            let Next::Operation(operation) = self.driver.walk.run.next(task) else { continue };
            let Lane::Queue(handler) = self.lane(task) else { continue };
            if operation == Operation::Start {
                continue;
            }
            let posted = self.driver.execution().posted(handler).to_vec();
            for before in posted.into_iter().take_while(|&before| before != task) {
                if self.driver.is_time_up() {
                    return;
                }
                self.reorder_posts(before, task);
            }
        }
    }

    /// All that had to happen for `event` to be performed where its task had come to it already.
    fn awaited(&self, event: usize) -> Vec<u64> {
        let execution = self.driver.execution();
        let task = execution.events()[event].task;
        let own = execution.events_of(task);
        // A message has come to its start when it has been posted.
        let previous = match own.len().checked_sub(2) {
            Some(at) => Some(own[at] as usize),
            None => execution.creator(task),
        };
        let Some(previous) = previous else {
            return Vec::new();
        };
        // Its previous event is there in any case; anything else is an end that it joins or a gate.
        let past = execution.program_past(event).iter().map(|&e| e as usize);
        let mut needed: Vec<usize> = past.collect();
        let mut row = vec![0; event / 64 + 1];
        for access in execution.accesses(event) {
            match access.mode {
                Mode::Wait => needed.extend(self.signals(event, access)),
                Mode::Lock | Mode::LockShared => self.add_held(event, access, &mut row),
                _ => {}
            }
        }
        needed.retain(|&e| e != previous && !self.order.happens_before(e, previous));
        bits::union(&mut row, &self.order.with_queues(needed, event));
        row
    }

    /// The permits that were given before `event`.
    fn signals(&self, event: usize, access: &Access) -> impl Iterator<Item = usize> {
        let execution = self.driver.execution();
        (0..event).filter(move |&e| {
            let mut accesses = execution.accesses(e).iter();
            accesses.any(|a| a.object == access.object && a.mode == Mode::Signal)
        })
    }

    /// What others had to wait for while they held the lock.
    fn add_held(&self, event: usize, access: &Access, row: &mut [u64]) {
        let execution = self.driver.execution();
        let has = |e: usize, is: fn(Mode) -> bool| {
            let accesses = execution.accesses(e).iter();
            accesses.filter(|a| a.object == access.object).any(|a| is(a.mode))
        };
        let takes = |mode| matches!(mode, Mode::Lock | Mode::LockShared);
        let gives = |mode| matches!(mode, Mode::Unlock | Mode::UnlockShared);
        for taken in (0..event).filter(|&e| has(e, takes)) {
            let holder = execution.events()[taken].task;
            let later = execution.events_of(holder).iter().map(|&e| e as usize);
            let Some(given) = later.into_iter().find(|&e| e > taken && has(e, gives)) else {
                continue;
            };
            let before = self.order.with_queues([taken], event);
            let inside = self.order.with_queues([given], event);
            for e in bits::iter(&inside).filter(|&e| !bits::contains(&before, e)) {
                bits::insert(row, e);
            }
        }
    }
}
