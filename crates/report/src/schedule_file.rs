//! A saved schedule: what `--save-schedule` writes and `mazurka replay` reads.
//!
//! A JSON object whose `format` names its version. A reader refuses versions that it does not know.
//! Moves are strings (the task's path), or objects with the picked alternative where there was one. `events` says what each of
//! them did, so that a schedule can be followed in a program that has changed.

use crate::json::{Params, pretty};
use crate::subject::Subject;
use mazurka_engine::explain::Deed;
use mazurka_engine::{Failure, FailureKind, Fault, Mailbox, Move, Recording, Schedule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version that is written, and the only one that is read.
const FORMAT: &str = "mazurka-schedule/1";

/// The failure that a schedule leads to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExpectedFailure {
    /// Its kind, as in [`mazurka_engine::FailureKind::name`].
    pub kind: String,
    /// What is wrong, in words.
    pub message: String,
    /// `file:line:column`, if it has a place.
    pub location: Option<String>,
}

impl ExpectedFailure {
    /// Its kind, if there is one of this name.
    pub fn kind(&self) -> Option<FailureKind> {
        FailureKind::ALL.into_iter().find(|kind| kind.name() == self.kind)
    }

    /// Is it the same failure, wherever it is? Places move when a program is edited.
    pub fn is_same_but_for_place(&self, other: &ExpectedFailure) -> bool {
        self.kind == other.kind && self.message == other.message
    }
}

impl From<&Fault> for ExpectedFailure {
    fn from(fault: &Fault) -> Self {
        ExpectedFailure {
            kind: fault.kind.name().to_owned(),
            message: fault.message.clone(),
            location: fault.location.clone(),
        }
    }
}

impl From<&Failure> for ExpectedFailure {
    fn from(failure: &Failure) -> Self {
        ExpectedFailure {
            kind: failure.kind.name().to_owned(),
            message: failure.message.clone(),
            location: failure.location.clone(),
        }
    }
}

/// A schedule and what it was saved for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleFile {
    /// The name of the program.
    pub program: String,
    /// The parameters it ran with.
    pub params: BTreeMap<String, i64>,
    /// The policy of the mailboxes it ran with.
    pub mailbox: Option<Mailbox>,
    /// The loop bound it ran with.
    pub unroll: Option<u64>,
    /// The moves.
    pub schedule: Schedule,
    /// What they did when it was saved; empty if the file does not say.
    pub deeds: Vec<Deed>,
    /// What it leads to.
    pub failure: Option<ExpectedFailure>,
}

/// Why a schedule file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleFileError {
    /// Not JSON, or not an object with these fields.
    #[error("it is not a schedule: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Another version, or something else.
    #[error("its format is `{0}`; this version of mazurka reads `{FORMAT}`")]
    Format(String),
    /// No such mailbox policy.
    #[error("it names the mailbox policy `{0}`; there are `fifo` and `multiset`")]
    Mailbox(String),
}

/// A move as it is saved.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum SavedMove {
    /// There was nothing to pick, or the first alternative was picked.
    Task(String),
    /// An alternative was picked.
    Choice { task: String, choice: u32 },
}

/// The moves of a schedule as they are saved.
pub(crate) fn saved_moves(schedule: &Schedule) -> Vec<SavedMove> {
    let save = |Move { task, choice }: &Move| match choice {
        0 => SavedMove::Task(task.clone()),
        &choice => SavedMove::Choice { task: task.clone(), choice },
    };
    schedule.moves.iter().map(save).collect()
}

/// The text of a schedule file: of a failure, if it is one, with what the moves do in `recording`.
pub fn write(
    subject: &Subject,
    unroll: Option<u64>,
    schedule: &Schedule,
    failure: Option<&Failure>,
    recording: &Recording,
) -> String {
    #[derive(Serialize)]
    struct Object<'a> {
        format: &'a str,
        program: &'a str,
        params: Params<'a>,
        mailbox: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        unroll: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<ExpectedFailure>,
        schedule: Vec<SavedMove>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        events: Vec<String>,
    }
    pretty(&Object {
        format: FORMAT,
        program: &subject.program,
        params: Params(&subject.params),
        mailbox: subject.mailbox.name(),
        unroll,
        failure: failure.map(ExpectedFailure::from),
        schedule: saved_moves(schedule),
        events: recording.events.iter().map(|event| Deed::of(event).0).collect(),
    })
}

/// Reads a schedule file.
pub fn read(text: &str) -> Result<ScheduleFile, ScheduleFileError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    #[derive(Deserialize)]
    struct Object {
        #[serde(default)]
        program: String,
        #[serde(default)]
        params: BTreeMap<String, i64>,
        mailbox: Option<String>,
        unroll: Option<u64>,
        failure: Option<ExpectedFailure>,
        schedule: Vec<SavedMove>,
        #[serde(default)]
        events: Vec<String>,
    }
    let Head { format } = serde_json::from_str(text)?;
    if format != FORMAT {
        return Err(ScheduleFileError::Format(format));
    }
    let object: Object = serde_json::from_str(text)?;
    let moves = object.schedule.into_iter().map(|saved| match saved {
        SavedMove::Task(task) => Move { task, choice: 0 },
        SavedMove::Choice { task, choice } => Move { task, choice },
    });
    Ok(ScheduleFile {
        program: object.program,
        params: object.params,
        mailbox: object.mailbox.map(mailbox).transpose()?,
        unroll: object.unroll,
        failure: object.failure,
        schedule: Schedule { moves: moves.collect() },
        deeds: object.events.into_iter().map(Deed).collect(),
    })
}

fn mailbox(name: String) -> Result<Mailbox, ScheduleFileError> {
    [Mailbox::Fifo, Mailbox::Multiset]
        .into_iter()
        .find(|mailbox| mailbox.name() == name)
        .ok_or(ScheduleFileError::Mailbox(name))
}
