//! Who waits for what, in words.

use crate::ids::TaskId;
use crate::operation::{Mode, Next, Operation};
use crate::program::Run;
use crate::state::State;

/// Every task that waits for ever and what for, such as `left waits for lock b, held by right`.
pub fn waits(run: &impl Run, state: &State) -> Vec<String> {
    state.alive().iter().filter_map(|&task| wait(run, state, task)).collect()
}

/// All of them in one message.
pub fn describe(run: &impl Run, state: &State) -> String {
    format!("deadlock: {}", waits(run, state).join("; "))
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
