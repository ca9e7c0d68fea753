//! `invariant e;`: what must hold at the beginning and after every event.
//!
//! An event that writes a variable of an invariant looks at the invariant in the same event, as if `atomic { x = 1; assert e; }` were written
//! there. So what it reads for that is part of the event, two events that write variables of one invariant conflict, and no
//! algorithm has to know of invariants. An `atomic` block looks when it ends.

use super::builder::{Builder, Context};
use crate::arithmetic::Operator;
use crate::ast::{BinaryOperator, Expression, ExpressionKind, Item, Program};
use crate::code::{Instruction, Register};
use crate::source::Span;

/// What must always hold.
pub(super) struct Invariant<'a> {
    condition: &'a Expression,
    text: Option<&'a str>,
    pub(super) span: Span,
    /// The names of the variables that it mentions.
    variables: Vec<&'a str>,
    /// Does what it reads depend on what it has read?
    data_dependent: bool,
}

/// The invariants of a program.
pub(super) fn all_of(program: &Program) -> Vec<Invariant<'_>> {
    let invariant = |item| match item {
        &Item::Invariant { ref condition, ref text, span } => {
            let mut mentions = Mentions::default();
            mentions.collect(condition);
            Some(Invariant {
                condition,
                text: text.as_deref(),
                span,
                variables: mentions.names,
                data_dependent: mentions.data_dependent,
            })
        }
        _ => None,
    };
    program.items.iter().filter_map(invariant).collect()
}

/// What an expression mentions.
#[derive(Default)]
struct Mentions<'a> {
    names: Vec<&'a str>,
    /// Does what is read depend on what has been read?
    data_dependent: bool,
}

impl<'a> Mentions<'a> {
    fn collect(&mut self, expression: &'a Expression) {
        match &expression.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Bool(_) => {}
            ExpressionKind::Place(place) => {
                self.names.push(&place.name.text);
                self.data_dependent |= !place.indices.is_empty();
                place.indices.iter().for_each(|index| self.collect(index));
            }
            ExpressionKind::Unary(_, inner) => self.collect(inner),
            ExpressionKind::Binary(operator, left, right) => {
                self.data_dependent |= matches!(operator, BinaryOperator::And | BinaryOperator::Or);
                self.collect(left);
                self.collect(right);
            }
            ExpressionKind::Call(call) => {
                call.arguments.iter().for_each(|argument| self.collect(argument));
            }
        }
    }
}

/// What an `atomic` block has to look at when it ends.
#[derive(Default)]
pub(super) struct Due {
    /// The invariants whose variables it writes somewhere.
    invariants: Vec<usize>,
    /// The first of the registers that say, for each invariant, whether that has happened.
    written: Register,
    /// Does that depend on what is read?
    on_condition: bool,
}

impl Due {
    /// Does what is looked at depend on what is read?
    pub(super) fn is_data_dependent(&self, invariants: &[Invariant<'_>]) -> bool {
        self.on_condition || self.invariants.iter().any(|&it| invariants[it].data_dependent)
    }
}

impl<'a> Builder<'a> {
    /// A write of a variable, and a look at its invariants in the same event.
    pub(super) fn emit_write(&mut self, variable: &str, write: Instruction, span: Span) {
        let concerns = |&at: &usize| self.invariants[at].variables.contains(&variable);
        let invariants: Vec<usize> = (0..self.invariants.len()).filter(concerns).collect();
        // A `cas` says whether it has written.
        let outcome = match write {
            Instruction::CompareAndSwap { to, .. } => Some(to),
            _ => None,
        };
        if invariants.is_empty() {
            self.emit(write, span);
        } else if self.context == Context::Atomic {
            self.emit(write, span);
            self.put_off(&invariants, outcome, span);
        } else {
            let on_condition = outcome.is_some();
            let due = Due { invariants, written: 0, on_condition };
            let data_dependent = due.is_data_dependent(self.invariants);
            self.emit(Instruction::Atomic { data_dependent }, span);
            self.emit(write, span);
            let skip = outcome
                .map(|condition| self.emit(Instruction::JumpIfZero { condition, to: 0 }, span));
            due.invariants.iter().for_each(|&number| self.check_invariant(number));
            if let Some(skip) = skip {
                self.land(skip);
            }
            self.emit(Instruction::AtomicEnd, span);
        }
    }

    /// Begins an `atomic` block, which has not written anything.
    pub(super) fn begin_due(&mut self, span: Span) {
        self.due = Due { written: self.mark(), ..Due::default() };
        for _ in 0..self.invariants.len() {
            let to = self.allocate(span);
            self.emit(Instruction::Constant { to, value: 0 }, span);
        }
    }

    /// Remembers that these are to be looked at when the `atomic` block ends.
    fn put_off(&mut self, invariants: &[usize], outcome: Option<Register>, span: Span) {
        for &number in invariants {
            let to = self.due.written + number as Register;
            self.emit(
                match outcome {
                    None => Instruction::Constant { to, value: 1 },
                    Some(right) => {
                        Instruction::Binary { operator: Operator::Max, to, left: to, right }
                    }
                },
                span,
            );
            self.due.on_condition |= outcome.is_some();
            if !self.due.invariants.contains(&number) {
                self.due.invariants.push(number);
            }
        }
    }

    /// Looks at what an `atomic` block has put off, and ends it.
    pub(super) fn end_atomic(&mut self, due: &Due, span: Span) {
        for &number in &due.invariants {
            let condition = due.written + number as Register;
            let skip = self.emit(Instruction::JumpIfZero { condition, to: 0 }, span);
            self.check_invariant(number);
            self.land(skip);
        }
        self.emit(Instruction::AtomicEnd, span);
    }

    /// Looks whether an invariant holds.
    pub(super) fn check_invariant(&mut self, number: usize) {
        let invariants = self.invariants;
        let Invariant { condition, text, span, .. } = &invariants[number];
        let text = text.map_or_else(|| format!("invariant `{condition}` broken"), str::to_owned);
        // What is wrong with it is said once, where it is compiled by itself.
        let errors = self.errors.len();
        self.without_locals(|builder| builder.assert(condition, Some(&text), *span));
        if self.context != Context::Invariant {
            self.errors.truncate(errors);
        }
    }
}
