//! Which NOTIFY a WAIT waits for, where that is the same in every execution.
//!
//! A WAIT takes the oldest NOTIFY of its thread that has not been taken. If one task does all that notifies a
//! thread, and one task does all its waiting, the k-th WAIT takes the k-th NOTIFY whatever the schedule, and
//! nothing else about their order matters.

use super::Checked;
use crate::action::{Action, ThreadId};
use crate::trace::RecordedTrace;
use std::collections::BTreeMap;

#[derive(Default)]
struct Counter {
    notifies: Vec<usize>,
    waits: Vec<usize>,
}

/// Turns such WAITs into waits for one operation.
pub(super) fn match_notifications(trace: &RecordedTrace, checked: &mut Checked) {
    let mut counters: BTreeMap<ThreadId, Counter> = BTreeMap::new();
    for (position, recorded) in trace.operations.iter().enumerate() {
        match recorded.action {
            Action::Notify { notified, .. } => {
                counters.entry(notified).or_default().notifies.push(position);
            }
            Action::Wait { tid } => counters.entry(tid).or_default().waits.push(position),
            _ => {}
        }
    }
    checked.matched = vec![false; trace.operations.len()];
    for counter in counters.values() {
        let one_task = |positions: &[usize]| {
            let mut tasks = positions.iter().map(|&at| checked.places[at].map(|(task, _)| task));
            let first = tasks.next();
            tasks.all(|task| Some(task) == first)
        };
        if counter.waits.is_empty() || (one_task(&counter.notifies) && one_task(&counter.waits)) {
            let pairs = counter.notifies.iter().copied().zip(counter.waits.iter().copied());
            checked.waits.extend(pairs);
            for &position in counter.notifies.iter().chain(&counter.waits) {
                checked.matched[position] = true;
            }
        }
    }
}
