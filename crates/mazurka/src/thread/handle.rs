//! Threads from outside and from inside: join, current, park, yield.

use super::packet::Packet;
use crate::runtime::context::{self, Presence, announce, performed, presence, with};
use crate::runtime::knowledge::Fact;
use crate::runtime::state::Source;
use crate::sync::semaphore::{attempt, may_time_out, timed_out};
use mazurka_engine::{Mode, Operation, TaskId};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// Stands in for [`std::thread::JoinHandle`].
pub struct JoinHandle<T>(Inner<T>);

enum Inner<T> {
    Real(std::thread::JoinHandle<T>, Thread),
    Checked(Joinable<T>),
}

impl<T> JoinHandle<T> {
    pub(super) fn real(handle: std::thread::JoinHandle<T>) -> Self {
        let thread = Thread::of_std(handle.thread().clone());
        JoinHandle(Inner::Real(handle, thread))
    }

    pub(super) fn checked(joinable: Joinable<T>) -> Self {
        JoinHandle(Inner::Checked(joinable))
    }

    /// Waits until the thread has ended.
    ///
    /// # Errors
    ///
    /// What it panicked with.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.0 {
            Inner::Real(handle, _) => handle.join(),
            Inner::Checked(joinable) => joinable.join(Location::caller()),
        }
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Inner::Real(_, thread) => thread,
            Inner::Checked(joinable) => &joinable.thread,
        }
    }

    /// Has the thread ended?
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Inner::Real(handle, _) => handle.is_finished(),
            Inner::Checked(joinable) => joinable.is_finished(Location::caller()),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// A task whose end can be waited for.
pub(crate) struct Joinable<T> {
    pub task: TaskId,
    pub packet: Packet<T>,
    pub thread: Thread,
}

impl<T> Joinable<T> {
    pub(crate) fn join(self, source: Source) -> std::thread::Result<T> {
        Self::wait_for(self.task, source);
        self.packet.take().expect("a thread that has ended has left a result")
    }

    pub(crate) fn wait_for(task: TaskId, source: Source) {
        if presence() == Presence::Task {
            announce(Operation::Join(task), source);
            context::performed_join(task);
        }
    }

    /// Once somebody asks this, the end of every thread is an event that writes a flag.
    pub(crate) fn is_finished(&self, source: Source) -> bool {
        if presence() != Presence::Task {
            return true;
        }
        let task = self.task;
        context::learn(Fact::EndsObserved);
        let flag = with(|state| state.end_flag(task));
        announce(Operation::Access(flag, Mode::Read), source);
        let ended = with(|state| state.task(task).ended);
        performed(flag, Mode::Read, i64::from(ended), 0);
        ended
    }
}

/// The last event of a thread, where it matters.
pub(crate) fn tell_end(source: Source) {
    if presence() == Presence::Task && context::knows(Fact::EndsObserved) {
        let flag = with(|state| state.end_flag(state.current));
        announce(Operation::Access(flag, Mode::Write), source);
        with(|state| state.current_task().ended = true);
        performed(flag, Mode::Write, 0, 1);
    }
}

/// Stands in for [`std::thread::Thread`].
#[derive(Clone, Debug)]
pub struct Thread(Identity);

#[derive(Clone, Debug)]
enum Identity {
    Real(std::thread::Thread),
    Checked { task: TaskId, name: Option<Arc<str>> },
}

/// Stands in for [`std::thread::ThreadId`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId(IdOf);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum IdOf {
    Real(std::thread::ThreadId),
    Checked(TaskId),
}

impl Thread {
    pub(super) fn of_std(thread: std::thread::Thread) -> Self {
        Thread(Identity::Real(thread))
    }

    pub(crate) fn of_task(task: TaskId, name: Option<Arc<str>>) -> Self {
        Thread(Identity::Checked { task, name })
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Identity::Real(thread) => thread.name(),
            Identity::Checked { name, .. } => name.as_deref(),
        }
    }

    /// What tells it from other threads.
    pub fn id(&self) -> ThreadId {
        match &self.0 {
            Identity::Real(thread) => ThreadId(IdOf::Real(thread.id())),
            Identity::Checked { task, .. } => ThreadId(IdOf::Checked(*task)),
        }
    }

    /// Lets the thread's current or next [`park`] return.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Identity::Real(thread) => thread.unpark(),
            Identity::Checked { task, .. } => unpark_task(*task, Location::caller()),
        }
    }
}

/// The running thread. In a message it is the handler's.
pub fn current() -> Thread {
    match presence() {
        Presence::Outside => Thread(Identity::Real(std::thread::current())),
        Presence::Task => with(|state| {
            let task = state.current;
            Thread::of_task(
                task,
                state.tasks[task.index()].as_ref().and_then(|task| task.name.clone()),
            )
        }),
    }
}

/// Gives a parked thread its token, unless it has one.
pub(crate) fn unpark_task(task: TaskId, source: Source) {
    if presence() != Presence::Task {
        return;
    }
    let token = with(|state| state.park_token(task));
    announce(Operation::Access(token, Mode::Signal), source);
    context::data_dependent();
    let given = with(|state| std::mem::replace(state.park_permit(task), true));
    performed(token, if given { Mode::Read } else { Mode::Signal }, 0, 0);
}

/// Waits for a token from [`Thread::unpark`]. There are no spurious wake-ups in an exploration.
#[track_caller]
pub fn park() {
    match presence() {
        Presence::Outside => std::thread::park(),
        Presence::Task => {
            let task = with(|state| state.current);
            let token = with(|state| state.park_token(task));
            announce(Operation::Access(token, Mode::Wait), Location::caller());
            with(|state| *state.park_permit(task) = false);
            performed(token, Mode::Wait, 0, 0);
        }
    }
}

/// As [`park`], but not for longer than this: takes the token if it is there when the task goes on, which may be
/// at any later time.
#[track_caller]
pub fn park_timeout(timeout: Duration) {
    match presence() {
        Presence::Outside => std::thread::park_timeout(timeout),
        Presence::Task if !may_time_out() => park(),
        Presence::Task => {
            let task = with(|state| state.current);
            let token = with(|state| state.park_token(task));
            let got = attempt(token, Mode::Update, Location::caller(), || {
                let got = with(|state| std::mem::take(state.park_permit(task)));
                (got, if got { Mode::Wait } else { Mode::Read })
            });
            if !got {
                timed_out();
            }
        }
    }
}

/// Lets others run. Also tells the checker that a loop waits: see [`crate::hint::spin_loop`].
#[track_caller]
pub fn yield_now() {
    match presence() {
        Presence::Outside => std::thread::yield_now(),
        Presence::Task => {
            crate::hint::spins(Location::caller());
            announce(Operation::Local, Location::caller());
        }
    }
}

/// Sleeping is yielding: time does not pass in an exploration.
#[track_caller]
pub fn sleep(duration: Duration) {
    match presence() {
        Presence::Outside => std::thread::sleep(duration),
        Presence::Task => yield_now(),
    }
}

/// Is the running thread unwinding because of a panic?
pub fn panicking() -> bool {
    context::panicking()
}
