//! How far each task had come.

use mazurka_engine::TaskId;

/// For each task, how many of its steps are known.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct Clock(Vec<u32>);

impl Clock {
    /// Nothing is known.
    pub(crate) const fn new() -> Self {
        Clock(Vec::new())
    }

    pub(crate) fn get(&self, task: TaskId) -> u32 {
        self.0.get(task.index()).copied().unwrap_or(0)
    }

    /// Is this step of the task known?
    pub(crate) fn has(&self, task: TaskId, step: u32) -> bool {
        self.get(task) >= step
    }

    /// Knows a task up to this step.
    pub(crate) fn set(&mut self, task: TaskId, step: u32) {
        if self.0.len() <= task.index() {
            self.0.resize(task.index() + 1, 0);
        }
        self.0[task.index()] = step;
    }

    pub(crate) fn tick(&mut self, task: TaskId) {
        self.set(task, self.get(task) + 1);
    }

    pub(crate) fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }
}
