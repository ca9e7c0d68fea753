//! Expressions, by precedence climbing. All operators group to the left.

use super::MAX_DEPTH;
use super::guesses;
use super::input::{
    Input, Parsed, SyntaxError, accept, bump, expect, kind, look, look_text, name, nested,
    second_kind, span_from, text_of, too_deep, unexpected,
};
use crate::ast::{BinaryOperator, Call, Expression, ExpressionKind, Place, UnaryOperator};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::TokenKind;

/// An expression and the height of its tree, which everything that walks the tree recursively relies on.
struct Tree {
    expression: Expression,
    height: u32,
    /// `a < b` without parentheses around it.
    bare_comparison: bool,
}

impl Tree {
    fn new(expression: Expression, height: u32) -> Tree {
        Tree { expression, height, bare_comparison: false }
    }
}

/// Any expression.
pub(super) fn expression(input: &mut Input<'_>) -> Parsed<Expression> {
    Ok(operation(input, 0)?.expression)
}

/// An operation whose operators bind more strongly than `weakest`.
fn operation(input: &mut Input<'_>, weakest: u8) -> Parsed<Tree> {
    let mut left = operand(input)?;
    while let Some(operator) = binary_operator(kind(input)).filter(|it| it.precedence() > weakest) {
        let left_is_comparison = left.bare_comparison;
        let sign = bump(input).span;
        let right = operation(input, operator.precedence())?;
        let height = checked_height(left.height.max(right.height), sign)?;
        let span = left.expression.span.to(right.expression.span);
        let kind =
            ExpressionKind::Binary(operator, Box::new(left.expression), Box::new(right.expression));
        let bare_comparison = is_comparison(operator);
        let chained = bare_comparison && left_is_comparison;
        left = Tree { expression: Expression { kind, span }, height, bare_comparison };
        if chained {
            return Err(chain(input, &left.expression));
        }
    }
    Ok(left)
}

fn is_comparison(operator: BinaryOperator) -> bool {
    use BinaryOperator::{Greater, GreaterEqual, Less, LessEqual};
    matches!(operator, Less | LessEqual | Greater | GreaterEqual)
}

/// `0 < x < 2` would compare 0 or 1 with 2, which nobody means.
fn chain(input: &Input<'_>, whole: &Expression) -> SyntaxError {
    let error = Diagnostic::new(whole.span, "comparisons cannot be chained");
    let mut help = None;
    if let ExpressionKind::Binary(second, left, right) = &whole.kind
        && let ExpressionKind::Binary(first, low, middle) = &left.kind
    {
        let [low, middle, high] = [low, middle, right].map(|it| text_of(input, it.span));
        let (first, second) = (first.sign(), second.sign());
        help = Some(format!("write `{low} {first} {middle} && {middle} {second} {high}`"));
    }
    SyntaxError::new(error.with_help(help))
}

/// One more than the height of the operands. A long chain of operators is a high tree too.
fn checked_height(below: u32, span: Span) -> Parsed<u32> {
    if below >= 2 * MAX_DEPTH { Err(too_deep(span)) } else { Ok(below + 1) }
}

fn binary_operator(kind: TokenKind) -> Option<BinaryOperator> {
    use BinaryOperator as B;
    Some(match kind {
        TokenKind::Or => B::Or,
        TokenKind::And => B::And,
        TokenKind::Equal => B::Equal,
        TokenKind::NotEqual => B::NotEqual,
        TokenKind::Less => B::Less,
        TokenKind::LessEqual => B::LessEqual,
        TokenKind::Greater => B::Greater,
        TokenKind::GreaterEqual => B::GreaterEqual,
        TokenKind::Plus => B::Add,
        TokenKind::Minus => B::Subtract,
        TokenKind::Star => B::Multiply,
        TokenKind::Slash => B::Divide,
        TokenKind::Percent => B::Remainder,
        _ => return None,
    })
}

fn operand(input: &mut Input<'_>) -> Parsed<Tree> {
    let token = look(input);
    let leaf = |kind| Ok(Tree::new(Expression { kind, span: token.span }, 1));
    match token.kind {
        TokenKind::Minus => {
            bump(input);
            negation(input, token.span)
        }
        TokenKind::Not => {
            bump(input);
            let inner = nested(input, operand)?;
            unary(UnaryOperator::Not, token.span, inner)
        }
        TokenKind::True | TokenKind::False => {
            bump(input);
            leaf(ExpressionKind::Bool(token.kind == TokenKind::True))
        }
        TokenKind::Number => {
            bump(input);
            leaf(ExpressionKind::Integer(number(input, token.span, false)?))
        }
        TokenKind::OpenParenthesis => {
            bump(input);
            let mut inner = nested(input, |input| operation(input, 0))?;
            expect(input, TokenKind::CloseParenthesis)?;
            inner.expression.span = span_from(input, token.span.start);
            inner.bare_comparison = false;
            Ok(inner)
        }
        TokenKind::Word if is_not(input) => {
            bump(input);
            let help = guesses::operator("not").map(str::to_owned);
            let error = Diagnostic::new(token.span, "there is no `not`").with_help(help);
            Err(SyntaxError::new(error))
        }
        TokenKind::Word => nested(input, place_or_call),
        _ => Err(unexpected(input, "an expression")),
    }
}

/// Is the next word a `not` in front of an operand?
fn is_not(input: &Input<'_>) -> bool {
    use TokenKind::{False, Number, True, Word};
    look_text(input) == "not" && matches!(second_kind(input), Word | Number | True | False)
}

/// After a `-`: a negative number is one number, so that the smallest one can be written.
fn negation(input: &mut Input<'_>, sign: Span) -> Parsed<Tree> {
    let token = look(input);
    if token.kind == TokenKind::Number {
        bump(input);
        let kind = ExpressionKind::Integer(number(input, token.span, true)?);
        return Ok(Tree::new(Expression { kind, span: sign.to(token.span) }, 1));
    }
    let inner = nested(input, operand)?;
    unary(UnaryOperator::Negate, sign, inner)
}

fn unary(operator: UnaryOperator, sign: Span, inner: Tree) -> Parsed<Tree> {
    let height = checked_height(inner.height, sign)?;
    let span = sign.to(inner.expression.span);
    let kind = ExpressionKind::Unary(operator, Box::new(inner.expression));
    Ok(Tree::new(Expression { kind, span }, height))
}

fn number(input: &Input<'_>, span: Span, negative: bool) -> Parsed<i64> {
    let digits: String = text_of(input, span).chars().filter(|&digit| digit != '_').collect();
    let signed = if negative { format!("-{digits}") } else { digits };
    signed.parse().map_err(|_| {
        SyntaxError::new(Diagnostic::new(span, "this number does not fit into 64 bits with a sign"))
    })
}

fn place_or_call(input: &mut Input<'_>) -> Parsed<Tree> {
    let start = look(input).span.start;
    let name = name(input, "a name")?;
    if kind(input) == TokenKind::OpenParenthesis {
        let (arguments, height) = arguments_with_height(input)?;
        let span = span_from(input, start);
        let kind = ExpressionKind::Call(Call { name, arguments });
        return Ok(Tree::new(Expression { kind, span }, checked_height(height, span)?));
    }
    let (indices, height) = indices(input)?;
    let span = span_from(input, start);
    let kind = ExpressionKind::Place(Place { name, indices });
    Ok(Tree::new(Expression { kind, span }, checked_height(height, span)?))
}

/// `(e, …)`
pub(super) fn arguments(input: &mut Input<'_>) -> Parsed<Vec<Expression>> {
    Ok(arguments_with_height(input)?.0)
}

fn arguments_with_height(input: &mut Input<'_>) -> Parsed<(Vec<Expression>, u32)> {
    expect(input, TokenKind::OpenParenthesis)?;
    let (mut arguments, mut height) = (Vec::new(), 0);
    while kind(input) != TokenKind::CloseParenthesis {
        let tree = operation(input, 0)?;
        height = height.max(tree.height);
        arguments.push(tree.expression);
        if !accept(input, TokenKind::Comma) {
            break;
        }
    }
    expect(input, TokenKind::CloseParenthesis)?;
    Ok((arguments, height))
}

fn indices(input: &mut Input<'_>) -> Parsed<(Vec<Expression>, u32)> {
    let (mut indices, mut height) = (Vec::new(), 0);
    while accept(input, TokenKind::OpenBracket) {
        let tree = operation(input, 0)?;
        height = height.max(tree.height);
        indices.push(tree.expression);
        expect(input, TokenKind::CloseBracket)?;
    }
    Ok((indices, height))
}

/// `name` or `name[e]…`; `what` says the name of what.
pub(super) fn place(input: &mut Input<'_>, what: &str) -> Parsed<Place> {
    let name = name(input, what)?;
    let (indices, _) = indices(input)?;
    Ok(Place { name, indices })
}
