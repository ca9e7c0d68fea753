//! Conditions and barriers: who waits to be woken.
//!
//! Each task has a semaphore of its own to be woken with, its *bed*. Beds stand behind the declared objects, in the order of the
//! tasks. While a task waits its bed holds, as a negative number, what it waits for and who came before it; once it has
//! been woken it holds 1, otherwise 0. So everything that can be asked is in the values, and going back brings it back.
//! The value of a condition is the number of notifications that have a claim on one of several who wait and have not
//! picked it yet; the value of a barrier, how many must still come.

use super::VmRun;
use crate::code::{Register, Target};
use mazurka_engine::{Access, Mode, ObjectId, Step, TaskId};

impl VmRun<'_> {
    /// What `task` is woken with.
    pub(super) fn bed(&self, task: TaskId) -> ObjectId {
        ObjectId(self.program.initial.len() as u32 + task.0)
    }

    /// The task that is woken with an object.
    pub(super) fn sleeper(&self, object: u32) -> Option<TaskId> {
        object.checked_sub(self.program.initial.len() as u32).map(TaskId)
    }

    /// `task` waits for a notification from now on.
    pub(super) fn enqueue(&mut self, task: TaskId, condition: Target, step: &mut Step) {
        let object = self.resolve(task, condition);
        self.go_to_bed(task, object);
        touch(object, Mode::Update, step);
    }

    /// Somebody has woken `task`.
    pub(super) fn sleep(&mut self, task: TaskId, step: &mut Step) {
        let bed = self.bed(task);
        self.note_change(task);
        self.write(bed.0, 0);
        touch(bed.0, Mode::Wait, step);
    }

    /// The last one to come wakes the others.
    pub(super) fn arrive(&mut self, task: TaskId, to: Register, barrier: Target, step: &mut Step) {
        let object = self.resolve(task, barrier);
        let missing = self.values[object as usize];
        step.data_dependent = true;
        touch(object, Mode::Update, step);
        self.set_register(task, to, i64::from(missing <= 1));
        if missing > 1 {
            self.write(object, missing - 1);
            self.go_to_bed(task, object);
        } else {
            self.note_change(task);
            self.write(object, self.program.initial[object as usize]);
            self.waiting_for(object).into_iter().for_each(|other| self.wake_up(other, step));
        }
    }

    /// Wakes the only one who waits, or claims one of several.
    pub(super) fn notify(
        &mut self,
        task: TaskId,
        to: Register,
        condition: Target,
        step: &mut Step,
    ) {
        let object = self.resolve(task, condition);
        let (waiting, claims) = (self.waiting_for(object), self.values[object as usize]);
        let free = waiting.len() as i64 - claims;
        step.data_dependent = true;
        self.set_register(task, to, 0);
        if free == 0 {
            return touch(object, Mode::Read, step);
        }
        self.note_change(task);
        touch(object, Mode::Update, step);
        if waiting.len() == 1 {
            self.wake_up(waiting[0], step);
        } else {
            self.write(object, claims + 1);
            self.set_register(task, to, free);
        }
    }

    /// Wakes one of those who wait, as a claim allows.
    pub(super) fn wake(
        &mut self,
        task: TaskId,
        choice: Register,
        condition: Target,
        step: &mut Step,
    ) {
        let object = self.resolve(task, condition);
        let (waiting, claims) = (self.waiting_for(object), self.values[object as usize]);
        let choice = self.register(task, choice) as usize;
        step.data_dependent = true;
        self.note_change(task);
        touch(object, Mode::Update, step);
        self.write(object, claims - 1);
        // Others may have picked theirs since it was chosen.
        if let Some(&woken) = waiting.get(choice).or(waiting.last()) {
            self.wake_up(woken, step);
        }
    }

    /// Wakes all but those whom notifications have a claim on; they will.
    pub(super) fn notify_all(&mut self, task: TaskId, condition: Target, step: &mut Step) {
        let object = self.resolve(task, condition);
        let (waiting, claims) = (self.waiting_for(object), self.values[object as usize] as usize);
        let free = &waiting[..waiting.len() - claims];
        step.data_dependent = true;
        if free.is_empty() {
            return touch(object, Mode::Read, step);
        }
        self.note_change(task);
        touch(object, Mode::Update, step);
        free.iter().for_each(|&other| self.wake_up(other, step));
    }

    fn go_to_bed(&mut self, task: TaskId, object: u32) {
        let last = self.waiting_for(object).last().map(|&last| self.place_in_line(last));
        let place = last.unwrap_or(0) + 1;
        self.note_change(task);
        self.write(self.bed(task).0, -((i64::from(object) + 1) << 32 | place));
    }

    fn wake_up(&mut self, task: TaskId, step: &mut Step) {
        let bed = self.bed(task).0;
        self.write(bed, 1);
        touch(bed, Mode::Signal, step);
    }

    /// Those who wait for a condition or at a barrier, in the order in which they came.
    fn waiting_for(&self, object: u32) -> Vec<TaskId> {
        let beds = self.values[self.program.initial.len()..].iter().zip(0..);
        let waits = |&(&bed, _): &(&i64, u32)| bed < 0 && (-bed) >> 32 == i64::from(object) + 1;
        let mut waiting: Vec<TaskId> = beds.filter(waits).map(|(_, task)| TaskId(task)).collect();
        waiting.sort_unstable_by_key(|&task| self.place_in_line(task));
        waiting
    }

    fn place_in_line(&self, task: TaskId) -> i64 {
        let bed = self.values[self.bed(task).index()];
        -bed & i64::from(u32::MAX)
    }
}

fn touch(object: u32, mode: Mode, step: &mut Step) {
    step.accesses.push(Access { object: ObjectId(object), mode, read: 0, written: 0 });
}
