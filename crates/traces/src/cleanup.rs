//! Removal of empty handlers: messages that do nothing, with their posts.
//!
//! A message is empty if between its CALL and its RET there is nothing but posts of empty messages. What
//! a delayed post needs beside itself (FORK, THREADINIT and THREADEXIT of the thread that does it) goes
//! with it; the thread of a native post stays. Exploration by happens-before does not see empty
//! messages, but algorithms for which posts to one queue are dependent do.
//!
//! Source: the preprocessing of the traces of Maiya, Gupta, Kanade and Majumdar, TACAS 2016. One deviation:
//! a message stays if a dependence refers to its CALL, its RET or its POST, since removing it would
//! remove an ordering. One pass, linear in the trace; indexes and lines stay as they are.

use crate::action::{Action, MessageId, PostKind, ThreadId};
use crate::trace::RecordedTrace;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of a message.
#[derive(Default)]
struct Handler {
    /// Does it do anything that counts?
    content: bool,
    /// What it posts, directly or through a thread that only waits to post.
    posts: Vec<MessageId>,
}

struct Survey {
    handlers: FxHashMap<MessageId, Handler>,
    /// The messages in the order of their posts.
    order: Vec<MessageId>,
    /// Threads that do nothing but one delayed post.
    delayers: FxHashMap<ThreadId, MessageId>,
}

/// The trace without empty messages, and how many there were.
pub fn remove_empty_handlers(trace: &RecordedTrace) -> (RecordedTrace, usize) {
    let survey = Survey::of(trace);
    let empty = survey.empty();
    let gone = |action: &Action| match action {
        Action::Call { message, .. }
        | Action::Return { message, .. }
        | Action::Post { message, .. } => empty.contains(message),
        Action::Fork { child: tid, .. }
        | Action::ThreadInit { tid }
        | Action::ThreadExit { tid } => {
            survey.delayers.get(tid).is_some_and(|message| empty.contains(message))
        }
        _ => false,
    };
    let kept = trace.operations.iter().filter(|recorded| !gone(&recorded.action));
    let cleaned = RecordedTrace {
        name: trace.name.clone(),
        dependence_name: trace.dependence_name.clone(),
        operations: kept.cloned().collect(),
        dependences: trace.dependences.clone(),
        names: trace.names.clone(),
    };
    (cleaned, empty.len())
}

impl Survey {
    fn of(trace: &RecordedTrace) -> Survey {
        let ends = trace.dependences.iter().flat_map(|edge| [edge.source, edge.destination]);
        let ends: FxHashSet<u32> = ends.collect();
        let delayers = delayers(trace, &ends);
        let mut survey = Survey { handlers: FxHashMap::default(), order: Vec::new(), delayers };
        let mut current: FxHashMap<ThreadId, MessageId> = FxHashMap::default();
        for recorded in &trace.operations {
            let fixed = ends.contains(&recorded.index);
            survey.note(&recorded.action, fixed, &mut current);
        }
        survey
    }

    fn note(&mut self, action: &Action, fixed: bool, current: &mut FxHashMap<ThreadId, MessageId>) {
        let inside = current.get(&action.tid()).copied();
        let posted = match *action {
            Action::Call { tid, message } => {
                current.insert(tid, message);
                self.handlers.entry(message).or_default().content |= fixed;
                return;
            }
            Action::Return { tid, message } => {
                current.remove(&tid);
                self.handlers.entry(message).or_default().content |= fixed;
                return;
            }
            Action::Post { message, .. } => {
                self.order.push(message);
                self.handlers.entry(message).or_default().content |= fixed;
                Some(message)
            }
            Action::Fork { child, .. } => self.delayers.get(&child).copied(),
            _ => None,
        };
        if let Some(inside) = inside {
            let handler = self.handlers.entry(inside).or_default();
            match posted {
                Some(message) if !fixed => handler.posts.push(message),
                _ => handler.content = true,
            }
        }
    }

    /// A message is posted before what it posts, so one sweep from the last post sees children first.
    fn empty(&self) -> FxHashSet<MessageId> {
        let mut empty = FxHashSet::default();
        for message in self.order.iter().rev() {
            let handler = &self.handlers[message];
            if !handler.content && handler.posts.iter().all(|posted| empty.contains(posted)) {
                empty.insert(*message);
            }
        }
        empty
    }
}

/// The threads whose code is THREADINIT, one DELAY-POST, and perhaps THREADEXIT; none of which, nor the
/// FORK, a dependence refers to.
fn delayers(trace: &RecordedTrace, ends: &FxHashSet<u32>) -> FxHashMap<ThreadId, MessageId> {
    let mut delayers = FxHashMap::default();
    let mut others = FxHashSet::default();
    for recorded in &trace.operations {
        let tid = recorded.action.tid();
        let fixed = ends.contains(&recorded.index);
        let harmless = match recorded.action {
            Action::ThreadInit { .. } | Action::ThreadExit { .. } => !fixed,
            Action::Post { origin: PostKind::Delayed, message, .. } => {
                delayers.insert(tid, message).is_none()
            }
            Action::Fork { child, .. } if fixed => {
                others.insert(child);
                false
            }
            _ => false,
        };
        if !harmless {
            others.insert(tid);
        }
    }
    delayers.retain(|tid, _| !others.contains(tid));
    delayers
}
