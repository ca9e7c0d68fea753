//! Locks and semaphores: who holds what, and what it takes to give it back.
//!
//! The engine decides who has to wait. The machine follows, because an attempt (`try_lock`) has to know what it
//! finds, and because giving back what is not held is a fault.

use super::VmRun;
use super::fault::RuntimeError;
use crate::code::{Register, Target};
use mazurka_engine::{Access, Mode, ObjectId, Step, TaskId};

/// How often a task holds a read-write lock for reading, from some step on.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedHold {
    pub(super) task: TaskId,
    pub(super) lock: u32,
    pub(super) times: u32,
}

impl VmRun<'_> {
    /// Does a task hold the lock that it would give back? Only the task itself can change that.
    pub(super) fn may_unlock(&self, task: TaskId, target: Target) -> Result<(), RuntimeError> {
        let lock = self.resolve(task, target);
        match self.values[lock as usize] == holder(task) {
            true => Ok(()),
            false => Err(RuntimeError::NotHeld(self.object_name(lock))),
        }
    }

    /// The same for reading.
    pub(super) fn may_unlock_shared(
        &self,
        task: TaskId,
        target: Target,
    ) -> Result<(), RuntimeError> {
        let lock = self.resolve(task, target);
        match self.times_held(task, lock) {
            0 => Err(RuntimeError::NotHeldShared(self.object_name(lock))),
            _ => Ok(()),
        }
    }

    fn times_held(&self, task: TaskId, lock: u32) -> u32 {
        let mut changes = self.shared.iter().rev();
        let last = changes.find(|hold| hold.task == task && hold.lock == lock);
        last.map_or(0, |hold| hold.times)
    }

    /// Takes or gives back a lock or a permit.
    pub(super) fn guard(&mut self, task: TaskId, target: Target, mode: Mode, step: &mut Step) {
        let object = self.resolve(task, target);
        let before = self.values[object as usize];
        let after = match mode {
            Mode::Lock => holder(task),
            Mode::Unlock => 0,
            Mode::LockShared | Mode::Wait => before - 1,
            Mode::UnlockShared | Mode::Signal => before + 1,
            Mode::Read | Mode::Write | Mode::Update => before,
        };
        self.note_change(task);
        self.write(object, after);
        if matches!(mode, Mode::LockShared | Mode::UnlockShared) {
            let held = self.times_held(task, object);
            let times = if mode == Mode::LockShared { held + 1 } else { held.saturating_sub(1) };
            self.shared.push(SharedHold { task, lock: object, times });
        }
        step.accesses.push(Access { object: ObjectId(object), mode, read: 0, written: 0 });
    }

    /// Takes a lock or a permit if nobody is in the way; otherwise it has only looked.
    pub(super) fn attempt(
        &mut self,
        task: TaskId,
        target: Target,
        mode: Mode,
        to: Register,
        step: &mut Step,
    ) {
        let object = self.resolve(task, target);
        let found = self.values[object as usize];
        let is_free = is_free(mode, found);
        step.data_dependent = true;
        self.set_register(task, to, i64::from(is_free));
        if is_free {
            return self.guard(task, target, mode, step);
        }
        let held = i64::from(found != 0);
        let looked = Access { object: ObjectId(object), mode: Mode::Read, read: held, written: 0 };
        step.accesses.push(looked);
    }
}

/// Is nobody in the way of taking a lock or a permit, given its value?
pub(super) fn is_free(mode: Mode, value: i64) -> bool {
    match mode {
        Mode::Lock => value == 0,
        Mode::LockShared => value <= 0,
        _ => value > 0,
    }
}

/// The value of a lock that a task holds.
fn holder(task: TaskId) -> i64 {
    i64::from(task.0) + 1
}
