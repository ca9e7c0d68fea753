//! What an exploration found.

use crate::again::Replayed;
use crate::runtime::knowledge::Knowledge;
use mazurka_engine::{Schedule, Statistics};
use std::fmt;

pub use mazurka_engine::{ClassCounts, Failure, FailureKind};

/// The result of [`crate::Builder::explore`].
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Outcome {
    /// Complete executions explored: every thread ended, every mailbox empty.
    pub executions: u64,
    /// Executions that an [`crate::assume`] or a waiting loop blocked.
    pub blocked: u64,
    /// Explorations begun and abandoned as redundant.
    pub redundant: u64,
    /// Executions that ended in a deadlock.
    pub deadlocks: u64,
    /// Executions that were cut: a task at [`crate::Builder::max_steps`], or all of it at [`crate::Builder::max_events`].
    pub truncated: u64,
    /// Events executed; what was executed again to go back is not counted.
    pub transitions: u64,
    /// What went wrong, first found first.
    pub failures: Vec<Failure>,
    /// The number of distinct equivalence classes, where [`crate::Builder::count_classes`] asked for it.
    pub classes: Option<ClassCounts>,
    /// What was cut or given up although no limit asked for it, a sentence each, such as "an execution does not end: `beat`
    /// posts itself".
    pub not_explored: Vec<String>,
    /// Everything else that was counted.
    pub statistics: Statistics,
    pub(crate) complete: bool,
    pub(crate) knowledge: Knowledge,
    /// The same, if its first failure does not teach it when it is performed again.
    pub(crate) untold: Option<Knowledge>,
    /// Schedules of complete executions, for a page.
    pub(crate) passing: Vec<Schedule>,
    /// The execution of a schedule that was asked for.
    pub(crate) replayed: Option<Replayed>,
}

impl Outcome {
    pub(crate) fn new(statistics: Statistics, complete: bool, failures: Vec<Failure>) -> Self {
        Outcome {
            executions: statistics.executions,
            blocked: statistics.blocked,
            redundant: statistics.redundant,
            deadlocks: statistics.deadlocks,
            truncated: statistics.truncated,
            transitions: statistics.transitions,
            failures,
            classes: None,
            not_explored: Vec::new(),
            statistics,
            complete,
            knowledge: Knowledge::default(),
            untold: None,
            passing: Vec::new(),
            replayed: None,
        }
    }

    /// Was everything explored that the algorithm promises to explore?
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

/// Schedules are shown in one line.
impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failures: Vec<String> = self.failures.iter().map(show).collect();
        f.debug_struct("Outcome")
            .field("executions", &self.executions)
            .field("blocked", &self.blocked)
            .field("redundant", &self.redundant)
            .field("deadlocks", &self.deadlocks)
            .field("truncated", &self.truncated)
            .field("transitions", &self.transitions)
            .field("classes", &self.classes)
            .field("complete", &self.complete)
            .field("failures", &failures)
            .finish_non_exhaustive()
    }
}

fn show(failure: &Failure) -> String {
    let place = failure.location.as_deref().unwrap_or("no place");
    let schedule = crate::replay::encode(&failure.schedule);
    format!("{}: {} ({place}); {schedule}", failure.kind.name(), failure.message)
}
