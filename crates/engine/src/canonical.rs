//! The canonical form of a class: equal for two executions exactly when they are equivalent, in the sense of the algorithm.
//!
//! A trace is given by what each task did and, for each object, the order of conflicting accesses; all of
//! happens-before follows. The form writes both down in an order that does not depend on the execution,
//! and forms are compared whole, so no two classes can be taken for one.

use crate::config::Equivalence;
use crate::execution::Execution;
use crate::ids::{ObjectId, TaskId};
use crate::operation::{Effect, Fault, Mode};
use crate::outcome::{ClassCounts, Ending};
use crate::program::{LeaveOut, Run};
use crate::relation::merged;
use rustc_hash::{FxHashMap, FxHashSet};

/// A trace in canonical form.
pub type Form = Box<[u32]>;

/// Distinct classes among the executions shown to it.
#[derive(Debug)]
pub struct Classes {
    equivalence: Equivalence,
    complete: FxHashSet<Form>,
    ordered: FxHashSet<Form>,
    deadlocked: FxHashSet<Form>,
    blocked: FxHashSet<Form>,
    /// What failed in the current execution, and at which event; numbers stand for failures.
    failed: Vec<(usize, TaskId, u32)>,
    failures: FxHashMap<(String, Option<String>), u32>,
}

impl Classes {
    /// None yet.
    pub fn new(equivalence: Equivalence) -> Self {
        Classes {
            equivalence,
            complete: FxHashSet::default(),
            ordered: FxHashSet::default(),
            deadlocked: FxHashSet::default(),
            blocked: FxHashSet::default(),
            failed: Vec::new(),
            failures: FxHashMap::default(),
        }
    }

    /// Takes note of what failed in the event that has just been performed, or of what `finally` found behind the last one.
    pub fn failed(&mut self, depth: usize, task: TaskId, fault: &Fault) {
        let number = self.failures.len() as u32;
        let key = (fault.message.clone(), fault.location.clone());
        let number = *self.failures.entry(key).or_insert(number);
        self.failed.push((depth, task, number));
    }

    /// The execution goes back to so many events.
    pub fn rewind(&mut self, depth: usize) {
        while self.failed.last().is_some_and(|&(at, ..)| at > depth) {
            self.failed.pop();
        }
    }

    /// Takes note of an execution.
    pub fn add(&mut self, run: &impl Run, execution: &Execution, ending: Ending) {
        let mut form = Vec::new();
        match self.equivalence {
            Equivalence::Traces => write_trace(run, execution, None, &mut form),
            Equivalence::Observers => {
                let reads: &[ObjectId] =
                    if ending == Ending::Complete { run.final_reads() } else { &[] };
                write_trace(run, execution, Some(reads), &mut form);
            }
            Equivalence::States => {
                let difference = run.difference(0, LeaveOut::Nothing).unwrap_or_default();
                form.extend(difference.iter().flat_map(|&it| [(it >> 32) as u32, it as u32]));
                self.write_failed(|task| task.0, &mut form);
            }
            Equivalence::Behaviours => self.write_failed(|_| 0, &mut form),
        }
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

    fn write_failed(&self, owner: impl Fn(TaskId) -> u32, form: &mut Vec<u32>) {
        let mut failed: Vec<_> =
            self.failed.iter().map(|&(_, task, it)| [owner(task), it]).collect();
        failed.sort_unstable();
        failed.dedup();
        form.extend(failed.into_iter().flatten());
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
    write_trace(run, execution, None, &mut form);
    form.into()
}

/// One access as it stands in an object's history.
struct Touch {
    task: TaskId,
    index: u32,
    mode: Mode,
}

/// Writes a trace. With observers (and what `finally` reads), of writes only who wrote what is read.
fn write_trace(
    run: &impl Run,
    execution: &Execution,
    observed: Option<&[ObjectId]>,
    form: &mut Vec<u32>,
) {
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
            let history = histories.entry(access.object).or_default();
            match history.last_mut().filter(|_| observed.is_some()) {
                Some(last) if last.is_of_same_event(&touch) => {
                    match merged(last.mode, touch.mode) {
                        Some(mode) => last.mode = mode,
                        None => history.push(touch),
                    }
                }
                _ => history.push(touch),
            }
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
            let reads = observed.map(|final_reads| final_reads.contains(&object));
            write_history(&mut history, reads, form);
        }
    }
}

impl Touch {
    fn is_of_same_event(&self, other: &Touch) -> bool {
        (self.task, self.index) == (other.task, other.index)
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

/// The order of accesses, with accesses that do not conflict sorted by name. With observers, writes do not conflict with
/// each other, but the last one counts if it is read, by whatever follows or by `finally`.
fn write_history(history: &mut [Touch], is_read_finally: Option<bool>, form: &mut Vec<u32>) {
    let mut from = 0;
    while from < history.len() {
        let first = history[from].mode;
        let writes = is_read_finally.is_some() && first == Mode::Write;
        let is_alike = |mode: Mode| !mode.conflicts(first) || writes && mode == Mode::Write;
        let run = history[from..].iter().take_while(|t| is_alike(t.mode)).count();
        let to = from + run.max(1);
        let last = (history[to - 1].task.0, history[to - 1].index);
        history[from..to].sort_unstable_by_key(|touch| (touch.task, touch.index));
        form.extend(history[from..to].iter().flat_map(|t| [t.task.0, t.index]));
        if writes && (to < history.len() || is_read_finally == Some(true)) {
            form.extend([u32::MAX, last.0, last.1]);
        }
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
