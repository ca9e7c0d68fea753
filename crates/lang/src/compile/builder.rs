//! Makes the code of one routine: registers, scopes, jumps.
//!
//! Registers are a stack: locals at the bottom, what an expression needs in between on top. So the
//! registers that are alive at an instruction are those below the top, and that is all that must be kept
//! when a task waits there.

use super::invariants::{Due, Invariant};
use super::looks::Mention;
use super::symbols::Symbols;
use crate::ast::{Name, Place};
use crate::code::{Assertion, Bounds, Code, Instruction, Register, RoutineCode, Site};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// So many locals and intermediate values may be alive at once.
const MAX_REGISTERS: Register = 4096;

/// Where a statement stands; not everything may be done everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Context {
    Ordinary,
    Atomic,
    Finally,
    Invariant,
}

impl Context {
    /// Does the code only look at a state, outside of every task?
    pub(super) fn only_looks(self) -> bool {
        matches!(self, Context::Finally | Context::Invariant)
    }
}

/// The code of one routine in the making.
pub(super) struct Builder<'a> {
    pub(super) symbols: &'a Symbols,
    pub(super) code: &'a mut Code,
    pub(super) errors: &'a mut Vec<Diagnostic>,
    pub(super) context: Context,
    locals: Vec<(&'a str, Register)>,
    top: Register,
    highest: Register,
    /// What gives back the locks of the `with` blocks around, innermost last: `return` does so.
    pub(super) held: Vec<Instruction>,
    /// What must always hold.
    pub(super) invariants: &'a [Invariant<'a>],
    /// The invariants that the `atomic` block in the making may have to look at when it ends.
    pub(super) due: Due,
    /// Where that block is left with `return`.
    pub(super) returns: Vec<u32>,
    /// The shared variables that the assertion in the making mentions.
    pub(super) mentions: Vec<Mention>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        symbols: &'a Symbols,
        code: &'a mut Code,
        errors: &'a mut Vec<Diagnostic>,
        invariants: &'a [Invariant<'a>],
        context: Context,
    ) -> Self {
        Builder {
            symbols,
            code,
            errors,
            context,
            locals: Vec::new(),
            top: 0,
            highest: 0,
            held: Vec::new(),
            invariants,
            due: Due::default(),
            returns: Vec::new(),
            mentions: Vec::new(),
        }
    }

    /// Enters a routine with these parameters; a parameter without a name still has a register.
    pub(super) fn enter(
        &mut self,
        span: Span,
        parameters: impl Iterator<Item = Option<&'a str>>,
    ) -> u32 {
        for parameter in parameters {
            let register = self.allocate(span);
            self.locals.extend(parameter.map(|name| (name, register)));
        }
        self.emit(Instruction::Enter, span);
        self.here() - 1
    }

    /// Ends the routine and adds it to the program.
    pub(super) fn finish(mut self, name: &str, entry: u32, parameters: usize, span: Span) {
        self.emit(Instruction::End, span);
        let routine = RoutineCode {
            name: name.to_owned(),
            entry,
            parameters: parameters as u16,
            registers: self.highest,
        };
        self.code.routines.push(routine);
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(span, message));
    }

    /// The number of the next instruction.
    pub(super) fn here(&self) -> u32 {
        self.code.instructions.len() as u32
    }

    pub(super) fn emit(&mut self, instruction: Instruction, span: Span) -> u32 {
        let number = self.here();
        self.code.instructions.push(instruction);
        self.code.sites.push(Site { span, live: self.top });
        number
    }

    /// Lets a jump that was made before its aim was known go to the next instruction.
    pub(super) fn land(&mut self, jump: u32) {
        use Instruction::{ForEnter, Jump, JumpIfNotZero, JumpIfZero};
        let here = self.here();
        match &mut self.code.instructions[jump as usize] {
            Jump { to }
            | JumpIfZero { to, .. }
            | JumpIfNotZero { to, .. }
            | ForEnter { exit: to, .. } => *to = here,
            other => unreachable!("{other:?} is not a forward jump"),
        }
    }

    pub(super) fn allocate(&mut self, span: Span) -> Register {
        if self.top == MAX_REGISTERS {
            self.error(
                span,
                format!("more than {MAX_REGISTERS} locals and intermediate values are alive here"),
            );
            self.top = 0;
        }
        self.top += 1;
        self.highest = self.highest.max(self.top);
        self.top - 1
    }

    /// What [`Builder::release`] goes back to.
    pub(super) fn mark(&self) -> Register {
        self.top
    }

    /// Gives back all registers that were allocated since `mark`.
    pub(super) fn release(&mut self, mark: Register) {
        self.top = mark;
    }

    /// Runs `inside` in a scope of its own.
    pub(super) fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        let (mark, locals) = (self.mark(), self.locals.len());
        inside(self);
        self.locals.truncate(locals);
        self.release(mark);
    }

    /// Runs `inside` where no local hides what is declared.
    pub(super) fn without_locals(&mut self, inside: impl FnOnce(&mut Self)) {
        let locals = std::mem::take(&mut self.locals);
        let mark = self.mark();
        inside(self);
        self.release(mark);
        self.locals = locals;
    }

    /// Gives a register a name, until the scope ends.
    pub(super) fn bind(&mut self, name: &'a Name, register: Register) {
        self.locals.push((&name.text, register));
    }

    /// The register of a local.
    pub(super) fn local(&self, name: &str) -> Option<Register> {
        self.locals.iter().rev().find(|(local, _)| *local == name).map(|(_, register)| *register)
    }

    /// The names of the locals, for suggestions.
    pub(super) fn local_names(&self) -> Vec<&'a str> {
        self.locals.iter().map(|(name, _)| *name).collect()
    }

    /// A number for an assertion.
    pub(super) fn assertion(&mut self, assertion: Assertion) -> u32 {
        self.code.assertions.push(assertion);
        self.code.assertions.len() as u32 - 1
    }

    /// A number for the bounds of a dimension.
    pub(super) fn bounds(&mut self, bounds: Bounds) -> u32 {
        let known = self.code.bounds.iter().rev().take(8).position(|other| *other == bounds);
        match known {
            Some(back) => (self.code.bounds.len() - 1 - back) as u32,
            None => {
                self.code.bounds.push(bounds);
                self.code.bounds.len() as u32 - 1
            }
        }
    }
}

/// From the name to the last index.
pub(super) fn place_span(place: &Place) -> Span {
    match place.indices.last() {
        // The closing bracket belongs to the place too.
        Some(index) => {
            let end = index.span.end.max(place.name.span.end);
            place.name.span.to(Span { start: place.name.span.start, end: end + 1 })
        }
        None => place.name.span,
    }
}
