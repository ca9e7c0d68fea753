//! Races between events that happened and operations that wait for ever.

use super::reverse_race::Race;
use crate::driver::Walk;
use crate::execution::{Execution, Waiting};
use crate::ids::TaskId;
use crate::operation::{Next, Operation};
use crate::program::{Mailbox, Program, Run};
use crate::reversal::Last;

/// The races of the next operation of a task at the end of the current execution.
pub fn of<'e, P: Program>(
    walk: &mut Walk<'_, P>,
    execution: &'e Execution,
    task: TaskId,
) -> Vec<Race<'e>> {
    walk.come_back();
    let Next::Operation(operation) = walk.run.next(task) else { return Vec::new() };
    let Some(mut waiting) = execution.races_of_waiting(&walk.run, task, operation) else {
        return Vec::new();
    };
    let starts = operation == Operation::Start;
    waiting.races.extend(blocking_start(walk, execution, task, &waiting).filter(|_| starts));
    let queued_before = blocking_post(walk, execution, task).filter(|_| starts);
    let last = || Last::waiting(task, &waiting, starts);
    let races = waiting.races.iter().map(|&first| first as usize);
    let races = races.map(|first| race(walk, execution, first, last()));
    let queue = queued_before.map(|first| Race::in_queue(execution, first, last()));
    races.chain(queue).collect()
}

/// The race of an event with one that comes after it, or that could.
pub fn race<'e, P: Program>(
    walk: &Walk<'_, P>,
    execution: &'e Execution,
    first: usize,
    mut last: Last,
) -> Race<'e> {
    if let Some((object, _)) = last.touches.iter().find_map(|touch| touch.waits_on()) {
        last.permits = i64::from(walk.run.permits(object));
    }
    Race::new(execution, first, last)
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
