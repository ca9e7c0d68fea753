//! Numbers without gaps: threads and messages from 1 in the order of their old numbers, operations from 2
//! in the order in which they stand.

use crate::action::{Action, MessageId, ThreadId};
use crate::trace::RecordedTrace;
use std::collections::{BTreeMap, BTreeSet};

/// Renumbers a trace that has no dependences yet, and enters what its threads are called.
pub(super) fn renumber(trace: &mut RecordedTrace, called: &[(ThreadId, String)]) {
    let actions = || trace.operations.iter().map(|recorded| &recorded.action);
    let threads: BTreeSet<ThreadId> =
        actions().map(Action::tid).chain(actions().filter_map(other_thread)).collect();
    let messages: BTreeSet<MessageId> = actions().filter_map(message).collect();
    let threads: BTreeMap<ThreadId, ThreadId> =
        threads.into_iter().zip((1..).map(ThreadId)).collect();
    let messages: BTreeMap<MessageId, MessageId> =
        messages.into_iter().zip((1..).map(MessageId)).collect();
    for (recorded, index) in trace.operations.iter_mut().zip(2..) {
        recorded.index = index;
        let tid = recorded.action.tid_mut();
        *tid = threads[tid];
        match &mut recorded.action {
            Action::Fork { child: tid, .. } | Action::Notify { notified: tid, .. } => {
                *tid = threads[tid]
            }
            Action::Post { message, destination, .. } => {
                *message = messages[message];
                *destination = threads[destination];
            }
            Action::Call { message, .. } | Action::Return { message, .. } => {
                *message = messages[message]
            }
            _ => {}
        }
    }
    for (tid, name) in called {
        if let Some(tid) = threads.get(tid) {
            trace.names.add(format!("thread {tid}"), name);
        }
    }
}

/// The thread that an operation names beside its own.
fn other_thread(action: &Action) -> Option<ThreadId> {
    match *action {
        Action::Fork { child, .. } => Some(child),
        Action::Notify { notified, .. } => Some(notified),
        Action::Post { destination, .. } => Some(destination),
        _ => None,
    }
}

fn message(action: &Action) -> Option<MessageId> {
    match *action {
        Action::Post { message, .. }
        | Action::Call { message, .. }
        | Action::Return { message, .. } => Some(message),
        _ => None,
    }
}
