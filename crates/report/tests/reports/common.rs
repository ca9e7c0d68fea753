//! Executions and explorations made by hand.

use mazurka_engine::{
    Action, Algorithm, Config, Ending, Failure, FailureKind, Fault, Mailbox, Mode, Move, Outcome,
    RecordedAccess, RecordedEvent, Recording, Schedule, Statistics, Variable,
};
use mazurka_report::Subject;
use std::time::Duration;

pub fn thread(name: &str, line: u32, action: Action) -> RecordedEvent {
    RecordedEvent {
        column: name.to_owned(),
        on_handler: false,
        task: name.to_owned(),
        path: name.to_owned(),
        action,
        accesses: Vec::new(),
        words: None,
        remark: None,
        ends_task: false,
        location: Some(format!("lost.ed:{line}:5")),
        faults: Vec::new(),
    }
}

pub fn message(handler: &str, label: &str, line: u32, action: Action) -> RecordedEvent {
    RecordedEvent {
        column: handler.to_owned(),
        on_handler: true,
        path: format!("path of {label}"),
        ..thread(label, line, action)
    }
}

pub fn touching(
    mut event: RecordedEvent,
    mode: Mode,
    object: &str,
    values: (i64, i64),
) -> RecordedEvent {
    event.accesses.push(RecordedAccess {
        object: object.to_owned(),
        mode,
        read: values.0,
        written: values.1,
    });
    event
}

pub fn last(mut event: RecordedEvent) -> RecordedEvent {
    event.ends_task = true;
    event
}

pub fn assertion(message: &str) -> Fault {
    Fault::new(FailureKind::Assertion, message, Some("lost.ed:9:12".to_owned()))
}

/// Two threads lose an update; `finally` sees it.
pub fn lost_update() -> Recording {
    let plain = |name| thread(name, 3, Action::Plain);
    Recording {
        events: vec![
            touching(plain("left"), Mode::Read, "x", (0, 0)),
            touching(plain("right"), Mode::Read, "x", (0, 0)),
            last(touching(plain("left"), Mode::Write, "x", (0, 1))),
            last(touching(plain("right"), Mode::Write, "x", (0, 1))),
        ],
        ending: Some(Ending::Complete),
        variables: vec![Variable { name: "x".to_owned(), initial: Some(0) }],
        final_faults: vec![assertion("x == 2 is false")],
        ..Recording::default()
    }
}

/// A message fails in the middle of an execution.
pub fn failing_message() -> Recording {
    let post = Action::Post { message: "first(0)".to_owned(), handler: "h".to_owned() };
    let mut check = touching(message("h", "first(0)", 7, Action::Plain), Mode::Read, "x", (3, 0));
    check.faults.push(assertion("x == 0 is false, \"<b>no & never</b>\""));
    Recording {
        events: vec![
            last(thread("poster[0]", 4, post)),
            message("h", "first(0)", 6, Action::Start),
            touching(thread("other", 5, Action::Plain), Mode::Update, "x", (0, 3)),
            check,
        ],
        variables: vec![Variable { name: "x".to_owned(), initial: Some(0) }],
        ..Recording::default()
    }
}

/// Two threads take two locks in opposite orders.
pub fn deadlock() -> Recording {
    let waiting = vec![
        "left waits for lock b, held by right".to_owned(),
        "right waits for lock a, held by left".to_owned(),
    ];
    let lock = |name, object| touching(thread(name, 3, Action::Plain), Mode::Lock, object, (0, 0));
    Recording {
        events: vec![lock("left", "a"), lock("right", "b")],
        ending: Some(Ending::Deadlocked),
        final_faults: vec![Fault::new(
            FailureKind::Deadlock,
            format!("deadlock: {}", waiting.join("; ")),
            None,
        )],
        waiting,
        ..Recording::default()
    }
}

pub fn subject() -> Subject {
    Subject {
        program: "lost".to_owned(),
        params: vec![("n".to_owned(), 3), ("a".to_owned(), -1)],
        mailbox: Mailbox::Multiset,
    }
}

pub fn failure() -> Failure {
    let step = |task: &str, choice| Move { task: task.to_owned(), choice };
    Failure {
        kind: FailureKind::Assertion,
        message: "x == 2 is false".to_owned(),
        location: Some("lost.ed:9:12".to_owned()),
        schedule: Schedule { moves: vec![step("left", 0), step("right", 2), step("left.1", 0)] },
    }
}

pub fn config() -> Config {
    Config::new(Algorithm::Event)
}

pub fn outcome(failures: Vec<Failure>, complete: bool) -> Outcome {
    Outcome {
        statistics: Statistics {
            executions: 90,
            transitions: 1234,
            elapsed: Duration::from_millis(4),
            ..Statistics::default()
        },
        complete,
        failures,
        classes: None,
        cut: None,
        out_of_memory: false,
        given_up: Vec::new(),
    }
}
