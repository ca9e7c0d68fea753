//! What the steps have changed in a [`Graph`], to go back: the old value of each part, in the order of the changes.

use super::access::{Key, Past};
use super::{Graph, Task, location};
use crate::runtime::clock::Clock;
use mazurka_engine::{HandlerId, ObjectId, TaskId};

/// A part of a graph as it was before.
#[derive(Debug)]
pub(super) enum Change {
    /// What happened before a task's next event, in the trace and in the sense of C11.
    Now(TaskId, Clock, Past),
    /// What a task knew at its last release fence.
    Fence(TaskId, Past),
    /// What the loads of a task had seen.
    Seen(TaskId, Past),
    /// A task with the number of one that was created.
    Born(TaskId, Option<Box<Task>>),
    /// What happened up to the accesses of a group of an object.
    Trace(ObjectId, usize, Clock),
    /// What those had released.
    Released(ObjectId, usize, Past),
    /// What was known when the last message of a handler had ended.
    Handler(HandlerId, Past),
    /// An access of an atomic by a task.
    Location(ObjectId, TaskId, location::Undo),
    /// The value of a store that was changed through `&mut`.
    Rewritten(ObjectId, Option<u32>, Key),
}

impl Graph {
    /// Takes a change back.
    pub(super) fn take_back(&mut self, change: Change) {
        match change {
            Change::Now(task, trace, past) => {
                let own = &mut self.tasks[task.index()];
                (own.trace, own.past) = (trace, past);
                own.steps -= 1;
            }
            Change::Fence(task, fence) => self.tasks[task.index()].fence = fence,
            Change::Seen(task, seen) => self.tasks[task.index()].seen = seen,
            Change::Born(task, before) => {
                self.tasks[task.index()] = before.map(|before| *before).unwrap_or_default();
            }
            Change::Trace(object, group, trace) => {
                self.objects[object.index()].trace[group] = trace;
            }
            Change::Released(object, group, past) => {
                self.objects[object.index()].past[group] = past;
            }
            Change::Handler(handler, past) => {
                self.handlers.insert(handler, past);
            }
            Change::Location(object, task, undo) => {
                if let Some(location) = self.locations.get_mut(&object) {
                    location.pop(task, undo);
                    if location.is_new() {
                        self.locations.remove(&object);
                    }
                }
            }
            Change::Rewritten(object, store, key) => self.rewrite(object, store, key),
        }
    }
}
