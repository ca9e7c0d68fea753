//! The distinct traces of many executions.

use super::past::Past;
use super::trace::{Trace, key, trace};
use crate::operation::Effect;
use crate::outcome::{ClassCounts, Ending};
use crate::program::Run;
use crate::watch::Watch;
use rustc_hash::FxHashSet;

/// Distinct traces, by kind of ending.
#[derive(Default, Debug)]
pub struct OracleClasses {
    /// What has been seen, in short: most interleavings are of a trace that is there already.
    seen: FxHashSet<(Ending, Vec<u64>)>,
    complete: FxHashSet<Trace>,
    ordered: FxHashSet<(Trace, Vec<u64>)>,
    deadlocked: FxHashSet<Trace>,
    blocked: FxHashSet<Trace>,
}

impl OracleClasses {
    /// Takes note of an execution. Says whether there was time for that.
    pub fn add(&mut self, run: &impl Run, past: &Past, ending: Ending, watch: &Watch) -> bool {
        let order = message_order(run, past);
        let Some(key) = key(run, past, &order, watch) else { return false };
        if !self.seen.insert((ending, key)) {
            return true;
        }
        let Some(trace) = trace(run, past, watch) else { return false };
        match ending {
            Ending::Complete => {
                self.ordered.insert((trace.clone(), order));
                self.complete.insert(trace);
            }
            Ending::Deadlocked => {
                self.deadlocked.insert(trace);
            }
            Ending::Blocked | Ending::Truncated => {
                self.blocked.insert(trace);
            }
        }
        true
    }

    /// How many there were of each kind, and whether there was time to look at all of those that may be contained in others.
    pub fn counts(&self, watch: &Watch) -> (ClassCounts, bool) {
        let contained = self.contained(watch);
        let counts = ClassCounts {
            complete: self.complete.len() as u64,
            ordered: self.ordered.len() as u64,
            deadlocked: self.deadlocked.len() as u64,
            blocked: self.blocked.len() as u64,
            contained: contained.unwrap_or(0),
        };
        (counts, contained.is_some())
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

    fn contained(&self, watch: &Watch) -> Option<u64> {
        let mut contained = 0;
        for trace in self.stopped() {
            if watch.is_up() {
                return None;
            }
            contained += u64::from(self.is_contained(trace));
        }
        Some(contained)
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

/// The messages of every handler in the order in which they started.
fn message_order(run: &impl Run, past: &Past) -> Vec<u64> {
    let started = past.steps.iter().filter(|step| step.effect == Effect::Start);
    let mut order: Vec<(u32, u32)> = started
        .map(|step| (run.handler(step.task).map_or(0, |handler| handler.0), step.task.0))
        .collect();
    order.sort_by_key(|&(handler, _)| handler);
    order.iter().map(|&(handler, task)| u64::from(handler) << 32 | u64::from(task)).collect()
}
