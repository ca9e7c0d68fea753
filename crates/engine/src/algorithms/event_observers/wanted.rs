//! What is wanted of another execution.

use super::explored::Explored;
use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::Effect;
use crate::touch::Touch;
use smallvec::SmallVec;

/// The event that is to be performed behind others.
#[derive(Clone, Debug)]
pub struct Target {
    /// Whose event it is.
    pub task: TaskId,
    /// Which alternative it picks.
    pub choice: u32,
    /// The event of the explored execution, if it was performed there.
    pub event: Option<usize>,
    /// Does it start a message?
    pub starts: bool,
    /// The lock or semaphore that it may have to wait for.
    pub waits_on: Option<Touch>,
}

impl Target {
    /// An event of an execution.
    pub fn performed(execution: &Execution, event: usize) -> Self {
        let it = &execution.events()[event];
        let mut touches = execution.touches(event).iter();
        // An attempt does not wait.
        let waits = touches.find(|touch| !it.data_dependent && touch.may_block());
        Target {
            task: it.task,
            choice: execution.choice_elsewhere(event),
            event: Some(event),
            starts: it.effect == Effect::Start,
            waits_on: waits.copied(),
        }
    }
}

/// Who must have written a slot last.
pub type LastWrites = SmallVec<[(u32, usize); 2]>;

/// What is wanted: as many events of an explored execution as possible, each reading what the same event wrote, and behind
/// them another one.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The events to choose from; with each the past of it.
    pub available: Bits,
    /// Those that must be there.
    pub needed: Bits,
    /// The event behind them; nothing: all of them are wanted, and `finally` behind them.
    pub target: Option<Target>,
    /// Who must have written a slot last when they have been performed.
    pub last_writes: LastWrites,
}

impl Wanted {
    /// Everything but what is taken away later, and the past of an event behind it.
    pub fn new(explored: &Explored, target: Option<Target>, past: &[u32]) -> Self {
        let available = explored.all();
        let mut needed = bits::empty(available.len());
        for &event in past {
            explored.add_with_past(&mut needed, event as usize);
        }
        Wanted { available, needed, target, last_writes: LastWrites::new() }
    }

    /// Without an event, and all that happens after it.
    pub fn without(mut self, explored: &Explored, event: usize) -> Self {
        explored.drop_from(&mut self.available, event);
        self
    }

    /// This event must have written a slot last.
    pub fn written_by(mut self, explored: &Explored, slot: u32, writer: usize) -> Self {
        explored.add_with_past(&mut self.needed, writer);
        self.last_writes.push((slot, writer));
        self
    }
}
