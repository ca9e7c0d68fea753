//! How far each task had come.

use mazurka_engine::TaskId;

/// So many tasks are kept in place, which most programs do not exceed: a copy allocates nothing then.
const FEW: usize = 4;

/// For each task, how many of its steps are known.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    few: [u32; FEW],
    more: Option<Box<[u32]>>,
}

impl Clock {
    /// Nothing is known.
    pub(crate) const fn new() -> Self {
        Clock { few: [0; FEW], more: None }
    }

    /// Is nothing known?
    pub(crate) fn is_empty(&self) -> bool {
        *self == Clock::new()
    }

    pub(crate) fn get(&self, task: TaskId) -> u32 {
        match (self.few.get(task.index()), &self.more) {
            (Some(step), _) => *step,
            (None, Some(more)) => more.get(task.index() - FEW).copied().unwrap_or(0),
            (None, None) => 0,
        }
    }

    /// Is this step of the task known?
    pub(crate) fn has(&self, task: TaskId, step: u32) -> bool {
        self.get(task) >= step
    }

    /// Knows a task up to this step.
    pub(crate) fn set(&mut self, task: TaskId, step: u32) {
        match self.few.get_mut(task.index()) {
            Some(known) => *known = step,
            None => self.more(task.index() + 1 - FEW)[task.index() - FEW] = step,
        }
    }

    pub(crate) fn tick(&mut self, task: TaskId) {
        self.set(task, self.get(task) + 1);
    }

    pub(crate) fn join(&mut self, other: &Clock) {
        join(&mut self.few, &other.few);
        if let Some(more) = &other.more {
            join(self.more(more.len()), more);
        }
    }

    /// The tasks that are not kept in place, at least so many.
    fn more(&mut self, count: usize) -> &mut [u32] {
        let more = self.more.get_or_insert_default();
        if more.len() < count {
            let mut longer = std::mem::take(more).into_vec();
            longer.resize(count, 0);
            *more = longer.into_boxed_slice();
        }
        more
    }
}

fn join(own: &mut [u32], other: &[u32]) {
    for (own, other) in own.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}
