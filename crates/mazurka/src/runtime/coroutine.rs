//! Coroutines, which are pooled for each OS thread with their stacks and run one task after the other.

#![expect(unsafe_code, reason = "the stack of a task that never goes on is used again")]

use super::overflow;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::RefCell;
use std::ops::Range;

/// Told to a coroutine when it goes on.
pub(crate) enum Resume {
    /// Begin with the code of a task.
    Begin(Body),
    /// Perform the announced operation.
    Perform,
    /// The coroutine is not needed any more.
    Stop,
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

/// Where a task came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stands {
    /// At an operation.
    Announced,
    /// At its end.
    Ended,
    /// Its stack was too small.
    Overflowed,
}

/// The handle by which a coroutine suspends itself.
pub(crate) type Suspender = Yielder<Resume, Pause>;

/// The code of a thread or message.
pub(crate) type Body = Box<dyn FnOnce()>;

/// A coroutine with a stack of its own, for one task at a time.
pub(crate) struct Fiber {
    /// Always there, but while it is replaced.
    coroutine: Option<Coroutine<Resume, Pause, ()>>,
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
    /// Where the stacks of this OS thread's coroutines lie.
    static STACKS: RefCell<Vec<StackRange>> = const { RefCell::new(Vec::new()) };
}

/// The addresses of the stacks of this OS thread's coroutines. Between two executions nothing on them is alive.
pub(crate) fn stacks() -> Vec<Range<usize>> {
    STACKS.with_borrow(|stacks| stacks.iter().map(|stack| stack.limit..stack.base).collect())
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
        STACKS.with_borrow_mut(|stacks| stacks.push(range));
        let mut fiber = Fiber { coroutine: None, suspender: std::ptr::null(), range, size };
        fiber.start_on(stack);
        fiber
    }

    fn start_on(&mut self, stack: DefaultStack) {
        let mut coroutine = Coroutine::with_stack(stack, |suspender: &Suspender, _first| {
            let mut told = suspender.suspend(Pause::Ready(suspender));
            while let Resume::Begin(body) = told {
                body();
                told = suspender.suspend(Pause::Ended);
            }
        });
        self.suspender = match coroutine.resume(Resume::Perform) {
            CoroutineResult::Yield(Pause::Ready(suspender)) => suspender,
            _ => unreachable!("a new coroutine says how it suspends itself"),
        };
        self.coroutine = Some(coroutine);
    }

    /// How its task suspends itself.
    pub(crate) fn suspender(&self) -> *const Suspender {
        self.suspender
    }

    /// How large its stack was asked to be.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Where its stack lies.
    pub(crate) fn stack_range(&self) -> StackRange {
        self.range
    }

    /// Goes on until the task announces an operation or has ended.
    #[inline]
    pub(crate) fn resume(&mut self, how: Resume) -> Stands {
        let coroutine = self.coroutine.as_mut().expect("it is being replaced by nobody");
        let watched = overflow::watch(coroutine.trap_handler(), self.range);
        let paused = coroutine.resume(how);
        drop(watched);
        match paused {
            CoroutineResult::Yield(Pause::Announced) => Stands::Announced,
            CoroutineResult::Yield(_) => Stands::Ended,
            CoroutineResult::Return(()) => Stands::Overflowed,
        }
    }

    /// Gives a coroutine whose task has ended back to the pool.
    pub(crate) fn recycle(self: Box<Self>) {
        POOL.with_borrow_mut(|pool| pool.push(self));
    }

    /// The task never goes on: what is on its stack is forgotten, without any destructor, and the stack goes back to the
    /// pool.
    pub(crate) fn forget(mut self: Box<Self>) {
        if let Some(mut coroutine) = self.coroutine.take() {
            // SAFETY: nothing on the stack is used any more: what other tasks of the execution borrowed from it is
            // forgotten with them, and what the runtime borrowed was for the length of a call.
            unsafe { coroutine.force_reset() };
            self.start_on(coroutine.into_stack());
        }
        self.recycle();
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if let Some(coroutine) = &mut self.coroutine
            && !coroutine.done()
        {
            // It is idle: whatever it is told but a beginning ends it.
            coroutine.resume(Resume::Stop);
        }
    }
}
