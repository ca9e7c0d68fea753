//! Schedules as one line of text, for `MAZURKA_REPLAY`.
//!
//! Moves are separated by commas: the path of a task, `*n` for n moves in a row, `:c` for the alternative of
//! a choice. `main*3,main.1,main:2` is three moves of `main`, one of its first child, and a choice of
//! alternative 2 by `main`. Behind a semicolon stand four signs for the failure, and four for what each move did, so that a test
//! that has changed can be followed.

use mazurka_engine::explain::{Deed, digest_of};
use mazurka_engine::{Failure, FailureKind, Move, Recording, Schedule};

/// So many moves are told with what they did; a longer line would be too long for a command.
const MOST_DEEDS: usize = 4_000;
/// How many signs stand for a failure, and for what a move did.
const SIGNS: usize = 4;

/// What a line says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Recorded {
    pub schedule: Schedule,
    /// What each move did, if that is known.
    pub deeds: Vec<Deed>,
    /// Signs that stand for the failure, if it is known.
    pub failure: Option<String>,
}

impl From<Schedule> for Recorded {
    fn from(schedule: Schedule) -> Self {
        Recorded { schedule, ..Recorded::default() }
    }
}

/// The line for a failure: its schedule and what that does.
pub(crate) fn line(failure: &Failure, recording: &Recording) -> String {
    let moves = encode(&failure.schedule);
    let count = failure.schedule.moves.len();
    if count > MOST_DEEDS || recording.events.len() != count {
        return moves;
    }
    let deeds: String = recording.events.iter().map(|event| Deed::of(event).signs()).collect();
    format!("{moves};{}{deeds}", signs_of(failure.kind, &failure.message))
}

/// Signs that stand for a failure. Who waits in a deadlock may differ.
pub(crate) fn signs_of(kind: FailureKind, message: &str) -> String {
    let message = if kind == FailureKind::Deadlock { "" } else { message };
    digest_of(&format!("{}: {message}", kind.name()))
}

/// The moves of a schedule.
pub(crate) fn encode(schedule: &Schedule) -> String {
    let mut runs: Vec<(&Move, usize)> = Vec::new();
    for next in &schedule.moves {
        match runs.last_mut() {
            Some((last, count)) if *last == next => *count += 1,
            _ => runs.push((next, 1)),
        }
    }
    let words = runs.into_iter().map(|(next, count)| {
        let choice = if next.choice == 0 { String::new() } else { format!(":{}", next.choice) };
        let times = if count == 1 { String::new() } else { format!("*{count}") };
        format!("{}{choice}{times}", next.task)
    });
    words.collect::<Vec<_>>().join(",")
}

/// What a line says, if it is one.
pub(crate) fn decode(text: &str) -> Option<Recorded> {
    let (moves, signs) = text.split_once(';').map_or((text, ""), |(moves, signs)| (moves, signs));
    let schedule = decode_moves(moves)?;
    if signs.is_empty() {
        return Some(schedule.into());
    }
    let whole = signs.is_ascii() && signs.len() == (schedule.moves.len() + 1) * SIGNS;
    let (failure, deeds) = signs.split_at_checked(SIGNS).filter(|_| whole)?;
    let deeds = deeds.as_bytes().chunks(SIGNS).map(|signs| {
        let signs = std::str::from_utf8(signs).ok()?;
        Deed::of_digest(signs)
    });
    let deeds: Option<Vec<Deed>> = deeds.collect();
    Some(Recorded { schedule, deeds: deeds?, failure: Some(failure.to_owned()) })
}

fn decode_moves(text: &str) -> Option<Schedule> {
    let mut moves = Vec::new();
    for word in text.split(',').map(str::trim) {
        let (word, count) = match word.split_once('*') {
            Some((word, count)) => {
                (word, count.parse::<usize>().ok().filter(|&count| count <= 10_000_000)?)
            }
            None => (word, 1),
        };
        let (task, choice) = match word.split_once(':') {
            Some((task, choice)) => (task, choice.parse().ok()?),
            None => (word, 0),
        };
        if task.is_empty() {
            return None;
        }
        moves.extend(std::iter::repeat_n(Move { task: task.to_owned(), choice }, count));
    }
    Some(Schedule { moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_survives_its_text() {
        let text = "main*3,main.1,main:2,main.1.2*2";
        let Recorded { schedule, deeds, failure } = decode(text).expect("it is a schedule");
        assert_eq!(schedule.moves.len(), 7);
        assert_eq!(schedule.moves[4], Move { task: "main".into(), choice: 2 });
        assert_eq!(encode(&schedule), text);
        assert!(deeds.is_empty() && failure.is_none());
    }

    #[test]
    fn what_the_moves_did_stands_behind_them() {
        let deed = Deed("read x".to_owned());
        let failure = signs_of(FailureKind::Assertion, "lost");
        let text = format!("main*2;{failure}{0}{0}", deed.signs());
        let recorded = decode(&text).expect("it is a schedule");
        assert_eq!(recorded.deeds, [deed.digest(), deed.digest()]);
        assert_eq!(recorded.failure, Some(failure));
    }

    #[test]
    fn nonsense_is_refused() {
        let bad = [
            "",
            "main*x",
            "main:y",
            "*3",
            "main,,main",
            "main;abcd",
            "main;abcd?bcd",
            "main;abcdé12",
        ];
        for text in bad {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
