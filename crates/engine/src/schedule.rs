//! A schedule: who moved, in which order. It is all that is needed to show an execution again.

use crate::ids::TaskId;
use crate::operation::Effect;
use crate::program::Run;
use rustc_hash::FxHashMap;

/// One step of a schedule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The task: its path ([`crate::Run::task_path`]), or `@7` for the task that step 7 of the schedule created, where the
    /// path is long.
    pub task: String,
    /// The alternative it picked; 0 where there was nothing to pick.
    pub choice: u32,
}

/// The moves of an execution, from the initial state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Schedule {
    /// In the order in which they were made.
    pub moves: Vec<Move>,
}

impl Schedule {
    /// The schedule of these moves: who, which alternative, and what else the move did.
    pub fn of(run: &impl Run, moves: impl IntoIterator<Item = (TaskId, u32, Effect)>) -> Self {
        let mut roll = Roll::default();
        let moves = moves.into_iter().map(|(task, choice, effect)| {
            let task = roll.name(run, task).to_owned();
            roll.follow(run, effect);
            Move { task, choice }
        });
        Schedule { moves: moves.collect() }
    }
}

/// The names of tasks in a schedule. A task deep in a line of creators has a path as long as the line, so it is called
/// by the step that created it: a schedule is never longer than its steps.
#[derive(Default, Debug)]
pub struct Roll {
    names: FxHashMap<TaskId, String>,
    tasks: FxHashMap<String, TaskId>,
    steps: usize,
}

impl Roll {
    /// What a schedule calls a task.
    pub fn name(&mut self, run: &impl Run, task: TaskId) -> &str {
        self.names.entry(task).or_insert_with(|| run.task_path(task))
    }

    /// The task that a schedule calls so.
    pub fn task(&self, name: &str) -> Option<TaskId> {
        self.tasks.get(name).copied()
    }

    /// Enters the tasks that exist from the start.
    pub fn enter_roots(&mut self, run: &impl Run) {
        run.roots().iter().for_each(|&root| self.enter(root, run.task_path(root)));
    }

    /// Follows a step.
    pub fn follow(&mut self, run: &impl Run, effect: Effect) {
        self.steps += 1;
        let (Effect::Post(child, _) | Effect::Fork(child)) = effect else { return };
        let by_step = format!("@{}", self.steps);
        if run.has_long_path(child) {
            self.enter(child, by_step);
        } else {
            self.tasks.insert(by_step, child);
            self.enter(child, run.task_path(child));
        }
    }

    fn enter(&mut self, task: TaskId, name: String) {
        self.tasks.insert(name.clone(), task);
        self.names.insert(task, name);
    }
}
