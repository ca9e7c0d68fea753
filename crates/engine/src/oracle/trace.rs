//! The trace of a list of steps: every two steps compared, and the result closed transitively.
//!
//! Definition 1 of the Event-DPOR paper, with the additions of the language: fork before the first step, the last step
//! before a join, and the order of operations on one lock or semaphore. Edges that are the same in every
//! execution whatever the schedule (gates of recorded traces) distinguish nothing and are left out.

use super::past::{Past, PastStep};
use crate::operation::{Access, Effect, Mode};
use crate::pace::Pace;
use crate::program::Run;
use crate::watch::Watch;
use std::collections::BTreeMap;

/// To compare two steps takes as long as so many words.
const WORK_FOR_A_PAIR: usize = 16;

/// A trace: every event by name (task and position in it), with what it did and the names of all events
/// that happen before it.
pub type Trace = BTreeMap<(u32, u32), Vec<u64>>;

/// The trace of an execution, unless the time is up.
pub fn trace(run: &impl Run, past: &Past, watch: &Watch) -> Option<Trace> {
    let before = happens_before(run, past, watch)?;
    let mut pace = Pace::new(watch);
    let names = names(past);
    let describe = |second: usize| {
        let step = &past.steps[second];
        let mut what = vec![u64::from(step.choice)];
        for access in &step.accesses {
            what.extend([u64::from(access.object.0), access.mode as u64]);
        }
        what.push(u64::MAX);
        let mut earlier: Vec<_> = (0..second)
            .filter(|&first| has(&before[first], second))
            .map(|first| names[first])
            .collect();
        earlier.sort_unstable();
        what.extend(earlier.iter().map(|&(task, index)| u64::from(task) << 32 | u64::from(index)));
        what
    };
    let mut trace = Trace::new();
    for (step, &name) in names.iter().enumerate() {
        if pace.is_up_after(past.len()) {
            return None;
        }
        trace.insert(name, describe(step));
    }
    Some(trace)
}

/// The same in one row of numbers, with the order of messages: equal exactly if those are. Quicker to make and to compare.
pub fn key(run: &impl Run, past: &Past, order: &[u64], watch: &Watch) -> Option<Vec<u64>> {
    let before = happens_before(run, past, watch)?;
    let mut pace = Pace::new(watch);
    let names = names(past);
    let mut sorted: Vec<usize> = (0..past.len()).collect();
    sorted.sort_unstable_by_key(|&step| names[step]);
    let mut key = order.to_vec();
    key.push(u64::MAX);
    for &second in &sorted {
        if pace.is_up_after(past.len()) {
            return None;
        }
        let step = &past.steps[second];
        key.push(u64::from(step.task.0) << 32 | u64::from(step.choice));
        key.extend(step.accesses.iter().map(|a| u64::from(a.object.0) << 8 | a.mode as u64));
        key.push(u64::MAX);
        for firsts in sorted.chunks(64) {
            let bits = firsts.iter().enumerate();
            key.push(bits.map(|(at, &first)| u64::from(has(&before[first], second)) << at).sum());
        }
    }
    Some(key)
}

/// Who does it, and how many steps of the same task came before.
fn names(past: &Past) -> Vec<(u32, u32)> {
    let steps = &past.steps;
    let index = |at: usize| steps[..at].iter().filter(|step| step.task == steps[at].task).count();
    (0..steps.len()).map(|at| (steps[at].task.0, index(at) as u32)).collect()
}

/// Row `i` says for each later step, in a bit, whether the `i`-th happens before it. Nothing if the time is up.
fn happens_before(run: &impl Run, past: &Past, watch: &Watch) -> Option<Vec<Vec<u64>>> {
    let count = past.len();
    let mut pace = Pace::new(watch);
    let mut before = vec![vec![0; count.div_ceil(64)]; count];
    for (first, row) in before.iter_mut().enumerate() {
        if pace.is_up_after(WORK_FOR_A_PAIR * count) {
            return None;
        }
        for second in first + 1..count {
            let ordered = is_ordered(run, &past.steps[first], &past.steps[second]);
            row[second / 64] |= u64::from(ordered) << (second % 64);
        }
    }
    for via in 0..count {
        let after_via = before[via].clone();
        if pace.is_up_after(via * after_via.len()) {
            return None;
        }
        for row in before[..via].iter_mut().filter(|row| has(row, via)) {
            row.iter_mut().zip(&after_via).for_each(|(bits, &after)| *bits |= after);
        }
    }
    Some(before)
}

fn has(row: &[u64], step: usize) -> bool {
    row[step / 64] >> (step % 64) & 1 != 0
}

fn is_ordered(run: &impl Run, first: &PastStep, second: &PastStep) -> bool {
    let creates = match first.effect {
        Effect::Post(child, _) | Effect::Fork(child) => child == second.task,
        _ => false,
    };
    let is_joined = second.effect == Effect::Join(first.task);
    first.task == second.task || creates || is_joined || order_matters(run, first, second)
}

fn order_matters(run: &impl Run, first: &PastStep, second: &PastStep) -> bool {
    // Recorded loopers do not compete with themselves for locks.
    let handler = run.handler(first.task);
    let is_one_looper =
        run.locks_ignore_own_handler() && handler.is_some() && handler == run.handler(second.task);
    let matters = |a: &Access, b: &Access| {
        let on_a_lock =
            matches!(a.mode, Mode::Lock | Mode::Unlock | Mode::LockShared | Mode::UnlockShared);
        a.object == b.object && !commute(a.mode, b.mode) && !(is_one_looper && on_a_lock)
    };
    first.accesses.iter().any(|a| second.accesses.iter().any(|b| matters(a, b)))
}

/// What accesses have in common that can be exchanged with each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Looks at something and leaves it as it is.
    Looks,
    /// Holds a lock with others, or does so no longer.
    Shares,
    /// Gives a permit.
    Gives,
    /// Changes what others find.
    Changes,
}

/// Is the result the same if two accesses of one object change places?
fn commute(first: Mode, second: Mode) -> bool {
    let sort = |mode| match mode {
        Mode::Read => Sort::Looks,
        Mode::LockShared | Mode::UnlockShared => Sort::Shares,
        Mode::Signal => Sort::Gives,
        Mode::Write | Mode::Update | Mode::Lock | Mode::Unlock | Mode::Wait => Sort::Changes,
    };
    sort(first) == sort(second) && sort(first) != Sort::Changes
}
