//! Events: what a task would do next, and doing it.

use super::VmRun;
use super::fault::RuntimeError;
use super::local::{Stop, run_local};
use crate::arithmetic::{ArithmeticError, Operator};
use crate::code::{Instruction, Register, Target};
use mazurka_engine::{Access, Effect, HandlerId, Mode, ObjectId, Operation, Step, TaskId};

/// For each object, where it stands among the accesses of the present `atomic` block, plus 1. All 0 between blocks;
/// empty until the first one.
pub(super) type MergeTable = Vec<u32>;

impl VmRun<'_> {
    #[inline]
    pub(super) fn register(&self, task: TaskId, register: Register) -> i64 {
        self.registers[self.tasks[task.index()].base as usize + register as usize]
    }

    #[inline]
    pub(super) fn set_register(&mut self, task: TaskId, register: Register, value: i64) {
        let base = self.tasks[task.index()].base as usize;
        self.registers[base + register as usize] = value;
    }

    /// The task has done something after which not everything is as before.
    #[inline]
    pub(super) fn note_change(&mut self, task: TaskId) {
        let changes = &mut self.tasks[task.index()].changes;
        *changes = changes.wrapping_add(1);
    }

    #[inline]
    pub(super) fn resolve(&self, task: TaskId, target: Target) -> u32 {
        target.resolve(&self.registers[self.tasks[task.index()].base as usize..]) as u32
    }

    /// The operation of an event instruction. What can be known to be a fault is one before it becomes an event.
    #[inline]
    pub(super) fn announce(&self, task: TaskId, at: u32) -> Result<Operation, RuntimeError> {
        let access =
            |target, mode| Ok(Operation::Access(ObjectId(self.resolve(task, target)), mode));
        match self.program.code.instructions[at as usize] {
            Instruction::Read { target, .. } => access(target, Mode::Read),
            Instruction::Write { target, .. } => access(target, Mode::Write),
            Instruction::Update { target, .. }
            | Instruction::Swap { target, .. }
            | Instruction::CompareAndSwap { target, .. } => access(target, Mode::Update),
            Instruction::Lock { target } => access(target, Mode::Lock),
            Instruction::Unlock { target } => {
                self.may_unlock(task, target)?;
                access(target, Mode::Unlock)
            }
            Instruction::LockShared { target } => access(target, Mode::LockShared),
            Instruction::UnlockShared { target } => {
                self.may_unlock_shared(task, target)?;
                access(target, Mode::UnlockShared)
            }
            Instruction::Acquire { target } => access(target, Mode::Wait),
            Instruction::Release { target } => access(target, Mode::Signal),
            Instruction::Enqueue { target } => access(target, Mode::Update),
            Instruction::Sleep => Ok(Operation::Access(self.bed(task), Mode::Wait)),
            Instruction::Choose { count, .. } => {
                Ok(Operation::Choose(self.register(task, count) as u32))
            }
            Instruction::Post { target, .. } => {
                Ok(Operation::Post(HandlerId(self.resolve(task, target))))
            }
            Instruction::Fork { .. } => Ok(Operation::Fork),
            Instruction::Join { handle } => {
                let handle = self.register(task, handle);
                let joined =
                    self.handles.get(&handle).filter(|joined| self.tasks[joined.index()].exists);
                joined
                    .map(|joined| Operation::Join(*joined))
                    .ok_or(RuntimeError::NotAHandle(handle))
            }
            Instruction::JoinThread { target } => {
                Ok(Operation::Join(self.roots[self.resolve(task, target) as usize]))
            }
            // What an attempt does is known when it is done.
            Instruction::Atomic { .. }
            | Instruction::Arrive { .. }
            | Instruction::Notify { .. }
            | Instruction::Wake { .. }
            | Instruction::NotifyAll { .. }
            | Instruction::TryLock { .. }
            | Instruction::TryAcquire { .. } => Ok(Operation::Atomic),
            local => unreachable!("{local:?} is not an event"),
        }
    }

    /// Performs the event that `task` stands at, then its local code up to the next one.
    #[inline]
    pub(super) fn perform(
        &mut self,
        task: TaskId,
        operation: Operation,
        choice: u32,
        step: &mut Step,
    ) {
        let at = self.tasks[task.index()].instruction;
        if matches!(operation, Operation::Start | Operation::Local) {
            step.effect = if operation == Operation::Start { Effect::Start } else { Effect::None };
            return self.go_on(task, at, &mut step.faults);
        }
        match self.program.code.instructions[at as usize] {
            Instruction::Lock { target } => self.guard(task, target, Mode::Lock, step),
            Instruction::Unlock { target } => self.guard(task, target, Mode::Unlock, step),
            Instruction::LockShared { target } => {
                self.guard(task, target, Mode::LockShared, step);
            }
            Instruction::UnlockShared { target } => {
                self.guard(task, target, Mode::UnlockShared, step);
            }
            Instruction::Acquire { target } => self.guard(task, target, Mode::Wait, step),
            Instruction::Release { target } => self.guard(task, target, Mode::Signal, step),
            Instruction::TryLock { shared, to, target } => {
                let mode = if shared { Mode::LockShared } else { Mode::Lock };
                self.attempt(task, target, mode, to, step);
            }
            Instruction::TryAcquire { to, target } => {
                self.attempt(task, target, Mode::Wait, to, step);
            }
            Instruction::Enqueue { target } => self.enqueue(task, target, step),
            Instruction::Sleep => self.sleep(task, step),
            Instruction::Arrive { to, target } => self.arrive(task, to, target, step),
            Instruction::Notify { to, target } => self.notify(task, to, target, step),
            Instruction::Wake { choice, target } => self.wake(task, choice, target, step),
            Instruction::NotifyAll { target } => self.notify_all(task, target, step),
            Instruction::Choose { to, .. } => {
                self.set_register(task, to, i64::from(choice));
                step.effect = Effect::Choose(choice);
            }
            Instruction::Post { routine, arguments, target } => {
                let handler = HandlerId(self.resolve(task, target));
                self.note_change(task);
                let message = self.create_child(task, routine, arguments, Some(handler));
                step.effect = Effect::Post(message, handler);
            }
            Instruction::Fork { routine, arguments, to } => {
                self.note_change(task);
                self.fork(task, routine, arguments, to, step)
            }
            Instruction::Join { .. } | Instruction::JoinThread { .. } => {
                self.note_change(task);
                if let Operation::Join(joined) = operation {
                    step.effect = Effect::Join(joined);
                }
            }
            Instruction::Atomic { data_dependent } => {
                step.data_dependent = data_dependent;
                return self.atomic(task, at + 1, step);
            }
            access => {
                step.data_dependent = matches!(access, Instruction::CompareAndSwap { .. });
                let (access, error) = self.access(task, access);
                step.accesses.push(access);
                if let Some(error) = error {
                    let stop = Stop::Fault(Box::new(error.into()));
                    return self.settle(task, at, stop, &mut step.faults);
                }
            }
        }
        self.go_on(task, at + 1, &mut step.faults);
    }

    fn fork(
        &mut self,
        task: TaskId,
        routine: u16,
        arguments: Register,
        to: Register,
        step: &mut Step,
    ) {
        let thread = self.create_child(task, routine, arguments, None);
        let handle = self.tasks[thread.index()].handle;
        self.handles.insert(handle, thread);
        self.set_register(task, to, handle);
        self.run_prologue(thread, &mut step.faults);
        step.effect = Effect::Fork(thread);
    }

    /// Performs one access of a variable. If the sum of an update does not exist, the variable keeps its value.
    #[inline]
    fn access(
        &mut self,
        task: TaskId,
        instruction: Instruction,
    ) -> (Access, Option<ArithmeticError>) {
        let done =
            |object, mode, read, written| Access { object: ObjectId(object), mode, read, written };
        match instruction {
            Instruction::Read { to, target } => {
                let object = self.resolve(task, target);
                let value = self.values[object as usize];
                self.set_register(task, to, value);
                (done(object, Mode::Read, value, 0), None)
            }
            Instruction::Write { from, target } => {
                let object = self.resolve(task, target);
                let value = self.register(task, from);
                self.note_change(task);
                self.write(object, value);
                (done(object, Mode::Write, 0, value), None)
            }
            Instruction::Update { subtract, to, from, target } => {
                let object = self.resolve(task, target);
                let (old, by) = (self.values[object as usize], self.register(task, from));
                let operator = if subtract { Operator::Subtract } else { Operator::Add };
                let sum = operator.apply(old, by);
                let new = *sum.as_ref().unwrap_or(&old);
                self.change(task, object, new);
                self.set_register(task, to, old);
                (done(object, Mode::Update, old, new), sum.err())
            }
            Instruction::Swap { to, from, target } => {
                let object = self.resolve(task, target);
                let (old, new) = (self.values[object as usize], self.register(task, from));
                self.change(task, object, new);
                self.set_register(task, to, old);
                (done(object, Mode::Update, old, new), None)
            }
            Instruction::CompareAndSwap { to, old, new, target } => {
                let object = self.resolve(task, target);
                let (found, expected) = (self.values[object as usize], self.register(task, old));
                let new = self.register(task, new);
                let succeeds = found == expected;
                self.set_register(task, to, i64::from(succeeds));
                if !succeeds {
                    return (done(object, Mode::Read, found, 0), None);
                }
                self.change(task, object, new);
                (done(object, Mode::Update, found, new), None)
            }
            other => unreachable!("{other:?} does not access a variable"),
        }
    }

    /// Updates a variable, and counts it if its value changes.
    #[inline]
    fn change(&mut self, task: TaskId, object: u32, value: i64) {
        if self.values[object as usize] != value {
            self.note_change(task);
        }
        self.write(object, value);
    }

    /// Runs an `atomic` block whose first instruction is `at`, then goes on behind it.
    fn atomic(&mut self, task: TaskId, mut at: u32, step: &mut Step) {
        let base = self.tasks[task.index()].base as usize;
        self.merge.resize(self.values.len(), 0);
        let stop = loop {
            let changes = self.tasks[task.index()].changes;
            let registers = &mut self.registers[base..];
            let pace = &mut self.pace;
            match run_local(self.program, registers, &mut at, &mut step.faults, pace, changes) {
                // Nobody else can change what it reads.
                Stop::Spinning => break Stop::Fault(Box::new(RuntimeError::EndlessLoop)),
                Stop::Event => {
                    let instruction = self.program.code.instructions[at as usize];
                    let logged = self.overwritten.len();
                    let (access, error) = self.access(task, instruction);
                    if self.is_written(access.object, step) {
                        // What the block found is kept already; a long one must not keep more than that.
                        self.overwritten.truncate(logged);
                    }
                    self.merge_access(access, step);
                    if let Some(error) = error {
                        break Stop::Fault(Box::new(error.into()));
                    }
                    at += 1;
                }
                stop => break stop,
            }
        };
        for access in &step.accesses {
            self.merge[access.object.index()] = 0;
        }
        match stop {
            Stop::AtomicEnd => self.go_on(task, at, &mut step.faults),
            other => self.settle(task, at, other, &mut step.faults),
        }
    }

    /// Has the present `atomic` block written this object?
    fn is_written(&self, object: ObjectId, step: &Step) -> bool {
        let position = self.merge[object.index()] as usize;
        position > 0 && step.accesses[position - 1].mode != Mode::Read
    }

    /// All accesses of one object are one access: what was read first, what was written last. What the block
    /// wrote itself before it was read was not read from outside.
    fn merge_access(&mut self, access: Access, step: &mut Step) {
        let position = &mut self.merge[access.object.index()];
        if *position == 0 {
            step.accesses.push(access);
            *position = step.accesses.len() as u32;
            return;
        }
        let merged = &mut step.accesses[*position as usize - 1];
        if access.mode != Mode::Read {
            merged.written = access.written;
            if merged.mode == Mode::Read {
                merged.mode = Mode::Update;
            }
        }
    }
}
