//! A wakeup sequence while it is being placed: events of the explored execution that do not depend on
//! the first event of a race, followed by the second one.

use crate::bits::{self, Bits};
use crate::execution::{Execution, Waiting};
use crate::fingerprint::Fingerprint;
use crate::ids::{ObjectId, TaskId};
use crate::operation::{Access, Effect, Mode};
use crate::touch::{Touch, conflict};
use smallvec::SmallVec;

/// The second event of a race, as it will be performed without the first.
#[derive(Debug)]
pub struct Last {
    /// Whose event it is.
    pub task: TaskId,
    /// Which alternative it picks.
    pub choice: u32,
    /// What it touches.
    pub touches: SmallVec<[Touch; 2]>,
    /// The events that it follows whatever the schedule.
    pub past: SmallVec<[u32; 2]>,
    /// The events of the explored execution that it comes after, without the first event of the race.
    pub before: Bits,
    /// Does it start a message?
    pub starts: bool,
    /// Is it known to end its task?
    pub ends: bool,
    /// Its accesses; their values may differ without the first event.
    pub accesses: SmallVec<[Access; 1]>,
    /// May it touch something else without the first event?
    pub data_dependent: bool,
    /// The initial permits of the semaphore that it takes one from.
    pub permits: i64,
}

/// By hand: small vectors of plain values copy slowly unless told that they are.
impl Clone for Last {
    fn clone(&self) -> Self {
        Last {
            touches: SmallVec::from_slice(&self.touches),
            past: SmallVec::from_slice(&self.past),
            before: self.before.clone(),
            accesses: SmallVec::from_slice(&self.accesses),
            ..*self
        }
    }
}

impl Last {
    /// The second event of a race; its place is to be found ([`Last::behind`]).
    pub fn performed(execution: &Execution, event: usize) -> Self {
        let it = &execution.events()[event];
        Last {
            task: it.task,
            choice: execution.choice_elsewhere(event),
            touches: SmallVec::from_slice(execution.touches(event)),
            past: SmallVec::from_slice(execution.program_past(event)),
            before: bits::empty(0),
            starts: it.effect == Effect::Start,
            // What it reads may differ, and with it whether its task goes on.
            ends: false,
            accesses: SmallVec::from_slice(execution.accesses(event)),
            data_dependent: it.data_dependent,
            permits: 0,
        }
    }

    /// An operation that waits at the end of an execution; its place is to be found.
    pub fn waiting(task: TaskId, waiting: &Waiting, starts: bool) -> Self {
        Last {
            task,
            choice: 0,
            touches: waiting.touches.clone(),
            past: waiting.past.clone(),
            before: bits::empty(0),
            starts,
            ends: false,
            accesses: waiting.accesses.clone(),
            data_dependent: false,
            permits: 0,
        }
    }

    /// The lock or semaphore that it may have to wait for. (An attempt does not wait: it is tried, and may do
    /// something else.)
    pub fn waits_on(&self) -> Option<(ObjectId, Mode)> {
        let mut touches = self.touches.iter().filter(|_| !self.data_dependent);
        touches.find_map(|touch| touch.waits_on())
    }

    /// The same for events that do the same, whatever execution they come from.
    pub fn name(&self) -> Fingerprint {
        // No event has the index 0.
        Fingerprint::of_event(self.task, 0, self.choice).mixed().touching(&self.touches)
    }

    /// The same event, where the first event of the race and all that happens after it do not happen.
    pub fn without(self, execution: &Execution, first: usize) -> Self {
        self.behind(execution, |event| event != first && !execution.happens_before(first, event))
    }

    /// The same event, where of the explored execution only these events happen.
    pub fn behind(mut self, execution: &Execution, stays: impl Fn(usize) -> bool) -> Self {
        self.order(execution, stays);
        self
    }

    /// The same event as it turned out when it was tried; its place is to be found again.
    pub fn as_tried(&self, tried: Trial) -> Self {
        Last { touches: tried.touches, accesses: tried.accesses, ends: tried.ends, ..self.clone() }
    }

    /// It comes after its past, and after what it conflicts with among the events that stay.
    fn order(&mut self, execution: &Execution, stays: impl Fn(usize) -> bool) {
        self.before = bits::empty(execution.words());
        for &event in &self.past {
            bits::union(&mut self.before, &execution.before(event as usize));
            bits::insert(&mut self.before, event as usize);
        }
        for &touch in &self.touches {
            for &(event, other) in execution.history(touch).iter().rev() {
                if !other.conflicts(touch) || !stays(event as usize) {
                    continue;
                }
                bits::union(&mut self.before, &execution.before(event as usize));
                bits::insert(&mut self.before, event as usize);
                // Then older ones come before this one.
                if other.conflicts_with_all() {
                    break;
                }
            }
        }
    }
}

/// What an event did when it was tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What it touched.
    pub touches: SmallVec<[Touch; 2]>,
    /// Its accesses.
    pub accesses: SmallVec<[Access; 1]>,
    /// Did it end its task?
    pub ends: bool,
}

/// An event of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// This event of the explored execution.
    Event(usize),
    /// The second event of the race.
    Last,
}

/// A sequence of events; what is placed already has been taken out.
#[derive(Clone, Debug)]
pub struct Reversal<'e> {
    execution: &'e Execution,
    members: Bits,
    last: Option<Last>,
}

impl<'e> Reversal<'e> {
    /// The sequence of `members`, which must contain all that happens before any of them from the point
    /// on where it is to be placed, and `last`.
    pub fn new(execution: &'e Execution, members: Bits, last: Last) -> Self {
        Reversal { execution, members, last: Some(last) }
    }

    /// Is nothing left to place?
    pub fn is_empty(&self) -> bool {
        self.last.is_none() && bits::is_empty(&self.members)
    }

    /// What is left, the second event of the race apart.
    pub fn members(&self) -> &[u64] {
        &self.members
    }

    /// The first event of `task` in the sequence.
    pub fn next_of(&self, task: TaskId) -> Option<Member> {
        let events = self.execution.events_of(task);
        let first = events.iter().find(|&&event| bits::contains(&self.members, event as usize));
        match first {
            Some(&event) => Some(Member::Event(event as usize)),
            None => self.last.as_ref().filter(|last| last.task == task).map(|_| Member::Last),
        }
    }

    /// The alternative that a member picks.
    pub fn choice(&self, member: Member) -> u32 {
        match member {
            Member::Event(event) => self.execution.events()[event].choice,
            Member::Last => self.last.as_ref().map_or(0, |last| last.choice),
        }
    }

    /// Does nothing in the sequence happen before this member?
    pub fn is_initial(&self, member: Member) -> bool {
        match member {
            Member::Event(event) => !bits::intersects(&self.execution.before(event), &self.members),
            Member::Last => self
                .last
                .as_ref()
                .is_some_and(|last| !bits::intersects(&last.before, &self.members)),
        }
    }

    /// Does something in the sequence conflict with an event that touches these?
    pub fn conflicts(&self, touches: &[Touch]) -> bool {
        let is_member = |event: usize| bits::contains(&self.members, event);
        self.last.as_ref().is_some_and(|last| conflict(&last.touches, touches))
            || touches.iter().any(|&touch| self.execution.conflicting_with(touch).any(is_member))
    }

    /// The second event of the race.
    pub fn last(&self) -> Option<&Last> {
        self.last.as_ref()
    }

    /// Takes a member out: it has been placed.
    pub fn remove(&mut self, member: Member) {
        match member {
            Member::Event(event) => bits::remove(&mut self.members, event),
            Member::Last => self.last = None,
        }
    }

    /// Takes out everything that the second event of the race does not need.
    pub fn keep_past_of_last(&mut self) {
        if let Some(last) = &self.last {
            bits::intersect(&mut self.members, &last.before);
        }
    }

    /// What is left, in the order of the explored execution, the second event of the race at the end.
    pub fn sequence(&self) -> impl Iterator<Item = (TaskId, u32, &[Touch])> + '_ {
        let events = bits::iter(&self.members).map(|event| {
            let it = &self.execution.events()[event];
            (it.task, it.choice, self.execution.touches(event))
        });
        let last = self.last.iter().map(|last| (last.task, last.choice, &last.touches[..]));
        events.chain(last)
    }
}
