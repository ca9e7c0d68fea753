//! Copies of explored executions, for the parked sequences that are made of their events.

use crate::execution::Execution;
use std::rc::Rc;

/// Copies are made when first needed. What nobody needs any more is memory for the next one.
#[derive(Default, Debug)]
pub struct Snapshots {
    /// The copy of the execution at hand.
    current: Option<Rc<Execution>>,
    spare: Vec<Rc<Execution>>,
}

impl Snapshots {
    /// Another execution is at hand; this is its copy, if there is one.
    pub fn turn_to(&mut self, snapshot: Option<Rc<Execution>>) {
        let previous = std::mem::replace(&mut self.current, snapshot);
        self.spare.extend(previous.filter(|previous| Rc::strong_count(previous) == 1));
    }

    /// A copy of the execution at hand.
    pub fn of(&mut self, execution: &Execution) -> Rc<Execution> {
        if self.current.is_none() {
            let copy = self.spare.pop().and_then(|mut spare| {
                Rc::get_mut(&mut spare)?.copy_from(execution);
                Some(spare)
            });
            self.current = Some(copy.unwrap_or_else(|| Rc::new(execution.clone())));
        }
        self.current.clone().expect("just made")
    }
}
