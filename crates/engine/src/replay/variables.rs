//! The variables of a recording, and what they held at the beginning.

use crate::ids::ObjectId;
use crate::operation::{Mode, Step};
use crate::program::Run;
use std::collections::BTreeMap;

/// A variable that an execution touched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// What people call it.
    pub name: String,
    /// What it held at the beginning, if that is known: the program says so, or it was read before it was written.
    pub initial: Option<i64>,
}

/// The variables that were touched so far. Locks and semaphores are none, and neither are objects whose values mean nothing.
#[derive(Default)]
pub(super) struct Touched(BTreeMap<ObjectId, Option<i64>>);

impl Touched {
    /// Takes note of what a step touched.
    pub(super) fn follow(&mut self, step: &Step) {
        if step.valueless {
            return;
        }
        for access in &step.accesses {
            let read_first = match access.mode {
                Mode::Read | Mode::Update => Some(access.read),
                Mode::Write => None,
                _ => continue,
            };
            self.0.entry(access.object).or_insert(read_first);
        }
    }

    /// Takes note of what was looked at behind the last step.
    pub(super) fn finally(&mut self, reads: &[ObjectId]) {
        for &object in reads {
            self.0.entry(object).or_insert(None);
        }
    }

    /// All of them, with names.
    pub(super) fn variables(self, run: &impl Run) -> Vec<Variable> {
        let variable = |(object, read_first): (ObjectId, Option<i64>)| Variable {
            name: run.object_name(object),
            initial: run.initial_value(object).or(read_first),
        };
        self.0.into_iter().map(variable).collect()
    }
}
