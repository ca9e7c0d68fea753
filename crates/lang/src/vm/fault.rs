//! Run-time faults of the checked program.

use crate::arithmetic::ArithmeticError;
use crate::code::{Assertion, Look, Seen};
use crate::layout::name_of;
use crate::program::EdProgram;
use mazurka_engine::{FailureKind, Fault, Value};
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
    #[error("`choose` needs between 1 and {most} alternatives, but this is {0}", most = mazurka_engine::MOST_ALTERNATIVES)]
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

/// The failure of an assertion, with what it looked at.
#[cold]
pub(super) fn false_assertion(
    program: &EdProgram,
    registers: &[i64],
    assertion: u32,
    instruction: u32,
) -> Fault {
    let Assertion { text, looks } = &program.code.assertions[assertion as usize];
    let fault = failure(program, FailureKind::Assertion, text.clone(), instruction);
    let mut values: Vec<Value> = Vec::new();
    for Look { value, seen } in looks {
        let object = match seen {
            Seen::Local(_) => None,
            Seen::Object(object) => Some(*object),
            Seen::Element { base, offset } => match u32::try_from(registers[*offset as usize]) {
                Ok(offset) => Some(base + offset),
                // It was not read: what stands before it has decided.
                Err(_) => continue,
            },
        };
        let name = match (object, seen) {
            (None, Seen::Local(name)) => name.clone(),
            (object, _) => name_of(&program.objects, object.unwrap_or_default()),
        };
        let value = registers[*value as usize];
        let look = Value { name, value, is_shared: object.is_some() };
        if !values.contains(&look) {
            values.push(look);
        }
    }
    Fault { values, ..fault }
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
    Fault::new(kind, message, Some(program.source.place(span)))
}
