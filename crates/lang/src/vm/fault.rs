//! Run-time faults of the checked program.

use crate::arithmetic::ArithmeticError;
use crate::program::EdProgram;
use mazurka_engine::{FailureKind, Fault};
use thiserror::Error;

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum RuntimeError {
    #[error(transparent)]
    Arithmetic(#[from] ArithmeticError),
    #[error("index {index} of `{name}` is out of range {low}..{high}")]
    Index { name: String, index: i64, low: i64, high: i64 },
    #[error("`unlock {0}`, but this task does not hold `{0}`")]
    NotHeld(String),
    #[error("`unlock_shared {0}`, but this task does not hold `{0}` for reading")]
    NotHeldShared(String),
    #[error("`choose` needs between 1 and 4294967295 alternatives, but this is {0}")]
    NothingToChoose(i64),
    #[error("{0} is not the handle of a thread")]
    NotAHandle(i64),
    #[error("this `while` never ends: nothing that it reads can change")]
    EndlessLoop,
    #[error("a `while` in `finally` ran more than {0} times")]
    EndlessFinally(i64),
}

impl RuntimeError {
    /// The failure to report, at this instruction.
    #[cold]
    pub(super) fn at(&self, program: &EdProgram, instruction: u32) -> Fault {
        failure(program, FailureKind::Fault, self.to_string(), instruction)
    }
}

/// A failure at an instruction.
#[cold]
pub(super) fn failure(
    program: &EdProgram,
    kind: FailureKind,
    message: String,
    instruction: u32,
) -> Fault {
    let span = program.code.sites[instruction as usize].span;
    Fault { kind, message, location: Some(program.source.place(span)) }
}
