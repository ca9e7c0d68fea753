//! Going back: what a step keeps, and how it is undone.

use super::VmRun;
use crate::code::Register;
use mazurka_engine::{Next, TaskId};

/// What a task was before a step, and how much of the logs is older than the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRecord {
    pub(super) task: TaskId,
    instruction: u32,
    next: Next,
    saved: usize,
    pub(super) overwritten: usize,
    changes: u32,
    pub(super) shared: usize,
    /// The task that the step created.
    pub(super) created: Option<TaskId>,
}

impl VmRun<'_> {
    /// Keeps what is needed to undo the step that `task` is about to make.
    #[inline]
    pub(super) fn begin_step(&mut self, task: TaskId) {
        let state = &self.tasks[task.index()];
        let live: Register = self.program.code.sites[state.instruction as usize].live;
        let base = state.base as usize;
        self.steps.push(StepRecord {
            task,
            instruction: state.instruction,
            next: state.next,
            changes: state.changes,
            saved: self.saved.len(),
            overwritten: self.overwritten.len(),
            shared: self.shared.len(),
            created: None,
        });
        self.saved.extend_from_slice(&self.registers[base..base + live as usize]);
    }

    /// Notes that the present step created a task.
    pub(super) fn note_creation(&mut self, created: TaskId) {
        if let Some(record) = self.steps.last_mut() {
            record.created = Some(created);
        }
    }

    /// Writes an object and keeps what it held.
    #[inline]
    pub(super) fn write(&mut self, object: u32, value: i64) {
        let old = std::mem::replace(&mut self.values[object as usize], value);
        self.overwritten.push((object, old));
    }

    /// Undoes the last step.
    pub(super) fn undo_step(&mut self) {
        let Some(record) = self.steps.pop() else {
            return;
        };
        if let Some(created) = record.created {
            self.undo_creation(record.task, created);
        }
        while self.overwritten.len() > record.overwritten {
            if let Some((object, old)) = self.overwritten.pop() {
                self.values[object as usize] = old;
            }
        }
        self.shared.truncate(record.shared);
        let state = &mut self.tasks[record.task.index()];
        state.instruction = record.instruction;
        state.next = record.next;
        state.changes = record.changes;
        let base = state.base as usize;
        let old = &self.saved[record.saved..];
        self.registers[base..base + old.len()].copy_from_slice(old);
        self.saved.truncate(record.saved);
    }

    /// The task that was created last has its registers on top of the stack.
    fn undo_creation(&mut self, creator: TaskId, created: TaskId) {
        self.tasks[creator.index()].children -= 1;
        let child = &mut self.tasks[created.index()];
        child.exists = false;
        let arguments = self.program.code.routines[child.routine as usize].parameters;
        self.registers.truncate(child.base as usize - arguments as usize);
    }
}
