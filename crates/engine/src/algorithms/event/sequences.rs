//! The access sequences of messages: what a message did from its start to its end, collected while
//! everything after its start is explored (lines 22 to 31 of Algorithm 1).

use crate::execution::{Execution, Touch};
use crate::ids::TaskId;
use crate::operation::{Access, Effect};
use smallvec::SmallVec;

/// More sequences of one message than this are not told apart: redundancy checks that would need them
/// answer that nothing is known, which costs explorations but misses none.
const MOST_SEQUENCES: usize = 256;

/// One event of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageEvent {
    /// What it touched.
    pub touches: SmallVec<[Touch; 2]>,
    /// Its accesses, with values.
    pub accesses: SmallVec<[Access; 1]>,
    /// What else it did.
    pub effect: Effect,
}

/// The events of a message from its start to its end.
pub type Sequence = Vec<MessageEvent>;

/// The sequences that a message can perform from some point on.
#[derive(Clone, Default, Debug)]
pub struct Sequences {
    complete: Vec<Sequence>,
    /// Are there too many, or some that never end? Then which one is performed depends on values.
    open: bool,
}

impl Sequences {
    /// Takes note of what `message` did in an execution, if it started there.
    pub fn collect(&mut self, execution: &Execution, message: TaskId) {
        if execution.start_of(message).is_none() {
            return;
        }
        if execution.end_of(message).is_none() {
            self.open = true;
            return;
        }
        if self.complete.iter().any(|sequence| is_sequence(execution, message, sequence)) {
            return;
        }
        if self.complete.len() == MOST_SEQUENCES {
            self.open = true;
            return;
        }
        let events = execution.events_of(message).iter().map(|&event| MessageEvent {
            touches: execution.touches(event as usize).into(),
            accesses: execution.accesses(event as usize).into(),
            effect: execution.events()[event as usize].effect,
        });
        self.complete.push(events.collect());
    }

    /// The complete sequences.
    pub fn complete(&self) -> &[Sequence] {
        &self.complete
    }

    /// Does what the message does, or whether it ends, depend on what it reads?
    pub fn branch(&self) -> bool {
        let alike = |a: &Sequence, b: &Sequence| {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| a.touches == b.touches && a.effect == b.effect)
        };
        self.open || self.complete.windows(2).any(|pair| !alike(&pair[0], &pair[1]))
    }
}

fn is_sequence(execution: &Execution, message: TaskId, sequence: &Sequence) -> bool {
    let events = execution.events_of(message);
    events.len() == sequence.len()
        && events.iter().zip(sequence).all(|(&event, known)| {
            let event = event as usize;
            execution.accesses(event) == &known.accesses[..]
                && execution.events()[event].effect == known.effect
        })
}
