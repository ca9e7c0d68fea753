//! The access sequences of messages: what a message did from its start to its end, collected while
//! everything after its start is explored (lines 22 to 31 of Algorithm 1).

use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::{Access, Effect};
use crate::touch::Touch;
use smallvec::SmallVec;

/// No more sequences of one message than this are kept. A redundancy check that would need another one
/// answers no, which costs an exploration but misses none.
const MOST_SEQUENCES: usize = 256;

/// One event of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageEvent {
    /// What it touched.
    pub touches: SmallVec<[Touch; 2]>,
    /// Its accesses; their values differ from execution to execution.
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
}

impl Sequences {
    /// Takes note of what `message` did in an execution, if it ended there.
    pub fn collect(&mut self, execution: &Execution, message: TaskId) {
        if execution.end_of(message).is_none() || self.complete.len() == MOST_SEQUENCES {
            return;
        }
        if self.complete.iter().any(|sequence| is_sequence(execution, message, sequence)) {
            return;
        }
        let events = execution.events_of(message).iter().map(|&event| MessageEvent {
            touches: SmallVec::from_slice(execution.touches(event as usize)),
            accesses: SmallVec::from_slice(execution.accesses(event as usize)),
            effect: execution.events()[event as usize].effect,
        });
        self.complete.push(events.collect());
    }

    /// The complete sequences.
    pub fn complete(&self) -> &[Sequence] {
        &self.complete
    }
}

fn is_sequence(execution: &Execution, message: TaskId, sequence: &Sequence) -> bool {
    let events = execution.events_of(message);
    events.len() == sequence.len()
        && events.iter().zip(sequence).all(|(&event, known)| {
            let event = event as usize;
            execution.touches(event) == &known.touches[..]
                && execution.events()[event].effect == known.effect
        })
}
