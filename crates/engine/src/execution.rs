//! An execution: its events and their happens-before relation, kept incrementally.
//!
//! The relation is held as one bit row for each event: bit `j` of row `i` says that event `j` happens
//! before event `i`. A vector clock says the same with one number for each task; the rows are smaller
//! for executions of up to a few hundred events, and the set operations that race reversal needs (all
//! that does not happen after `e`, the past of `e'`) are a few word operations. Appending an event costs
//! O(direct predecessors × n / 64); going back costs nothing but truncation.

use crate::bits;
use crate::ids::{HandlerId, LocationId, ObjectId, TaskId};
use crate::operation::{Access, Effect, Mode, Next, Step};
use crate::program::{Mailbox, Run};
use std::ops::Range;

/// Which orders are part of the happens-before relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// Program order, conflicting accesses, post before start, fork before first event, last event
    /// before join: Definition 1 of the Event-DPOR paper and `language.md`.
    Conflicts,
    /// The same, and the messages of one handler are ordered as if each held a lock on it; posts to one
    /// FIFO mailbox conflict. What algorithms that know nothing of handlers see.
    Handlers,
}

/// One event of an execution.
#[derive(Clone, Debug)]
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
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    accesses: (u32, u32),
    races: (u32, u32),
}

/// An access in an object's history.
#[derive(Clone, Copy, Debug)]
struct Touch {
    event: u32,
    mode: Mode,
    /// For lock operations that ignore their own handler: who counts as the same.
    owner: u32,
}

/// The events performed so far, and their order.
#[derive(Debug)]
pub struct Execution {
    dependence: Dependence,
    events: Vec<Event>,
    /// `words` words for each event.
    rows: Vec<u64>,
    words: usize,
    accesses: Vec<Access>,
    races: Vec<u32>,
    /// For each object, the accesses to it, oldest first.
    histories: Vec<Vec<Touch>>,
    /// For each task, the positions of its events.
    tasks: Vec<Vec<u32>>,
    /// For each task, the event that created it.
    creators: Vec<Option<u32>>,
    /// For each task, its handler.
    handlers: Vec<Option<HandlerId>>,
    /// Scratch: direct predecessors, possible races and the row of the event that is being appended.
    predecessors: Vec<u32>,
    candidates: Vec<u32>,
    row: Vec<u64>,
}

/// The objects that stand for handlers and mailboxes in [`Dependence::Handlers`] have numbers of their
/// own behind those of the program: every third number is free for them.
const KINDS: usize = 3;

fn slot(object: ObjectId) -> usize {
    object.index() * KINDS
}

fn handler_slot(handler: HandlerId) -> usize {
    handler.index() * KINDS + 1
}

fn mailbox_slot(handler: HandlerId) -> usize {
    handler.index() * KINDS + 2
}

impl Execution {
    /// The empty execution.
    pub fn new(dependence: Dependence) -> Self {
        Execution {
            dependence,
            events: Vec::new(),
            rows: Vec::new(),
            words: 1,
            accesses: Vec::new(),
            races: Vec::new(),
            histories: Vec::new(),
            tasks: Vec::new(),
            creators: Vec::new(),
            handlers: Vec::new(),
            predecessors: Vec::new(),
            candidates: Vec::new(),
            row: Vec::new(),
        }
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Has nothing happened yet?
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Words in a row.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Which relation this execution keeps.
    pub fn dependence(&self) -> Dependence {
        self.dependence
    }

    /// The events, in the order in which they were performed.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The accesses of an event of this execution.
    pub fn accesses(&self, event: usize) -> &[Access] {
        let (from, to) = self.events[event].accesses;
        &self.accesses[from as usize..to as usize]
    }

    /// The events that happen before `event`.
    pub fn before(&self, event: usize) -> &[u64] {
        &self.rows[event * self.words..(event + 1) * self.words]
    }

    /// Does `first` happen before `second`?
    pub fn happens_before(&self, first: usize, second: usize) -> bool {
        bits::contains(self.before(second), first)
    }

    /// The events whose race with `event` can be reversed: `event` can be performed without them.
    pub fn races(&self, event: usize) -> &[u32] {
        let (from, to) = self.events[event].races;
        &self.races[from as usize..to as usize]
    }

    /// The positions of the events of `task`.
    pub fn events_of(&self, task: TaskId) -> &[u32] {
        self.tasks.get(task.index()).map_or(&[], |events| events)
    }

    /// The event that posted or forked `task`; `None` if it exists from the start.
    pub fn creator(&self, task: TaskId) -> Option<usize> {
        self.creators
            .get(task.index())
            .copied()
            .flatten()
            .map(|event| event as usize)
    }

    /// The handler of `task`, once it has an event or was posted here.
    pub fn handler(&self, task: TaskId) -> Option<HandlerId> {
        self.handlers.get(task.index()).copied().flatten()
    }

    /// The number of tasks that this execution has a place for.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
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
        let event = self.events.len();
        self.reserve_row(event);
        self.reserve_task(run, task);
        let index = self.tasks[task.index()].len() as u32 + 1;
        let ends_task = run.next(task) == Next::Ended;
        let first_access = self.accesses.len() as u32;
        self.accesses.extend_from_slice(&step.accesses);
        let accesses = (first_access, self.accesses.len() as u32);

        self.predecessors.clear();
        self.order_in_program(task, step, gate);
        let own_past = self.predecessors.len();
        self.order_by_conflicts(run, task, step, ends_task);
        self.close_row(event);
        let races = self.find_races(run, task, step, own_past);

        self.tasks[task.index()].push(event as u32);
        if let Effect::Post(child, _) | Effect::Fork(child) = step.effect {
            self.reserve_task(run, child);
            self.creators[child.index()] = Some(event as u32);
        }
        self.events.push(Event {
            task,
            index,
            choice,
            effect: step.effect,
            data_dependent: step.data_dependent,
            ends_task,
            location: step.location,
            accesses,
            races: (races.start, races.end),
        });
        self.remember_touches(run, event, task, step, ends_task);
    }

    /// Goes back to the first `length` events.
    pub fn truncate(&mut self, length: usize) {
        while self.events.len() > length {
            let event = self.events.pop().expect("longer than `length`");
            let position = self.events.len() as u32;
            self.tasks[event.task.index()].pop();
            if let Effect::Post(child, _) | Effect::Fork(child) = event.effect {
                self.creators[child.index()] = None;
            }
            for access in &self.accesses[event.accesses.0 as usize..event.accesses.1 as usize] {
                forget(&mut self.histories[slot(access.object)], position);
            }
            if self.dependence == Dependence::Handlers {
                self.forget_handler_touches(&event, position);
            }
            self.accesses.truncate(event.accesses.0 as usize);
            self.races.truncate(event.races.0 as usize);
        }
    }

    fn forget_handler_touches(&mut self, event: &Event, position: u32) {
        if let Some(handler) = self.handlers[event.task.index()] {
            forget(&mut self.histories[handler_slot(handler)], position);
        }
        if let Effect::Post(_, handler) = event.effect {
            if let Some(history) = self.histories.get_mut(mailbox_slot(handler)) {
                forget(history, position);
            }
        }
    }

    fn reserve_row(&mut self, event: usize) {
        if event >= self.words * 64 {
            let (old, new) = (self.words, self.words * 2);
            let mut rows = vec![0; new * self.events.len()];
            for (to, from) in rows.chunks_mut(new).zip(self.rows.chunks(old)) {
                to[..old].copy_from_slice(from);
            }
            self.rows = rows;
            self.words = new;
        }
        self.row.clear();
        self.row.resize(self.words, 0);
    }

    fn reserve_task(&mut self, run: &impl Run, task: TaskId) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, Vec::new());
            self.creators.resize(task.index() + 1, None);
            self.handlers.resize(task.index() + 1, None);
        }
        self.handlers[task.index()] = run.handler(task);
    }

    /// Program order, creation, joins and gates.
    fn order_in_program(&mut self, task: TaskId, step: &Step, gate: &[(TaskId, u32)]) {
        match self.tasks[task.index()].last() {
            Some(&previous) => self.predecessors.push(previous),
            None => self.predecessors.extend(self.creators[task.index()]),
        }
        if let Effect::Join(other) = step.effect {
            self.predecessors
                .extend(self.tasks.get(other.index()).and_then(|t| t.last()));
        }
        for &(other, events) in gate {
            let position = self.tasks[other.index()][events as usize - 1];
            self.predecessors.push(position);
        }
    }

    fn order_by_conflicts(&mut self, run: &impl Run, task: TaskId, step: &Step, ends: bool) {
        for access in &step.accesses {
            let owner = lock_owner(run, task, access.mode);
            conflicting(
                &self.histories,
                slot(access.object),
                access.mode,
                owner,
                &mut self.predecessors,
            );
        }
        if self.dependence == Dependence::Handlers {
            for (slot, mode) in handler_touches(run, task, step, ends).into_iter().flatten() {
                conflicting(
                    &self.histories,
                    slot,
                    mode,
                    NO_OWNER,
                    &mut self.predecessors,
                );
            }
        }
    }

    fn close_row(&mut self, event: usize) {
        let words = self.words;
        for &before in &self.predecessors {
            let before = before as usize;
            bits::union(
                &mut self.row,
                &self.rows[before * words..(before + 1) * words],
            );
            bits::insert(&mut self.row, before);
        }
        self.rows.truncate(event * words);
        self.rows.extend_from_slice(&self.row);
    }

    /// Races that end in the new event (Definition 5 of the Event-DPOR paper), and their counterpart for
    /// operations that wait: taking a lock races with the last time it was taken, since the release in
    /// between cannot be overtaken.
    fn find_races(
        &mut self,
        run: &impl Run,
        task: TaskId,
        step: &Step,
        own_past: usize,
    ) -> Range<u32> {
        let from = self.races.len();
        let waits = self.waits(run, task, step);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        if waits {
            self.rivals(run, task, step, &mut candidates);
        } else {
            candidates.extend_from_slice(&self.predecessors[own_past..]);
        }
        let rest = if waits {
            own_past
        } else {
            self.predecessors.len()
        };
        for &first in &candidates {
            let is_race = self.events[first as usize].task != task
                && !self.predecessors[..own_past].contains(&first)
                && !self.predecessors[..rest].iter().any(|&other| {
                    other != first && self.happens_before(first as usize, other as usize)
                })
                && !self.races[from..].contains(&first);
            if is_race {
                self.races.push(first);
            }
        }
        self.candidates = candidates;
        from as u32..self.races.len() as u32
    }

    /// Could the operation have had to wait? An attempt (`try_lock`) cannot: it depends on what it sees.
    fn waits(&self, run: &impl Run, task: TaskId, step: &Step) -> bool {
        let acquires = step.accesses.iter().any(|a| a.mode.may_block()) && !step.data_dependent;
        acquires || self.takes_handler(run, task, step)
    }

    fn takes_handler(&self, run: &impl Run, task: TaskId, step: &Step) -> bool {
        self.dependence == Dependence::Handlers
            && step.effect == Effect::Start
            && run
                .handler(task)
                .is_some_and(|h| run.mailbox(h) == Mailbox::Multiset)
    }

    /// What an operation that waits competes with: the latest conflicting acquisitions.
    fn rivals(&self, run: &impl Run, task: TaskId, step: &Step, into: &mut Vec<u32>) {
        for access in step.accesses.iter().filter(|a| a.mode.may_block()) {
            let owner = lock_owner(run, task, access.mode);
            rivals(
                &self.histories,
                slot(access.object),
                access.mode,
                owner,
                into,
            );
        }
        if self.takes_handler(run, task, step) {
            let handler = run.handler(task).expect("only messages start");
            rivals(
                &self.histories,
                handler_slot(handler),
                Mode::Lock,
                NO_OWNER,
                into,
            );
        }
    }

    fn remember_touches(
        &mut self,
        run: &impl Run,
        event: usize,
        task: TaskId,
        step: &Step,
        ends: bool,
    ) {
        let event = event as u32;
        for access in &step.accesses {
            let owner = lock_owner(run, task, access.mode);
            remember(
                &mut self.histories,
                slot(access.object),
                Touch {
                    event,
                    mode: access.mode,
                    owner,
                },
            );
        }
        if self.dependence == Dependence::Handlers {
            for (slot, mode) in handler_touches(run, task, step, ends).into_iter().flatten() {
                remember(
                    &mut self.histories,
                    slot,
                    Touch {
                        event,
                        mode,
                        owner: NO_OWNER,
                    },
                );
            }
        }
    }
}

/// The owner of an operation that conflicts with everybody's.
const NO_OWNER: u32 = u32::MAX;

/// Lock operations of one handler may be told not to conflict with each other.
fn lock_owner(run: &impl Run, task: TaskId, mode: Mode) -> u32 {
    if mode.is_lock() && run.locks_ignore_own_handler() {
        run.handler(task).map_or(NO_OWNER, |handler| handler.0)
    } else {
        NO_OWNER
    }
}

/// What an event does to its handler and to mailboxes, in [`Dependence::Handlers`].
fn handler_touches(
    run: &impl Run,
    task: TaskId,
    step: &Step,
    ends: bool,
) -> [Option<(usize, Mode)>; 3] {
    let own = run.handler(task);
    let post = match step.effect {
        Effect::Post(_, handler) if run.mailbox(handler) == Mailbox::Fifo => Some(handler),
        _ => None,
    };
    [
        own.filter(|_| step.effect == Effect::Start)
            .map(|h| (handler_slot(h), Mode::Lock)),
        own.filter(|_| ends)
            .map(|h| (handler_slot(h), Mode::Unlock)),
        post.map(|h| (mailbox_slot(h), Mode::Write)),
    ]
}

/// Appends the events that a touch of this object must come after. Those that are ordered before another
/// one anyway may be left out.
fn conflicting(histories: &[Vec<Touch>], slot: usize, mode: Mode, owner: u32, into: &mut Vec<u32>) {
    let Some(history) = histories.get(slot) else {
        return;
    };
    for touch in history.iter().rev() {
        let same_owner = owner != NO_OWNER && touch.owner == owner;
        if same_owner || !touch.mode.conflicts(mode) {
            continue;
        }
        into.push(touch.event);
        // Whatever conflicts with everything has everything older in its past.
        if owner == NO_OWNER && touch.owner == NO_OWNER && conflicts_with_all(touch.mode) {
            break;
        }
    }
}

fn conflicts_with_all(mode: Mode) -> bool {
    matches!(
        mode,
        Mode::Write | Mode::Update | Mode::Lock | Mode::Unlock | Mode::Wait
    )
}

/// The latest acquisitions that exclude an acquisition in this mode.
fn rivals(histories: &[Vec<Touch>], slot: usize, mode: Mode, owner: u32, into: &mut Vec<u32>) {
    let Some(history) = histories.get(slot) else {
        return;
    };
    let from = into.len();
    for touch in history.iter().rev() {
        let same_owner = owner != NO_OWNER && touch.owner == owner;
        let excludes = match mode {
            Mode::Lock => matches!(touch.mode, Mode::Lock | Mode::LockShared),
            Mode::LockShared => touch.mode == Mode::Lock,
            _ => matches!(touch.mode, Mode::Wait | Mode::Signal),
        };
        if same_owner || !excludes {
            continue;
        }
        let exclusive = matches!(touch.mode, Mode::Lock | Mode::Wait);
        if !exclusive || into.len() == from {
            into.push(touch.event);
        }
        if exclusive {
            break;
        }
    }
}

fn remember(histories: &mut Vec<Vec<Touch>>, slot: usize, touch: Touch) {
    if histories.len() <= slot {
        histories.resize(slot + 1, Vec::new());
    }
    histories[slot].push(touch);
}

/// Takes the touches of `event`, the latest, out of a history.
fn forget(history: &mut Vec<Touch>, event: u32) {
    while history.last().is_some_and(|touch| touch.event == event) {
        history.pop();
    }
}
