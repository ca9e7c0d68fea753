//! What each event of a recording comes directly after, and why.

use crate::bits;
use crate::ids::TaskId;
use crate::operation::{Effect, Mode, Next, Step};
use crate::program::Run;
use crate::touch::{Dependence, Touch, touches_of};
use rustc_hash::FxHashMap;

/// Longer executions keep causes that follow from others: to see that they do takes a row of bits for each event,
/// 8 MB for so many.
const MOST_REDUCED: usize = 8192;

/// An event that another one comes directly after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The earlier event, counted from 0.
    pub event: usize,
    /// Why it is earlier.
    pub kind: CauseKind,
}

/// Why one event comes after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CauseKind {
    /// The same task did it before.
    Program,
    /// It posted the message.
    Post,
    /// It started the thread.
    Fork,
    /// It was the end that was waited for.
    Join,
    /// It gave the permit, or an earlier one.
    Signal,
    /// It gave the lock back.
    Lock,
    /// Both touch the same, and one changes it.
    Conflict,
    /// The program says so: a recorded trace does.
    Given,
}

impl CauseKind {
    /// Does one task hand something over to another? That is worth showing even where the order follows from others.
    fn hands_over(self) -> bool {
        use CauseKind::{Fork, Join, Lock, Post, Signal};
        matches!(self, Post | Fork | Join | Signal | Lock)
    }
}

/// What has happened, as far as it is the cause of anything to come.
#[derive(Default)]
pub(super) struct Past {
    events: usize,
    /// The events of each task, in order.
    tasks: FxHashMap<TaskId, Vec<usize>>,
    creators: FxHashMap<TaskId, Cause>,
    /// For each slot the events that touched it, without those that a later one has in its past anyway.
    histories: FxHashMap<u32, Vec<(usize, Touch)>>,
    /// For each event all that happens before it, up to [`MOST_REDUCED`] events.
    rows: Vec<Vec<u64>>,
}

impl Past {
    /// The causes of an event that has just been performed.
    pub(super) fn follow(
        &mut self,
        run: &impl Run,
        task: TaskId,
        step: &Step,
        gate: &[(TaskId, u32)],
    ) -> Vec<Cause> {
        let event = self.events;
        let mut causes = Vec::new();
        match self.tasks.get(&task).and_then(|own| own.last()) {
            Some(&event) => causes.push(Cause { event, kind: CauseKind::Program }),
            None => causes.extend(self.creators.get(&task)),
        }
        if let Effect::Join(other) = step.effect {
            let end = self.tasks.get(&other).and_then(|events| events.last());
            causes.extend(end.map(|&event| Cause { event, kind: CauseKind::Join }));
        }
        let given = gate.iter().filter_map(|(other, count)| {
            self.tasks.get(other)?.get((*count as usize).checked_sub(1)?).copied()
        });
        causes.extend(given.map(|event| Cause { event, kind: CauseKind::Given }));
        let ends = run.next(task) == Next::Ended;
        for touch in touches_of(Dependence::Conflicts, run, task, step, ends) {
            self.touch(event, touch, &mut causes);
        }
        self.remember(event, task, step);
        self.reduced(causes)
    }

    fn touch(&mut self, event: usize, touch: Touch, causes: &mut Vec<Cause>) {
        let history = self.histories.entry(touch.slot).or_default();
        for &(earlier, other) in history.iter().rev() {
            if earlier != event && touch.conflicts(other) {
                causes.push(Cause { event: earlier, kind: kind(other.mode, touch.mode) });
            }
            if other.conflicts_with_all() {
                break;
            }
        }
        if touch.conflicts_with_all() {
            history.clear();
        }
        history.push((event, touch));
    }

    fn remember(&mut self, event: usize, task: TaskId, step: &Step) {
        self.events += 1;
        self.tasks.entry(task).or_default().push(event);
        match step.effect {
            Effect::Post(child, _) => {
                self.creators.insert(child, Cause { event, kind: CauseKind::Post });
            }
            Effect::Fork(child) => {
                self.creators.insert(child, Cause { event, kind: CauseKind::Fork });
            }
            Effect::None | Effect::Start | Effect::Join(_) | Effect::Choose(_) => {}
        }
    }

    /// Each event once, with the first reason, and without conflicts that follow from the others.
    fn reduced(&mut self, mut causes: Vec<Cause>) -> Vec<Cause> {
        causes.sort_by_key(|cause| cause.event);
        causes.dedup_by_key(|cause| cause.event);
        if self.events > MOST_REDUCED {
            return causes;
        }
        let mut row = vec![0; self.events.div_ceil(64)];
        for cause in &causes {
            let before = &self.rows[cause.event];
            row.iter_mut().zip(before).for_each(|(word, other)| *word |= other);
        }
        causes.retain(|cause| cause.kind.hands_over() || !bits::contains(&row, cause.event));
        for cause in &causes {
            row[cause.event / 64] |= 1 << (cause.event % 64);
        }
        self.rows.push(row);
        causes
    }
}

fn kind(earlier: Mode, later: Mode) -> CauseKind {
    match (earlier, later) {
        (Mode::Unlock | Mode::UnlockShared, Mode::Lock | Mode::LockShared) => CauseKind::Lock,
        (Mode::Signal, Mode::Wait) => CauseKind::Signal,
        _ => CauseKind::Conflict,
    }
}
