//! The steps so far, and what they say about who may move.

use crate::ids::{HandlerId, ObjectId, TaskId};
use crate::operation::{Access, Effect, Mode, Next, Operation, Step};
use crate::outcome::Ending;
use crate::program::{Mailbox, Run};

/// One step, as the front-end told it.
#[derive(Clone, Debug)]
pub(super) struct PastStep {
    pub(super) task: TaskId,
    pub(super) choice: u32,
    pub(super) effect: Effect,
    pub(super) accesses: Vec<Access>,
}

/// A list of steps.
#[derive(Clone, Default, Debug)]
pub struct Past {
    pub(super) steps: Vec<PastStep>,
}

impl Past {
    /// Adds a step of `task`.
    pub fn push(&mut self, task: TaskId, choice: u32, step: &Step) {
        let accesses = step.accesses.to_vec();
        self.steps.push(PastStep { task, choice, effect: step.effect, accesses });
    }

    /// Goes back to the first `depth` steps.
    pub fn truncate(&mut self, depth: usize) {
        self.steps.truncate(depth);
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Has nothing happened?
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The tasks that exist, in the order of their creation.
    pub fn tasks(&self, run: &impl Run) -> Vec<TaskId> {
        let created = self.steps.iter().filter_map(|step| match step.effect {
            Effect::Post(task, _) | Effect::Fork(task) => Some(task),
            _ => None,
        });
        run.roots().iter().copied().chain(created).collect()
    }

    /// Who may move now, in the order of their creation.
    pub fn enabled(&self, run: &impl Run) -> Vec<TaskId> {
        let tasks = self.tasks(run);
        let may_move = |&task: &TaskId| match run.next(task) {
            Next::Operation(operation) => {
                self.gate_is_open(run, task) && self.is_possible(run, &tasks, task, operation)
            }
            Next::Ended | Next::Blocked | Next::Truncated => false,
        };
        tasks.iter().copied().filter(may_move).collect()
    }

    /// How an execution has ended in which nobody can move.
    pub fn ending(&self, run: &impl Run) -> Ending {
        let tasks = self.tasks(run);
        let stands: Vec<Next> = tasks.iter().map(|&task| run.next(task)).collect();
        let spins = |task: &TaskId| run.next(*task) == Next::Blocked && run.spins_for_ever(*task);
        let is_blocked = |task: &TaskId| run.next(*task) == Next::Blocked && !spins(task);
        let waits = |next: &Next| matches!(next, Next::Operation(_));
        if stands.contains(&Next::Truncated) {
            Ending::Truncated
        } else if tasks.iter().any(is_blocked) {
            Ending::Blocked
        } else if stands.iter().any(waits) || tasks.iter().any(spins) {
            Ending::Deadlocked
        } else {
            Ending::Complete
        }
    }

    /// Have the steps been made that must come before the next one of `task`?
    fn gate_is_open(&self, run: &impl Run, task: TaskId) -> bool {
        let made = |other: TaskId| self.steps.iter().filter(|step| step.task == other).count();
        run.gate_of(task).iter().all(|&(other, steps)| made(other) >= steps as usize)
    }

    fn is_possible(
        &self,
        run: &impl Run,
        tasks: &[TaskId],
        task: TaskId,
        operation: Operation,
    ) -> bool {
        match operation {
            Operation::Start => self.may_start(run, task),
            Operation::Join(other) => tasks.contains(&other) && run.next(other) == Next::Ended,
            Operation::Access(lock, Mode::Lock) => {
                self.writers(lock) == 0 && self.readers(lock) == 0
            }
            Operation::Access(lock, Mode::LockShared) => self.writers(lock) == 0,
            Operation::Access(semaphore, Mode::Wait) => {
                let given = i64::from(run.permits(semaphore)) + self.count(semaphore, Mode::Signal);
                given > self.count(semaphore, Mode::Wait)
            }
            _ => true,
        }
    }

    /// A handler runs one message at a time, and a queue gives them out in the order of their posts.
    fn may_start(&self, run: &impl Run, message: TaskId) -> bool {
        let Some(handler) = run.handler(message) else {
            return false;
        };
        let posted = self.posted(handler);
        let is_busy =
            posted.iter().any(|&other| self.has_started(other) && run.next(other) != Next::Ended);
        let mut earlier = posted.iter().take_while(|&&other| other != message);
        let is_its_turn = match run.mailbox(handler) {
            Mailbox::Multiset => true,
            Mailbox::Fifo => earlier.all(|&other| self.has_started(other)),
        };
        !is_busy && is_its_turn
    }

    /// All messages of a handler, in the order of their posts.
    fn posted(&self, handler: HandlerId) -> Vec<TaskId> {
        let posts = self.steps.iter().filter_map(|step| match step.effect {
            Effect::Post(message, to) if to == handler => Some(message),
            _ => None,
        });
        posts.collect()
    }

    fn has_started(&self, message: TaskId) -> bool {
        self.steps.iter().any(|step| step.task == message && step.effect == Effect::Start)
    }

    /// How many hold a lock for themselves.
    fn writers(&self, lock: ObjectId) -> i64 {
        self.count(lock, Mode::Lock) - self.count(lock, Mode::Unlock)
    }

    /// How many hold a lock with others.
    fn readers(&self, lock: ObjectId) -> i64 {
        self.count(lock, Mode::LockShared) - self.count(lock, Mode::UnlockShared)
    }

    fn count(&self, object: ObjectId, mode: Mode) -> i64 {
        let accesses = self.steps.iter().flat_map(|step| &step.accesses);
        accesses.filter(|access| access.object == object && access.mode == mode).count() as i64
    }
}
