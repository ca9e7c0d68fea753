//! The machine as the engine sees it.

use super::VmRun;
use crate::layout::name_of;
use mazurka_engine::{
    Fault, HandlerId, LeaveOut, LocationId, Mailbox, Next, ObjectId, Run, Step, TaskId,
};

impl Run for VmRun<'_> {
    fn roots(&self) -> &[TaskId] {
        &self.roots
    }

    #[inline]
    fn next(&self, task: TaskId) -> Next {
        self.tasks[task.index()].next
    }

    fn place(&self, task: TaskId) -> Option<LocationId> {
        Some(LocationId(self.tasks[task.index()].instruction))
    }

    fn waits_in_loop(&self, task: TaskId) -> bool {
        self.tasks[task.index()].next == Next::Blocked && self.spins(task)
    }

    fn spins_for_ever(&self, task: TaskId) -> bool {
        self.spins(task) && self.would_spin(task)
    }

    fn is_deterministic(&self) -> bool {
        true
    }

    #[inline]
    fn step(&mut self, task: TaskId, choice: u32, step: &mut Step) {
        let state = &self.tasks[task.index()];
        let Next::Operation(operation) = state.next else {
            debug_assert!(false, "a task that cannot move was told to");
            return;
        };
        step.location = Some(LocationId(state.instruction));
        if self.steps.is_empty() && !self.program.invariant_routines.is_empty() {
            step.faults = self.look_at_invariants();
        }
        self.begin_step(task);
        self.perform(task, operation, choice, step);
        step.interrupted = self.interrupted;
    }

    fn depth(&self) -> usize {
        self.steps.len()
    }

    fn rewind(&mut self, depth: usize) {
        while self.steps.len() > depth {
            self.undo_step();
        }
    }

    fn finish(&mut self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.steps.is_empty() {
            // Nobody has looked at the beginning, which is the end.
            faults = self.look_at_invariants();
        }
        faults.extend(self.run_finally());
        faults
    }

    fn final_reads(&self) -> &[ObjectId] {
        &self.final_reads.order
    }

    fn may_still_read(&self, object: ObjectId) -> bool {
        self.may_be_read(object.0)
    }

    fn difference(&self, depth: usize, leave_out: LeaveOut) -> Option<Vec<i64>> {
        Some(self.difference_since(depth, leave_out))
    }

    fn mailbox(&self, handler: HandlerId) -> Mailbox {
        self.program.policies[handler.index()]
    }

    fn handler(&self, task: TaskId) -> Option<HandlerId> {
        self.tasks[task.index()].handler
    }

    fn permits(&self, semaphore: ObjectId) -> u32 {
        // The compiler has made sure that it fits. Nobody is woken before he sleeps.
        let initial = self.program.initial.get(semaphore.index()).copied();
        u32::try_from(initial.unwrap_or(0)).unwrap_or(0)
    }

    fn task_path(&self, task: TaskId) -> String {
        self.names.path(task, &|root| name_of(&self.program.threads, root))
    }

    fn has_long_path(&self, task: TaskId) -> bool {
        self.names.has_long_path(task)
    }

    fn task_label(&self, task: TaskId) -> String {
        if let (None, root) = self.names.origin(task) {
            return name_of(&self.program.threads, root);
        }
        let state = &self.tasks[task.index()];
        let routine = &self.program.code.routines[state.routine as usize];
        let base = state.base as usize;
        let arguments =
            self.registers.get(base - routine.parameters as usize..base).unwrap_or_default();
        let arguments: Vec<String> = arguments.iter().map(i64::to_string).collect();
        format!("{}({})", routine.name, arguments.join(", "))
    }

    fn handler_name(&self, handler: HandlerId) -> String {
        name_of(&self.program.handlers, handler.0)
    }

    fn initial_value(&self, object: ObjectId) -> Option<i64> {
        self.program.initial.get(object.index()).copied()
    }

    fn object_name(&self, object: ObjectId) -> String {
        VmRun::object_name(self, object.0)
    }

    fn location(&self, location: LocationId) -> String {
        let span = self.program.code.sites[location.index()].span;
        self.program.source.place(span)
    }
}
