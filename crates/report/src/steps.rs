//! The steps of an execution as JSON. The fields are a contract, of the command and of Rust tests alike.

use crate::written::{Fields, Written};
use mazurka_engine::{Action, Fault, Mode, Move, RecordedAccess, RecordedEvent, Recording};

/// An event and its number, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a>(pub usize, pub &'a RecordedEvent);

/// All steps of an execution.
pub(crate) fn steps(recording: &Recording) -> Vec<Step<'_>> {
    recording.events.iter().enumerate().map(|(at, event)| Step(at + 1, event)).collect()
}

impl Written for Step<'_> {
    fn write(&self, out: &mut String) {
        let Step(number, event) = *self;
        let mut fields = Fields::new(out);
        fields.field("step", &number);
        fields.field("column", &event.column);
        fields.field("task", &event.task);
        fields.field("path", &event.path);
        fields.field("action", &event.action);
        fields.field("accesses", &event.accesses);
        fields.field("ends_task", &event.ends_task);
        fields.field("location", &event.location);
        fields.field("failures", &event.faults);
        if let Some(words) = &event.words {
            fields.field("words", words);
        }
        if let Some(remark) = &event.remark {
            fields.field("remark", remark);
        }
        fields.end();
    }
}

impl Written for Action {
    fn write(&self, out: &mut String) {
        let mut fields = match self {
            Action::Plain => return None::<bool>.write(out),
            Action::Start => return "start".write(out),
            _ => Fields::new(out),
        };
        match self {
            Action::Plain | Action::Start => {}
            Action::Post { message, handler } => {
                fields.field("post", message);
                fields.field("to", handler);
            }
            Action::Fork(thread) => fields.field("fork", thread),
            Action::Join(task) => fields.field("join", task),
            Action::Choose(alternative) => fields.field("choose", alternative),
        }
        fields.end();
    }
}

impl Written for RecordedAccess {
    fn write(&self, out: &mut String) {
        let RecordedAccess { object, mode, read, written } = self;
        let mut fields = Fields::new(out);
        fields.field(name(*mode), object);
        match mode {
            Mode::Read => fields.field("value", read),
            Mode::Write => fields.field("value", written),
            Mode::Update => {
                fields.field("from", read);
                fields.field("to", written);
            }
            _ => {}
        }
        fields.end();
    }
}

fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Read => "read",
        Mode::Write => "write",
        Mode::Update => "update",
        Mode::Lock => "lock",
        Mode::Unlock => "unlock",
        Mode::LockShared => "lock_shared",
        Mode::UnlockShared => "unlock_shared",
        Mode::Signal => "signal",
        Mode::Wait => "wait",
    }
}

impl Written for Fault {
    fn write(&self, out: &mut String) {
        let mut fields = Fields::new(out);
        fields.field("kind", self.kind.name());
        fields.field("message", &self.message);
        fields.field("location", &self.location);
        fields.end();
    }
}

/// The path of the task, or an object with the picked alternative where there was one.
impl Written for Move {
    fn write(&self, out: &mut String) {
        let Move { task, choice } = self;
        if *choice == 0 {
            return task.write(out);
        }
        let mut fields = Fields::new(out);
        fields.field("task", task);
        fields.field("choice", choice);
        fields.end();
    }
}
