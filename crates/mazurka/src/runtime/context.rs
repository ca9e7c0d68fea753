//! What the stand-ins call: where am I, announce, perform.
#![expect(unsafe_code, reason = "coroutines reach the execution through a thread-local pointer")]

use super::coroutine::{Pause, Resume, Suspender};
use super::escape;
use super::knowledge::Fact;
use super::memory::allocator;
use super::memory::arena::{Arena, Behind, Origin};
use super::memory::slab::Slab;
use super::state::{Pending, Source, State};
use super::weak;
use crate::settings::Memory;
use mazurka_engine::{Access, Effect, FailureKind, Fault, Mode, Next, ObjectId, Operation, TaskId};
use rustc_hash::FxHasher;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::hash::Hasher;
use std::sync::atomic::Ordering;

/// What a stand-in is called from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    /// No exploration: behave as `std`.
    Outside,
    /// A task of the checked program: announce and perform.
    Task,
}

/// The execution in progress, as the coroutines reach it.
pub(crate) struct Runtime {
    pub(crate) state: RefCell<State>,
    /// The number of the execution: no other of this process has it.
    pub(crate) epoch: Cell<u64>,
    /// Has the execution weak memory?
    pub(crate) weak: Cell<bool>,
    /// The memory of the execution.
    pub(crate) arena: UnsafeCell<Arena>,
}

thread_local! {
    static CURRENT: Cell<*const Runtime> = const { Cell::new(std::ptr::null()) };
}

/// Makes a runtime the current one, for code that runs until this is dropped.
pub(crate) struct Entered {
    before: (*const Runtime, *mut Arena),
}

impl Entered {
    pub(crate) fn new(runtime: &Runtime, task: TaskId, operation: Option<Source>) -> Self {
        let arena = runtime.arena.get();
        // SAFETY: only this OS thread touches the arena, and nothing holds a reference to it: the
        // allocator and `with_arena` borrow it for the length of a call.
        unsafe { (*arena).behind = Some(Behind { task: task.0, operation }) };
        Entered { before: (CURRENT.replace(runtime), allocator::redirect(arena)) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before.0);
        allocator::redirect(self.before.1);
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
    let arena = allocator::redirect(std::ptr::null_mut());
    let result = f(&mut runtime.state.borrow_mut());
    allocator::redirect(arena);
    Some(result)
}

/// Runs `f` on the memory of the execution in progress. What `f` allocates is not the user's.
fn with_arena<R>(f: impl FnOnce(&mut Arena) -> R) -> Option<R> {
    let arena = current()?.arena.get();
    let redirected = allocator::redirect(std::ptr::null_mut());
    // SAFETY: as in `Entered::new`.
    let result = f(unsafe { &mut *arena });
    allocator::redirect(redirected);
    Some(result)
}

/// Where the block that holds this address comes from, and its number.
pub(crate) fn find_block(address: usize) -> Option<(Origin, u32)> {
    with_arena(|arena| arena.origin(address)).flatten()
}

/// An object that has been used before is used at this address. If its block was given back, it has moved since, or is
/// used after that.
#[inline]
pub(crate) fn used_at(object: ObjectId, address: usize) {
    let Some(runtime) = current() else { return };
    // SAFETY: as in `Entered::new`.
    if unsafe { (*runtime.arena.get()).has_dead() } {
        with_arena(|arena| arena.used_at(object, address));
    }
}

/// An object in a block is used for the first time.
pub(crate) fn block_holds(block: u32, object: ObjectId) {
    with_arena(|arena| arena.holds(block, object));
}

/// What is this code called from?
#[inline]
pub(crate) fn presence() -> Presence {
    if CURRENT.get().is_null() { Presence::Outside } else { Presence::Task }
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
        task.pending = Pending { next: Next::Blocked, source: None, weak: None };
        let suspender = task.suspender;
        Some((suspender, note))
    });
    let Some(Some((suspender, note))) = suspender else { return };
    let (message, location) = match note {
        Some(note) => (note.message, Some(note.location)),
        None => ("a panic".to_owned(), None),
    };
    with(|state| {
        let when = "while another panic was unwinding its task, for which Rust ends the process";
        let message = format!("a destructor panicked {when}: {message}");
        let fault = Fault::new(FailureKind::Assertion, message, location.clone());
        state.performed.faults.push(fault);
    });
    let redirected = allocator::redirect(std::ptr::null_mut());
    escape::leave_frame_of(hook_caller, move || {
        loop {
            suspend(suspender);
        }
    });
    allocator::redirect(redirected);
}

/// Says what the task would do next, and returns when the engine lets it do it.
#[inline]
pub(crate) fn announce(operation: Operation, source: Source) {
    stop_at(Pending { next: Next::Operation(operation), source: Some(source), weak: None });
}

/// As [`announce`], of something that weak memory knows.
#[inline]
pub(crate) fn announce_weak(
    operation: Operation,
    weak: Option<weak::access::Operation>,
    source: Source,
) {
    stop_at(Pending { next: Next::Operation(operation), source: Some(source), weak });
}

/// The task never goes on.
pub(crate) fn stop_for_ever(next: Next, source: Source) -> ! {
    loop {
        stop_at(Pending { next, source: Some(source), weak: None });
    }
}

#[inline]
fn stop_at(mut pending: Pending) {
    let suspender = with(|state| {
        let dropping = state.current_task().dropping;
        if !state.knowledge.knows_drops(dropping) {
            // The exploration begins anew.
            state.learned = Some(state.knowledge.with_drops(dropping));
        }
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
    suspend(suspender);
}

#[inline]
fn suspend(suspender: *const Suspender) {
    // SAFETY: the suspender lives at the base of the running coroutine's stack for as long as the
    // coroutine does, and was stored by that coroutine when it began.
    let told = unsafe { &*suspender }.suspend(Pause::Announced);
    debug_assert!(matches!(told, Resume::Perform), "a task that has begun goes on");
}

/// What was stored to each atomic of the execution in progress, in modification order, for those who judge the exploration. Nothing if its steps
/// contradict each other, or without weak memory.
pub fn modification_orders() -> Option<Vec<Vec<i64>>> {
    try_with(|state| Some(state.weak.as_ref().filter(|_| !state.impossible)?.orders())).flatten()
}

/// Runs code of those who judge the exploration. What it allocates does not die with the execution.
pub fn aside<R>(code: impl FnOnce() -> R) -> R {
    let arena = allocator::redirect(std::ptr::null_mut());
    let result = code();
    allocator::redirect(arena);
    result
}

/// Has the execution in progress weak memory? It has if the program uses an ordering that is weaker than `SeqCst`.
#[inline]
pub(crate) fn has_weak_memory(order: Ordering) -> bool {
    let weak = current().is_some_and(|runtime| runtime.weak.get());
    if !weak && order != Ordering::SeqCst && with(|state| state.settings.memory) == Memory::Weak {
        learn(Fact::WeakAtomics);
    }
    weak
}

/// The current operation accessed this object.
pub(crate) fn performed(object: ObjectId, mode: Mode, read: i64, written: i64) {
    must_be_alive(object);
    with(|state| {
        state.access(Access { object, mode, read, written }, None);
        let task = state.current;
        if let Some(clocks) = &mut state.clocks {
            clocks.synchronise(task, object, mode);
        }
    });
}

/// The current operation accessed this atomic, whose value was `before`. `comparable`: do values hold across executions?
pub(crate) fn performed_atomic(
    access: Access,
    before: i64,
    outcome: weak::access::Outcome,
    comparable: bool,
) {
    must_be_alive(access.object);
    let (read, written) = (without_slab(access.read), without_slab(access.written));
    let access = Access { read, written, ..access };
    with(|state| {
        state.performed.comparable &= comparable;
        state.performed.atomic = Some(outcome);
        state.access(access, Some(without_slab(before)));
        if let Some(newest) = state.weak.as_ref().and_then(|live| live.newest(access.object)) {
            state.versions[access.object.index()] = without_slab(newest);
        }
        let task = state.current;
        let Some(clocks) = &mut state.clocks else { return };
        match &state.weak {
            Some(live) => clocks.weak_atomic(task, outcome, live.source(), live.number()),
            None => clocks.atomic(task, access.object, access.mode, outcome.order),
        }
    });
}

/// A value that is an address, told without the slab of the execution: it is the same in every execution, and no pointer.
pub(crate) fn without_slab(value: i64) -> i64 {
    Slab::of(value as usize).map_or(value, |(_, offset)| offset as i64)
}

/// The current operation accesses this object: reports a use after free.
pub(crate) fn must_be_alive(object: ObjectId) {
    let dead = with_arena(|arena| {
        let number = arena.dead_block(object)?;
        Some(*arena.block(number))
    });
    if let Some(Some(block)) = dead {
        with(|state| state.use_after_free(object, &block));
    }
}

/// A round of a loop that says here that it waits ends; returns how many rounds before it were the same.
pub(crate) fn round_ends(place: Source) -> u32 {
    let Some(runtime) = current() else { return 0 };
    with(|state| state.current_task().spin.round_ends(place, || runtime.memory()))
}

/// Does the running task go round a loop that waits?
pub(crate) fn is_waiting() -> bool {
    try_with(|state| state.current_task().spin.is_waiting()) == Some(true)
}

/// The running task has seen, and perhaps changed, what a lock guards.
pub(crate) fn saw_behind_lock<T: ?Sized>(guarded: &T) {
    if is_waiting() {
        let bytes = bytes_of(std::ptr::from_ref(guarded));
        with(|state| state.current_task().spin.saw_behind_lock(bytes));
    }
}

/// A hash of the bytes of a value.
pub(crate) fn bytes_of<T: ?Sized>(value: *const T) -> u64 {
    let start = value.cast::<u8>();
    let mut hasher = FxHasher::default();
    // SAFETY: the pointer comes from a reference, so its size can be asked for.
    let size = size_of_val(unsafe { &*value });
    for at in 0..size {
        // SAFETY: the byte belongs to the value. It may be padding that nobody has written, which is what the memory has
        // there; it is only compared.
        hasher.write_u8(unsafe { start.add(at).read_volatile() });
    }
    hasher.finish()
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
    // What is kept beyond the execution must not lie in its memory.
    with(|state| {
        let (message, location) = (message.clone(), location.clone());
        state.performed.faults.push(Fault::new(kind, message, location));
    });
}

/// Is a panic unwinding the running task? (The count of `std` is one for all tasks of the OS thread.)
pub(crate) fn panicking() -> bool {
    std::thread::panicking()
        && match presence() {
            Presence::Outside => true,
            Presence::Task => {
                with(|state| state.suspended_unwinding == 0 || state.current_task().panic.is_some())
            }
        }
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
    loop {
        suspend(with(|state| state.current_task().suspender));
    }
}
