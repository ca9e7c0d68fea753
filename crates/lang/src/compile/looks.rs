//! What an assertion looks at is kept until it is decided, so that a failure can say it.

use super::builder::Builder;
use super::symbols::Kind;
use crate::ast::{BinaryOperator, Expression, ExpressionKind, Place};
use crate::code::{Instruction, Look, NO_INDEX, Register, Seen, Target};
use crate::source::Span;

/// A mention of a shared variable in an assertion, and where what was read is kept.
pub(super) struct Mention {
    /// Where its name stands.
    span: Span,
    value: Register,
    /// Where its distance from the first element is kept, if it is not known or it may not be read at all: -1 before.
    offset: Option<Register>,
}

impl<'a> Builder<'a> {
    /// Reserves registers for what an expression reads. [`Builder::keep_look`] fills them.
    pub(super) fn looks_of(&mut self, expression: &'a Expression) -> Vec<Look> {
        let mut looks = Vec::new();
        self.find_looks(expression, false, &mut looks);
        looks
    }

    fn find_looks(&mut self, expression: &'a Expression, may_skip: bool, looks: &mut Vec<Look>) {
        match &expression.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Bool(_) => {}
            ExpressionKind::Place(place) => {
                place.indices.iter().for_each(|index| self.find_looks(index, may_skip, looks));
                self.look(place, may_skip, looks);
            }
            ExpressionKind::Unary(_, inner) => self.find_looks(inner, may_skip, looks),
            ExpressionKind::Binary(operator, left, right) => {
                let decides = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
                self.find_looks(left, may_skip, looks);
                self.find_looks(right, may_skip || decides, looks);
            }
            ExpressionKind::Call(call) => {
                // The others work on their first argument without reading it.
                let computes = matches!(call.name.text.as_str(), "min" | "max" | "choose");
                for argument in call.arguments.iter().skip(usize::from(!computes)) {
                    self.find_looks(argument, may_skip, looks);
                }
            }
        }
    }

    fn look(&mut self, place: &'a Place, may_skip: bool, looks: &mut Vec<Look>) {
        let name = &place.name.text;
        if let Some(value) = self.local(name) {
            let look = Look { value, seen: Seen::Local(name.clone()) };
            if !looks.contains(&look) {
                looks.push(look);
            }
            return;
        }
        let Some(array) = self.symbols.array(Kind::Variable, name) else { return };
        let is_constant = place.indices.iter().all(|index| self.folded(index).is_some());
        let base = array.base;
        let value = self.allocate(place.name.span);
        let offset = (may_skip || !is_constant).then(|| self.allocate(place.name.span));
        if let Some(to) = offset {
            self.emit(Instruction::Constant { to, value: -1 }, place.name.span);
        }
        self.mentions.push(Mention { span: place.name.span, value, offset });
        let seen = match (offset, place.indices.is_empty()) {
            (None, true) => Seen::Object(base),
            (None, false) => {
                let indices: Vec<i64> =
                    place.indices.iter().filter_map(|index| self.folded(index)).collect();
                let array = self.symbols.array(Kind::Variable, name);
                let Some(offset) = array.and_then(|array| array.offset(&indices)) else { return };
                Seen::Object(base + offset)
            }
            (Some(offset), _) => Seen::Element { base, offset },
        };
        looks.push(Look { value, seen });
    }

    /// Keeps what has just been read into `from`, if an assertion mentions it here.
    pub(super) fn keep_look(&mut self, place: &Place, target: Target, from: Register) {
        let span = place.name.span;
        let Some(mention) = self.mentions.iter().find(|mention| mention.span == span) else {
            return;
        };
        let (value, offset) = (mention.value, mention.offset);
        self.emit(Instruction::Copy { to: value, from }, span);
        let Some(to) = offset else { return };
        if target.index == NO_INDEX {
            let array = self.symbols.array(Kind::Variable, &place.name.text);
            let base = array.map_or(target.base, |array| array.base);
            let value = i64::from(target.base - base);
            self.emit(Instruction::Constant { to, value }, span);
        } else {
            self.emit(Instruction::Copy { to, from: target.index }, span);
        }
    }
}
