//! What distinguishes two states that were reached from the same one, by the log of what the steps changed.

use super::VmRun;
use crate::future::Future;
use mazurka_engine::{LeaveOut, Next, TaskId};

/// Stand for tasks that do not go on.
const ENDED: i64 = -1;
const BLOCKED: i64 = -2;
const TRUNCATED: i64 = -3;

impl VmRun<'_> {
    /// Objects whose values have changed, then tasks that have moved or were created, each in the order of their
    /// numbers. Of a task counts where it stands and what it may still use; of one that has ended, only that.
    pub(super) fn difference_since(&self, depth: usize, leave_out: LeaveOut) -> Vec<i64> {
        let future = self.program.future();
        let mut difference = Vec::new();
        self.write_values(depth, leave_out, &mut difference);
        difference.push(i64::MIN);
        self.write_holds(depth, &mut difference);
        let moved = self.steps[depth..].iter().flat_map(|step| [Some(step.task), step.created]);
        let mut tasks: Vec<TaskId> = moved.flatten().collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks.iter().for_each(|&task| self.write_task(task, future, &mut difference));
        difference
    }

    fn write_values(&self, depth: usize, leave_out: LeaveOut, into: &mut Vec<i64>) {
        let Some(step) = self.steps.get(depth) else { return };
        let mut changed = self.overwritten[step.overwritten..].to_vec();
        // The oldest entry of an object, which is kept, holds the value that it had then.
        changed.sort_by_key(|&(object, _)| object);
        changed.dedup_by_key(|&mut (object, _)| object);
        for (object, old) in changed {
            let now = self.values[object as usize];
            let counts = match leave_out {
                LeaveOut::Nothing => true,
                LeaveOut::Unreadable => self.may_be_read(object),
                LeaveOut::Values => false,
            };
            if now != old && counts {
                into.extend([i64::from(object), now]);
            }
        }
    }

    /// Who holds what for reading, where that has changed.
    fn write_holds(&self, depth: usize, into: &mut Vec<i64>) {
        let Some(step) = self.steps.get(depth) else { return };
        let mut changed = self.shared[step.shared..].to_vec();
        // The newest entry of a task and lock counts.
        changed.reverse();
        changed.sort_by_key(|hold| (hold.task, hold.lock));
        changed.dedup_by_key(|hold| (hold.task, hold.lock));
        for hold in changed {
            into.extend([i64::from(hold.task.0), i64::from(hold.lock), i64::from(hold.times)]);
        }
        into.push(i64::MIN);
    }

    /// May code that can still run read an object? Who holds a lock or waits always matters.
    pub(super) fn may_be_read(&self, object: u32) -> bool {
        let future = self.program.future();
        let routines = &self.program.code.routines;
        let finally = self.program.finally_routines.iter();
        let mut finally = finally.map(|&routine| routines[routine as usize].entry);
        let goes_on = |next: Next| matches!(next, Next::Operation(_));
        object as usize >= self.program.initial.len()
            || future.is_guard(object)
            || finally.any(|entry| future.may_read(entry, object))
            || self.tasks.iter().any(|task| {
                task.exists && goes_on(task.next) && future.may_read(task.instruction, object)
            })
    }

    fn write_task(&self, task: TaskId, future: &Future, into: &mut Vec<i64>) {
        let state = &self.tasks[task.index()];
        into.push(i64::from(task.0));
        match state.next {
            Next::Ended => into.push(ENDED),
            Next::Blocked => into.extend([BLOCKED, i64::from(state.instruction)]),
            Next::Truncated => into.extend([TRUNCATED, i64::from(state.instruction)]),
            Next::Operation(_) => {
                let handler = state.handler.map_or(-1, |handler| i64::from(handler.0));
                into.extend([i64::from(state.instruction), i64::from(state.children), handler]);
                // Loops that wait ask how much their task has changed.
                if !self.program.code.spins.is_empty() {
                    into.push(i64::from(state.changes));
                }
                let own = self.program.code.routines[state.routine as usize].registers as usize;
                let registers = future.registers(state.instruction).take_while(|&r| r < own);
                let base = state.base as usize;
                into.extend(registers.map(|register| self.registers[base + register]));
                into.push(i64::MIN);
            }
        }
    }
}
