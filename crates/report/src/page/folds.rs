//! Stretches of an execution that need not be read one by one: rounds of a loop, what the failure does not depend on, and
//! steps that others do not see.

use super::model::{Event, Execution, Fold, Kind};

/// A loop is folded from so many rounds on, and so many events.
const FEWEST_ROUNDS: usize = 4;
const FEWEST_EVENTS_OF_LOOP: usize = 8;
/// A round has at most so many events.
const LONGEST_ROUND: usize = 24;
/// Shorter stretches are not worth a click.
const FEWEST: usize = 6;

/// The folds of an execution, in order. What must be seen is never in one.
pub(super) fn folds(execution: &Execution, roots: &[usize]) -> Vec<Fold> {
    let mut folds = loops(execution);
    folds.extend(irrelevant(execution, roots));
    folds.extend(unseen(execution));
    folds.sort_by_key(|fold| (fold.from, fold.to));
    let mut apart: Vec<Fold> = Vec::new();
    for fold in folds {
        if apart.last().is_none_or(|last| last.to <= fold.from) {
            apart.push(fold);
        }
    }
    apart
}

/// Must an event be seen whatever happens around it?
fn must_be_seen(execution: &Execution, event: usize) -> bool {
    let pair = execution.why.as_ref().and_then(|why| why.pair);
    let parts = execution.why.as_ref().and_then(|why| why.parts);
    !execution.events[event].faults.is_empty()
        || pair.is_some_and(|(first, second)| event == first || event == second)
        || parts == Some(event)
}

/// Rounds that do the same in the same lanes, one after the other: the first and the last are shown.
fn loops(execution: &Execution) -> Vec<Fold> {
    let keys: Vec<_> = execution.events.iter().map(|event| key(execution, event)).collect();
    let mut folds = Vec::new();
    let mut at = 0;
    while at < keys.len() {
        let (round, rounds) = repetition(&keys[at..]);
        if rounds < FEWEST_ROUNDS || round * rounds < FEWEST_EVENTS_OF_LOOP {
            at += 1;
            continue;
        }
        let (from, to) = (at + round, at + round * (rounds - 1));
        if (from..to).any(|event| must_be_seen(execution, event)) {
            at += 1;
            continue;
        }
        folds.push(Fold { from, to, words: format!("{} more rounds of the same", rounds - 2) });
        at += round * rounds;
    }
    folds
}

/// What makes two events the same step of a loop.
fn key<'a>(
    execution: &Execution,
    event: &'a Event,
) -> (usize, Option<(usize, usize, usize)>, &'a str) {
    let place = event.place.map(|place| (place.source, place.line, place.column));
    // Without a place the words have to do; with one the values in them may differ.
    let words = if place.is_some() { "" } else { event.words.as_str() };
    (execution.tasks[event.task].lane, place, words)
}

/// The shortest round that is repeated from here on often enough, and how often it is.
fn repetition<K: PartialEq>(keys: &[K]) -> (usize, usize) {
    let longest = LONGEST_ROUND.min(keys.len() / FEWEST_ROUNDS);
    for round in 1..=longest {
        let same = (round..keys.len()).take_while(|&at| keys[at] == keys[at - round]).count();
        let rounds = same / round + 1;
        if rounds >= FEWEST_ROUNDS && round * rounds >= FEWEST_EVENTS_OF_LOOP {
            return (round, rounds);
        }
    }
    (1, 1)
}

/// Stretches that do not happen before any of the roots.
fn irrelevant(execution: &Execution, roots: &[usize]) -> Vec<Fold> {
    if roots.is_empty() {
        return Vec::new();
    }
    let needed = past(execution, roots);
    stretches(execution, "the failure does not depend on them", |event| !needed[event])
}

/// Stretches of steps that touch nothing that others see. Recorded traces have many.
fn unseen(execution: &Execution) -> Vec<Fold> {
    let is_unseen = |event: usize| execution.events[event].kind == Kind::Local;
    stretches(execution, "nothing that others see", is_unseen)
}

/// Long stretches of events that are all of one sort and need not be seen.
fn stretches(execution: &Execution, words: &str, is: impl Fn(usize) -> bool) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut from = 0;
    let count = execution.events.len();
    for at in 0..=count {
        if at < count && is(at) && !must_be_seen(execution, at) {
            continue;
        }
        if at - from >= FEWEST {
            folds.push(Fold { from, to: at, words: words.to_owned() });
        }
        from = at + 1;
    }
    folds
}

/// The roots and all that happens before them.
fn past(execution: &Execution, roots: &[usize]) -> Vec<bool> {
    let mut needed = vec![false; execution.events.len()];
    roots.iter().for_each(|&root| needed[root] = true);
    for at in (0..needed.len()).rev() {
        if needed[at] {
            execution.events[at].after.iter().for_each(|after| needed[after.0] = true);
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::model::{After, Because, Lane, PageFault, Task};

    /// Events of one task with these words, each after the one before it.
    fn execution(words: &[&str]) -> Execution {
        let event = |(at, words): (usize, &&str)| Event {
            words: (*words).to_owned(),
            kind: Kind::Read,
            after: at
                .checked_sub(1)
                .map(|earlier| After(earlier, Because::Program))
                .into_iter()
                .collect(),
            ..Event::default()
        };
        Execution {
            lanes: vec![Lane { name: "t".to_owned(), handler: false, group: "t".to_owned() }],
            tasks: vec![Task { name: "t".to_owned(), lane: 0, creator: None }],
            events: words.iter().enumerate().map(event).collect(),
            ..Execution::default()
        }
    }

    fn ranges(folds: &[Fold]) -> Vec<(usize, usize)> {
        folds.iter().map(|fold| (fold.from, fold.to)).collect()
    }

    #[test]
    fn rounds_between_the_first_and_the_last_are_folded() {
        let words = ["x", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "y"];
        let folds = folds(&execution(&words), &[]);
        assert_eq!(ranges(&folds), [(3, 9)]);
        assert_eq!(folds[0].words, "3 more rounds of the same");
    }

    #[test]
    fn what_must_be_seen_is_in_no_fold() {
        let mut execution = execution(&["a"; 12]);
        let words = "wrong".to_owned();
        execution.events[6].faults.push(PageFault { words, place: None, values: Vec::new() });
        assert!(folds(&execution, &[]).iter().all(|fold| !(fold.from..fold.to).contains(&6)));
    }

    #[test]
    fn what_the_failure_does_not_depend_on_is_folded() {
        let words: Vec<String> = (0..10).map(|at| format!("step {at}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut execution = execution(&words);
        // The last event depends on the first alone.
        execution.events[9].after = vec![After(0, Because::Conflict)];
        assert_eq!(ranges(&folds(&execution, &[9])), [(1, 9)]);
        assert_eq!(ranges(&folds(&execution, &[])), []);
    }
}
