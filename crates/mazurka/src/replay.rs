//! Schedules as one line of text, for `MAZURKA_REPLAY`.
//!
//! Moves are separated by commas: the path of a task, `*n` for n moves in a row, `:c` for the alternative of
//! a choice. `main*3,main.1,main:2` is three moves of `main`, one of its first child, and a choice of
//! alternative 2 by `main`.

use mazurka_engine::{Move, Schedule};

/// The text of a schedule.
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

/// The schedule of a text, if it is one.
pub(crate) fn decode(text: &str) -> Option<Schedule> {
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
        let schedule = decode(text).expect("it is a schedule");
        assert_eq!(schedule.moves.len(), 7);
        assert_eq!(schedule.moves[4], Move { task: "main".into(), choice: 2 });
        assert_eq!(encode(&schedule), text);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "main*x", "main:y", "*3", "main,,main"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
