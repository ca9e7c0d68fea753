//! The machine: runs a compiled program one event at a time, and goes back by undoing a log.
//!
//! Guarantee: [`VmRun`] after `rewind(d)` answers everything as it did after `d` steps. Cost: a step costs
//! what its instructions cost, and keeps the live registers of the task that moved and the old value of
//! every object it wrote; `rewind` costs as much as the steps undone kept; `next` is one look into a table.

mod create;
mod difference;
mod events;
mod fault;
mod finally;
mod local;
mod locks;
mod pace;
mod run;
mod sleepers;
mod spin;
mod undo;

use crate::layout::name_of;
use crate::program::EdProgram;
use mazurka_engine::names::TaskNames;
use mazurka_engine::{HandlerId, Next, ObjectId, Run, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};
use undo::StepRecord;

/// An execution in progress.
#[derive(Clone, Debug)]
pub struct VmRun<'p> {
    program: &'p EdProgram,
    names: TaskNames,
    roots: Vec<TaskId>,
    /// By number. Tasks that have been named in another interleaving have an entry too.
    tasks: Vec<TaskState>,
    /// The registers of all tasks, in the order of their creation: a stack.
    registers: Vec<i64>,
    /// The values of the variables; for a lock 0, the number of the task that holds it plus 1, or minus the number of
    /// tasks that hold it for reading; for a semaphore its permits. Behind them stand those who
    /// wait to be woken (`sleepers`).
    values: Vec<i64>,
    /// Every change of who holds what for reading, in order: a log, so that going back cuts it.
    shared: Vec<locks::SharedHold>,
    /// One record for each step.
    steps: Vec<StepRecord>,
    /// Registers as they were before the steps.
    saved: Vec<i64>,
    /// Objects and what they held before they were written.
    overwritten: Vec<(u32, i64)>,
    /// The threads that `fork` has ever started, by their handles.
    handles: FxHashMap<i64, TaskId>,
    /// When long local code looks at the clock.
    pace: pace::Pace,
    /// Was local code cut short because the time is up?
    interrupted: bool,
    /// What the last `finally` looked at, each once.
    final_reads: FirstReads,
    /// Scratch space of `atomic` blocks.
    merge: events::MergeTable,
}

/// Objects in the order in which they were first read.
#[derive(Clone, Default, Debug)]
struct FirstReads {
    order: Vec<ObjectId>,
    known: FxHashSet<ObjectId>,
}

impl FirstReads {
    fn clear(&mut self) {
        self.order.clear();
        self.known.clear();
    }

    fn push(&mut self, object: ObjectId) {
        if self.known.insert(object) {
            self.order.push(object);
        }
    }
}

/// One task.
#[derive(Clone, Debug)]
struct TaskState {
    /// Where it stands; always up to date.
    next: Next,
    /// Its next event instruction, or its first instruction before it has begun.
    instruction: u32,
    /// Its first register. The values of its arguments stand before it, for its name.
    base: u32,
    /// How many tasks it has created.
    children: u32,
    /// How often it has changed something that others see.
    changes: u32,
    handler: Option<HandlerId>,
    /// What `fork` gives for it: a number made from its creators and positions only.
    handle: i64,
    routine: u16,
    /// Does it exist in this execution?
    exists: bool,
}

impl VmRun<'_> {
    fn object_name(&self, object: u32) -> String {
        if let Some(task) = self.sleeper(object) {
            return format!("wake-up of {}", self.task_label(task));
        }
        name_of(&self.program.objects, object)
    }

    /// The value of a variable now. For tests and reports; it is not an event.
    pub fn value(&self, variable: ObjectId) -> i64 {
        self.values[variable.index()]
    }

    /// How many bytes the state and its logs take, roughly: what grows with the length of an execution.
    pub fn memory(&self) -> usize {
        size_of_val(self.steps.as_slice())
            + size_of_val(self.saved.as_slice())
            + size_of_val(self.overwritten.as_slice())
            + size_of_val(self.registers.as_slice())
            + size_of_val(self.values.as_slice())
            + size_of_val(self.tasks.as_slice())
    }
}
