//! Schedules as one line of text, for `MAZURKA_REPLAY`.
//!
//! Moves are separated by commas: the path of a task, `*n` for n moves in a row, `:c` for the alternative of
//! a choice. `main*3,main.1,main:2` is three moves of `main`, one of its first child, and a choice of
//! alternative 2 by `main`. Behind a semicolon stand four signs for the failure, and four for what each move did, so that a test
//! that has changed can be followed. Behind another one stands what the exploration had learned in other executions, if it had.

use crate::runtime::knowledge::Knowledge;
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
    /// What was learned in other executions.
    pub knowledge: Knowledge,
}

impl From<Schedule> for Recorded {
    fn from(schedule: Schedule) -> Self {
        Recorded { schedule, ..Recorded::default() }
    }
}

/// The line for a failure: its schedule, what that does, and what must be known.
pub(crate) fn line(failure: &Failure, recording: &Recording, known: Option<Knowledge>) -> String {
    let count = failure.schedule.moves.len();
    let signs = (count <= MOST_DEEDS && recording.events.len() == count).then(|| {
        let deeds = recording.events.iter().map(|event| Deed::of(event).signs());
        signs_of(failure.kind, &failure.message) + &deeds.collect::<String>()
    });
    line_of(&failure.schedule, signs, known)
}

/// The line for a schedule.
pub(crate) fn line_of(
    schedule: &Schedule,
    signs: Option<String>,
    known: Option<Knowledge>,
) -> String {
    let moves = encode(schedule);
    match (signs, known) {
        (None, None) => moves,
        (Some(signs), None) => format!("{moves};{signs}"),
        (signs, Some(known)) => format!("{moves};{};{}", signs.unwrap_or_default(), known.word()),
    }
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
    let mut parts = text.splitn(3, ';');
    let schedule = decode_moves(parts.next()?)?;
    let signs = parts.next().unwrap_or_default();
    let knowledge = parts.next().map_or(Some(Knowledge::default()), Knowledge::of_word)?;
    if signs.is_empty() {
        return Some(Recorded { knowledge, ..schedule.into() });
    }
    let whole = signs.is_ascii() && signs.len() == (schedule.moves.len() + 1) * SIGNS;
    let (failure, deeds) = signs.split_at_checked(SIGNS).filter(|_| whole)?;
    let deeds = deeds.as_bytes().chunks(SIGNS).map(|signs| {
        let signs = std::str::from_utf8(signs).ok()?;
        Deed::of_digest(signs)
    });
    let deeds: Option<Vec<Deed>> = deeds.collect();
    Some(Recorded { schedule, deeds: deeds?, failure: Some(failure.to_owned()), knowledge })
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
        let Recorded { schedule, deeds, failure, .. } = decode(text).expect("it is a schedule");
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
    fn what_was_known_stands_behind_all() {
        let known = Knowledge::of_word("5.80").expect("it is a word");
        let schedule = decode_moves("main*2").expect("it is a schedule");
        let text = line_of(&schedule, None, Some(known));
        assert_eq!(text, "main*2;;5.80");
        assert_eq!(decode(&text), Some(Recorded { knowledge: known, ..schedule.into() }));
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
            "main;;",
            "main;;12",
        ];
        for text in bad {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
