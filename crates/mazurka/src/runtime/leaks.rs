//! Objects that are still alive when everything has ended: cycles of `Arc`s, and what was forgotten.
//!
//! Only what lies in the block of an `Arc` or `Rc` counts: a `Box` that is leaked is leaked on purpose. Nothing is
//! said of executions in which something may rightly outlive the tasks: after a panic, with asynchronous tasks
//! that are not polled any more, with thread-locals of handlers, or with a `static` that can own something.
//!
//! Cost: a note for each block that checked code gives back, and a look at each object on the heap when an execution
//! is complete.
#![expect(unsafe_code, reason = "the counters of an Arc are read in its block")]

use super::context::Runtime;
use mazurka_engine::{FailureKind, Fault};

/// No counter of an `Arc` that is alive is larger.
const MANY: usize = 1 << 24;

impl Runtime {
    /// What the execution, which is complete, has leaked.
    pub(crate) fn leaks(&self) -> Vec<Fault> {
        let state = self.state.borrow();
        let excused = !state.settings.leaks_fail
            || state.leaks_excused
            || state.unfinished_futures > 0
            || !state.handler_locals.is_empty();
        if excused {
            return Vec::new();
        }
        // SAFETY: no checked code runs now, so nothing else uses the log.
        let log = unsafe { &*self.log.get() };
        let positions = state.on_heap.iter().map(|&(_, position)| position);
        let mut objects = std::iter::zip(&state.on_heap, log.alive(positions))
            .filter(|(_, block)| block.is_some_and(|(start, size)| is_shared(start, size)));
        let Some((&(first, _), _)) = objects.next() else { return Vec::new() };
        let others = match objects.count() {
            0 => String::new(),
            1 => " (and 1 more)".to_owned(),
            more => format!(" (and {more} more)"),
        };
        let info = state.names.object_info(first);
        let message = format!(
            "leak: the {} made at {} is still alive at the end of the execution{others}: an Arc around it is never \
             dropped (a cycle, or mem::forget). Builder::leaks_fail(false) allows it",
            info.kind, info.made_at
        );
        let location = Some(info.made_at.to_string());
        vec![Fault::new(FailureKind::Fault, message, location)]
    }
}

/// Does a live block begin with the two counters of an `Arc` or `Rc` whose value has not been dropped?
fn is_shared(start: usize, size: usize) -> bool {
    if size < 2 * size_of::<usize>() || !start.is_multiple_of(align_of::<usize>()) {
        return false;
    }
    let word = |index: usize| {
        // SAFETY: the block is allocated, is large enough and is aligned; the read is of plain words, and what is
        // read is only compared.
        unsafe { std::ptr::read_volatile((start as *const usize).add(index)) }
    };
    (1..MANY).contains(&word(0)) && (1..MANY).contains(&word(1))
}
