//! Weak memory: which store a load may read, and where a store may come in modification order.
//!
//! **What is explored**: the executions of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in
//! C/C++11", PLDI 2017: no load reads a store that comes after it in program order and what is read), with the release
//! sequences of C++20 (a release store and the updates behind it). Rust has the memory model of C++20.
//!
//! **How**. The engine explores orders of events, and accesses of one atomic conflict as they do without weak memory: locks,
//! mailboxes and algorithms stay as they are. By default a load reads the newest store and a store becomes the newest. That
//! gives the sequentially consistent executions, each once. An access can have *alternatives* beside that: a load that reads an older
//! store, a store that comes before others in modification order, an update that does both. The engine explores them like the alternatives
//! of a choice.
//!
//! **Which alternatives.** An alternative puts some accesses of the same atomic that happened before it behind it: the stores
//! that a load passes over, the stores that a store goes before and the loads that have read those. It is offered if
//! 1. RC11 allows it: coherence ([`location`]), updates that follow what they read immediately, and one order of what is `SeqCst` ([`order`]);
//! 2. each of those accesses happens before it *in the trace* for another reason than their own conflict.
//!
//! **Nothing is lost by (2)**. Take an execution graph that RC11 allows and a sequence of its events that respects program order and
//! reads-from, with as few pairs of conflicting accesses as possible that stand in the sequence against modification order
//! and what follows from it. If nothing else held such a pair in that order, the two could be made neighbours and exchanged, which takes
//! one such pair away and adds none. So each pair of that sequence is held by something else, which is (2).
//!
//! **Nothing sequentially consistent is explored more often by (2)**. By induction on the distance of the two, what holds such
//! a pair is a path of program order, synchronisation, and accesses that stand with modification order. With the pair itself it is
//! a cycle of program order, reads-from, modification order and from-read: the graph is not sequentially consistent. One that is not may be
//! explored more than once, since each cycle can be cut at several places.
//!
//! **A function of the past.** The alternatives of an event must not depend on what does not happen before it in the trace. Coherence and
//! updates do not: they speak of the same atomic and of what happens before in the sense of C11, which the trace contains. The order of what is `SeqCst`
//! may; so (1) looks only at the past of the event, and an execution whose parts do not go together is found when the second of them is performed,
//! goes on without being judged, and counts as blocked ([`Graph::is_impossible`]). The same goes for messages: that one message of a handler ran before another
//! is no part of a trace, so it forbids alternatives only afterwards.
//!
//! **Cost**: O(tasks) for each step. An alternative costs O(n²) for the n atomic accesses of the execution where something is `SeqCst`.

pub(crate) mod access;
mod candidates;
mod changes;
pub(crate) mod live;
mod location;
mod order;
mod words;

use super::clock::Clock;
use access::{Access as Atomic, Announced, Candidate, Deed, Happened, Node, Operation, Past, Rank};
use candidates::Candidates;
use changes::Change;
use location::Location;
use mazurka_engine::{Access, Effect, HandlerId, Mode, ObjectId, TaskId};
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;

/// What is known of a task.
#[derive(Clone, Default, Debug)]
struct Task {
    /// What happens before its next event in the trace.
    trace: Clock,
    /// What happens before it in the sense of C11.
    past: Past,
    /// What it knew at its last release fence.
    fence: Past,
    /// What its loads saw, for an acquire fence to come.
    seen: Past,
    steps: u32,
}

/// Accesses of one object that do not conflict with each other form a group; those of the last one conflict with all.
const GROUPS: usize = 4;

fn group(mode: Mode) -> usize {
    match mode {
        Mode::Read => 0,
        Mode::Signal => 1,
        Mode::LockShared | Mode::UnlockShared => 2,
        Mode::Write | Mode::Update | Mode::Lock | Mode::Unlock | Mode::Wait => 3,
    }
}

/// What is known of an object.
#[derive(Clone, Default, Debug)]
struct Object {
    /// What happened in the trace up to the accesses of each group.
    trace: [Clock; GROUPS],
    /// What those have released, if it is no atomic.
    past: [Past; GROUPS],
}

/// The accesses of an execution, what they read and in which order they write. It can go back.
#[derive(Default, Debug)]
pub(crate) struct Graph {
    /// A node for each step.
    nodes: Vec<Node>,
    /// The nodes of each task.
    steps: Vec<Vec<u32>>,
    tasks: Vec<Task>,
    /// What each task knew when it was created.
    births: Vec<Past>,
    objects: Vec<Object>,
    locations: FxHashMap<ObjectId, Location>,
    handlers: FxHashMap<HandlerId, Past>,
    /// Fences and accesses that are `SeqCst`.
    sequential: u32,
    impossible: bool,
    changes: Vec<Change>,
}

/// The graph of an execution, and what was asked of it last.
#[derive(Default, Debug)]
pub(crate) struct Weak {
    graph: Graph,
    /// The outcomes that the next access of a task can have.
    asked: Option<(TaskId, Candidates)>,
}

impl Weak {
    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The outcomes that the next access of a task can have; the first is what happens by default.
    pub(crate) fn candidates(&mut self, task: TaskId, access: &Announced) -> &Candidates {
        if self.asked.as_ref().is_none_or(|(asked, _)| *asked != task) {
            self.asked = Some((task, self.graph.candidates(task, access)));
        }
        &self.asked.as_ref().expect("just asked").1
    }

    /// Follows a step. Did its access do what happens by default?
    pub(crate) fn push(&mut self, happened: &Happened<'_>, is_default: bool) {
        self.asked = None;
        self.graph.push(happened);
        self.graph.judge(is_default);
    }

    /// Takes the last step back.
    pub(crate) fn pop(&mut self) {
        self.asked = None;
        self.graph.pop();
    }
}

fn at<T: Default + Clone>(table: &mut Vec<T>, index: usize) -> &mut T {
    if table.len() <= index {
        table.resize(index + 1, T::default());
    }
    &mut table[index]
}

pub(crate) fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

pub(crate) fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

impl Graph {
    /// Do its parts contradict each other? Then no machine shows this execution.
    pub(crate) fn is_impossible(&self) -> bool {
        self.impossible
    }

    /// Follows a step.
    fn push(&mut self, happened: &Happened<'_>) {
        let Happened { task, accesses, effect, .. } = *happened;
        let node = self.nodes.len() as u32;
        let (changes, was_impossible) = (self.changes.len(), self.impossible);
        let own = at(&mut self.tasks, task.index());
        self.changes.push(Change::Now(task, own.trace.clone(), own.past.clone()));
        own.steps += 1;
        let step = own.steps;
        own.trace.set(task, step);
        own.past.hb.set(task, step);
        if let Some(handler) = happened.handler {
            own.past.full.set(task, step);
            self.takes_turn(task, handler);
        }
        if let Effect::Join(other) = effect {
            self.join(task, other);
        }
        for access in accesses {
            self.trace(task, access);
        }
        let deed = match happened.operation {
            Some(Operation::Fence(order)) => {
                self.fence(task, order);
                Deed::Fence(order)
            }
            Some(Operation::Access(_)) if accesses.len() == 1 => {
                Deed::Atomic(self.atomic(task, node, happened))
            }
            _ => {
                if !happened.plain {
                    accesses.iter().for_each(|access| self.synchronise(task, access));
                }
                Deed::Other(accesses.first().map(|access| access.object))
            }
        };
        self.sequential += u32::from(deed.is_sequential());
        if let Some(handler) = happened.handler {
            let past = self.tasks[task.index()].past.clone();
            self.handlers.insert(handler, past);
        }
        if let Effect::Fork(child) | Effect::Post(child, _) = effect {
            self.create(task, child);
        }
        let own = &self.tasks[task.index()];
        let (trace, hb) = (own.trace.clone(), own.past.hb.clone());
        at(&mut self.steps, task.index()).push(node);
        self.nodes.push(Node { task, step, deed, trace, hb, changes, was_impossible });
        for &(object, key) in happened.rewritten {
            if let Some(location) = self.locations.get(&object) {
                let newest = location.newest();
                let before = self.key_of(object, newest);
                self.changes.push(Change::Rewritten(object, newest, before));
                self.rewrite(object, newest, key);
            }
        }
    }

    /// Takes the last step back.
    pub(crate) fn pop(&mut self) {
        let Some(node) = self.nodes.last() else { return };
        let changes = node.changes;
        while self.changes.len() > changes {
            let change = self.changes.pop().expect("there are more");
            self.take_back(change);
        }
        let Some(node) = self.nodes.pop() else { return };
        self.steps[node.task.index()].pop();
        self.sequential -= u32::from(node.deed.is_sequential());
        self.impossible = node.was_impossible;
    }

    /// A task starts or posts another one.
    fn create(&mut self, creator: TaskId, child: TaskId) {
        let before = self.tasks.get(child.index()).cloned().map(Box::new);
        self.changes.push(Change::Born(child, before));
        let creator = &self.tasks[creator.index()];
        let (trace, past) = (creator.trace.clone(), creator.past.clone());
        *at(&mut self.births, child.index()) = past.clone();
        *at(&mut self.tasks, child.index()) = Task { trace, past, ..Task::default() };
    }

    /// A message comes after those that ran on its handler before: as far as an execution is judged, but not for its alternatives.
    fn takes_turn(&mut self, task: TaskId, handler: HandlerId) {
        let before = self.handlers.entry(handler).or_default().clone();
        let own = &mut self.tasks[task.index()].past;
        own.full.join(&before.full);
        own.full.join(&before.hb);
        self.changes.push(Change::Handler(handler, before));
    }

    fn join(&mut self, task: TaskId, other: TaskId) {
        let end = at(&mut self.tasks, other.index()).clone();
        let own = &mut self.tasks[task.index()];
        own.trace.join(&end.trace);
        own.past.join(&end.past);
        // The end of a thread is a step of its own.
        own.past.hb.set(other, end.steps + 1);
    }

    /// The conflicts of an access.
    fn trace(&mut self, task: TaskId, access: &Access) {
        let object = at(&mut self.objects, access.object.index());
        let own = &mut self.tasks[task.index()];
        let kind = group(access.mode);
        for other in (0..GROUPS).filter(|&other| other != kind || kind == GROUPS - 1) {
            own.trace.join(&object.trace[other]);
        }
        if kind == GROUPS - 1 {
            // It has all others in its past.
            for (other, trace) in object.trace[..kind].iter_mut().enumerate() {
                if !trace.is_empty() {
                    self.changes.push(Change::Trace(access.object, other, std::mem::take(trace)));
                }
            }
        }
        self.changes.push(Change::Trace(access.object, kind, object.trace[kind].clone()));
        object.trace[kind].join(&own.trace);
    }

    /// What happens before the next event of a task in the trace, if that is this access.
    fn trace_of(&self, task: TaskId, object: ObjectId, mode: Mode) -> Clock {
        let mut trace = self.tasks[task.index()].trace.clone();
        if let Some(object) = self.objects.get(object.index()) {
            let kind = group(mode);
            for other in (0..GROUPS).filter(|&other| other != kind || kind == GROUPS - 1) {
                trace.join(&object.trace[other]);
            }
        }
        trace
    }

    /// An access of a lock, semaphore or another object of the runtime.
    fn synchronise(&mut self, task: TaskId, access: &Access) {
        let (object, own) =
            (&mut self.objects[access.object.index()], &mut self.tasks[task.index()]);
        let (mode, kind) = (access.mode, group(access.mode));
        let acquires = match mode {
            Mode::Read | Mode::Lock | Mode::LockShared | Mode::Wait => true,
            // An owner that leaves others publishes, and sees nothing.
            Mode::Update => access.written == 0,
            Mode::Write | Mode::Signal | Mode::Unlock | Mode::UnlockShared => false,
        };
        if acquires {
            for other in (0..GROUPS).filter(|&other| other != kind || kind == GROUPS - 1) {
                own.past.join(&object.past[other]);
            }
        }
        if !matches!(mode, Mode::Read | Mode::Lock | Mode::LockShared | Mode::Wait) {
            self.changes.push(Change::Released(access.object, kind, object.past[kind].clone()));
            object.past[kind].join(&own.past);
        }
    }

    fn fence(&mut self, task: TaskId, order: Ordering) {
        let own = &mut self.tasks[task.index()];
        if acquires(order) {
            own.past.join(&own.seen);
        }
        if releases(order) {
            let before = std::mem::replace(&mut own.fence, own.past.clone());
            self.changes.push(Change::Fence(task, before));
        }
    }

    /// An access of an atomic, with what it reads and where it writes.
    fn atomic(&mut self, task: TaskId, node: u32, happened: &Happened<'_>) -> Atomic {
        let object = happened.accesses[0].object;
        let access::Outcome { order, reads: does_read, written } = happened.outcome;
        let initial = happened.initial;
        let location = self.locations.entry(object).or_insert_with(|| Location::new(initial));
        let Candidate { reads, place, .. } = happened.candidate;
        // What it did counts, whatever was foreseen.
        let place = written.map(|_| place.unwrap_or(location.stores.len()));
        let reads = does_read.then(|| reads.unwrap_or_else(|| location.newest()));
        let chosen = location.rank_of(reads, place);
        let own = &mut self.tasks[task.index()];
        if chosen <= location.floor(&own.past.full) {
            self.impossible = true;
        }
        let mut released = Past::default();
        if let Some(source) = reads {
            let read = source.map(|store| match &self.nodes[store as usize].deed {
                Deed::Atomic(access) => access.released.clone(),
                Deed::Fence(_) | Deed::Other(_) => Past::default(),
            });
            if let Some(read) = read {
                self.changes.push(Change::Seen(task, own.seen.clone()));
                own.seen.join(&read);
                if acquires(order) {
                    own.past.join(&read);
                }
                // An update continues the release sequence of what it reads.
                if place.is_some() {
                    released = read;
                }
            }
        }
        if place.is_some() {
            released.join(if releases(order) { &own.past } else { &own.fence });
        }
        let saw = match (reads, place) {
            (Some(source), None) => source,
            _ => Some(node),
        };
        let is_update = reads.is_some() && place.is_some();
        let undo = location.push(task, own.steps, node, saw, place, is_update);
        self.changes.push(Change::Location(object, task, undo));
        let key = written.unwrap_or_default();
        Atomic { object, order, reads, writes: place.is_some(), key, released }
    }

    /// What is not as by default must go together with all that happened, not only with its past.
    fn judge(&mut self, is_default: bool) {
        if !is_default && !self.impossible && self.sequential > 0 && !self.is_ordered(None) {
            self.impossible = true;
        }
    }

    fn key_of(&self, object: ObjectId, store: Option<u32>) -> access::Key {
        match store.map(|store| &self.nodes[store as usize].deed) {
            Some(Deed::Atomic(access)) => access.key,
            _ => self.locations.get(&object).map(|location| location.initial).unwrap_or_default(),
        }
    }

    fn rewrite(&mut self, object: ObjectId, store: Option<u32>, key: access::Key) {
        match store {
            Some(store) => {
                if let Deed::Atomic(access) = &mut self.nodes[store as usize].deed {
                    access.key = key;
                }
            }
            None => {
                if let Some(location) = self.locations.get_mut(&object) {
                    location.initial = key;
                }
            }
        }
    }

    /// The place of an access among all of its atomic.
    fn rank(&self, access: &Atomic, node: u32) -> Rank {
        let location = &self.locations[&access.object];
        let place = access.writes.then(|| location.position(Some(node)) - 1);
        location.rank_of(access.reads, place)
    }
}
