//! What an event did, in a few words.

use mazurka_engine::{Action, Fault, Mode, RecordedAccess, RecordedEvent, Recording};

/// `post first(0) to h`, `read x = 0`, `x: 0 -> 1`, …; several things in one event are listed in order.
pub(crate) fn event(event: &RecordedEvent) -> String {
    event_with(event, &|_| true)
}

/// The same for an event of a recording, with values only where they mean something.
pub(crate) fn event_of(event: &RecordedEvent, recording: &Recording) -> String {
    event_with(event, &|object| recording.variables.iter().any(|it| it.name == object))
}

/// The same, with values only of the objects that have some.
pub(crate) fn event_with(event: &RecordedEvent, has_value: &dyn Fn(&str) -> bool) -> String {
    let words = briefly(event, has_value);
    match remark(event).1 {
        Some(why) => format!("{words}: {why}"),
        None => words,
    }
}

/// The same without why it read what it read.
pub(crate) fn briefly(event: &RecordedEvent, has_value: &dyn Fn(&str) -> bool) -> String {
    let accesses = event.accesses.iter().map(|access| match has_value(&access.object) {
        true => with_value(access),
        false => without_value(access),
    });
    let deeds: Vec<String> = match &event.words {
        Some(words) => vec![words.clone()],
        None => accesses.collect(),
    };
    let mut parts: Vec<String> = action(event).into_iter().chain(deeds).collect();
    let (order, _) = remark(event);
    let words = match parts.len() {
        0 if order.is_some() => return order.unwrap_or_default().to_owned(),
        0 => "step".to_owned(),
        1 => parts.remove(0),
        _ => format!("atomic {{ {} }}", parts.join("; ")),
    };
    match order {
        Some(order) => format!("{words}, {order}"),
        None => words,
    }
}

/// The ordering of an event, and why it read what it read.
pub(crate) fn remark(event: &RecordedEvent) -> (Option<&str>, Option<&str>) {
    let remark = event.remark.as_deref();
    match remark.and_then(|remark| remark.split_once(": ")) {
        Some((order, why)) => (Some(order), Some(why)),
        None => (remark, None),
    }
}

fn action(event: &RecordedEvent) -> Option<String> {
    match &event.action {
        Action::Plain => None,
        Action::Start => Some(format!("start {}", event.task)),
        Action::Post { message, handler } => Some(format!("post {message} to {handler}")),
        Action::Fork(thread) => Some(format!("fork {thread}")),
        Action::Join(task) => Some(format!("join {task}")),
        Action::Choose(alternative) => Some(format!("choose {alternative}")),
    }
}

fn without_value(access: &RecordedAccess) -> String {
    match access.mode {
        Mode::Read => format!("read {}", access.object),
        Mode::Write => format!("write {}", access.object),
        Mode::Update => format!("update {}", access.object),
        _ => with_value(access),
    }
}

fn with_value(access: &RecordedAccess) -> String {
    let RecordedAccess { object, mode, read, written } = access;
    match mode {
        Mode::Read => format!("read {object} = {read}"),
        Mode::Write => format!("{object} = {written}"),
        Mode::Update => format!("{object}: {read} -> {written}"),
        Mode::Lock => format!("lock {object}"),
        Mode::Unlock => format!("unlock {object}"),
        Mode::LockShared => format!("lock {object} (shared)"),
        Mode::UnlockShared => format!("unlock {object} (shared)"),
        Mode::Signal => format!("signal {object}"),
        Mode::Wait => format!("wait {object}"),
    }
}

/// A move that could be made: who, what it would do, and where.
pub fn offer(event: &RecordedEvent) -> String {
    let who = match (event.on_handler, &event.action) {
        (true, Action::Start) => event.column.clone(),
        (true, _) => format!("{}: {}", event.column, event.task),
        (false, _) => event.task.clone(),
    };
    let place = event.location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    format!("{who}: {}{place}", self::event(event))
}

/// Is it about who runs rather than about data?
pub(crate) fn is_control(event: &RecordedEvent) -> bool {
    !matches!(event.action, Action::Plain)
}

/// A failure in one line, its kind first.
pub(crate) fn fault(fault: &Fault) -> String {
    headline(fault.kind.name(), &fault.message)
}

/// `kind: message`, unless the message says the kind itself.
pub fn headline(kind: &str, message: &str) -> String {
    if message.starts_with(kind) { message.to_owned() } else { format!("{kind}: {message}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(action: Action, accesses: Vec<RecordedAccess>) -> RecordedEvent {
        RecordedEvent {
            column: "h".to_owned(),
            on_handler: true,
            task: "m(1)".to_owned(),
            path: "t.1".to_owned(),
            action,
            accesses,
            words: None,
            remark: None,
            ends_task: false,
            location: None,
            faults: Vec::new(),
        }
    }

    fn touched(mode: Mode) -> RecordedAccess {
        RecordedAccess { object: "x".to_owned(), mode, read: 1, written: 2 }
    }

    #[test]
    fn every_mode_has_words() {
        let words = |mode| event(&recorded(Action::Plain, vec![touched(mode)]));
        assert_eq!(words(Mode::Read), "read x = 1");
        assert_eq!(words(Mode::Write), "x = 2");
        assert_eq!(words(Mode::Update), "x: 1 -> 2");
        assert_eq!(words(Mode::Lock), "lock x");
        assert_eq!(words(Mode::Unlock), "unlock x");
        assert_eq!(words(Mode::LockShared), "lock x (shared)");
        assert_eq!(words(Mode::UnlockShared), "unlock x (shared)");
        assert_eq!(words(Mode::Signal), "signal x");
        assert_eq!(words(Mode::Wait), "wait x");
    }

    #[test]
    fn without_a_value_only_what_was_done_is_said() {
        let words = |mode| event_with(&recorded(Action::Plain, vec![touched(mode)]), &|_| false);
        assert_eq!(words(Mode::Read), "read x");
        assert_eq!(words(Mode::Write), "write x");
        assert_eq!(words(Mode::Update), "update x");
        assert_eq!(words(Mode::Lock), "lock x");
    }

    #[test]
    fn every_action_has_words() {
        let words = |action| event(&recorded(action, Vec::new()));
        assert_eq!(words(Action::Plain), "step");
        assert_eq!(words(Action::Start), "start m(1)");
        assert_eq!(words(Action::Fork("w".to_owned())), "fork w");
        assert_eq!(words(Action::Join("w".to_owned())), "join w");
        assert_eq!(words(Action::Choose(3)), "choose 3");
        let fence = RecordedEvent {
            remark: Some("fence, SeqCst".to_owned()),
            ..recorded(Action::Plain, Vec::new())
        };
        assert_eq!(event(&fence), "fence, SeqCst");
        let post = Action::Post { message: "m(2)".to_owned(), handler: "g".to_owned() };
        assert_eq!(words(post), "post m(2) to g");
    }

    #[test]
    fn an_atomic_event_lists_its_accesses() {
        let both = vec![touched(Mode::Read), touched(Mode::Write)];
        assert_eq!(event(&recorded(Action::Plain, both)), "atomic { read x = 1; x = 2 }");
    }

    #[test]
    fn the_kind_is_not_said_twice() {
        assert_eq!(headline("deadlock", "deadlock: a waits"), "deadlock: a waits");
        assert_eq!(headline("fault", "division by zero"), "fault: division by zero");
    }
}
