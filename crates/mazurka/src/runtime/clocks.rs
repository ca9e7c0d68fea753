//! Data races: two accesses of plain memory, one of them a write, that no synchronisation orders.
//!
//! Vector clocks with a component for each task, kept only for programs that use [`crate::cell`]. What orders accesses is
//! happens-before in the sense of C11, not the order in which they are explored: a relaxed load does not
//! acquire, a relaxed store does not release, and fences do what they say (Flanagan and Freund, "FastTrack",
//! PLDI 2009, with the fences of the C++ memory model). So a missing `Release` shows as a data race. With weak memory
//! ([`super::weak`]) a load acquires what the store released that it reads, which need not be the newest.
//!
//! Cost: O(tasks) for each event.

use super::clock::Clock;
use super::names::short_file;
use super::state::Source;
use super::weak::{self, acquires, releases};
use mazurka_engine::{HandlerId, Mode, ObjectId, TaskId};
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;

#[derive(Clone, Default, Debug)]
struct TaskClocks {
    now: Clock,
    /// What it knew at its last release fence.
    fence: Clock,
    /// What its relaxed loads saw, for an acquire fence to come.
    seen: Clock,
}

/// An access of plain memory.
#[derive(Clone, Copy, Debug)]
struct Touch {
    task: TaskId,
    at: u32,
    source: Source,
}

#[derive(Clone, Default, Debug)]
struct Plain {
    write: Option<Touch>,
    reads: Vec<Touch>,
}

/// The clocks of an execution.
#[derive(Default, Debug)]
pub(crate) struct Clocks {
    tasks: Vec<TaskClocks>,
    objects: Vec<Clock>,
    handlers: Vec<Clock>,
    plain: Vec<Plain>,
    fences: Clock,
    /// What each store released, by the step that made it. With weak memory.
    stores: FxHashMap<u32, Clock>,
}

fn at<T: Default + Clone>(table: &mut Vec<T>, index: usize) -> &mut T {
    if table.len() <= index {
        table.resize(index + 1, T::default());
    }
    &mut table[index]
}

impl Clocks {
    fn task(&mut self, task: TaskId) -> &mut TaskClocks {
        at(&mut self.tasks, task.index())
    }

    /// A task performs an event.
    pub(crate) fn tick(&mut self, task: TaskId) {
        self.task(task).now.tick(task);
    }

    /// A task starts or posts another.
    pub(crate) fn create(&mut self, creator: TaskId, child: TaskId) {
        let now = self.task(creator).now.clone();
        self.task(child).now = now;
    }

    /// A message begins on its handler.
    pub(crate) fn begin(&mut self, message: TaskId, handler: HandlerId) {
        let before = at(&mut self.handlers, handler.index()).clone();
        self.task(message).now.join(&before);
    }

    /// A message ends.
    pub(crate) fn end(&mut self, message: TaskId, handler: HandlerId) {
        let now = self.task(message).now.clone();
        *at(&mut self.handlers, handler.index()) = now;
    }

    /// A task has seen the end of another.
    pub(crate) fn join(&mut self, task: TaskId, other: TaskId) {
        let end = self.task(other).now.clone();
        self.task(task).now.join(&end);
    }

    /// An access of a lock, semaphore or another object of the runtime.
    pub(crate) fn synchronise(&mut self, task: TaskId, object: ObjectId, mode: Mode) {
        let clock = at(&mut self.objects, object.index());
        let own = at(&mut self.tasks, task.index());
        if matches!(mode, Mode::Read | Mode::Lock | Mode::LockShared | Mode::Wait | Mode::Update) {
            own.now.join(clock);
        }
        if !matches!(mode, Mode::Read | Mode::Lock | Mode::LockShared | Mode::Wait) {
            clock.join(&own.now);
        }
    }

    /// An access of an atomic.
    pub(crate) fn atomic(&mut self, task: TaskId, object: ObjectId, mode: Mode, order: Ordering) {
        let clock = at(&mut self.objects, object.index());
        let own = at(&mut self.tasks, task.index());
        if mode != Mode::Write {
            own.seen.join(clock);
            if acquires(order) {
                own.now.join(clock);
            }
        }
        if mode == Mode::Write {
            *clock = Clock::default();
        }
        if mode != Mode::Read {
            clock.join(if releases(order) { &own.now } else { &own.fence });
        }
    }

    /// An access of an atomic that reads this store, if it reads, and is this step. With weak memory.
    pub(crate) fn weak_atomic(
        &mut self,
        task: TaskId,
        outcome: weak::access::Outcome,
        source: weak::access::Source,
        step: u32,
    ) {
        let own = at(&mut self.tasks, task.index());
        let mut released = Clock::default();
        let order = outcome.order;
        if outcome.reads
            && let Some(read) = source.and_then(|store| self.stores.get(&store))
        {
            own.seen.join(read);
            if acquires(order) {
                own.now.join(read);
            }
            released = read.clone();
        }
        if outcome.written.is_some() {
            released.join(if releases(order) { &own.now } else { &own.fence });
            self.stores.insert(step, released);
        }
    }

    /// A fence. `weak`: with weak memory, where the order of fences alone makes nothing happen before anything.
    pub(crate) fn fence(&mut self, task: TaskId, order: Ordering, weak: bool) {
        let own = at(&mut self.tasks, task.index());
        if acquires(order) {
            let seen = own.seen.clone();
            own.now.join(&seen);
        }
        if order == Ordering::SeqCst && !weak {
            own.now.join(&self.fences);
            self.fences = own.now.clone();
        }
        if releases(order) {
            own.fence = own.now.clone();
        }
    }

    /// An access of plain memory; tells of a race that it ends.
    pub(crate) fn plain(
        &mut self,
        task: TaskId,
        object: ObjectId,
        writes: bool,
        source: Source,
        name: &dyn Fn(TaskId) -> String,
    ) -> Option<String> {
        let now = &at(&mut self.tasks, task.index()).now;
        let touch = Touch { task, at: now.get(task), source };
        let plain = at(&mut self.plain, object.index());
        let unordered =
            |earlier: &&Touch| earlier.task != task && now.get(earlier.task) < earlier.at;
        let written = plain.write.iter().find(unordered).map(|earlier| (earlier, "write"));
        let read = || plain.reads.iter().find(unordered).map(|earlier| (earlier, "read"));
        let race = written.or_else(|| if writes { read() } else { None }).map(|(earlier, how)| {
            format!(
                "data race: the {} by {} at {}:{} is not ordered with the {how} by {} at {}:{}",
                if writes { "write" } else { "read" },
                name(task),
                short_file(source.file()),
                source.line(),
                name(earlier.task),
                short_file(earlier.source.file()),
                earlier.source.line(),
            )
        });
        if writes {
            *plain = Plain { write: Some(touch), reads: Vec::new() };
        } else {
            plain.reads.retain(|earlier| earlier.task != task);
            plain.reads.push(touch);
        }
        race
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITER: TaskId = TaskId(0);
    const READER: TaskId = TaskId(1);
    const FLAG: ObjectId = ObjectId(0);
    const DATA: ObjectId = ObjectId(1);

    /// Message passing: write data, store a flag, load the flag, read the data.
    fn message_passing(store: Ordering, load: Ordering) -> Option<String> {
        let mut clocks = Clocks::default();
        let source = std::panic::Location::caller();
        let name = |task: TaskId| format!("{task:?}");
        clocks.tick(WRITER);
        clocks.tick(READER);
        assert_eq!(clocks.plain(WRITER, DATA, true, source, &name), None);
        clocks.tick(WRITER);
        clocks.atomic(WRITER, FLAG, Mode::Write, store);
        clocks.tick(READER);
        clocks.atomic(READER, FLAG, Mode::Read, load);
        clocks.plain(READER, DATA, false, source, &name)
    }

    #[test]
    fn release_and_acquire_order_plain_memory() {
        assert_eq!(message_passing(Ordering::Release, Ordering::Acquire), None);
        assert_eq!(message_passing(Ordering::SeqCst, Ordering::SeqCst), None);
    }

    #[test]
    fn relaxed_does_not() {
        assert!(message_passing(Ordering::Relaxed, Ordering::Acquire).is_some());
        assert!(message_passing(Ordering::Release, Ordering::Relaxed).is_some());
    }
}
