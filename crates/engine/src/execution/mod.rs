//! An execution: its events and their happens-before relation, kept incrementally.
//!
//! It is made of what it is asked for, each in a file of its own: the events ([`Event`], `log.rs`), the relation
//! ([`Row`], `rows.rs`), who touches what (`conflicts.rs`), the turns of messages (`turns.rs`), pairs of events that race
//! (`races.rs`) and names that hold across executions (`names.rs`). An event is appended to each of them, and taken back from each.

mod columns;
mod conflicts;
mod log;
mod names;
mod races;
mod rows;
mod turns;

pub use conflicts::{behind, rivals};
pub use log::Event;
pub use races::Waiting;
pub use rows::Row;

use crate::bits::{self, Bits};
use crate::fingerprint::Fingerprint;
use crate::ids::{HandlerId, TaskId};
use crate::operation::{Access, Effect, Step};
use crate::program::{Mailbox, Run};
use crate::touch::{Dependence, Touch};
use conflicts::Conflicts;
use log::{Log, Performed};
use names::Names;
use rows::Rows;
use smallvec::SmallVec;
use std::cmp::Reverse;
use turns::Turns;

/// The events performed so far, and their order.
#[derive(Clone, Debug)]
pub struct Execution {
    dependence: Dependence,
    log: Log,
    rows: Rows,
    conflicts: Conflicts,
    turns: Turns,
    /// In the order of the second events.
    races: Vec<(u32, u32)>,
    names: Names,
    /// Scratch: what the new event conflicts or competes with.
    found: Vec<u32>,
}

impl Execution {
    /// The empty execution.
    pub fn new(dependence: Dependence) -> Self {
        let rows = Rows::default();
        Execution {
            dependence,
            log: Log::default(),
            turns: Turns::new(rows.words()),
            rows,
            conflicts: Conflicts::default(),
            races: Vec::new(),
            names: Names::default(),
            found: Vec::new(),
        }
    }

    /// The number of events.
    #[inline]
    pub fn len(&self) -> usize {
        self.log.events().len()
    }

    /// Has nothing happened yet?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes it takes, roughly.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.log.bytes() + self.conflicts.bytes() + self.turns.bytes()
    }

    /// Words in a set of events.
    #[inline]
    pub fn words(&self) -> usize {
        self.rows.words()
    }

    /// Which relation this execution keeps.
    pub fn dependence(&self) -> Dependence {
        self.dependence
    }

    /// The events, in the order in which they were performed.
    #[inline]
    pub fn events(&self) -> &[Event] {
        self.log.events()
    }

    /// The accesses of an event of this execution.
    #[inline]
    pub fn accesses(&self, event: usize) -> &[Access] {
        self.log.accesses(event)
    }

    /// What an event of this execution touches.
    #[inline]
    pub fn touches(&self, event: usize) -> &[Touch] {
        self.log.touches(event)
    }

    /// The events that happen before `event`.
    #[inline]
    pub fn before(&self, event: usize) -> Row<'_> {
        self.rows.before(event)
    }

    /// Does `first` happen before `second`?
    #[inline]
    pub fn happens_before(&self, first: usize, second: usize) -> bool {
        self.rows.happens_before(first, second)
    }

    /// The events that `event` follows whatever the schedule: the one before it in its task or the one
    /// that created the task, the end of a task that it joins, what its gate waits for.
    #[inline]
    pub fn program_past(&self, event: usize) -> &[u32] {
        self.log.program_past(event)
    }

    /// The alternative that an event picks where something that happened before it has not happened: a choice stays as
    /// it was made, an access picks anew.
    pub fn choice_elsewhere(&self, event: usize) -> u32 {
        if self.accesses(event).is_empty() { self.events()[event].choice } else { 0 }
    }

    /// The pairs of events whose order can be reversed: the second can be performed without the first
    /// ([`Execution::rival`]). In the order of the second ones.
    pub fn races(&self) -> &[(u32, u32)] {
        &self.races
    }

    /// The events that touch what `touch` does, oldest first.
    #[inline]
    pub fn history(&self, touch: Touch) -> &[(u32, Touch)] {
        self.conflicts.history(touch)
    }

    /// The events that conflict with a touch.
    pub fn conflicting_with(&self, touch: Touch) -> impl Iterator<Item = usize> + '_ {
        self.conflicting_from(touch, 0)
    }

    /// The events from `from` on that conflict with a touch.
    pub fn conflicting_from(&self, touch: Touch, from: usize) -> impl Iterator<Item = usize> + '_ {
        let history = self.history(touch);
        let first = history.partition_point(|&(event, _)| (event as usize) < from);
        let conflicting = history[first..].iter().filter(move |(_, other)| other.conflicts(touch));
        conflicting.map(|&(event, _)| event as usize)
    }

    /// The events that happen before each one from `from` on. Starts of messages that go on do not count.
    pub fn awaited_from(&self, from: usize) -> Bits {
        let mut awaited = bits::first(self.len(), self.words());
        let goes_on = |event: &usize| bits::contains(self.starts_that_go_on(), *event);
        for event in (from..self.len()).filter(|event| !goes_on(event)) {
            self.rows.keep_before(&mut awaited, event);
        }
        awaited
    }

    /// The starts of messages that go on from there without ever having to wait.
    pub fn starts_that_go_on(&self) -> &[u64] {
        self.turns.going_on()
    }

    /// The events that follow several others whatever the schedule.
    pub fn meeting(&self) -> &[u32] {
        self.log.meeting()
    }

    /// Does the message that is started here go on among the members?
    #[inline]
    pub fn goes_on_in(&self, start: usize, members: &[u64]) -> bool {
        let next = self.events_of(self.events()[start].task).get(1);
        next.is_some_and(|&next| bits::contains(members, next as usize))
    }

    /// Events of messages that might have had to wait for another task.
    pub fn waits(&self) -> impl Iterator<Item = usize> + '_ {
        self.log.waits()
    }

    /// The events that handlers take note of: those that start or end a message, and those that post to a FIFO mailbox.
    pub fn noted_by_handlers(&self) -> &[u64] {
        self.turns.noted()
    }

    /// The messages posted to a handler that do not end among these events.
    pub fn unfinished_on(&self, handler: HandlerId, events: &[u64]) -> SmallVec<[TaskId; 4]> {
        let it = self.turns.handler(handler);
        let mut ends = Bits::from_slice(&it.ends);
        let never_end = it.posted.len() != bits::count(&ends) as usize;
        bits::subtract(&mut ends, events);
        let mut unfinished: SmallVec<[TaskId; 4]> =
            bits::iter(&ends).map(|end| self.events()[end].task).collect();
        if never_end {
            let posted = it.posted.iter().copied();
            unfinished.extend(posted.filter(|&message| self.end_of(message).is_none()));
        }
        unfinished
    }

    /// The events that start a message on a handler that has been posted to, as a set that may be short.
    pub fn starts_on(&self, handler: HandlerId) -> &[u64] {
        &self.turns.handler(handler).starts
    }

    /// The events that end one, as a set that may be short.
    pub fn ends_on(&self, handler: HandlerId) -> &[u64] {
        &self.turns.handler(handler).ends
    }

    /// The events that post to a handler that has been posted to, as a set that may be short.
    pub fn posts_to(&self, handler: HandlerId) -> &[u64] {
        &self.turns.handler(handler).posts
    }

    /// Some events, and all that happens before them.
    pub fn with_past(&self, events: &[u32]) -> Bits {
        let mut all = bits::empty(self.words());
        for &event in events {
            bits::union(&mut all, &self.before(event as usize));
            bits::insert(&mut all, event as usize);
        }
        all
    }

    /// The events behind `first` that do not happen after it.
    pub fn unaffected_behind(&self, first: usize) -> Bits {
        let mut unaffected = self.unaffected_by(first);
        bits::subtract(&mut unaffected, &bits::first(first, self.words()));
        unaffected
    }

    /// All events that do not happen after `first`, itself left out.
    pub fn unaffected_by(&self, first: usize) -> Bits {
        let but = |after: &[u64]| bits::first_but(self.len(), first, after);
        self.rows.after(first, self.len(), but)
    }

    /// An event, and those that happen after it.
    pub fn affected_by(&self, first: usize) -> Bits {
        let mut affected = self.rows.after(first, self.len(), Bits::from_slice);
        bits::insert(&mut affected, first);
        affected
    }

    /// The positions of the events of `task`.
    #[inline]
    pub fn events_of(&self, task: TaskId) -> &[u32] {
        self.log.events_of(task)
    }

    /// The event that posted or forked `task`; `None` if it exists from the start.
    #[inline]
    pub fn creator(&self, task: TaskId) -> Option<usize> {
        self.log.creator(task).map(|event| event as usize)
    }

    /// The handler of `task`, once it was posted here.
    #[inline]
    pub fn handler(&self, task: TaskId) -> Option<HandlerId> {
        self.turns.of(task)
    }

    /// The messages posted to a handler, in the order of the posts.
    pub fn posted(&self, handler: HandlerId) -> &[TaskId] {
        self.turns.known(handler).map_or(&[], |handler| &handler.posted)
    }

    /// How many handlers have been posted to.
    pub fn handler_count(&self) -> usize {
        self.turns.handler_count()
    }

    /// The policy of a handler that has been posted to.
    #[inline]
    pub fn mailbox(&self, handler: HandlerId) -> Mailbox {
        self.turns.handler(handler).mailbox
    }

    /// The first event of `task`.
    pub fn start_of(&self, task: TaskId) -> Option<usize> {
        self.events_of(task).first().map(|&event| event as usize)
    }

    /// The last event of `task`, if it has ended.
    pub fn end_of(&self, task: TaskId) -> Option<usize> {
        let last = *self.events_of(task).last()? as usize;
        self.events()[last].ends_task.then_some(last)
    }

    /// The number of tasks that this execution has a place for.
    pub fn task_count(&self) -> usize {
        self.log.task_count()
    }

    /// The name of a set of events that holds across executions.
    pub fn fingerprint_of(&self, events: impl IntoIterator<Item = usize>) -> Fingerprint {
        self.names.of(events)
    }

    /// The names of the events.
    pub fn fingerprints(&self) -> &[Fingerprint] {
        self.names.all()
    }

    /// The name of the set of the first events.
    pub fn fingerprint_of_first(&self, length: usize) -> Fingerprint {
        self.names.of_first(length)
    }

    /// Appends what `run` has just performed.
    /// `gate`: the events that the operation had to wait for.
    pub fn push(
        &mut self,
        run: &impl Run,
        task: TaskId,
        choice: u32,
        step: &Step,
        gate: &[(TaskId, u32)],
    ) {
        let event = self.len();
        if self.rows.begin(event) {
            self.turns.widen(self.rows.words());
        }
        let is_message = self.turns.of(task).is_some();
        let performed = Performed { task, choice, is_message, step, gate };
        self.log.push(self.dependence, run, &performed);
        self.order(event);
        self.find_races_of_waiting(event);
        self.conflicts.push(event as u32, self.log.touches(event));
        self.turns.push(run, event, &self.log.events()[event]);
        if let Some(start) = self.log.start_before(event) {
            self.turns.go_on(start);
        }
    }

    /// Goes back to the first `length` events.
    pub fn truncate(&mut self, length: usize) {
        self.names.truncate(length);
        for event in (length..self.len()).rev() {
            if let Some(start) = self.log.start_before(event) {
                self.turns.stay(start);
            }
            self.turns.pop(event, &self.log.events()[event]);
            self.conflicts.pop(event as u32, self.log.touches(event));
            self.log.pop();
        }
        let races = self.races.iter().rposition(|&(_, second)| (second as usize) < length);
        self.races.truncate(races.map_or(0, |last| last + 1));
    }

    /// Orders the new event behind what it follows whatever the schedule, what follows from queues, and what it conflicts
    /// with. Of the last, what nothing else that it follows comes after races with it: with the latest
    /// first, that is what is not in the row yet.
    fn order(&mut self, event: usize) {
        let task = self.events()[event].task;
        let starts = self.events()[event].effect == Effect::Start;
        let queued = match self.dependence {
            Dependence::Queues if starts => self.ends_before_start_of(task),
            _ => SmallVec::new(),
        };
        let past = self.log.program_past(event);
        for &before in queued.iter().chain(past) {
            self.rows.follow(before as usize);
        }
        let mut conflicting = std::mem::take(&mut self.found);
        self.conflicts_of(event, &mut conflicting);
        for &before in &conflicting {
            if self.rows.follow(before as usize) {
                let rival = self.rival(before, task, past);
                self.races.extend(rival.map(|rival| (rival, event as u32)));
            }
        }
        let it = &self.log.events()[event];
        let own = Fingerprint::of_event(it.task, it.index, it.choice);
        self.names.push(own, past.iter().chain(&queued).chain(&conflicting).copied());
        self.found = conflicting;
        self.rows.end();
    }

    /// What the new event conflicts with, the latest first.
    fn conflicts_of(&self, event: usize, into: &mut Vec<u32>) {
        into.clear();
        let touches = self.log.touches(event);
        for &touch in touches {
            self.conflicts.of(touch, into);
        }
        if touches.len() > 1 {
            into.sort_unstable_by_key(|&event| Reverse(event));
        }
    }

    /// What a message of a queue starts after, beside its post: the ends of all messages whose posts happen before its own, as far as they do not
    /// come before each other.
    pub fn ends_before_start_of(&self, message: TaskId) -> SmallVec<[u32; 8]> {
        let mut ends = SmallVec::new();
        let handler = self.turns.of(message).map(|handler| self.turns.handler(handler));
        let Some(handler) = handler.filter(|it| it.mailbox == Mailbox::Fifo) else { return ends };
        let Some(own_post) = self.log.creator(message) else { return ends };
        let past = self.rows.before(own_post as usize);
        if !bits::intersects(&past, &handler.posts) {
            return ends;
        }
        // From the latest on; the ends of those before it come before its own.
        let mut posts = bits::common(&past, &handler.posts);
        while let Some(post) = bits::last(&posts) {
            bits::remove(&mut posts, post);
            let Effect::Post(other, _) = self.log.events()[post].effect else { continue };
            let Some(&end) = self.log.events_of(other).last() else { continue };
            bits::subtract(&mut posts, &self.rows.before(post));
            ends.push(end);
        }
        ends
    }
}
