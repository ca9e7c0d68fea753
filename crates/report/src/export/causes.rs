//! What each event of a recording comes directly after: the order that diagrams draw.

use mazurka_engine::{Action, RecordedEvent, Recording};
use std::collections::HashMap;

/// Why one event comes after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// The same task did it before.
    Program,
    /// It began the task.
    Begin,
    /// It was the end that was waited for.
    End,
    /// Both touch the same, and one changes it.
    Conflict,
}

/// For each event those that it comes directly after, in order, each with the strongest reason.
pub(super) fn causes(recording: &Recording) -> Vec<Vec<(usize, Cause)>> {
    let events = &recording.events;
    let begins = begins(events);
    let mut last_of_task: HashMap<&str, usize> = HashMap::new();
    let mut ended: HashMap<&str, usize> = HashMap::new();
    let mut all: Vec<Vec<(usize, Cause)>> = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        let mut direct = Vec::new();
        let mut add = |earlier: usize, cause: Cause| {
            if !direct.iter().any(|&(other, _)| other == earlier) {
                direct.push((earlier, cause));
            }
        };
        match last_of_task.insert(&event.path, at) {
            Some(earlier) => add(earlier, Cause::Program),
            None => begins.get(&at).into_iter().for_each(|&earlier| add(earlier, Cause::Begin)),
        }
        if let Action::Join(task) = &event.action
            && let Some(&end) = ended.get(task.as_str())
        {
            add(end, Cause::End);
        }
        (0..at).filter(|&it| conflict(&events[it], event)).for_each(|it| add(it, Cause::Conflict));
        if event.ends_task {
            ended.insert(&event.task, at);
        }
        all.push(direct);
    }
    reduced(&all)
}

fn conflict(one: &RecordedEvent, other: &RecordedEvent) -> bool {
    one.accesses
        .iter()
        .any(|a| other.accesses.iter().any(|b| a.object == b.object && a.mode.conflicts(b.mode)))
}

/// Of the first event of each task the one that began it. Tasks with the same name begin in the order in which they were
/// created, unless their paths say it better.
fn begins(events: &[RecordedEvent]) -> HashMap<usize, usize> {
    let mut waiting: Vec<(usize, &str, String)> = Vec::new();
    let mut children: HashMap<&str, usize> = HashMap::new();
    let mut seen: HashMap<&str, ()> = HashMap::new();
    let mut begins = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        if seen.insert(&event.path, ()).is_none() {
            let by_path = waiting.iter().position(|(_, _, path)| *path == event.path);
            let by_name = || waiting.iter().position(|(_, name, _)| *name == event.task);
            if let Some(found) = by_path.or_else(by_name) {
                begins.insert(at, waiting.remove(found).0);
            }
        }
        if let Action::Post { message: name, .. } | Action::Fork(name) = &event.action {
            let count = children.entry(&event.path).or_default();
            *count += 1;
            waiting.push((at, name, format!("{}.{count}", event.path)));
        }
    }
    begins
}

/// Without what follows from the others.
fn reduced(all: &[Vec<(usize, Cause)>]) -> Vec<Vec<(usize, Cause)>> {
    let mut past: Vec<Vec<bool>> = Vec::with_capacity(all.len());
    for direct in all {
        let mut row = vec![false; all.len()];
        for &(earlier, _) in direct {
            row[earlier] = true;
            past[earlier].iter().enumerate().filter(|it| *it.1).for_each(|(it, _)| row[it] = true);
        }
        past.push(row);
    }
    let is_needed = |direct: &[(usize, Cause)], earlier: usize| {
        !direct.iter().any(|&(other, _)| past[other][earlier])
    };
    all.iter()
        .map(|direct| direct.iter().copied().filter(|it| is_needed(direct, it.0)).collect())
        .collect()
}
