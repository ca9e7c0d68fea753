//! The code of expressions. Every mention of a shared variable is one read, from left to right.

use super::builder::{Builder, Context, place_span};
use super::constants::{evaluate, machine_operator, wrong_count};
use super::symbols::{Kind, wrong_name};
use crate::arithmetic::Operator;
use crate::ast::{BinaryOperator, Call, Expression, ExpressionKind, Place, UnaryOperator};
use crate::code::{Bounds, Instruction, NO_INDEX, Register, Target};
use crate::diagnostic::{Diagnostic, suggest};
use crate::forms::{FormKind, form_of, listed, words};
use crate::layout::Array;
use crate::source::Span;

impl<'a> Builder<'a> {
    /// The register that holds the value of an expression: a local's own, or a new one.
    pub(super) fn operand(&mut self, expression: &'a Expression) -> Register {
        if let ExpressionKind::Place(place) = &expression.kind
            && place.indices.is_empty()
            && let Some(register) = self.local(&place.name.text)
        {
            return register;
        }
        let register = self.allocate(expression.span);
        self.value_into(expression, register);
        register
    }

    /// Puts the value of an expression into a register. The register is written last, so it may be used in
    /// the expression; everything else that the expression needed is given back.
    pub(super) fn value_into(&mut self, expression: &'a Expression, to: Register) {
        let mark = self.mark();
        let span = expression.span;
        match &expression.kind {
            _ if self.folded(expression).is_some() => {
                let value = self.folded(expression).unwrap_or_default();
                self.emit(Instruction::Constant { to, value }, span);
            }
            ExpressionKind::Integer(value) => {
                self.emit(Instruction::Constant { to, value: *value }, span);
            }
            ExpressionKind::Bool(value) => {
                self.emit(Instruction::Constant { to, value: i64::from(*value) }, span);
            }
            ExpressionKind::Place(place) => self.read(place, to),
            ExpressionKind::Unary(operator, inner) => {
                let from = self.operand(inner);
                let instruction = match operator {
                    UnaryOperator::Negate => Instruction::Negate { to, from },
                    UnaryOperator::Not => Instruction::Not { to, from },
                };
                self.emit(instruction, span);
            }
            ExpressionKind::Binary(operator, left, right) => {
                self.binary(*operator, left, right, to, span)
            }
            ExpressionKind::Call(call) => self.call(call, to, span),
        }
        self.release(mark);
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &'a Expression,
        right: &'a Expression,
        to: Register,
        span: Span,
    ) {
        if let Some(operator) = machine_operator(operator) {
            let left = self.operand(left);
            let right = self.operand(right);
            self.emit(Instruction::Binary { operator, to, left, right }, span);
            return;
        }
        let condition = self.allocate(span);
        self.value_into(left, condition);
        let decided = match operator {
            BinaryOperator::Or => Instruction::JumpIfNotZero { condition, to: 0 },
            _ => Instruction::JumpIfZero { condition, to: 0 },
        };
        let decided = self.emit(decided, span);
        self.value_into(right, condition);
        self.land(decided);
        self.emit(Instruction::Truth { to, from: condition }, span);
    }

    fn read(&mut self, place: &'a Place, to: Register) {
        let name = &place.name;
        if let Some(from) = self.local(&name.text) {
            self.no_indices(place);
            self.emit(Instruction::Copy { to, from }, name.span);
        } else if let Some(value) = self.symbols.param(&name.text) {
            self.no_indices(place);
            self.emit(Instruction::Constant { to, value }, name.span);
        } else {
            let kinds = [Kind::Variable, Kind::Param];
            if let Some(target) = self.target_among(place, Kind::Variable, "variable", &kinds) {
                self.emit(Instruction::Read { to, target }, place_span(place));
                self.keep_look(place, target, to);
            }
        }
    }

    pub(super) fn no_indices(&mut self, place: &Place) {
        if !place.indices.is_empty() {
            self.error(place_span(place), format!("`{}` is not an array", place.name.text));
        }
    }

    /// The shared variable, lock, handler or thread that a place means. Indices that are not constant
    /// are computed by the code made here; the register with the result stays allocated.
    pub(super) fn target(&mut self, place: &'a Place, kind: Kind) -> Option<Target> {
        self.target_among(place, kind, kind.describe(), &[kind])
    }

    fn target_among(
        &mut self,
        place: &'a Place,
        kind: Kind,
        wanted: &str,
        kinds: &[Kind],
    ) -> Option<Target> {
        let symbols = self.symbols;
        let Some(array) = symbols.array(kind, &place.name.text) else {
            let locals = if kind == Kind::Variable { self.local_names() } else { Vec::new() };
            let error = wrong_name(symbols, &place.name, wanted, kinds, &locals);
            self.errors.push(error);
            return None;
        };
        if array.extents.len() != place.indices.len() {
            self.wrong_indices(place, array);
            return None;
        }
        let constant: Option<Vec<i64>> =
            place.indices.iter().map(|index| self.folded(index)).collect();
        if let Some(offset) = constant.and_then(|indices| array.offset(&indices)) {
            return Some(Target { base: array.base + offset, index: NO_INDEX });
        }
        let index = self.index(place, array);
        Some(Target { base: array.base, index })
    }

    fn wrong_indices(&mut self, place: &Place, array: &Array) {
        let count = |number: usize| match number {
            0 => "no index".to_owned(),
            1 => "1 index".to_owned(),
            number => format!("{number} indices"),
        };
        let (wanted, given) = (count(array.extents.len()), count(place.indices.len()));
        self.error(
            place_span(place),
            format!("`{}` takes {wanted}, but {given} given", array.name),
        );
    }

    fn index(&mut self, place: &'a Place, array: &Array) -> Register {
        let to = self.allocate(place.name.span);
        for (position, (index, extent)) in place.indices.iter().zip(&array.extents).enumerate() {
            let mark = self.mark();
            let from = self.operand(index);
            let bounds =
                Bounds { low: extent.low, size: i64::from(extent.size), name: array.name.clone() };
            let bounds = self.bounds(bounds);
            let instruction = match position {
                0 => Instruction::FirstIndex { to, from, bounds },
                _ => Instruction::NextIndex { to, from, bounds },
            };
            self.emit(instruction, index.span);
            self.release(mark);
        }
        to
    }

    /// The value of an expression of numbers and params, if it has one. What would be a fault is left to happen
    /// at run time, where and if it happens.
    pub(super) fn folded(&self, expression: &Expression) -> Option<i64> {
        let not_constant = |place: &Place| Diagnostic::new(place.name.span, "");
        evaluate(expression, &|place| match self.local(&place.name.text) {
            None if place.indices.is_empty() => {
                self.symbols.param(&place.name.text).ok_or_else(|| not_constant(place))
            }
            _ => Err(not_constant(place)),
        })
        .ok()
    }

    fn call(&mut self, call: &'a Call, to: Register, span: Span) {
        let name = call.name.text.as_str();
        let wanted = match name {
            "min" | "max" | "fetch_add" | "swap" => 2,
            "cas" => 3,
            "try_lock" | "try_lock_shared" | "try_acquire" | "choose" => 1,
            _ => return self.unknown_function(call),
        };
        if call.arguments.len() != wanted {
            let help = form_of(name).map(|form| format!("`{}`: {}", form.syntax, form.meaning));
            let error = wrong_count(name, wanted, call.arguments.len(), span);
            self.errors.push(error.with_help(help));
            return;
        }
        match name {
            "min" => self.pair(Operator::Min, call, to, span),
            "max" => self.pair(Operator::Max, call, to, span),
            "try_lock" | "try_lock_shared" | "try_acquire" => self.attempt(call, to, span),
            "choose" => self.choose(call, to, span),
            _ => self.atomic_operation(call, to, span),
        }
    }

    fn unknown_function(&mut self, call: &Call) {
        let name = &call.name;
        let (message, help) = match self.symbols.other_kind(&name.text) {
            Some(Kind::Message) => {
                ("is a message, not a function", Some("messages are posted: `post … to …`".into()))
            }
            Some(Kind::Task) => {
                ("is a task, not a function", Some("tasks are started: `fork …`".into()))
            }
            _ => {
                let help = function_of_another_language(&name.text)
                    .or_else(|| suggest(&name.text, words(FormKind::Function)))
                    .or_else(|| Some(format!("the functions are {}", listed(FormKind::Function))));
                ("is not a function", help)
            }
        };
        self.errors
            .push(Diagnostic::new(name.span, format!("`{}` {message}", name.text)).with_help(help));
    }

    fn pair(&mut self, operator: Operator, call: &'a Call, to: Register, span: Span) {
        let left = self.operand(&call.arguments[0]);
        let right = self.operand(&call.arguments[1]);
        self.emit(Instruction::Binary { operator, to, left, right }, span);
    }

    /// `try_lock(m)` and the like: an event of its own that never waits.
    fn attempt(&mut self, call: &'a Call, to: Register, span: Span) {
        if !self.is_own_event(call, span) {
            return;
        }
        let name = call.name.text.as_str();
        let ExpressionKind::Place(place) = &call.arguments[0].kind else {
            let wanted = if name == "try_acquire" { "semaphore" } else { "lock" };
            let message = format!("the argument of `{name}` must be a {wanted}");
            self.error(call.arguments[0].span, message);
            return;
        };
        let kind = match name {
            "try_lock" => self.lock_kind(place),
            "try_lock_shared" => Kind::ReadWriteLock,
            _ => Kind::Semaphore,
        };
        let Some(target) = self.target(place, kind) else {
            return;
        };
        let instruction = match name {
            "try_lock" => Instruction::TryLock { shared: false, to, target },
            "try_lock_shared" => Instruction::TryLock { shared: true, to, target },
            _ => Instruction::TryAcquire { to, target },
        };
        self.emit(instruction, span);
    }

    fn choose(&mut self, call: &'a Call, to: Register, span: Span) {
        if self.is_own_event(call, span) {
            let count = self.operand(&call.arguments[0]);
            self.emit(Instruction::Choose { to, count }, span);
        }
    }

    /// May an event of its own stand here? Says so if not.
    fn is_own_event(&mut self, call: &Call, span: Span) -> bool {
        let name = &call.name.text;
        let (message, help) = match self.context {
            Context::Ordinary => return true,
            Context::Atomic => (
                format!("`{name}` cannot stand inside `atomic`"),
                "an atomic block is one event: it reads, writes and computes",
            ),
            Context::Finally => (
                format!("`{name}` cannot stand in `finally`"),
                "`finally` only looks at the final state",
            ),
            Context::Invariant => (
                format!("`{name}` cannot stand in an `invariant`"),
                "an `invariant` only looks at variables",
            ),
        };
        self.errors.push(Diagnostic::new(span, message).with_help(Some(help.to_owned())));
        false
    }

    fn atomic_operation(&mut self, call: &'a Call, to: Register, span: Span) {
        if self.context.only_looks() {
            let who = if self.context == Context::Finally { "`finally`" } else { "an `invariant`" };
            self.error(span, format!("`{}` writes, which {who} cannot do", call.name.text));
            return;
        }
        let ExpressionKind::Place(place) = &call.arguments[0].kind else {
            let message =
                format!("the first argument of `{}` must be a shared variable", call.name.text);
            self.error(call.arguments[0].span, message);
            return;
        };
        if self.local(&place.name.text).is_some() {
            let message = format!("`{}` is a local, not a shared variable", place.name.text);
            self.error(place.name.span, message);
            return;
        }
        let Some(target) = self.target(place, Kind::Variable) else {
            return;
        };
        let from = self.operand(&call.arguments[1]);
        let instruction = match call.name.text.as_str() {
            "fetch_add" => Instruction::Update { subtract: false, to, from, target },
            "swap" => Instruction::Swap { to, from, target },
            _ => {
                let new = self.operand(&call.arguments[2]);
                Instruction::CompareAndSwap { to, old: from, new, target }
            }
        };
        self.emit_write(&place.name.text, instruction, span);
    }
}

/// What is written instead of a function of another language.
fn function_of_another_language(name: &str) -> Option<String> {
    let advice = match name {
        "random" | "rand" | "nondet" | "any" | "oneof" | "pick" => {
            "`choose(n)` is any number from 0 to n - 1: all of them are explored"
        }
        "compare_exchange" | "compare_and_swap" | "CAS" | "compareAndSet" => {
            "it is `cas(x, old, new)`"
        }
        "exchange" | "xchg" | "getAndSet" => "it is `swap(x, e)`",
        "increment" | "inc" | "fetch_sub" | "getAndAdd" | "faa" => "it is `fetch_add(x, e)`",
        "len" | "length" | "size" => {
            "the length of an array is a constant: `param n = 3;  var a[n];`"
        }
        "abs" => "`max(x, -x)`",
        _ => return None,
    };
    Some(advice.to_owned())
}
