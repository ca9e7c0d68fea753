//! Goes through a trace in the recorded order and says what is wrong in it, with its line; or which
//! task every operation belongs to, and what it has to wait for.
//!
//! The recorded order must itself be an execution: queues are first in first out, a lock has one holder,
//! a wait has had its notification. What the original tool crashes on is an error here, except that
//! re-entrant locks work. Time and memory are linear in the trace and independent of the size of ids.
//!
//! Deviations from the original:
//!
//! 1. A thread that is never forked is there from the start. (The original can run it only where the
//!    recorded order has already started it.)
//! 2. An operation of a looping thread outside CALL and RET, or of a thread that has not begun, is
//!    an error. (The original runs it once, and never again.)
//! 3. A lock must be given back by the message, or by the thread code before LOOP, that took it.
//! 4. A message that is posted must be handled.
//! 5. THREADEXIT of an idle looper is left out with a warning: after LOOP a thread's own code is over.
//! 6. A thread may be notified before it begins; one that is nowhere in the trace may not.

mod locks;
mod machine;
mod notifications;
mod order;
mod queues;
mod threads;

use crate::action::{MessageId, ThreadId};
use crate::error::{Error, Warning};
use crate::trace::RecordedTrace;

/// Who a task is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TaskKind {
    /// The code of a thread, up to its LOOP if it has one.
    Thread(ThreadId),
    /// A message, handled by this looper.
    Message(MessageId, ThreadId),
}

/// One task: a straight line of operations.
#[derive(Clone, Debug)]
pub struct Task {
    /// Who it is.
    pub kind: TaskKind,
    /// Its operations, as positions in [`RecordedTrace::operations`].
    pub operations: Vec<usize>,
}

/// What the check found out.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The tasks, in the order in which they begin to exist in the recorded order.
    pub tasks: Vec<Task>,
    /// The tasks that exist from the start.
    pub roots: Vec<usize>,
    /// For each operation its task and its position in it; `None` if it is left out.
    pub places: Vec<Option<(usize, usize)>>,
    /// For each operation: is it a LOCK or UNLOCK inside another one of the same lock and task?
    pub nested: Vec<bool>,
    /// For each operation: is it a NOTIFY or WAIT whose counterpart is the same in every execution?
    pub matched: Vec<bool>,
    /// Pairs of positions in [`RecordedTrace::operations`]: the second waits for the first. Sorted by the
    /// second, each once, and none inside one task.
    pub waits: Vec<(usize, usize)>,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

/// Checks a trace.
pub fn check(trace: &RecordedTrace) -> Result<Checked, Error> {
    let positions = order::positions(trace)?;
    let mut checked = machine::run(trace)?;
    order::add_dependences(trace, &positions, &mut checked)?;
    notifications::match_notifications(trace, &mut checked);
    let places = std::mem::take(&mut checked.places);
    let task = |position: usize| places[position].map(|(task, _)| task);
    checked.waits.retain(|&(first, second)| task(first) != task(second));
    checked.waits.sort_unstable_by_key(|&(first, second)| (second, first));
    checked.waits.dedup();
    checked.places = places;
    Ok(checked)
}
