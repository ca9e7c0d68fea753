//! Names that hold across executions: a task is the k-th child of its creator.

use crate::ids::TaskId;
use rustc_hash::FxHashMap;

/// A path with more positions than this is long.
const READABLE: u32 = 16;

/// Gives every task a number, once for an exploration. Never forgets one, so a number keeps its
/// meaning when a run is rewound and takes another way.
#[derive(Default, Debug, Clone)]
pub struct TaskNames {
    /// Creator and position among its children; roots have no creator.
    names: Vec<(Option<TaskId>, u32)>,
    /// How many creators each has.
    depths: Vec<u32>,
    numbers: FxHashMap<(Option<TaskId>, u32), TaskId>,
}

impl TaskNames {
    /// The number of the `k`-th root (counted from 0).
    pub fn root(&mut self, k: u32) -> TaskId {
        self.intern((None, k))
    }

    /// The number of the `k`-th child (counted from 0) of `creator`.
    pub fn child(&mut self, creator: TaskId, k: u32) -> TaskId {
        self.intern((Some(creator), k))
    }

    /// Creator and position of a task.
    pub fn origin(&self, task: TaskId) -> (Option<TaskId>, u32) {
        self.names[task.index()]
    }

    /// How many tasks have ever been named.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Has no task been named yet?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    fn intern(&mut self, name: (Option<TaskId>, u32)) -> TaskId {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.depths.push(name.0.map_or(0, |creator| self.depths[creator.index()] + 1));
            TaskId::from(self.names.len() - 1)
        })
    }

    /// Is the path of a task longer than people read?
    pub fn has_long_path(&self, task: TaskId) -> bool {
        self.depths[task.index()] > READABLE
    }

    /// The path of a task, given the names of the roots: `root.2.1` is the first child of the second
    /// child of `root`.
    pub fn path(&self, task: TaskId, root_name: &dyn Fn(u32) -> String) -> String {
        let mut positions = Vec::new();
        let mut origin = self.origin(task);
        while let (Some(creator), position) = origin {
            positions.push(position);
            origin = self.origin(creator);
        }
        let mut path = root_name(origin.1);
        for position in positions.into_iter().rev() {
            path.push_str(&format!(".{}", position + 1));
        }
        path
    }
}
