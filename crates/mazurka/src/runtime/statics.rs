//! `static`s that two explorations use at the same time, as tests in parallel do.
//!
//! A `static` is as new in every execution, so it can belong to one exploration only: the first that uses something
//! which checked code did not make holds it, and all such things, until it ends. Others wait there.

use std::cell::{Cell, RefCell};
use std::sync::{Mutex, MutexGuard, PoisonError};

static GATE: Mutex<()> = Mutex::new(());

thread_local! {
    static HELD: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
    /// The runs of this OS thread that have not ended.
    static RUNS: Cell<usize> = const { Cell::new(0) };
}

/// A run begins on this OS thread.
pub(crate) fn enter() {
    RUNS.set(RUNS.get() + 1);
}

/// A run ends; the last one lets others use the `static`s.
pub(crate) fn leave() {
    RUNS.set(RUNS.get() - 1);
    if RUNS.get() == 0 {
        HELD.take();
    }
}

/// The run uses something that lies outside of what checked code made.
pub(crate) fn hold() {
    HELD.with_borrow_mut(|held| {
        if held.is_none() {
            *held = Some(GATE.lock().unwrap_or_else(PoisonError::into_inner));
        }
    });
}
