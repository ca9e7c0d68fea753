//! Who waits for what, in words.

use crate::ids::TaskId;
use crate::operation::{Mode, Next, Operation};
use crate::program::Run;
use crate::state::State;
use rustc_hash::{FxHashMap, FxHashSet};

/// Every task that waits for ever and what for, such as `left waits for lock b, held by right`.
pub fn waits(run: &impl Run, state: &State) -> Vec<String> {
    state.alive().iter().filter_map(|&task| wait(run, state, task)).collect()
}

/// All of them in one message.
pub fn describe(run: &impl Run, state: &State) -> String {
    format!("deadlock: {}", waits(run, state).join("; "))
}

/// Tasks that wait for each other, so that whatever others do they wait for ever, in one message: the deadlock in an execution that goes on.
pub fn circle(run: &impl Run, state: &State) -> Option<String> {
    let met = on_circle(run, state)?;
    let members: FxHashSet<TaskId> = round(run, state, met).collect();
    let oldest = state.alive().iter().copied().find(|task| members.contains(task))?;
    let waits = round(run, state, oldest).filter_map(|task| wait(run, state, task));
    Some(format!("deadlock: {}", waits.collect::<Vec<_>>().join("; ")))
}

/// A task that waits for itself in the end, by way of others.
fn on_circle(run: &impl Run, state: &State) -> Option<TaskId> {
    // Whom each task was met from: nobody is followed twice.
    let mut met: FxHashMap<TaskId, TaskId> = FxHashMap::default();
    state.alive().iter().find_map(|&first| {
        let mut task = first;
        while !met.contains_key(&task) {
            met.insert(task, first);
            task = blocker(run, state, task)?;
        }
        (met[&task] == first).then_some(task)
    })
}

/// All tasks of the circle that one is on, that one first.
fn round(run: &impl Run, state: &State, first: TaskId) -> impl Iterator<Item = TaskId> {
    let others =
        std::iter::successors(blocker(run, state, first), move |&task| blocker(run, state, task));
    std::iter::once(first).chain(others.take_while(move |&task| task != first))
}

/// The one task that must go on before this one can.
fn blocker(run: &impl Run, state: &State, task: TaskId) -> Option<TaskId> {
    match run.next(task) {
        Next::Operation(Operation::Access(object, Mode::Lock | Mode::LockShared)) => {
            state.holder(object)
        }
        Next::Operation(Operation::Join(other)) if !state.has_ended(other) => Some(other),
        Next::Operation(Operation::Start) => state.active(run.handler(task)?),
        _ => None,
    }
}

fn wait(run: &impl Run, state: &State, task: TaskId) -> Option<String> {
    let who = run.task_label(task);
    let operation = match run.next(task) {
        Next::Operation(operation) => operation,
        Next::Blocked if run.spins_for_ever(task) => {
            let place = run.place(task).map(|place| format!(" at {}", run.location(place)));
            return Some(format!(
                "{who} goes round the loop{} for ever, since nothing that it reads changes any more",
                place.unwrap_or_default()
            ));
        }
        _ => return None,
    };
    let what = match operation {
        Operation::Access(object, Mode::Lock | Mode::LockShared) => {
            let holder = match state.holder(object) {
                Some(holder) if holder == task => "which it holds itself".to_owned(),
                Some(holder) => format!("held by {}", run.task_label(holder)),
                None => "held shared".to_owned(),
            };
            format!("lock {}, {holder}", run.object_name(object))
        }
        Operation::Access(object, _) => run.awaited(object),
        Operation::Join(other) => format!("the end of {}", run.task_label(other)),
        Operation::Start => {
            let handler = run.handler(task)?;
            let active = state
                .active(handler)
                .map_or_else(|| "an earlier message".to_owned(), |message| run.task_label(message));
            format!("handler {}, busy with {active}", run.handler_name(handler))
        }
        _ => "something that never happens".to_owned(),
    };
    Some(format!("{who} waits for {what}"))
}
