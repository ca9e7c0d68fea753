//! The life of an execution: begin, let a task go on, abandon.
#![expect(unsafe_code, reason = "the memory of an execution ends with it")]

use super::context::{Entered, Runtime};
use super::coroutine::{Fiber, Resume, StackRange, Stands};
use super::knowledge::Fact;
use super::panics;
use super::state::{Pending, State};
use mazurka_engine::{FailureKind, Fault, Next, TaskId};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Every execution of the process has its own number, from 1.
static EPOCH: AtomicU64 = AtomicU64::new(1);

impl Runtime {
    /// Begins an execution: runs the root task to its first operation.
    pub(crate) fn begin(&self, body: Rc<dyn Fn()>) -> TaskId {
        let root = {
            let mut state = self.state.borrow_mut();
            state.epoch = EPOCH.fetch_add(1, Relaxed);
            self.epoch.set(state.epoch);
            state.suspended_unwinding = 0;
            state.clocks = state.knowledge.knows(Fact::PlainMemory).then(Box::default);
            let is_weak =
                state.knowledge.knows(Fact::WeakAtomics) && state.settings.weak_is_explored;
            match &mut state.weak {
                Some(live) if is_weak => live.begin(),
                weak => *weak = is_weak.then(Box::default),
            }
            self.weak.set(is_weak);
            state.handler_local_objects.clear();
            state.panicked = false;
            state.waiting.clear();
            state.versions.clear();
            state.changes.clear();
            state.unfinished_futures = 0;
            state.counted.clear();
            state.counted_excused = false;
            let root = state.task_names.root(0);
            let body = Box::new(move || {
                // What went wrong has been reported; nobody joins the root.
                drop(panics::run_task(|| {
                    body();
                    crate::thread::drop_locals();
                }));
            });
            state.add(root, None, None, body, None);
            root
        };
        // SAFETY: no checked code runs now, so nothing else uses the arena.
        unsafe { (*self.arena.get()).begin() };
        self.go_on(root);
        root
    }

    /// Lets a task go on until it announces its next operation or ends; begins it if it is new.
    pub(crate) fn go_on(&self, id: TaskId) {
        let (mut fiber, how, operation, watches_memory) = {
            let mut state = self.state.borrow_mut();
            state.current = id;
            state.goes_on(id);
            let size = state.settings.stack_size;
            let task = state.task(id);
            let operation = task.pending.source;
            match task.fiber.take() {
                Some(fiber) => (fiber, Resume::Perform, operation, task.spin.watches_memory()),
                None => {
                    let body = task.body.take().expect("a task that has not begun has its code");
                    let fiber = Fiber::take(task.stack_size.unwrap_or(size));
                    task.stack = fiber.stack_range();
                    task.suspender = fiber.suspender();
                    (fiber, Resume::Begin(body), operation, false)
                }
            }
        };
        if watches_memory {
            self.state.borrow_mut().task(id).spin.goes_on(self.memory());
        }
        let entered = Entered::new(self, id, operation);
        let stands = fiber.resume(how);
        drop(entered);
        let state = &mut *self.state.borrow_mut();
        if state.task(id).spin.watches_memory() {
            state.task(id).spin.stops(self.memory());
        }
        match stands {
            Stands::Announced if state.task(id).lost => {
                // A panic that must not go on unwinding is on its stack.
                fiber.forget();
                panics::forgive();
            }
            Stands::Announced => state.task(id).fiber = Some(fiber),
            Stands::Ended => {
                leave_stack(state, id);
                state.task(id).pending = Pending::ENDED;
                fiber.recycle();
                state.ends(id);
            }
            Stands::Overflowed => {
                leave_stack(state, id);
                let task = state.task(id);
                let unwinding = std::mem::take(&mut task.unwinding);
                task.pending = Pending { next: Next::Blocked, source: operation, weak: None };
                let fault = overflow(state, id, fiber.size(), operation);
                state.performed.faults.push(fault);
                fiber.forget();
                if unwinding {
                    panics::forgive_one();
                }
            }
        }
    }

    /// What lies in the memory of the execution, as a number.
    pub(crate) fn memory(&self) -> u64 {
        // SAFETY: no checked code runs now, so nothing else uses the arena.
        unsafe { (*self.arena.get()).digest() }
    }

    /// Abandons the execution. The stacks of tasks that have not ended are forgotten, and what lies in the memory of
    /// the execution dies with it: no destructor runs.
    pub(crate) fn abandon(&self) {
        let state = &mut *self.state.borrow_mut();
        while let Some(id) = state.order.pop() {
            let Some(mut task) = state.tasks[id.index()].take() else { continue };
            if let Some(fiber) = task.fiber.take() {
                fiber.forget();
                if task.unwinding {
                    panics::forgive_one();
                }
            }
            std::mem::forget((
                task.body.take(),
                std::mem::take(&mut task.locals),
                task.name.take(),
            ));
            task.reset();
            state.spare.push(task);
        }
        std::mem::forget(state.handler_locals.drain().collect::<Vec<_>>());
        state.workers.drain(..).for_each(std::mem::forget);
        // SAFETY: no checked code runs any more, so nothing else uses the arena.
        unsafe { (*self.arena.get()).end() };
    }
}

/// The stack of a task is used by it no more.
fn leave_stack(state: &mut State, id: TaskId) {
    let task = state.task(id);
    task.suspender = std::ptr::null();
    task.stack = StackRange::default();
}

fn overflow(state: &State, id: TaskId, size: usize, behind: Option<super::state::Source>) -> Fault {
    let task = state.task_label(id);
    let message = format!(
        "stack overflow: {task} needs more than the {size} bytes of its stack (see Builder::stack_size, \
         and stack_size of thread::Builder)"
    );
    Fault::new(FailureKind::Fault, message, behind.map(ToString::to_string))
}
