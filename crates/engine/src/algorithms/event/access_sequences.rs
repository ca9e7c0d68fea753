//! The access sequences of messages: what a message did from its start to its end, collected while
//! everything after its start is explored (lines 22 to 31 of Algorithm 1).

use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::{Access, Effect};
use crate::touch::Touch;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::rc::Rc;

/// No more sequences of one message than this are kept. A redundancy check that would need another one
/// answers no, which costs an exploration but misses none.
const MOST_SEQUENCES: usize = 256;

/// So many sequences of each message are at hand to be shared: a message that branches takes turns with few.
const MOST_RECENT: usize = 4;

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

impl MessageEvent {
    /// Which alternative it picked, if it is a choice.
    pub fn choice(&self) -> u32 {
        match self.effect {
            Effect::Choose(choice) => choice,
            _ => 0,
        }
    }
}

/// The events of a message from its start to its end.
#[derive(Debug)]
pub struct AccessSequence {
    events: Vec<MessageEvent>,
    /// What they touch, by slot, each with the position of the last event that does: messages can be long.
    touched: Vec<(Touch, usize)>,
}

impl AccessSequence {
    fn new(events: Vec<MessageEvent>) -> Self {
        let numbered = events.iter().enumerate();
        let mut touched: Vec<(Touch, usize)> = numbered
            .flat_map(|(at, event)| event.touches.iter().map(move |&touch| (touch, at)))
            .collect();
        touched.sort_by_key(|&(touch, at)| (touch.number(), touch.owner, Reverse(at)));
        touched.dedup_by_key(|&mut (touch, _)| touch);
        AccessSequence { events, touched }
    }

    /// The events.
    pub fn events(&self) -> &[MessageEvent] {
        &self.events
    }

    /// Does one of the events from `from` on conflict with one that touches these?
    pub fn conflicts_from(&self, from: usize, touches: &[Touch]) -> bool {
        touches.iter().any(|&touch| {
            let first = self.touched.partition_point(|(known, _)| known.slot < touch.slot);
            let mut alike =
                self.touched[first..].iter().take_while(|(known, _)| known.slot == touch.slot);
            alike.any(|&(known, last)| last >= from && known.conflicts(touch))
        })
    }
}

/// The sequences that a message can perform from some point on.
#[derive(Clone, Default, Debug)]
pub struct AccessSequences {
    complete: SmallVec<[Rc<AccessSequence>; 1]>,
}

impl AccessSequences {
    /// Takes note of what `message` did in an execution in which it ended.
    pub fn collect(&mut self, execution: &Execution, message: TaskId, recent: &mut Recent) {
        if self.complete.len() == MOST_SEQUENCES {
            return;
        }
        if !self.complete.iter().any(|known| is_sequence(execution, message, known)) {
            self.complete.push(recent.get(execution, message));
        }
    }

    /// The complete sequences.
    pub fn complete(&self) -> &[Rc<AccessSequence>] {
        &self.complete
    }
}

/// The sequences that each message performed most recently: others will want to take note of the same.
#[derive(Default, Debug)]
pub struct Recent {
    messages: Vec<SmallVec<[Rc<AccessSequence>; MOST_RECENT]>>,
}

impl Recent {
    /// What `message` did in an execution.
    fn get(&mut self, execution: &Execution, message: TaskId) -> Rc<AccessSequence> {
        if self.messages.len() <= message.index() {
            self.messages.resize(message.index() + 1, SmallVec::new());
        }
        let known = &mut self.messages[message.index()];
        if let Some(known) = known.iter().find(|known| is_sequence(execution, message, known)) {
            return known.clone();
        }
        if known.len() == MOST_RECENT {
            known.remove(0);
        }
        let new = Rc::new(sequence(execution, message));
        known.push(new.clone());
        new
    }
}

fn sequence(execution: &Execution, message: TaskId) -> AccessSequence {
    let events = execution.events_of(message).iter().map(|&event| MessageEvent {
        touches: SmallVec::from_slice(execution.touches(event as usize)),
        accesses: SmallVec::from_slice(execution.accesses(event as usize)),
        effect: execution.events()[event as usize].effect,
    });
    AccessSequence::new(events.collect())
}

fn is_sequence(execution: &Execution, message: TaskId, sequence: &AccessSequence) -> bool {
    let events = execution.events_of(message);
    events.len() == sequence.events.len()
        && events.iter().zip(&sequence.events).all(|(&event, known)| {
            let event = event as usize;
            execution.touches(event) == &known.touches[..]
                && execution.events()[event].effect == known.effect
        })
}
