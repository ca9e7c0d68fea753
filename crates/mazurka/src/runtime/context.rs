//! What the stand-ins call: where am I, announce, perform.
#![expect(unsafe_code, reason = "coroutines reach the execution through a thread-local pointer")]

use super::allocation::{self, Log};
use super::coroutine::{Pause, Resume, Suspender};
use super::escape;
use super::knowledge::Fact;
use super::state::{Pending, Source, State};
use mazurka_engine::{Access, Effect, FailureKind, Fault, Mode, Next, ObjectId, Operation, TaskId};
use std::cell::{Cell, RefCell, UnsafeCell};
use std::panic::resume_unwind;
use std::sync::atomic::Ordering;

/// What a stand-in is called from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    /// No exploration: behave as `std`.
    Outside,
    /// A task of the checked program: announce and perform.
    Task,
    /// A destructor of an execution that is abandoned: do the plain thing, never wait.
    Inert,
}

/// The payload by which an abandoned coroutine is unwound.
pub(crate) struct Cancelled;

/// The execution in progress, as the coroutines reach it.
pub(crate) struct Runtime {
    pub(crate) state: RefCell<State>,
    /// The number of the execution: no other of this process has it.
    pub(crate) epoch: Cell<u64>,
    /// The execution is being abandoned: operations do nothing.
    pub(crate) inert: Cell<bool>,
    pub(crate) log: UnsafeCell<Log>,
}

thread_local! {
    static CURRENT: Cell<*const Runtime> = const { Cell::new(std::ptr::null()) };
}

/// After so many operations in destructors of an abandoned task it is given up (its stack leaks).
const INERT_LIMIT: u64 = 100_000;

/// Makes a runtime the current one, for code that runs until this is dropped.
pub(crate) struct Entered {
    before: (*const Runtime, *mut Log),
}

impl Entered {
    pub(crate) fn new(runtime: &Runtime, task: TaskId) -> Self {
        let log = runtime.log.get();
        // SAFETY: only this OS thread touches the log, and nothing holds a reference to it: the
        // allocator and `find_block` borrow it for the length of a call.
        unsafe { (*log).set_task(task.0) };
        Entered { before: (CURRENT.replace(runtime), allocation::redirect(log)) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before.0);
        allocation::redirect(self.before.1);
    }
}

/// Runs `f` on the state of the execution in progress. What `f` allocates is not the user's.
///
/// # Panics
///
/// When there is no execution in progress; ask [`presence`] first.
#[inline]
pub(crate) fn with<R>(f: impl FnOnce(&mut State) -> R) -> R {
    try_with(f).expect("an exploration is running on this OS thread")
}

/// As [`with`], and `None` outside of an exploration.
#[inline]
pub(crate) fn try_with<R>(f: impl FnOnce(&mut State) -> R) -> Option<R> {
    let runtime = current()?;
    let log = allocation::redirect(std::ptr::null_mut());
    let result = f(&mut runtime.state.borrow_mut());
    allocation::redirect(log);
    Some(result)
}

/// Where the block that holds this address comes from, and its position in the log.
pub(crate) fn find_block(address: usize) -> Option<(allocation::Origin, usize)> {
    let log = current()?.log.get();
    // What the search allocates is not the user's.
    let redirected = allocation::redirect(std::ptr::null_mut());
    // SAFETY: as in `Entered::new`.
    let origin = unsafe { (*log).find(address) };
    allocation::redirect(redirected);
    origin
}

/// What is this code called from? Unwinds an abandoned task that has begun to run again.
#[inline]
pub(crate) fn presence() -> Presence {
    match current() {
        None => Presence::Outside,
        Some(runtime) if runtime.inert.get() => inert(),
        Some(_) => Presence::Task,
    }
}

/// Is the execution in progress being abandoned?
pub(crate) fn is_inert() -> bool {
    current().is_some_and(|runtime| runtime.inert.get())
}

/// The number of the execution in progress.
///
/// # Panics
///
/// When there is none; ask [`presence`] first.
#[inline]
pub(crate) fn epoch() -> u64 {
    current().expect("an exploration is running on this OS thread").epoch.get()
}

/// The runtime whose code runs on this OS thread.
#[inline]
fn current<'a>() -> Option<&'a Runtime> {
    let runtime = CURRENT.get();
    // SAFETY: the pointer is set by `Entered` for as long as the runtime is borrowed there, and no caller keeps
    // the reference longer than its own call.
    (!runtime.is_null()).then(|| unsafe { &*runtime })
}

#[cold]
fn inert() -> Presence {
    if with(|state| state.inert_operations) > INERT_LIMIT {
        suspend(with(|state| state.current_task().suspender));
    }
    with(|state| state.inert_operations += 1);
    let in_fiber = with(|state| {
        let current = state.current;
        state
            .tasks
            .get(current.index())
            .is_some_and(|task| task.as_ref().is_some_and(|task| !task.suspender.is_null()))
    });
    if in_fiber && !std::thread::panicking() {
        resume_unwind(Box::new(Cancelled));
    }
    Presence::Inert
}

/// A destructor of the running task panicked while its stack was being unwound, for which Rust ends the process. Reports
/// that, and suspends the task for ever instead, behind the frame that holds the value at `hook_caller`. Returns if there
/// is no task to suspend, or no way to leave the hook.
pub(crate) fn lose_task(hook_caller: usize) {
    let suspender = try_with(|state| {
        let task = state.current_task();
        if task.suspender.is_null() {
            return None;
        }
        let note = task.panic.take();
        task.lost = true;
        task.pending = Pending { next: Next::Blocked, source: None };
        let suspender = task.suspender;
        Some((suspender, note))
    });
    let Some(Some((suspender, note))) = suspender else { return };
    let (message, location) = match note {
        Some(note) => (note.message, Some(note.location)),
        None => ("a panic".to_owned(), None),
    };
    let inert = is_inert();
    let when = if inert {
        "while an abandoned execution was unwound (its operations do nothing then; ask thread::panicking() first)"
    } else {
        "while another panic was unwinding its task, for which Rust ends the process"
    };
    let message = format!("a destructor panicked {when}: {message}");
    let fault = Fault::new(FailureKind::Assertion, message, location);
    with(|state| match inert {
        true => state.abandoned_faults.push(fault),
        false => state.performed.faults.push(fault),
    });
    let redirected = allocation::redirect(std::ptr::null_mut());
    escape::leave_frame_of(hook_caller, move || {
        loop {
            suspend(suspender);
        }
    });
    allocation::redirect(redirected);
}

/// Says what the task would do next, and returns when the engine lets it do it.
#[inline]
pub(crate) fn announce(operation: Operation, source: Source) {
    stop_at(Pending { next: Next::Operation(operation), source: Some(source) });
}

/// The task never goes on.
pub(crate) fn stop_for_ever(next: Next, source: Source) -> ! {
    loop {
        stop_at(Pending { next, source: Some(source) });
    }
}

#[inline]
fn stop_at(mut pending: Pending) {
    let suspender = with(|state| {
        let others = state.suspended_unwinding;
        let limit = state.settings.max_steps;
        let task = state.current_task();
        // The panic count of std is one for the OS thread, not for the task.
        task.unwinding = std::thread::panicking() && (others == 0 || task.panic.is_some());
        task.steps += 1;
        if task.steps > limit {
            pending.next = Next::Truncated;
        }
        task.pending = pending;
        let suspender = task.suspender;
        if task.unwinding {
            state.suspended_unwinding += 1;
        }
        suspender
    });
    if matches!(suspend(suspender), Resume::Cancel) {
        resume_unwind(Box::new(Cancelled));
    }
}

#[inline]
fn suspend(suspender: *const Suspender) -> Resume {
    // SAFETY: the suspender lives at the base of the running coroutine's stack for as long as the
    // coroutine does, and was stored by that coroutine when it began.
    unsafe { &*suspender }.suspend(Pause::Announced)
}

/// The current operation accessed this object.
pub(crate) fn performed(object: ObjectId, mode: Mode, read: i64, written: i64) {
    with(|state| {
        state.access(Access { object, mode, read, written });
        let task = state.current;
        if let Some(clocks) = &mut state.clocks {
            clocks.synchronise(task, object, mode);
        }
    });
}

/// The current operation accessed this atomic. `comparable`: do values hold across executions?
pub(crate) fn performed_atomic(access: Access, order: Ordering, comparable: bool) {
    with(|state| {
        state.performed.comparable &= comparable;
        state.access(access);
        let task = state.current;
        if let Some(clocks) = &mut state.clocks {
            clocks.atomic(task, access.object, access.mode, order);
        }
    });
}

/// The current operation saw the end of a task.
pub(crate) fn performed_join(other: TaskId) {
    with(|state| {
        state.performed.effect = Effect::Join(other);
        let task = state.current;
        if let Some(clocks) = &mut state.clocks {
            clocks.join(task, other);
        }
    });
}

/// A failure in the local code of the running task.
pub(crate) fn report(kind: FailureKind, message: String, location: Option<String>) {
    with(|state| state.performed.faults.push(Fault::new(kind, message, location)));
}

/// Is a panic unwinding the running task? (The count of `std` is one for all tasks of the OS thread.)
pub(crate) fn panicking() -> bool {
    std::thread::panicking()
        && match presence() {
            Presence::Outside => true,
            Presence::Inert => false,
            Presence::Task => {
                with(|state| state.suspended_unwinding == 0 || state.current_task().panic.is_some())
            }
        }
}

/// Is the stack of the running code being unwound, because of a panic or because the execution is abandoned?
pub(crate) fn unwinding() -> bool {
    if is_inert() { std::thread::panicking() } else { panicking() }
}

/// The access of the current operation depends on what it read.
pub(crate) fn data_dependent() {
    with(|state| state.performed.data_dependent = true);
}

/// Has the exploration learned this?
pub(crate) fn knows(fact: Fact) -> bool {
    with(|state| state.knowledge.knows(fact))
}

/// The exploration learns this, and begins anew if it did not know it.
pub(crate) fn learn(fact: Fact) {
    if knows(fact) {
        return;
    }
    with(|state| state.learned = Some(state.knowledge.with(fact)));
    suspend(with(|state| state.current_task().suspender));
    resume_unwind(Box::new(Cancelled));
}
