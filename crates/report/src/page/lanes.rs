//! The threads and handlers of a recording as lanes, and its threads and messages as tasks.

use super::model::{Lane, Task};
use crate::lane_key::{Key, key_of, key_of_handler, keys_of, names};
use mazurka_engine::{Action, CauseKind, Recording};
use std::collections::HashMap;

/// The lanes and tasks of a recording.
pub(super) struct Lanes {
    pub lanes: Vec<Lane>,
    pub tasks: Vec<Task>,
    /// The task of each event.
    pub task_of: Vec<usize>,
}

impl Lanes {
    pub fn new(recording: &Recording) -> Lanes {
        let keys = keys(recording);
        let lane_of: HashMap<Key<'_>, usize> =
            keys.iter().enumerate().map(|(lane, &key)| (key, lane)).collect();
        let mut lanes = Lanes { lanes: named(&keys), tasks: Vec::new(), task_of: Vec::new() };
        lanes.add_tasks(recording, &lane_of);
        lanes.add_waiting(recording, &lane_of);
        lanes
    }

    fn add_tasks(&mut self, recording: &Recording, lane_of: &HashMap<Key<'_>, usize>) {
        let mut tasks: HashMap<&str, usize> = HashMap::new();
        for (at, event) in recording.events.iter().enumerate() {
            let task = *tasks.entry(&event.path).or_insert_with(|| {
                let creator = created_by(recording, at);
                self.tasks.push(Task {
                    name: event.task.clone(),
                    lane: lane_of[&key_of(event)],
                    creator,
                });
                self.tasks.len() - 1
            });
            self.task_of.push(task);
        }
    }

    /// Messages that were posted and never begun.
    fn add_waiting(&mut self, recording: &Recording, lane_of: &HashMap<Key<'_>, usize>) {
        let mut begun = vec![false; recording.events.len()];
        self.tasks.iter().filter_map(|task| task.creator).for_each(|post| begun[post] = true);
        for (at, event) in recording.events.iter().enumerate() {
            if let Action::Post { message, handler } = &event.action
                && !begun[at]
            {
                let lane = lane_of[&key_of_handler(handler)];
                self.tasks.push(Task { name: message.clone(), lane, creator: Some(at) });
            }
        }
    }
}

/// The event that posted or forked the task whose first event this is.
fn created_by(recording: &Recording, first: usize) -> Option<usize> {
    let begins = |kind| matches!(kind, CauseKind::Post | CauseKind::Fork);
    let causes = recording.causes.get(first)?.iter();
    causes.filter(|cause| begins(cause.kind)).map(|cause| cause.event).next()
}

/// Threads first, then handlers; those alike beside each other, in the order of their numbers.
fn keys(recording: &Recording) -> Vec<Key<'_>> {
    let mut keys = keys_of(recording);
    let mut groups: HashMap<(bool, String), usize> = HashMap::new();
    for &(on_handler, name, _) in &keys {
        let next = groups.len();
        groups.entry((on_handler, group(name))).or_insert(next);
    }
    keys.sort_by_cached_key(|&(on_handler, name, path)| {
        (on_handler, groups[&(on_handler, group(name))], numbers(name), numbers(path))
    });
    keys
}

/// The lanes, with the path where two threads would look the same.
fn named(keys: &[Key<'_>]) -> Vec<Lane> {
    let threads: HashMap<String, ()> =
        keys.iter().filter(|key| !key.0).map(|key| (group(key.1), ())).collect();
    let lane = |(&(handler, name, _), shown): (&Key<'_>, String)| {
        let clashes = handler && threads.contains_key(&group(name));
        Lane {
            name: shown,
            handler,
            group: if clashes { format!("{} (handlers)", group(name)) } else { group(name) },
        }
    };
    keys.iter().zip(names(keys)).map(lane).collect()
}

/// What names of one kind have in common: `worker` of `worker[3]` and `worker(3)`, `looper` of `looper 2`.
fn group(name: &str) -> String {
    let base = name.split(['[', '(']).next().unwrap_or(name);
    let base = base.trim_end_matches(|c: char| c.is_ascii_digit() || " #-_.".contains(c));
    if base.is_empty() { name.to_owned() } else { base.to_owned() }
}

/// The numbers in a name, so that `w[10]` comes after `w[9]`.
fn numbers(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_kind_have_one_group() {
        assert_eq!(group("worker[3]"), "worker");
        assert_eq!(group("looper 2"), "looper");
        assert_eq!(group("ui"), "ui");
        assert_eq!(group("17"), "17");
    }

    #[test]
    fn numbers_count_as_numbers() {
        assert!(numbers("w[9]") < numbers("w[10]"));
        assert_eq!(numbers("a[1][22]"), [1, 22]);
    }
}
