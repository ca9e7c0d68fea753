//! The canonical form of a trace: equal for two executions exactly when they are equivalent.
//!
//! A trace is given by what each task did and, for each object, the order of conflicting accesses; all of
//! happens-before follows. The form writes both down in an order that does not depend on the execution,
//! and forms are compared whole, so no two classes can be taken for one.

use crate::execution::Execution;
use crate::ids::{ObjectId, TaskId};
use crate::operation::{Effect, Mode};
use crate::outcome::{ClassCounts, Ending};
use crate::program::Run;
use rustc_hash::{FxHashMap, FxHashSet};

/// A trace in canonical form.
pub type Form = Box<[u32]>;

/// Distinct traces among the executions shown to it.
#[derive(Default, Debug)]
pub struct Classes {
    complete: FxHashSet<Form>,
    ordered: FxHashSet<Form>,
    deadlocked: FxHashSet<Form>,
    blocked: FxHashSet<Form>,
}

impl Classes {
    /// Takes note of an execution.
    pub fn add(&mut self, run: &impl Run, execution: &Execution, ending: Ending) {
        let mut form = Vec::new();
        write_trace(run, execution, &mut form);
        match ending {
            Ending::Complete => {
                self.complete.insert(form.clone().into());
                write_handlers(execution, &mut form);
                self.ordered.insert(form.into());
            }
            Ending::Deadlocked => {
                self.deadlocked.insert(form.into());
            }
            Ending::Blocked | Ending::Truncated => {
                self.blocked.insert(form.into());
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
            contained: 0,
        }
    }
}

/// The canonical form of an execution's trace.
pub fn trace_form(run: &impl Run, execution: &Execution) -> Form {
    let mut form = Vec::new();
    write_trace(run, execution, &mut form);
    form.into()
}

/// One access as it stands in an object's history.
struct Touch {
    task: TaskId,
    index: u32,
    mode: Mode,
}

fn write_trace(run: &impl Run, execution: &Execution, form: &mut Vec<u32>) {
    for task in 0..execution.task_count() {
        let events = execution.events_of(TaskId::from(task));
        if events.is_empty() {
            continue;
        }
        form.extend([task as u32, events.len() as u32]);
        for &event in events {
            write_event(execution, event as usize, form);
        }
    }
    let mut histories: FxHashMap<ObjectId, Vec<Touch>> = FxHashMap::default();
    for (position, event) in execution.events().iter().enumerate() {
        for access in execution.accesses(position) {
            let touch = Touch { task: event.task, index: event.index, mode: access.mode };
            histories.entry(access.object).or_default().push(touch);
        }
    }
    let mut histories: Vec<_> = histories.into_iter().collect();
    histories.sort_unstable_by_key(|(object, _)| *object);
    for (object, mut history) in histories {
        form.extend([object.0, history.len() as u32]);
        let lock = history.iter().any(|touch| touch.mode.is_lock());
        if lock && run.locks_ignore_own_handler() {
            write_pairwise(run, &history, form);
        } else {
            write_history(&mut history, form);
        }
    }
}

fn write_event(execution: &Execution, event: usize, form: &mut Vec<u32>) {
    let (code, number) = match execution.events()[event].effect {
        Effect::None => (0, 0),
        Effect::Start => (1, 0),
        Effect::Post(child, _) => (2, child.0),
        Effect::Fork(child) => (3, child.0),
        Effect::Join(other) => (4, other.0),
        Effect::Choose(choice) => (5, choice),
    };
    let accesses = execution.accesses(event);
    form.extend([code, number, accesses.len() as u32]);
    form.extend(accesses.iter().flat_map(|a| [a.object.0, a.mode as u32]));
}

/// The order of accesses, with accesses that do not conflict sorted by name.
fn write_history(history: &mut [Touch], form: &mut Vec<u32>) {
    let mut from = 0;
    while from < history.len() {
        let run =
            history[from..].iter().take_while(|t| !t.mode.conflicts(history[from].mode)).count();
        let to = from + run.max(1);
        history[from..to].sort_unstable_by_key(|touch| (touch.task, touch.index));
        form.extend(history[from..to].iter().flat_map(|t| [t.task.0, t.index]));
        form.push(u32::MAX);
        from = to;
    }
}

/// For each access the conflicting ones before it: for conflicts that are not transitive.
fn write_pairwise(run: &impl Run, history: &[Touch], form: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..history.len()).collect();
    order.sort_unstable_by_key(|&at| (history[at].task, history[at].index));
    for &at in &order {
        let own = run.handler(history[at].task);
        let mut before: Vec<_> = history[..at]
            .iter()
            .filter(|touch| own.is_none() || run.handler(touch.task) != own)
            .map(|touch| (touch.task.0, touch.index))
            .collect();
        before.sort_unstable();
        form.extend(before.iter().flat_map(|&(task, index)| [task, index]));
        form.push(u32::MAX);
    }
}

/// The order of the messages on each handler.
fn write_handlers(execution: &Execution, form: &mut Vec<u32>) {
    let mut starts: Vec<(u32, usize, u32)> = Vec::new();
    for (position, event) in execution.events().iter().enumerate() {
        if let (Effect::Start, Some(handler)) = (event.effect, execution.handler(event.task)) {
            starts.push((handler.0, position, event.task.0));
        }
    }
    starts.sort_unstable();
    form.extend(starts.iter().flat_map(|&(handler, _, task)| [handler, task]));
}
