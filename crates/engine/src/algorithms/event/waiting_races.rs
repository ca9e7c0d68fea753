//! Races between events that happened and operations that wait for ever.

use crate::driver::Walk;
use crate::execution::{Execution, Waiting};
use crate::ids::TaskId;
use crate::operation::{Next, Operation};
use crate::program::{Mailbox, Program, Run};
use crate::reversal::Last;

/// The races of an operation that waits for ever.
pub struct WaitingRaces {
    /// The operation.
    pub last: Last,
    /// The events that it could be performed without.
    pub firsts: Vec<usize>,
    /// The post that it could be performed before ([`Race::in_queue`]).
    ///
    /// [`Race::in_queue`]: super::reverse_race::Race::in_queue
    pub post: Option<usize>,
}

/// The races of the next operation of a task at the end of the current execution.
pub fn of<P: Program>(
    walk: &mut Walk<'_, P>,
    execution: &Execution,
    task: TaskId,
) -> Option<WaitingRaces> {
    walk.come_back();
    let Next::Operation(operation) = walk.run.next(task) else { return None };
    let mut waiting = execution.races_of_waiting(&walk.run, task, operation)?;
    let starts = operation == Operation::Start;
    waiting.races.extend(blocking_start(walk, execution, task, &waiting).filter(|_| starts));
    Some(WaitingRaces {
        last: Last::waiting(task, &waiting, starts),
        firsts: waiting.races.iter().map(|&first| first as usize).collect(),
        post: blocking_post(walk, execution, task).filter(|_| starts),
    })
}

/// What a message that has not started waits behind: the start of the one that its handler is running. Nothing
/// if it needs that.
fn blocking_start<P: Program>(
    walk: &Walk<'_, P>,
    execution: &Execution,
    message: TaskId,
    waiting: &Waiting,
) -> Option<u32> {
    let active = walk.state.active(walk.run.handler(message)?)?;
    let start = execution.start_of(active)? as u32;
    (!execution.is_needed(start, &waiting.past)).then_some(start)
}

/// What a message that has not started waits behind in its queue: the post of the one at the front, which cannot
/// start. Nothing if that always comes before its own post.
fn blocking_post<P: Program>(
    walk: &Walk<'_, P>,
    execution: &Execution,
    message: TaskId,
) -> Option<usize> {
    let handler = walk.run.handler(message)?;
    if walk.state.active(handler).is_some() || walk.run.mailbox(handler) == Mailbox::Multiset {
        return None;
    }
    let first = execution.creator(*walk.state.mailbox(handler).first()?)?;
    let own = execution.creator(message)?;
    (first != own && !execution.happens_before(first, own)).then_some(first)
}
