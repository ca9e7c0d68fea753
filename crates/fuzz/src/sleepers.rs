//! Who waits for a notification or at a barrier, for the interpreter. Plain lists, unlike in the machine of the language.

use crate::description::Description;
use mazurka_engine::TaskId;

/// Everybody who waits.
#[derive(Clone, Debug)]
pub struct Sleepers {
    /// Of each condition.
    pub conditions: Vec<Line>,
    /// Of each barrier: how many it waits for, and those who have come.
    barriers: Vec<(usize, Vec<TaskId>)>,
}

/// Those who wait for a condition.
#[derive(Clone, Default, Debug)]
pub struct Line {
    /// In the order in which they came.
    pub waiting: Vec<TaskId>,
    /// Notifications that will wake one of several and have not picked it yet.
    claims: usize,
}

impl Sleepers {
    /// Nobody waits yet.
    pub fn new(description: &Description) -> Self {
        let barriers = description.barriers.iter().map(|&size| (size as usize, Vec::new()));
        Sleepers {
            conditions: vec![Line::default(); description.conditions],
            barriers: barriers.collect(),
        }
    }

    /// Somebody comes to a barrier: who is woken, if it is the last one.
    pub fn arrive(&mut self, barrier: usize, task: TaskId) -> Option<Vec<TaskId>> {
        let (size, waiting) = &mut self.barriers[barrier];
        if waiting.len() + 1 == *size {
            return Some(std::mem::take(waiting));
        }
        waiting.push(task);
        None
    }
}

impl Line {
    /// Does it change anything, among how many is then to be picked, and who is woken at once?
    pub fn notify(&mut self) -> (bool, usize, Vec<TaskId>) {
        match self.waiting.len() - self.claims {
            0 => (false, 0, Vec::new()),
            1 if self.claims == 0 => (true, 0, std::mem::take(&mut self.waiting)),
            free => {
                self.claims += 1;
                (true, free, Vec::new())
            }
        }
    }

    /// Who is woken for a claim.
    pub fn wake(&mut self, choice: usize) -> TaskId {
        self.claims -= 1;
        self.waiting.remove(choice.min(self.waiting.len() - 1))
    }

    /// Who is woken: those whom no claim needs.
    pub fn notify_all(&mut self) -> Vec<TaskId> {
        self.waiting.drain(..self.waiting.len() - self.claims).collect()
    }
}
