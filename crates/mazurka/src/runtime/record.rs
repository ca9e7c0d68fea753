//! What is kept of each step, to go back and to compare.

use super::state::{Pending, Source};
use super::weak::access::Candidate;
use mazurka_engine::{Access, Effect, Next, Operation, TaskId};

/// One step of the execution as the engine knows it.
#[derive(Debug)]
pub(crate) struct Record {
    pub task: TaskId,
    pub choice: u32,
    /// Where the task stood before.
    pub before: Pending,
    /// Its first access, among the accesses of all steps.
    pub first_access: usize,
    pub effect: Effect,
    /// Do the values of the accesses hold for every execution?
    pub comparable: bool,
    /// Where the task stood after.
    pub after: Pending,
    /// What it did to its atomic, if not what happens by default.
    pub candidate: Candidate,
    /// A thread that the step started, and where it stood after.
    pub newborn: Option<(TaskId, Pending)>,
}

/// Are two places in the source the same? (One place can have several addresses.)
pub(crate) fn same_source(one: Option<Source>, other: Option<Source>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => std::ptr::eq(one, other) || one == other,
        (None, None) => true,
        _ => false,
    }
}

/// Does a task stand at the same operation, at the same place?
pub(crate) fn same_pending(one: &Pending, other: &Pending) -> bool {
    one.next == other.next && same_source(one.source, other.source)
}

/// Did two steps do the same?
pub(crate) fn same_accesses(one: &[Access], other: &[Access], comparable: bool) -> bool {
    let same = |(one, other): (&Access, &Access)| {
        let values = !comparable || (one.read == other.read && one.written == other.written);
        one.object == other.object && one.mode == other.mode && values
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// The words for where a task stands.
pub(crate) fn describe(
    pending: &Pending,
    object: &dyn Fn(mazurka_engine::ObjectId) -> String,
) -> String {
    let what = match pending.next {
        Next::Ended => "it has ended".to_owned(),
        Next::Blocked => "an assumption was false".to_owned(),
        Next::Truncated => "it was cut at its bound".to_owned(),
        Next::Operation(operation) => describe_operation(operation, object),
    };
    match pending.source {
        Some(source) => format!("{what} at {source}"),
        None => what,
    }
}

fn describe_operation(
    operation: Operation,
    object: &dyn Fn(mazurka_engine::ObjectId) -> String,
) -> String {
    match operation {
        Operation::Start => "start of a message".to_owned(),
        Operation::Access(id, mode) => {
            format!("{} of {}", format!("{mode:?}").to_lowercase(), object(id))
        }
        Operation::Atomic => "an attempt".to_owned(),
        Operation::Post(_) => "a post".to_owned(),
        Operation::Fork => "start of a thread".to_owned(),
        Operation::Join(_) => "a join".to_owned(),
        Operation::Choose(n) => format!("a choice among {n}"),
        Operation::Local => "a yield".to_owned(),
    }
}
