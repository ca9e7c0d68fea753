//! What happened: the events in the order in which they were performed, and the tasks that performed them.

use crate::ids::{LocationId, TaskId};
use crate::operation::{Access, Effect, Next, Step};
use crate::program::Run;
use crate::touch::{Dependence, Touch, write_touches};
use std::ops::Range;

/// One event of an execution.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Who performed it.
    pub task: TaskId,
    /// It is the `index`-th event of its task, counted from 1.
    pub index: u32,
    /// Which alternative it picked, if it is a choice.
    pub choice: u32,
    /// What it did beside its accesses.
    pub effect: Effect,
    /// Could it access something else in another context?
    pub data_dependent: bool,
    /// Was it the last event of its task?
    pub ends_task: bool,
    /// Is it an event of a message that might have had to wait for another task?
    pub(super) may_wait: bool,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    accesses: Part,
    touches: Part,
    past: Part,
}

/// From where to where in a list that all events share.
#[derive(Clone, Copy, Debug)]
struct Part(u32, u32);

impl Part {
    fn range(self) -> Range<usize> {
        self.0 as usize..self.1 as usize
    }
}

/// What has just been performed.
#[derive(Clone, Copy)]
pub(super) struct Performed<'s> {
    pub task: TaskId,
    pub choice: u32,
    /// Was the task posted?
    pub is_message: bool,
    pub step: &'s Step,
    /// The events that the operation had to wait for.
    pub gate: &'s [(TaskId, u32)],
}

/// The events with what they did, by position and by task.
#[derive(Clone, Default, Debug)]
pub(super) struct Log {
    events: Vec<Event>,
    accesses: Vec<Access>,
    touches: Vec<Touch>,
    pasts: Vec<u32>,
    /// For each task, the positions of its events.
    tasks: Vec<Vec<u32>>,
    /// For each task, the event that created it.
    creators: Vec<Option<u32>>,
    /// The events that follow several others in the program: they join, or pass a gate.
    meeting: Vec<u32>,
    /// How many events of messages might have had to wait.
    waits: usize,
}

impl Log {
    pub fn bytes(&self) -> usize {
        size_of_val(self.events.as_slice())
            + size_of_val(self.accesses.as_slice())
            + size_of_val(self.touches.as_slice())
            + size_of_val(self.pasts.as_slice())
    }

    #[inline]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    #[inline]
    pub fn accesses(&self, event: usize) -> &[Access] {
        &self.accesses[self.events[event].accesses.range()]
    }

    #[inline]
    pub fn touches(&self, event: usize) -> &[Touch] {
        &self.touches[self.events[event].touches.range()]
    }

    #[inline]
    pub fn program_past(&self, event: usize) -> &[u32] {
        &self.pasts[self.events[event].past.range()]
    }

    /// The positions of the events of `task`.
    #[inline]
    pub fn events_of(&self, task: TaskId) -> &[u32] {
        self.tasks.get(task.index()).map_or(&[], |events| events)
    }

    /// The event that posted or forked `task`.
    #[inline]
    pub fn creator(&self, task: TaskId) -> Option<u32> {
        self.creators.get(task.index()).copied().flatten()
    }

    /// The events that follow several others in the program.
    pub fn meeting(&self) -> &[u32] {
        &self.meeting
    }

    /// The number of tasks that there is a place for.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// Events of messages that might have had to wait for another task.
    pub fn waits(&self) -> impl Iterator<Item = usize> + '_ {
        let all = if self.waits == 0 { 0 } else { self.events.len() };
        (0..all).filter(|&event| self.events[event].may_wait)
    }

    /// The start of a message that goes on with this event, without ever having to wait. What a message does first depends on nothing but
    /// what it was posted with, so no execution ends with this message just begun.
    #[inline]
    pub fn start_before(&self, event: usize) -> Option<usize> {
        let it = &self.events[event];
        let goes_on = it.index == 2 && !it.may_wait;
        let start = goes_on.then(|| self.tasks[it.task.index()][0] as usize);
        start.filter(|&start| self.events[start].effect == Effect::Start)
    }

    /// Appends what `run` has just performed.
    pub fn push(&mut self, dependence: Dependence, run: &impl Run, performed: &Performed<'_>) {
        let Performed { task, choice, is_message, step, gate } = *performed;
        let event = self.events.len() as u32;
        self.reserve_task(task);
        let ends_task = run.next(task) == Next::Ended;
        let past = self.order_in_program(task, step, gate);
        let meets = past.1 - past.0 > 1;
        self.meeting.extend(meets.then_some(event));
        let accesses = self.accesses.len() as u32;
        // Mostly one or none: not worth the call that copies a slice.
        self.accesses.extend(step.accesses.iter().copied());
        let touches = self.touches.len() as u32;
        write_touches(dependence, run, task, step, ends_task, &mut self.touches);
        let waits = |touch: &Touch| touch.may_block();
        let may_wait = is_message && (meets || self.touches[touches as usize..].iter().any(waits));
        self.waits += usize::from(may_wait);
        let own = &mut self.tasks[task.index()];
        own.push(event);
        self.events.push(Event {
            task,
            index: own.len() as u32,
            choice,
            effect: step.effect,
            data_dependent: step.data_dependent,
            ends_task,
            may_wait,
            location: step.location,
            accesses: Part(accesses, self.accesses.len() as u32),
            touches: Part(touches, self.touches.len() as u32),
            past,
        });
        if let Effect::Post(child, _) | Effect::Fork(child) = step.effect {
            self.reserve_task(child);
            self.creators[child.index()] = Some(event);
        }
    }

    /// Program order, creation, joins and gates.
    fn order_in_program(&mut self, task: TaskId, step: &Step, gate: &[(TaskId, u32)]) -> Part {
        let from = self.pasts.len() as u32;
        match self.tasks[task.index()].last() {
            Some(&previous) => self.pasts.push(previous),
            None => self.pasts.extend(self.creators[task.index()]),
        }
        if let Effect::Join(other) = step.effect {
            self.pasts.extend(self.tasks.get(other.index()).and_then(|events| events.last()));
        }
        for &(other, events) in gate {
            self.pasts.push(self.tasks[other.index()][events as usize - 1]);
        }
        Part(from, self.pasts.len() as u32)
    }

    /// Takes the last event back.
    pub fn pop(&mut self) {
        let Some(event) = self.events.pop() else { return };
        self.waits -= usize::from(event.may_wait);
        if event.past.1 - event.past.0 > 1 {
            self.meeting.pop();
        }
        self.tasks[event.task.index()].pop();
        if let Effect::Post(child, _) | Effect::Fork(child) = event.effect {
            self.creators[child.index()] = None;
        }
        self.accesses.truncate(event.accesses.0 as usize);
        self.touches.truncate(event.touches.0 as usize);
        self.pasts.truncate(event.past.0 as usize);
    }

    fn reserve_task(&mut self, task: TaskId) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, Vec::new());
            self.creators.resize(task.index() + 1, None);
        }
    }
}
