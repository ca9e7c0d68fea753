//! Sequences that need not be performed: they lead to a state from which everything is explored elsewhere.
//!
//! They are found where the two orders of a race lead to the same state, and passed on from prefix to prefix until one
//! event is left of them, which sleeps.

use crate::config::Decision;
use crate::driver::Driver;
use crate::ids::TaskId;
use crate::operation::Mode;
use crate::program::{LeaveOut, Program};
use crate::sequence::EventName;
use crate::touch::{Touch, conflict};
use crate::wakeup::Explored;
use std::rc::Rc;

/// A sequence that need not be performed from some prefix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DontDo {
    events: Vec<Explored>,
    /// What is hidden where the same state is explored, if anything is.
    pub hides: Option<Rc<Hidden>>,
}

/// Where the race of a don't-do sequence is explored, its first event comes before the second one, and with it whatever happens before
/// the first one comes before whatever happens after the second one. Of two writes that is of no matter until somebody reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hidden {
    /// Blind writes in the past of the first event, that one included, by the slot that they write.
    pub writes: Vec<(u32, EventName)>,
    /// The second event.
    pub second: EventName,
}

/// How don't-do sequences are passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inheritance {
    /// Only the first event may be taken out, and others must conflict with none.
    Plain,
    /// Every event may be taken out that commutes with what stands before it, or is overwritten behind it (deviation D6 of
    /// [`super::optimal_cs`]).
    Refined,
}

impl DontDo {
    /// If both orders of a race lead to the same state, performed behind `ancestors` and followed by `rest`: the sequence with
    /// the second event first. All by position in the current execution (deviation D1 of [`super::optimal_cs`]).
    pub fn of_race<P: Program>(
        driver: &mut Driver<'_, P>,
        (first, second): (usize, usize),
        ancestors: &[usize],
        rest: &[usize],
        leave_out: LeaveOut,
    ) -> Option<Self> {
        if driver.config().undone.contains(&Decision::CompareDirectly) && rest.is_empty() {
            return Self::of_race_and_rest(driver, (first, second), ancestors);
        }
        let events = both_orders(driver, (first, second), ancestors, rest, leave_out)?;
        Some(DontDo { events, hides: None })
    }

    /// The same as the paper has it, with [`Decision::CompareDirectly`] undone: states are compared behind everything up to
    /// the second event, which may hide a difference.
    fn of_race_and_rest<P: Program>(
        driver: &mut Driver<'_, P>,
        (first, second): (usize, usize),
        ancestors: &[usize],
    ) -> Option<Self> {
        let others = first + 1..second;
        let others: Vec<usize> = others.filter(|event| !ancestors.contains(event)).collect();
        let race = (first, second);
        let mut events = both_orders(driver, race, ancestors, &others, LeaveOut::Nothing)?;
        events.truncate(ancestors.len() + 2);
        Some(DontDo { events, hides: None })
    }

    /// Its only event, if it has no other.
    pub fn only(&self) -> Option<&Explored> {
        match &self.events[..] {
            [event] => Some(event),
            _ => None,
        }
    }

    /// Is it the next event of a task, and nothing else?
    pub fn is_only(&self, task: TaskId, choice: u32) -> bool {
        self.only().is_some_and(|event| event.task == task && event.choice == choice)
    }

    /// What it becomes once an event has been performed, if that makes no difference to where it leads.
    fn after(&self, event: &Explored, inheritance: Inheritance) -> Option<DontDo> {
        let is_its = |other: &Explored| other.task == event.task;
        let Some(at) = self.events.iter().position(is_its) else {
            let conflicts = |other: &Explored| conflict(&other.touches, &event.touches);
            return (!self.events.iter().any(conflicts)).then(|| self.clone());
        };
        let (before, behind) = (&self.events[..at], &self.events[at + 1..]);
        let commutes = |other: &Explored| {
            let harmless = |a: Touch, b: Touch| !a.conflicts(b) || is_overwritten(a, b, behind);
            other.touches.iter().all(|&a| event.touches.iter().all(|&b| harmless(a, b)))
        };
        let goes_on = self.events[at].choice == event.choice
            && (before.is_empty() || inheritance == Inheritance::Refined)
            && before.iter().all(commutes);
        // The whole sequence is never performed, since its last event sleeps.
        (goes_on && self.events.len() > 1).then(|| DontDo {
            events: before.iter().chain(behind).cloned().collect(),
            hides: self.hides.clone(),
        })
    }
}

/// If both orders of a race lead to the same state, the events of the one with the second event first.
fn both_orders<P: Program>(
    driver: &mut Driver<'_, P>,
    (first, second): (usize, usize),
    ancestors: &[usize],
    rest: &[usize],
    leave_out: LeaveOut,
) -> Option<Vec<Explored>> {
    let moves = |pair: [usize; 2]| -> Vec<(TaskId, u32)> {
        let events = driver.execution().events();
        let order = ancestors.iter().chain(&pair).chain(rest);
        order.map(|&event| (events[event].task, events[event].choice)).collect()
    };
    let (one, other) = (moves([first, second]), moves([second, first]));
    driver.walk.same_end(first, &one, &other, leave_out)
}

/// Of two acquisitions of a lock only one order is possible, so there is nothing to compare.
pub fn can_be_compared<P: Program>(driver: &Driver<'_, P>, first: usize, second: usize) -> bool {
    let waits = |event| driver.execution().touches(event).iter().any(|touch| touch.may_block());
    !waits(first) && !waits(second)
}

/// Are both blind writes, and is what they wrote overwritten before anybody reads it?
fn is_overwritten(one: Touch, other: Touch, behind: &[Explored]) -> bool {
    let mut later = behind.iter().flat_map(|event| &event.touches);
    let next = later.find(|touch| touch.slot == one.slot);
    one.writes_blindly()
        && other.writes_blindly()
        && next.is_some_and(|touch| touch.mode == Mode::Write)
}

/// Adds a sequence to a set of them.
pub fn add(dont_do: &mut Vec<DontDo>, it: DontDo) {
    if !dont_do.contains(&it) {
        dont_do.push(it);
    }
}

/// What need not be performed once an event has been performed.
pub fn inherited(dont_do: &[DontDo], event: &Explored, inheritance: Inheritance) -> Vec<DontDo> {
    let mut inherited = Vec::new();
    let rests = dont_do.iter().filter_map(|it| it.after(event, inheritance));
    rests.for_each(|rest| add(&mut inherited, rest));
    inherited
}

impl From<Explored> for DontDo {
    /// An event that has been explored.
    fn from(event: Explored) -> Self {
        DontDo { events: vec![event], hides: None }
    }
}
