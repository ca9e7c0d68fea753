//! What goes round in an execution that does not end, in words.
//!
//! Most often it is a message that posts itself (a heartbeat, an animation frame, a poll), perhaps by way of others:
//! then the kinds of tasks along the line of creators, from the youngest task back, repeat. Otherwise it is a task
//! that goes on and on.

use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::Effect;
use crate::program::Run;
use rustc_hash::FxHashMap;

/// So many creators are looked at.
const LINE: usize = 64;
/// A round of so many kinds is recognised.
const LONGEST_ROUND: usize = 8;
/// So often it must have been seen.
const FEWEST_ROUNDS: usize = 4;
/// Who moved most is asked of so many events.
const RECENT: usize = 1000;

/// Says what repeats at the end of `execution`, such as "`beat` posts itself".
pub fn describe(run: &impl Run, execution: &Execution) -> Option<String> {
    creators_that_repeat(run, execution).or_else(|| busiest(run, execution))
}

fn creators_that_repeat(run: &impl Run, execution: &Execution) -> Option<String> {
    let created = |effect: Effect| match effect {
        Effect::Post(child, _) | Effect::Fork(child) => Some(child),
        _ => None,
    };
    let events = execution.events();
    let youngest = events.iter().rev().find_map(|event| created(event.effect))?;
    let creator = |task: &TaskId| execution.creator(*task).map(|event| events[event].task);
    let line: Vec<TaskId> = std::iter::successors(Some(youngest), creator).take(LINE).collect();
    let kinds: Vec<String> = line.iter().map(|&task| run.task_kind(task)).collect();
    let repeats = |&round: &usize| {
        kinds.len() >= FEWEST_ROUNDS * round
            && kinds[..FEWEST_ROUNDS * round].windows(round + 1).all(|w| w[0] == w[round])
    };
    let round = (1..=LONGEST_ROUND).find(repeats)?;
    // From the oldest on: the first creates the second, and so on.
    let mut names: Vec<String> =
        kinds[..round].iter().rev().map(|kind| format!("`{kind}`")).collect();
    let only_posts = line[..round].iter().all(|&task| run.handler(task).is_some());
    let verb = if only_posts { "post" } else { "start" };
    let last = names.pop()?;
    Some(match names.len() {
        0 => format!("{last} {verb}s itself"),
        1 => format!("{} and {last} {verb} each other", names[0]),
        _ => format!("{} and {last} {verb} each other in turn", names.join(", ")),
    })
}

/// The task with the most of the last events, if it has most of them.
fn busiest(run: &impl Run, execution: &Execution) -> Option<String> {
    let events = execution.events();
    let recent = &events[events.len().saturating_sub(RECENT)..];
    let mut counts: FxHashMap<TaskId, usize> = FxHashMap::default();
    for event in recent {
        *counts.entry(event.task).or_default() += 1;
    }
    let (&task, &count) = counts.iter().max_by_key(|&(&task, &count)| (count, task))?;
    (2 * count > recent.len()).then(|| format!("`{}` goes on and on", run.task_label(task)))
}
