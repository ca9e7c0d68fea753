//! Which values flow where inside an `atomic` block: does what the block accesses depend on what it reads?
//!
//! A value that comes from a shared variable is *tainted*, and so is every local it is put into. A branch on
//! a tainted value, or an index made of one, makes the block data dependent. The analysis goes by
//! names and may say yes too often, never too rarely.

use super::builder::Builder;
use super::symbols::Kind;
use crate::ast::{
    BinaryOperator, Block, Expression, ExpressionKind, Name, Place, Statement, StatementKind, Value,
};
use rustc_hash::FxHashSet;

/// Does a block assign to a local of this name, or to one that hides it?
pub(super) fn assigns(block: &Block, name: &str) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assign { target, .. } => target.name.text == name,
        _ => inner_blocks(statement).any(|block| assigns(block, name)),
    })
}

fn inner_blocks(statement: &Statement) -> impl Iterator<Item = &Block> {
    let (branches, last): (&[(Expression, Block)], Option<&Block>) = match &statement.kind {
        StatementKind::If { branches, otherwise } => (branches, otherwise.as_ref()),
        StatementKind::With { body, .. }
        | StatementKind::WithShared { body, .. }
        | StatementKind::While { body, .. }
        | StatementKind::For { body, .. }
        | StatementKind::Atomic(body)
        | StatementKind::Block(body) => (&[], Some(body)),
        _ => (&[], None),
    };
    branches.iter().map(|(_, block)| block).chain(last)
}

/// Is an `atomic` block with this body data dependent?
pub(super) fn is_data_dependent(builder: &Builder<'_>, body: &Block) -> bool {
    let mut analysis = Analysis { builder, tainted: FxHashSet::default(), dependent: false };
    loop {
        // Loops carry taint back to earlier statements: go on until nothing new is tainted.
        let before = analysis.tainted.len();
        analysis.block(body);
        if analysis.dependent || analysis.tainted.len() == before {
            return analysis.dependent;
        }
    }
}

struct Analysis<'b, 'a> {
    builder: &'b Builder<'a>,
    tainted: FxHashSet<String>,
    dependent: bool,
}

impl Analysis<'_, '_> {
    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let { name, value: Value::Expression(value) } => {
                self.assigned(name, value)
            }
            StatementKind::Assign { target, value: Value::Expression(value), .. } => {
                self.indices(target);
                self.assigned(&target.name, value);
            }
            StatementKind::Evaluate(value) | StatementKind::Assert { condition: value, .. } => {
                self.expression(value);
            }
            StatementKind::Assume(condition) | StatementKind::While { condition, .. } => {
                self.branch(condition)
            }
            StatementKind::If { branches, .. } => {
                for (condition, _) in branches {
                    self.branch(condition);
                }
            }
            StatementKind::For { from, to, .. } => {
                self.branch(from);
                self.branch(to);
            }
            _ => {}
        }
        for block in inner_blocks(statement) {
            self.block(block);
        }
    }

    fn assigned(&mut self, name: &Name, value: &Expression) {
        if self.expression(value) {
            self.tainted.insert(name.text.clone());
        }
    }

    fn branch(&mut self, condition: &Expression) {
        self.dependent |= self.expression(condition);
    }

    fn indices(&mut self, place: &Place) {
        for index in &place.indices {
            self.branch(index);
        }
    }

    /// Is the value of an expression tainted?
    fn expression(&mut self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Bool(_) => false,
            ExpressionKind::Place(place) => {
                self.indices(place);
                self.tainted.contains(&place.name.text) || self.is_shared(&place.name.text)
            }
            ExpressionKind::Unary(_, inner) => self.expression(inner),
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.expression(left);
                let right = self.expression(right);
                let short_circuit = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
                self.dependent |= short_circuit && left && right;
                left || right
            }
            ExpressionKind::Call(call) => {
                self.dependent |= call.name.text == "cas";
                let mut tainted = false;
                for argument in &call.arguments {
                    tainted |= self.expression(argument);
                }
                tainted
            }
        }
    }

    fn is_shared(&self, name: &str) -> bool {
        self.builder.local(name).is_none()
            && self.builder.symbols.array(Kind::Variable, name).is_some()
    }
}
