//! A recorded execution: its operations in the order in which they happened, and extra orderings.

use crate::action::Action;
use crate::names::Names;
use serde::{Deserialize, Serialize};

/// One recorded operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// The number that the file gives it; dependences refer to it. Ascending, not always dense.
    pub index: u32,
    /// The line of the file where it stands, counted from 1; 0 if it comes from no file.
    pub line: u32,
    /// What it does.
    pub action: Action,
}

/// One operation must happen before another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Dependence {
    /// The line of the dependence file where it stands, counted from 1; 0 if it comes from no such file.
    pub line: u32,
    /// The index of the operation that comes first.
    pub source: u32,
    /// The index of the operation that waits for it.
    pub destination: u32,
}

impl From<(u32, u32)> for Dependence {
    fn from((source, destination): (u32, u32)) -> Self {
        Dependence { line: 0, source, destination }
    }
}

impl From<Dependence> for (u32, u32) {
    fn from(edge: Dependence) -> Self {
        (edge.source, edge.destination)
    }
}

/// One recorded execution. The source of the code of every thread and message, and the first
/// interleaving of it that is known.
#[derive(Clone, Debug, Default)]
pub struct RecordedTrace {
    /// What the file is called; errors and locations say it.
    pub name: String,
    /// What the file of the dependences is called.
    pub dependence_name: String,
    /// What happened, in order.
    pub operations: Vec<Recorded>,
    /// Extra orderings. A set: order and duplicates say nothing.
    pub dependences: Vec<Dependence>,
    /// What threads, messages, locks and variables are called.
    pub names: Names,
}

impl RecordedTrace {
    /// Do both say the same, wherever it stands in their files?
    pub fn same_content(&self, other: &RecordedTrace) -> bool {
        let operations = |trace: &RecordedTrace| -> Vec<(u32, Action)> {
            trace
                .operations
                .iter()
                .map(|recorded| (recorded.index, recorded.action.clone()))
                .collect()
        };
        operations(self) == operations(other)
            && self.dependence_set() == other.dependence_set()
            && self.names == other.names
    }

    /// The dependences in order, each once.
    pub fn dependence_set(&self) -> Vec<(u32, u32)> {
        let mut edges: Vec<(u32, u32)> = self.dependences.iter().map(|&edge| edge.into()).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}
