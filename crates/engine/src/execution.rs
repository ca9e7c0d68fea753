//! An execution: its events and their happens-before relation, kept incrementally.
//!
//! The relation is held as one bit row for each event: bit `j` of row `i` says that event `j` happens
//! before event `i`. A vector clock says the same with one number for each task; the rows are smaller
//! for executions of up to a few hundred events, and the set operations that race reversal needs (all
//! that does not happen after `e`, the past of `e'`) are a few word operations. Appending an event costs
//! O(direct predecessors × n / 64); going back costs nothing but truncation.

use crate::bits;
use crate::fingerprint::Fingerprint;
use crate::ids::{HandlerId, LocationId, TaskId};
use crate::operation::{Access, Effect, Mode, Next, Operation, Step};
use crate::program::{Mailbox, Run};
use crate::touch::{Dependence, NO_OWNER, Touch, touches_of_waiting, write_touches};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::cmp::Reverse;

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
    may_wait: bool,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    accesses: (u32, u32),
    touches: (u32, u32),
    past: (u32, u32),
    /// How many races there were before it.
    races_before: u32,
}

/// The names of an event and of all that happens before it.
#[derive(Clone, Copy, Debug)]
struct Named {
    event: Fingerprint,
    past: Fingerprint,
}

/// The events performed so far, and their order.
#[derive(Clone, Debug)]
pub struct Execution {
    dependence: Dependence,
    events: Vec<Event>,
    /// `words` words for each event.
    rows: Vec<u64>,
    words: usize,
    accesses: Vec<Access>,
    touches: Vec<Touch>,
    pasts: Vec<u32>,
    races: Vec<(u32, u32)>,
    /// The events that start or end a message, as a set.
    turns: Vec<u64>,
    /// The events that post to a FIFO mailbox, as a set.
    posts_to_queues: Vec<u64>,
    /// For each handler, the events that start a message there, as a set.
    starts: Vec<Vec<u64>>,
    /// For each handler, the events that end a message there, as a set.
    ends: Vec<Vec<u64>>,
    /// For each handler, the events that post to it, as a set.
    posts: Vec<Vec<u64>>,
    /// How many events of messages might have had to wait.
    waits: usize,
    /// Names of the first events, as many as have been asked for.
    fingerprints: RefCell<Vec<Named>>,
    /// For each slot, the events that touch it, oldest first.
    histories: Vec<Vec<(u32, Touch)>>,
    /// For each task, the positions of its events.
    tasks: Vec<Vec<u32>>,
    /// For each task, the event that created it.
    creators: Vec<Option<u32>>,
    /// For each task, its handler.
    handlers: Vec<Option<HandlerId>>,
    /// For each handler, the messages posted to it, in the order of the posts.
    posted: Vec<Vec<TaskId>>,
    /// For each handler, the policy of its mailbox.
    mailboxes: Vec<Mailbox>,
    /// Scratch: direct predecessors and possible races of the event that is being appended.
    predecessors: Vec<u32>,
    candidates: Vec<u32>,
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
            touches: Vec::new(),
            pasts: Vec::new(),
            races: Vec::new(),
            turns: vec![0],
            posts_to_queues: vec![0],
            starts: Vec::new(),
            ends: Vec::new(),
            posts: Vec::new(),
            waits: 0,
            fingerprints: RefCell::default(),
            histories: Vec::new(),
            tasks: Vec::new(),
            creators: Vec::new(),
            handlers: Vec::new(),
            posted: Vec::new(),
            mailboxes: Vec::new(),
            predecessors: Vec::new(),
            candidates: Vec::new(),
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

    /// How many bytes it takes, roughly.
    pub fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice()) + size_of_val(self.events.as_slice())
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

    /// What an event of this execution touches.
    pub fn touches(&self, event: usize) -> &[Touch] {
        let (from, to) = self.events[event].touches;
        &self.touches[from as usize..to as usize]
    }

    /// The events that happen before `event`.
    pub fn before(&self, event: usize) -> &[u64] {
        &self.rows[event * self.words..(event + 1) * self.words]
    }

    /// Does `first` happen before `second`?
    #[inline]
    pub fn happens_before(&self, first: usize, second: usize) -> bool {
        self.rows[second * self.words + first / 64] >> (first % 64) & 1 != 0
    }

    /// The events that `event` follows whatever the schedule: the one before it in its task or the one
    /// that created the task, the end of a task that it joins, what its gate waits for.
    pub fn program_past(&self, event: usize) -> &[u32] {
        let (from, to) = self.events[event].past;
        &self.pasts[from as usize..to as usize]
    }

    /// The pairs of events whose order can be reversed: the second can be performed without the first
    /// ([`Execution::rival`]). In the order of the second ones.
    pub fn races(&self) -> &[(u32, u32)] {
        &self.races
    }

    /// The events that touch what `touch` does, oldest first.
    pub fn history(&self, touch: Touch) -> &[(u32, Touch)] {
        self.histories.get(touch.slot as usize).map_or(&[], |history| history)
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

    /// The first event from `from` on that does not happen after `first`. Starts of messages that go on do
    /// not count: they touch nothing, and what follows them counts.
    pub fn first_unaffected(&self, first: usize, from: usize) -> Option<usize> {
        (from..self.events.len())
            .find(|&event| !self.happens_before(first, event) && !self.is_start_that_goes_on(event))
    }

    /// The events that happen before each one from `from` on. Starts of messages that go on do not count.
    pub fn awaited_from(&self, from: usize) -> bits::Bits {
        let mut awaited = bits::first(self.events.len(), self.words);
        for event in (from..self.events.len()).filter(|&event| !self.is_start_that_goes_on(event)) {
            bits::intersect(&mut awaited, self.before(event));
        }
        awaited
    }

    /// Is it the start of a message that goes on, but not among the members?
    pub fn is_mere_start(&self, event: usize, members: &[u64]) -> bool {
        let next = self.events_of(self.events[event].task).get(1);
        self.is_start_that_goes_on(event)
            && next.is_some_and(|&next| !bits::contains(members, next as usize))
    }

    /// Is it the start of a message that goes on from there without ever having to wait? What it does first depends on
    /// nothing but what it was posted with, so no execution ends with this message just begun.
    fn is_start_that_goes_on(&self, event: usize) -> bool {
        let it = &self.events[event];
        let next = self.events_of(it.task).get(1);
        it.effect == Effect::Start && next.is_some_and(|&next| !self.events[next as usize].may_wait)
    }

    /// Events of messages that might have had to wait for another task.
    pub fn waits(&self) -> impl Iterator<Item = usize> + '_ {
        let all = if self.waits == 0 { 0 } else { self.events.len() };
        (0..all).filter(|&event| self.events[event].may_wait)
    }

    /// The events that start or end a message of a handler.
    pub fn turns(&self) -> &[u64] {
        &self.turns
    }

    /// The events that post to a FIFO mailbox.
    pub fn posts_to_queues(&self) -> &[u64] {
        &self.posts_to_queues
    }

    /// The events that start a message on a handler that has been posted to.
    pub fn starts_on(&self, handler: HandlerId) -> &[u64] {
        &self.starts[handler.index()]
    }

    /// The events that end a message of a handler that has been posted to.
    pub fn ends_on(&self, handler: HandlerId) -> &[u64] {
        &self.ends[handler.index()]
    }

    /// The events behind `first` that do not happen after it.
    pub fn unaffected_behind(&self, first: usize) -> bits::Bits {
        let mut unaffected = bits::empty(self.words);
        for (at, word) in unaffected.iter_mut().enumerate() {
            let events = (at * 64).max(first + 1)..(at * 64 + 64).min(self.events.len());
            for event in events {
                let row = self.rows[event * self.words + first / 64];
                *word |= (!row >> (first % 64) & 1) << (event % 64);
            }
        }
        unaffected
    }

    /// The positions of the events of `task`.
    pub fn events_of(&self, task: TaskId) -> &[u32] {
        self.tasks.get(task.index()).map_or(&[], |events| events)
    }

    /// The event that posted or forked `task`; `None` if it exists from the start.
    pub fn creator(&self, task: TaskId) -> Option<usize> {
        self.creators.get(task.index()).copied().flatten().map(|event| event as usize)
    }

    /// The handler of `task`, once it was posted here.
    pub fn handler(&self, task: TaskId) -> Option<HandlerId> {
        self.handlers.get(task.index()).copied().flatten()
    }

    /// The messages posted to a handler, in the order of the posts.
    pub fn posted(&self, handler: HandlerId) -> &[TaskId] {
        self.posted.get(handler.index()).map_or(&[], |messages| messages)
    }

    /// How many handlers have been posted to.
    pub fn handler_count(&self) -> usize {
        self.posted.len()
    }

    /// The policy of a handler that has been posted to.
    pub fn mailbox(&self, handler: HandlerId) -> Mailbox {
        self.mailboxes[handler.index()]
    }

    /// The first event of `task`.
    pub fn start_of(&self, task: TaskId) -> Option<usize> {
        self.events_of(task).first().map(|&event| event as usize)
    }

    /// The last event of `task`, if it has ended.
    pub fn end_of(&self, task: TaskId) -> Option<usize> {
        let last = *self.events_of(task).last()? as usize;
        self.events[last].ends_task.then_some(last)
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
        self.reserve_task(task);
        let index = self.tasks[task.index()].len() as u32 + 1;
        let ends_task = run.next(task) == Next::Ended;
        let first_access = self.accesses.len() as u32;
        // Mostly one or none: not worth the call that copies a slice. So for others here.
        self.accesses.extend(step.accesses.iter().copied());
        let accesses = (first_access, self.accesses.len() as u32);

        let first_touch = self.touches.len();
        write_touches(self.dependence, run, task, step, ends_task, &mut self.touches);

        self.predecessors.clear();
        self.order_in_program(task, step, gate);
        let own_past = self.predecessors.len();
        let past = (self.pasts.len() as u32, (self.pasts.len() + own_past) as u32);
        self.pasts.extend(self.predecessors.iter().copied());
        self.order_by_conflicts(first_touch);
        let races_before = self.races.len() as u32;
        self.begin_row(event);
        if step.effect == Effect::Start && self.dependence == Dependence::Queues {
            self.order_by_queue(event, task);
        }
        self.close_row(event, task, own_past);
        self.correct_races(step, task, own_past, first_touch, races_before as usize);

        self.tasks[task.index()].push(event as u32);
        if let Effect::Post(child, _) | Effect::Fork(child) = step.effect {
            self.reserve_task(child);
            self.creators[child.index()] = Some(event as u32);
            self.handlers[child.index()] = run.handler(child);
        }
        if let Effect::Post(child, handler) = step.effect {
            self.reserve_handler(run, handler);
            self.posted[handler.index()].push(child);
            bits::insert(&mut self.posts[handler.index()], event);
            if self.mailboxes[handler.index()] == Mailbox::Fifo {
                bits::insert(&mut self.posts_to_queues, event);
            }
        }
        for at in first_touch..self.touches.len() {
            remember(&mut self.histories, event as u32, self.touches[at]);
        }
        let is_message = self.note_turn(event, task, step.effect == Effect::Start, ends_task);
        let touches = &self.touches[first_touch..];
        let may_wait =
            is_message && (own_past > 1 || touches.iter().any(|touch| touch.may_block()));
        self.waits += usize::from(may_wait);
        self.events.push(Event {
            task,
            index,
            choice,
            effect: step.effect,
            data_dependent: step.data_dependent,
            ends_task,
            may_wait,
            location: step.location,
            accesses,
            touches: (first_touch as u32, self.touches.len() as u32),
            past,
            races_before,
        });
    }

    /// Takes note of an event that starts or ends a message. Is it one of a message at all?
    fn note_turn(&mut self, event: usize, task: TaskId, starts: bool, ends: bool) -> bool {
        let Some(handler) = self.handlers[task.index()] else { return false };
        if starts {
            bits::insert(&mut self.turns, event);
            bits::insert(&mut self.starts[handler.index()], event);
        }
        if ends {
            bits::insert(&mut self.turns, event);
            bits::insert(&mut self.ends[handler.index()], event);
        }
        true
    }

    /// The name of a set of events that holds across executions.
    pub fn fingerprint_of(&self, events: impl IntoIterator<Item = usize>) -> Fingerprint {
        let known = &mut *self.fingerprints.borrow_mut();
        events.into_iter().fold(Fingerprint::default(), |sum, event| {
            while known.len() <= event {
                known.push(self.named(known.len(), known));
            }
            sum.and(known[event].event)
        })
    }

    fn named(&self, event: usize, known: &[Named]) -> Named {
        let past = self.fingerprint_of_past(event, known);
        let it = &self.events[event];
        let own = Fingerprint::of_event(it.task, it.index, it.choice);
        Named { event: past.and(own).mixed(), past }
    }

    /// The sum over all that happens before an event: that of the event before it, and what comes with others.
    fn fingerprint_of_past(&self, event: usize, known: &[Named]) -> Fingerprint {
        let mut rest = bits::Bits::from_slice(self.before(event));
        let mut sum = Fingerprint::default();
        if let Some(&previous) = self.program_past(event).first() {
            let previous = previous as usize;
            sum = known[previous].event.and(known[previous].past);
            bits::remove(&mut rest, previous);
            bits::subtract(&mut rest, self.before(previous));
        }
        bits::iter(&rest).fold(sum, |sum, earlier| sum.and(known[earlier].event))
    }

    /// Goes back to the first `length` events.
    pub fn truncate(&mut self, length: usize) {
        self.fingerprints.get_mut().truncate(length);
        let Some(first) = self.events.get(length) else { return };
        let (accesses, past, races) = (first.accesses.0, first.past.0, first.races_before);
        let touches = first.touches.0 as usize;
        for (position, event) in self.events.iter().enumerate().skip(length).rev() {
            if bits::contains(&self.turns, position) {
                let handler = self.handlers[event.task.index()].expect("only messages take turns");
                bits::remove(&mut self.turns, position);
                bits::remove(&mut self.starts[handler.index()], position);
                bits::remove(&mut self.ends[handler.index()], position);
            }
            self.waits -= usize::from(event.may_wait);
            self.tasks[event.task.index()].pop();
            if let Effect::Post(child, _) | Effect::Fork(child) = event.effect {
                self.creators[child.index()] = None;
            }
            if let Effect::Post(_, handler) = event.effect {
                self.posted[handler.index()].pop();
                bits::remove(&mut self.posts[handler.index()], position);
                bits::remove(&mut self.posts_to_queues, position);
            }
            for touch in &self.touches[event.touches.0 as usize..event.touches.1 as usize] {
                forget(&mut self.histories[touch.slot as usize], position as u32);
            }
        }
        self.events.truncate(length);
        self.accesses.truncate(accesses as usize);
        self.touches.truncate(touches);
        self.pasts.truncate(past as usize);
        self.races.truncate(races as usize);
    }

    /// What the next operation of a task that waits would touch, and the events that it could be performed
    /// without: the races of an event that did not happen. Nothing if it waits for an event that did not happen either.
    pub fn races_of_waiting(
        &mut self,
        run: &impl Run,
        task: TaskId,
        waiting: Operation,
    ) -> Option<Waiting> {
        let past = self.past_of_waiting(run, task)?;
        let touches = touches_of_waiting(self.dependence, run, task, waiting);
        let accesses = match waiting {
            Operation::Access(object, mode) => {
                SmallVec::from_slice(&[Access { object, mode, read: 0, written: 0 }])
            }
            _ => SmallVec::new(),
        };
        let mut rivals = Vec::new();
        for &touch in &touches {
            self.rivals_of(touch, &mut rivals);
        }
        let races = rivals.iter().filter_map(|&first| self.rival(first, task, &past)).collect();
        Some(Waiting { touches, accesses, past, races })
    }

    /// The events that the next operation of a task follows whatever the schedule, if all of them have happened.
    pub fn past_of_waiting(&self, run: &impl Run, task: TaskId) -> Option<SmallVec<[u32; 2]>> {
        let previous = self.events_of(task).last().copied();
        let previous = previous.or(self.creator(task).map(|event| event as u32));
        let awaited = run.gate_of(task).iter();
        let awaited =
            awaited.map(|&(other, events)| self.events_of(other).get(events as usize - 1).copied());
        previous.map(Some).into_iter().chain(awaited).collect()
    }

    /// Is an event one of these, or does it happen before one?
    pub fn is_needed(&self, event: u32, past: &[u32]) -> bool {
        past.iter()
            .any(|&later| later == event || self.happens_before(event as usize, later as usize))
    }

    /// What an operation that waits competes with.
    fn rivals_of(&self, touch: Touch, into: &mut Vec<u32>) {
        let happens_before = |a: u32, b: u32| self.happens_before(a as usize, b as usize);
        rivals(self.history(touch), touch, happens_before, into);
        if touch.mode == Mode::Wait && self.dependence == Dependence::Queues {
            // The latest permit may be out of reach, because the message that took it had just given it back.
            let history = self.history(touch).iter();
            let waits = history.filter(|(_, earlier)| earlier.mode == Mode::Wait);
            let others = waits.map(|&(event, _)| event).filter(|event| !into.contains(event));
            let others: SmallVec<[u32; 8]> = others.collect();
            into.extend(others);
        }
    }

    fn reserve_row(&mut self, event: usize) {
        if event >= self.words * 64 {
            // By half, so that rows are moved seldom and not much of them is empty.
            let (old, new) = (self.words, self.words + self.words.div_ceil(2));
            let mut rows = vec![0; new * self.events.len()];
            for (to, from) in rows.chunks_mut(new).zip(self.rows.chunks(old)) {
                to[..old].copy_from_slice(from);
            }
            self.rows = rows;
            let sets = self.starts.iter_mut().chain(&mut self.ends).chain(&mut self.posts);
            let sets = sets.chain([&mut self.turns, &mut self.posts_to_queues]);
            sets.for_each(|set| set.resize(new, 0));
            self.words = new;
        }
    }

    fn reserve_task(&mut self, task: TaskId) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, Vec::new());
            self.creators.resize(task.index() + 1, None);
            self.handlers.resize(task.index() + 1, None);
        }
    }

    fn reserve_handler(&mut self, run: &impl Run, handler: HandlerId) {
        if self.posted.len() <= handler.index() {
            self.posted.resize(handler.index() + 1, Vec::new());
            self.mailboxes.resize(handler.index() + 1, Mailbox::Fifo);
            self.starts.resize(handler.index() + 1, vec![0; self.words]);
            self.ends.resize(handler.index() + 1, vec![0; self.words]);
            self.posts.resize(handler.index() + 1, vec![0; self.words]);
        }
        self.mailboxes[handler.index()] = run.mailbox(handler);
    }

    /// Program order, creation, joins and gates.
    fn order_in_program(&mut self, task: TaskId, step: &Step, gate: &[(TaskId, u32)]) {
        match self.tasks[task.index()].last() {
            Some(&previous) => self.predecessors.push(previous),
            None => self.predecessors.extend(self.creators[task.index()]),
        }
        if let Effect::Join(other) = step.effect {
            self.predecessors.extend(self.tasks.get(other.index()).and_then(|t| t.last()));
        }
        for &(other, events) in gate {
            let position = self.tasks[other.index()][events as usize - 1];
            self.predecessors.push(position);
        }
    }

    /// Conflicts, the latest first.
    fn order_by_conflicts(&mut self, first_touch: usize) {
        let own_past = self.predecessors.len();
        for &touch in &self.touches[first_touch..] {
            conflicting(&self.histories, touch, &mut self.predecessors);
        }
        if self.touches.len() - first_touch > 1 {
            self.predecessors[own_past..].sort_unstable_by_key(|&event| Reverse(event));
        }
    }

    fn begin_row(&mut self, event: usize) {
        self.rows.truncate(event * self.words);
        self.rows.resize((event + 1) * self.words, 0);
    }

    /// A message starts: after the ends of all messages of its queue whose posts happen before its own.
    fn order_by_queue(&mut self, event: usize, message: TaskId) {
        let Some(handler) = self.handlers[message.index()] else { return };
        if self.mailbox(handler) != Mailbox::Fifo {
            return;
        }
        let Some(own_post) = self.creators[message.index()] else { return };
        let words = self.words;
        let (earlier, row) = self.rows.split_at_mut(event * words);
        let row_of = |event: u32| &earlier[event as usize * words..][..words];
        // From the latest on; the ends of those before it come before its own.
        let mut posts = bits::common(row_of(own_post), &self.posts[handler.index()]);
        while let Some(post) = bits::last(&posts) {
            bits::remove(&mut posts, post);
            let Effect::Post(other, _) = self.events[post].effect else { continue };
            let Some(&end) = self.tasks[other.index()].last() else { continue };
            bits::union(row, row_of(end));
            bits::insert(row, end as usize);
            bits::subtract(&mut posts, row_of(post as u32));
        }
    }

    /// Closes the relation for the new event. What it conflicts with, and what nothing else that it follows comes
    /// after, races with it: with the latest first, that is what is not in the row yet.
    fn close_row(&mut self, event: usize, task: TaskId, own_past: usize) {
        let words = self.words;
        let past = &self.predecessors[..own_past];
        for (at, &before) in self.predecessors.iter().enumerate() {
            let (earlier, row) = self.rows.split_at_mut(event * words);
            let first = before as usize;
            if bits::contains(row, first) {
                continue;
            }
            bits::union(row, &earlier[first * words..(first + 1) * words]);
            bits::insert(row, first);
            if at >= own_past {
                self.races
                    .extend(self.rival(before, task, past).map(|rival| (rival, event as u32)));
            }
        }
    }

    /// Corrects the races that end in the new event (Definition 5 of the Event-DPOR paper) where it might have had to
    /// wait: taking a lock races with the last time it was taken, since the release in between cannot be
    /// overtaken.
    fn correct_races(
        &mut self,
        step: &Step,
        task: TaskId,
        own_past: usize,
        first_touch: usize,
        from: usize,
    ) {
        let touches = &self.touches[first_touch..];
        // An attempt (`try_lock`) does not wait: it depends on what it sees.
        let waits = !step.data_dependent && touches.iter().any(|touch| touch.mode.may_block());
        // A start that does not wait is the next of a FIFO mailbox: its place was taken by the post.
        if waits || step.effect == Effect::Start {
            self.races.truncate(from);
        }
        if !waits {
            return;
        }
        let mut rivals = std::mem::take(&mut self.candidates);
        rivals.clear();
        for &touch in touches.iter().filter(|touch| touch.mode.may_block()) {
            self.rivals_of(touch, &mut rivals);
        }
        let past = &self.predecessors[..own_past];
        let event = self.events.len() as u32;
        for &first in &rivals {
            let race = self.rival(first, task, past).map(|rival| (rival, event));
            self.races.extend(race.filter(|race| !self.races[from..].contains(race)));
        }
        self.candidates = rivals;
    }

    /// What has to wait if an event of `task` is to come before `first`, an event of another task: that itself, or the
    /// whole message from its start on, if `task` is a message of the same multiset handler. Nothing if the event needs
    /// it; `past` is what it follows whatever the schedule. (A message that is needed can only be overtaken where an
    /// earlier event of `task` overtakes it.)
    pub fn rival(&self, first: u32, task: TaskId, past: &[u32]) -> Option<u32> {
        self.rival_unless(first, task, |event| self.is_needed(event, past))
    }

    /// The same, where `is_needed` says what the event needs.
    pub fn rival_unless(
        &self,
        first: u32,
        task: TaskId,
        is_needed: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let other = self.events[first as usize].task;
        let handler = self.handlers[other.index()];
        if handler.is_none() || handler != self.handlers[task.index()] {
            return (!is_needed(first)).then_some(first);
        }
        let start = self.tasks[other.index()][0];
        let is_multiset = handler.is_some_and(|handler| self.mailbox(handler) == Mailbox::Multiset);
        (!is_needed(start)).then_some(if is_multiset { start } else { first })
    }
}

/// A task whose next operation waits at the end of an execution.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// What the operation would touch.
    pub touches: SmallVec<[Touch; 2]>,
    /// Its accesses, without values.
    pub accesses: SmallVec<[Access; 1]>,
    /// The events that it follows whatever the schedule.
    pub past: SmallVec<[u32; 2]>,
    /// The events that it could be performed without.
    pub races: Vec<u32>,
}

/// What an operation that waits competes with among earlier accesses of what it touches: the latest acquisitions that
/// exclude it.
pub fn rivals(
    history: &[(u32, Touch)],
    touch: Touch,
    happens_before: impl Fn(u32, u32) -> bool,
    into: &mut Vec<u32>,
) {
    let mut acquired: SmallVec<[u32; 4]> = SmallVec::new();
    for &(event, earlier) in history.iter().rev() {
        let is_rival = earlier.excludes(touch);
        let looks = matches!(earlier.mode, Mode::Read | Mode::Write | Mode::Update);
        // Nobody waits for a look at a lock or semaphore (an attempt that failed), so it can be overtaken.
        // A signal cannot always be, if its permit is needed, but then the wait before it may be. Readers may hold a lock
        // together, and then all of them must be overtaken.
        let is_shared = earlier.mode == Mode::LockShared;
        let always = looks || touch.mode == Mode::Wait || is_shared;
        let comes_before = |&later: &u32| happens_before(event, later);
        if is_rival && (always || !acquired.iter().any(comes_before)) {
            into.push(event);
        }
        if is_rival && !looks {
            acquired.push(event);
        }
        // Older ones come before this one, unless those of one owner do not conflict.
        let exclusive = matches!(earlier.mode, Mode::Lock | Mode::Wait);
        if is_rival && exclusive && earlier.owner == NO_OWNER {
            break;
        }
    }
}

/// Appends the events that a touch must come after. Those that are ordered before another one anyway may
/// be left out.
fn conflicting(histories: &[Vec<(u32, Touch)>], touch: Touch, into: &mut Vec<u32>) {
    let Some(history) = histories.get(touch.slot as usize) else {
        return;
    };
    for &(event, earlier) in history.iter().rev() {
        if !earlier.conflicts(touch) {
            continue;
        }
        into.push(event);
        if touch.owner == NO_OWNER && earlier.conflicts_with_all() {
            break;
        }
    }
}

fn remember(histories: &mut Vec<Vec<(u32, Touch)>>, event: u32, touch: Touch) {
    let slot = touch.slot as usize;
    if histories.len() <= slot {
        histories.resize(slot + 1, Vec::new());
    }
    histories[slot].push((event, touch));
}

/// Takes the touches of `event`, the latest, out of a history.
fn forget(history: &mut Vec<(u32, Touch)>, event: u32) {
    while history.last().is_some_and(|&(last, _)| last == event) {
        history.pop();
    }
}
