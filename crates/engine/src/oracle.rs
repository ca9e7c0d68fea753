//! Traces from their definition, for the oracle.
//!
//! Nothing here uses the incremental happens-before relation: it is computed anew for every execution by
//! comparing every two events (Definition 1 of the Event-DPOR paper and the additions of `language.md`)
//! and closing the result transitively. Edges that are the same in every execution whatever the schedule
//! (gates of recorded traces) distinguish nothing and are left out.

use crate::execution::Execution;
use crate::operation::Effect;
use crate::outcome::{ClassCounts, Ending};
use crate::program::Run;
use rustc_hash::FxHashSet;

/// Distinct traces, by kind of ending.
#[derive(Default, Debug)]
pub struct OracleClasses {
    complete: FxHashSet<Vec<u64>>,
    ordered: FxHashSet<Vec<u64>>,
    deadlocked: FxHashSet<Vec<u64>>,
    blocked: FxHashSet<Vec<u64>>,
}

impl OracleClasses {
    /// Takes note of an execution.
    pub fn add(&mut self, run: &impl Run, execution: &Execution, ending: Ending) {
        let trace = trace(run, execution);
        match ending {
            Ending::Complete => {
                let mut ordered = trace.clone();
                ordered.extend(message_order(execution));
                self.ordered.insert(ordered);
                self.complete.insert(trace);
            }
            Ending::Deadlocked => {
                self.deadlocked.insert(trace);
            }
            Ending::Blocked | Ending::Truncated => {
                self.blocked.insert(trace);
            }
        }
    }

    /// How many there were of each kind.
    pub fn counts(&self) -> ClassCounts {
        ClassCounts {
            complete: self.complete.len() as u64,
            ordered: self.ordered.len() as u64,
            deadlocked: self.deadlocked.len() as u64,
            blocked: self.blocked.len() as u64,
        }
    }
}

/// Every event with its name and what it did, and for every two events whether the first happens before
/// the second; events sorted by name.
fn trace(run: &impl Run, execution: &Execution) -> Vec<u64> {
    let events = execution.events();
    let count = events.len();
    let mut before = vec![vec![false; count]; count];
    for (first, row) in before.iter_mut().enumerate() {
        for (second, bit) in row.iter_mut().enumerate().skip(first + 1) {
            *bit = directly_before(run, execution, first, second);
        }
    }
    for via in 0..count {
        let after_via = before[via].clone();
        for row in before.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&after_via).for_each(|(bit, &after)| *bit |= after);
        }
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&event| (events[event].task, events[event].index));
    let mut trace = Vec::new();
    for &event in &order {
        trace.extend([u64::from(events[event].task.0), u64::from(events[event].choice)]);
        for access in execution.accesses(event) {
            trace.extend([u64::from(access.object.0), access.mode as u64]);
        }
        trace.push(u64::MAX);
    }
    for &second in &order {
        let bits: Vec<bool> = order.iter().map(|&first| before[first][second]).collect();
        trace.extend(bits.chunks(64).map(|chunk| {
            chunk.iter().enumerate().fold(0, |word, (at, &bit)| word | u64::from(bit) << at)
        }));
    }
    trace
}

fn directly_before(run: &impl Run, execution: &Execution, first: usize, second: usize) -> bool {
    let (a, b) = (&execution.events()[first], &execution.events()[second]);
    let creates = matches!(a.effect, Effect::Post(task, _) | Effect::Fork(task) if task == b.task);
    let joined = b.effect == Effect::Join(a.task);
    a.task == b.task || creates || joined || conflict(run, execution, first, second)
}

fn conflict(run: &impl Run, execution: &Execution, first: usize, second: usize) -> bool {
    let handler = |event: usize| run.handler(execution.events()[event].task);
    let own_locks = run.locks_ignore_own_handler()
        && handler(first).is_some()
        && handler(first) == handler(second);
    execution.accesses(first).iter().any(|a| {
        execution.accesses(second).iter().any(|b| {
            a.object == b.object && a.mode.conflicts(b.mode) && !(own_locks && a.mode.is_lock())
        })
    })
}

fn message_order(execution: &Execution) -> Vec<u64> {
    let started = execution.events().iter().filter(|event| event.effect == Effect::Start);
    let mut order: Vec<(u32, u32)> =
        started.map(|e| (execution.handler(e.task).map_or(0, |h| h.0), e.task.0)).collect();
    order.sort_by_key(|&(handler, _)| handler);
    order.iter().map(|&(handler, task)| u64::from(handler) << 32 | u64::from(task)).collect()
}
