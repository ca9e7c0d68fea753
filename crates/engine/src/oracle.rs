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
use std::collections::BTreeMap;

/// A trace: every event by name (task and position in it), with what it did and the names of all events
/// that happen before it.
pub type Trace = BTreeMap<(u32, u32), Vec<u64>>;

/// Distinct traces, by kind of ending.
#[derive(Default, Debug)]
pub struct OracleClasses {
    complete: FxHashSet<Trace>,
    ordered: FxHashSet<(Trace, Vec<u64>)>,
    deadlocked: FxHashSet<Trace>,
    blocked: FxHashSet<Trace>,
}

impl OracleClasses {
    /// Takes note of an execution.
    pub fn add(&mut self, run: &impl Run, execution: &Execution, ending: Ending) {
        let trace = trace(run, execution);
        match ending {
            Ending::Complete => {
                self.ordered.insert((trace.clone(), message_order(execution)));
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
            contained: self.contained(),
        }
    }

    /// How many traces of executions that stopped are contained in no other trace and not among `others`.
    pub fn missing_in(&self, others: &OracleClasses) -> u64 {
        let is_missing = |trace: &&Trace| {
            !others.stopped().any(|other| other == *trace) && !self.is_contained(trace)
        };
        self.stopped().filter(is_missing).count() as u64
    }

    fn stopped(&self) -> impl Iterator<Item = &Trace> {
        self.deadlocked.iter().chain(&self.blocked)
    }

    fn contained(&self) -> u64 {
        self.stopped().filter(|trace| self.is_contained(trace)).count() as u64
    }

    /// Is the trace a happens-before prefix of another one? Then its execution stopped although another one
    /// with the same events and more did not.
    fn is_contained(&self, trace: &Trace) -> bool {
        let mut all = self.stopped().chain(&self.complete);
        all.any(|other| other.len() > trace.len() && is_prefix(trace, other))
    }
}

/// Definition 3: is `trace` contained in `other`, unaffected by what else is there?
fn is_prefix(trace: &Trace, other: &Trace) -> bool {
    trace.iter().all(|(name, event)| other.get(name) == Some(event))
}

/// The trace of an execution.
pub fn trace(run: &impl Run, execution: &Execution) -> Trace {
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
    let name = |event: usize| (events[event].task.0, events[event].index);
    let describe = |second: usize| {
        let mut what = vec![u64::from(events[second].choice)];
        for access in execution.accesses(second) {
            what.extend([u64::from(access.object.0), access.mode as u64]);
        }
        what.push(u64::MAX);
        let mut past: Vec<_> =
            (0..second).filter(|&first| before[first][second]).map(name).collect();
        past.sort_unstable();
        what.extend(past.iter().map(|&(task, index)| u64::from(task) << 32 | u64::from(index)));
        what
    };
    (0..count).map(|event| (name(event), describe(event))).collect()
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
