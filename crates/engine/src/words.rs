//! Words for operations and accesses, for messages to people.

use crate::operation::{Access, Mode, Next, Operation};
use crate::program::Run;

/// Where a task stands, such as `write of x`.
pub fn describe_next(run: &impl Run, next: Next) -> String {
    match next {
        Next::Operation(operation) => describe_operation(run, operation),
        Next::Ended => "its end".to_owned(),
        Next::Blocked => "an assumption that is false, or a loop that waits".to_owned(),
        Next::Truncated => "its bound".to_owned(),
    }
}

/// What a task would do next, such as `write of x`.
pub fn describe_operation(run: &impl Run, operation: Operation) -> String {
    match operation {
        Operation::Start => "the start of a message".to_owned(),
        Operation::Access(object, mode) => {
            format!("{} of {}", describe_mode(mode), run.object_name(object))
        }
        Operation::Atomic => "several accesses at once".to_owned(),
        Operation::Post(handler) => format!("a post to {}", run.handler_name(handler)),
        Operation::Fork => "the start of a thread".to_owned(),
        Operation::Join(_) => "a join".to_owned(),
        Operation::Choose(alternatives) => format!("a choice among {alternatives}"),
        Operation::Local => "a yield".to_owned(),
    }
}

/// What an access did, such as `write of x = 2`.
pub fn describe_access(run: &impl Run, access: &Access) -> String {
    let what = format!("{} of {}", describe_mode(access.mode), run.object_name(access.object));
    match access.mode {
        Mode::Read => format!("{what} = {}", access.read),
        Mode::Write => format!("{what} = {}", access.written),
        Mode::Update => format!("{what} from {} to {}", access.read, access.written),
        _ => what,
    }
}

fn describe_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Read => "read",
        Mode::Write => "write",
        Mode::Update => "update",
        Mode::Lock => "lock",
        Mode::Unlock => "unlock",
        Mode::LockShared => "shared lock",
        Mode::UnlockShared => "shared unlock",
        Mode::Signal => "signal",
        Mode::Wait => "wait",
    }
}
