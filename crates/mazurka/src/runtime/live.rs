//! The life of an execution: begin, let a task go on, abandon.
#![expect(unsafe_code, reason = "the allocation log is reset between executions")]

use super::context::{Entered, Runtime};
use super::coroutine::{Fiber, Resume, StackRange};
use super::knowledge::Fact;
use super::panics;
use super::state::Pending;
use mazurka_engine::{FailureKind, Fault, TaskId};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
            self.inert.set(false);
            state.inert_operations = 0;
            state.suspended_unwinding = 0;
            state.clocks = state.knowledge.knows(Fact::PlainMemory).then(Box::default);
            state.handler_local_objects.clear();
            state.on_heap.clear();
            state.leaks_excused = false;
            state.unfinished_futures = 0;
            state.workers.clear();
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
        // SAFETY: no checked code runs now, so nothing else uses the log.
        unsafe { (*self.log.get()).clear() };
        self.go_on(root, Resume::Perform);
        root
    }

    /// Lets a task go on until it announces its next operation or ends; begins it if it is new.
    pub(crate) fn go_on(&self, id: TaskId, how: Resume) {
        let (mut fiber, how) = {
            let mut state = self.state.borrow_mut();
            state.current = id;
            state.goes_on(id);
            let size = state.settings.stack_size;
            let task = state.task(id);
            match task.fiber.take() {
                Some(fiber) => (fiber, how),
                None => {
                    let body = task.body.take().expect("a task that has not begun has its code");
                    let fiber = Fiber::take(size);
                    task.stack = fiber.stack_range();
                    task.suspender = fiber.suspender();
                    (fiber, Resume::Begin(body))
                }
            }
        };
        let entered = Entered::new(self, id);
        let ended = fiber.resume(how);
        drop(entered);
        let mut state = self.state.borrow_mut();
        let task = state.task(id);
        if ended {
            task.pending = Pending::ENDED;
            task.suspender = std::ptr::null();
            task.stack = StackRange::default();
            fiber.recycle();
            state.ends(id);
        } else if task.lost {
            // A panic that must not go on unwinding is on its stack.
            std::mem::forget(fiber);
            drop(state);
            panics::forgive();
        } else {
            task.fiber = Some(fiber);
        }
    }

    /// Abandons the execution. Tasks that have not ended are unwound, youngest first (a scoped thread
    /// borrows from an older one), and their destructors' operations do nothing.
    pub(crate) fn abandon(&self) {
        self.inert.set(true);
        while let Some(id) = self.recycle_finished() {
            self.unwind(id);
            self.drop_leftovers(id);
        }
        self.drop_handler_locals();
    }

    /// Keeps the boxes of the youngest tasks that have nothing left; returns the youngest one that has.
    fn recycle_finished(&self) -> Option<TaskId> {
        let state = &mut *self.state.borrow_mut();
        loop {
            let id = *state.order.last()?;
            let task = &mut state.tasks[id.index()];
            if !task.as_ref().is_some_and(|task| task.is_finished()) {
                return Some(id);
            }
            state.order.pop();
            if let Some(mut task) = task.take() {
                task.reset();
                state.spare.push(task);
            }
        }
    }

    /// Drops the code of a task that never began, and its thread-locals.
    fn drop_leftovers(&self, id: TaskId) {
        let leftovers = {
            let mut state = self.state.borrow_mut();
            let task = state.task(id);
            (task.body.take(), std::mem::take(&mut task.locals))
        };
        if leftovers.0.is_some() || !leftovers.1.is_empty() {
            let entered = Entered::new(self, id);
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(leftovers)));
            drop(entered);
            self.tell_of_destructor(dropped);
        }
    }

    /// The thread-locals of the handlers end with the execution.
    fn drop_handler_locals(&self) {
        let locals = std::mem::take(&mut self.state.borrow_mut().handler_locals);
        if !locals.is_empty() {
            let entered = Entered::new(self, TaskId(0));
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(locals)));
            drop(entered);
            self.tell_of_destructor(dropped);
        }
    }

    /// A destructor may have panicked while the execution was abandoned.
    fn tell_of_destructor(&self, dropped: std::thread::Result<()>) {
        if let Err(payload) = dropped {
            let words = panics::message_of(&*payload);
            let message =
                format!("a destructor panicked while an execution was abandoned: {words}");
            let fault = Fault::new(FailureKind::Assertion, message, None);
            self.state.borrow_mut().abandoned_faults.push(fault);
        }
    }

    fn unwind(&self, id: TaskId) {
        let how = match self.state.borrow_mut().task(id) {
            task if task.fiber.is_none() => return,
            // Unwinding already: a second panic would abort the process, so it runs on.
            task if task.unwinding => Resume::Perform,
            _ => Resume::Cancel,
        };
        self.go_on(id, how);
        if let Some(fiber) = self.state.borrow_mut().task(id).fiber.take() {
            // It does not want to end. Its stack and what is on it leak.
            std::mem::forget(fiber);
        }
    }
}
