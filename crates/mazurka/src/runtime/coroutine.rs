//! Coroutines, which are pooled for each OS thread with their stacks and run one task after the other.

use super::context::Cancelled;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Told to a coroutine when it goes on.
pub(crate) enum Resume {
    /// Begin with the code of a task.
    Begin(Body),
    /// Perform the announced operation.
    Perform,
    /// The execution is abandoned: unwind.
    Cancel,
}

/// Why a coroutine does not go on.
pub(crate) enum Pause {
    /// It is new, and this is how it suspends itself.
    Ready(*const Suspender),
    /// The task has announced an operation.
    Announced,
    /// The task has ended.
    Ended,
}

/// The handle by which a coroutine suspends itself.
pub(crate) type Suspender = Yielder<Resume, Pause>;

/// The code of a thread or message.
pub(crate) type Body = Box<dyn FnOnce()>;

/// A coroutine with a stack of its own, for one task at a time.
pub(crate) struct Fiber {
    coroutine: Coroutine<Resume, Pause, ()>,
    suspender: *const Suspender,
    range: StackRange,
    size: usize,
}

/// The addresses of a stack: it grows down from `base` to `limit`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StackRange {
    pub base: usize,
    pub limit: usize,
}

impl StackRange {
    /// Is this address on the stack?
    pub(crate) fn contains(self, address: usize) -> bool {
        self.limit <= address && address < self.base
    }
}

thread_local! {
    #[expect(clippy::vec_box, reason = "the boxes go to the tasks and come back")]
    static POOL: RefCell<Vec<Box<Fiber>>> = const { RefCell::new(Vec::new()) };
}

impl Fiber {
    /// An idle coroutine with a stack of this size, from the pool if there is one.
    pub(crate) fn take(size: usize) -> Box<Self> {
        let pooled = POOL.with_borrow_mut(|pool| match pool.last() {
            Some(last) if last.size == size => pool.pop(),
            _ => {
                let position = pool.iter().rposition(|pooled| pooled.size == size)?;
                Some(pool.swap_remove(position))
            }
        });
        pooled.unwrap_or_else(|| Box::new(Fiber::new(size)))
    }

    fn new(size: usize) -> Self {
        let stack =
            DefaultStack::new(size).expect("the system refuses memory for a coroutine's stack");
        let range = StackRange { base: stack.base().get(), limit: stack.limit().get() };
        let mut coroutine = Coroutine::with_stack(stack, |suspender: &Suspender, _first| {
            let mut told = suspender.suspend(Pause::Ready(suspender));
            while let Resume::Begin(body) = told {
                run(body);
                told = suspender.suspend(Pause::Ended);
            }
        });
        let suspender = match coroutine.resume(Resume::Perform) {
            CoroutineResult::Yield(Pause::Ready(suspender)) => suspender,
            _ => unreachable!("a new coroutine says how it suspends itself"),
        };
        Fiber { coroutine, suspender, range, size }
    }

    /// How its task suspends itself.
    pub(crate) fn suspender(&self) -> *const Suspender {
        self.suspender
    }

    /// Where its stack lies.
    pub(crate) fn stack_range(&self) -> StackRange {
        self.range
    }

    /// Goes on until the task announces an operation (`false`) or has ended (`true`).
    #[inline]
    pub(crate) fn resume(&mut self, how: Resume) -> bool {
        !matches!(self.coroutine.resume(how), CoroutineResult::Yield(Pause::Announced))
    }

    /// Gives a coroutine whose task has ended back to the pool.
    pub(crate) fn recycle(self: Box<Self>) {
        POOL.with_borrow_mut(|pool| pool.push(self));
    }
}

/// Runs the code of a task. It catches the user's panics itself, so nothing comes out of it but the
/// cancellation.
fn run(body: Body) {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(()) => {}
        Err(payload) if payload.is::<Cancelled>() => {}
        Err(payload) => resume_unwind(payload),
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if !self.coroutine.done() {
            // It is idle: whatever it is told but a beginning ends it.
            self.coroutine.resume(Resume::Cancel);
        }
    }
}
