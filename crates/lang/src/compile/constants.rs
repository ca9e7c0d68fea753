//! The values of constant expressions: `param`s, array sizes, ranges and initial values.

use crate::arithmetic::{ArithmeticError, Operator, negate};
use crate::ast::{BinaryOperator, Call, Expression, ExpressionKind, Place, UnaryOperator};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What a name stands for in a constant expression, or why it stands for nothing.
pub(super) type Lookup<'a> = dyn Fn(&Place) -> Result<i64, Diagnostic> + 'a;

/// The value of an expression.
pub(super) fn evaluate(expression: &Expression, lookup: &Lookup<'_>) -> Result<i64, Diagnostic> {
    let span = expression.span;
    match &expression.kind {
        ExpressionKind::Integer(value) => Ok(*value),
        ExpressionKind::Bool(value) => Ok(i64::from(*value)),
        ExpressionKind::Place(place) => lookup(place),
        ExpressionKind::Unary(UnaryOperator::Negate, inner) => {
            checked(negate(evaluate(inner, lookup)?), span)
        }
        ExpressionKind::Unary(UnaryOperator::Not, inner) => {
            Ok(i64::from(evaluate(inner, lookup)? == 0))
        }
        ExpressionKind::Binary(operator, left, right) => {
            binary(*operator, left, right, span, lookup)
        }
        ExpressionKind::Call(call) => builtin(call, lookup),
    }
}

fn binary(
    operator: BinaryOperator,
    left: &Expression,
    right: &Expression,
    span: Span,
    lookup: &Lookup<'_>,
) -> Result<i64, Diagnostic> {
    let left = evaluate(left, lookup)?;
    match machine_operator(operator) {
        Some(operator) => checked(operator.apply(left, evaluate(right, lookup)?), span),
        None => {
            let decided = (operator == BinaryOperator::Or) == (left != 0);
            Ok(i64::from(if decided { left != 0 } else { evaluate(right, lookup)? != 0 }))
        }
    }
}

fn builtin(call: &Call, lookup: &Lookup<'_>) -> Result<i64, Diagnostic> {
    let operator = match call.name.text.as_str() {
        "min" => Operator::Min,
        "max" => Operator::Max,
        other => {
            let message = format!("`{other}` cannot be used in a constant expression");
            let help = Some(
                "constants are made of numbers, params, operators, `min` and `max`".to_owned(),
            );
            return Err(Diagnostic::new(call.name.span, message).with_help(help));
        }
    };
    let [left, right] = call.arguments.as_slice() else {
        return Err(wrong_count(&call.name.text, 2, call.arguments.len(), call.name.span));
    };
    checked(operator.apply(evaluate(left, lookup)?, evaluate(right, lookup)?), call.name.span)
}

fn checked(result: Result<i64, ArithmeticError>, span: Span) -> Result<i64, Diagnostic> {
    result.map_err(|error| Diagnostic::new(span, error.to_string()))
}

/// The error of a call with the wrong number of arguments.
pub(super) fn wrong_count(name: &str, wanted: usize, given: usize, span: Span) -> Diagnostic {
    let plural = if wanted == 1 { "" } else { "s" };
    Diagnostic::new(span, format!("`{name}` takes {wanted} argument{plural}, but {given} given"))
}

/// The machine's operation, except for those that do not always look at their right operand.
pub(super) fn machine_operator(operator: BinaryOperator) -> Option<Operator> {
    use BinaryOperator as B;
    Some(match operator {
        B::And | B::Or => return None,
        B::Equal => Operator::Equal,
        B::NotEqual => Operator::NotEqual,
        B::Less => Operator::Less,
        B::LessEqual => Operator::LessEqual,
        B::Greater => Operator::Greater,
        B::GreaterEqual => Operator::GreaterEqual,
        B::Add => Operator::Add,
        B::Subtract => Operator::Subtract,
        B::Multiply => Operator::Multiply,
        B::Divide => Operator::Divide,
        B::Remainder => Operator::Remainder,
    })
}
