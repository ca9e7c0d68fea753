//! Coroutines and their stacks, which are pooled for each OS thread.

use super::context::Cancelled;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Told to a coroutine when it goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Resume {
    /// Perform the announced operation.
    Perform,
    /// The execution is abandoned: unwind.
    Cancel,
}

/// The handle by which a coroutine suspends itself.
pub(crate) type Suspender = Yielder<Resume, ()>;

/// The code of a thread or message.
pub(crate) type Body = Box<dyn FnOnce()>;

/// A thread or message with a stack of its own.
pub(crate) struct Fiber {
    coroutine: Coroutine<Resume, (), ()>,
    range: StackRange,
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
    static POOL: RefCell<Vec<(usize, DefaultStack)>> = const { RefCell::new(Vec::new()) };
}

/// A stack of this size, from the pool if there is one.
fn take_stack(size: usize) -> DefaultStack {
    let pooled = POOL.with_borrow_mut(|pool| {
        let position = pool.iter().rposition(|(pooled, _)| *pooled == size)?;
        Some(pool.swap_remove(position).1)
    });
    pooled.unwrap_or_else(|| {
        DefaultStack::new(size).expect("the system refuses memory for a coroutine's stack")
    })
}

impl Fiber {
    /// Prepares `body` on a stack of `size` bytes. `started` hears how the coroutine suspends itself
    /// as soon as it runs.
    pub(crate) fn new(
        size: usize,
        body: Body,
        started: impl FnOnce(*const Suspender) + 'static,
    ) -> Self {
        let stack = take_stack(size);
        let range = StackRange { base: stack.base().get(), limit: stack.limit().get() };
        let coroutine = Coroutine::with_stack(stack, move |suspender, _first| {
            started(suspender);
            body();
        });
        Fiber { coroutine, range }
    }

    /// Where its stack lies.
    pub(crate) fn stack_range(&self) -> StackRange {
        self.range
    }

    /// Goes on until it suspends (`false`) or has ended (`true`).
    pub(crate) fn resume(&mut self, how: Resume) -> bool {
        let coroutine = &mut self.coroutine;
        if how == Resume::Perform {
            return matches!(coroutine.resume(how), CoroutineResult::Return(()));
        }
        // The body catches the user's panics itself, so nothing comes out of it but the cancellation.
        match catch_unwind(AssertUnwindSafe(|| coroutine.resume(how))) {
            Ok(result) => matches!(result, CoroutineResult::Return(())),
            Err(payload) if payload.is::<Cancelled>() => true,
            Err(payload) => std::panic::resume_unwind(payload),
        }
    }

    /// Gives the stack of an ended coroutine back to the pool.
    pub(crate) fn recycle(self, size: usize) {
        let stack = self.coroutine.into_stack();
        POOL.with_borrow_mut(|pool| pool.push((size, stack)));
    }
}
