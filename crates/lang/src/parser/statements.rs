//! Statements and blocks.

use super::declarations::at_declaration_word;
use super::expressions::{arguments, expression, place};
use super::input::{
    Input, Parsed, SyntaxError, accept, bump, expect, expect_word, kind, look, look_text,
    may_go_on, name, nested, report, second_kind, skip_statement, span_from, text_of, unexpected,
    unknown_word,
};
use super::{braces, guesses};
use crate::ast::{AssignOperator, Block, Call, Expression, Place, Statement, StatementKind, Value};
use crate::diagnostic::suggest;
use crate::forms::{FormKind, words};
use crate::source::Span;
use crate::token::TokenKind;

/// What stands behind `lock` and the like.
const A_LOCK: &str = "the name of a mutex or read-write lock";

/// What stands behind `lock_shared` and the like.
const A_SHARED_LOCK: &str = "the name of a read-write lock";

/// What stands behind `acquire` and `release`.
const A_SEMAPHORE: &str = "the name of a semaphore";

/// What stands behind `notify` and `notify_all`.
const A_CONDITION: &str = "the name of a condition";

/// `{ … }`, going on after errors inside.
pub(super) fn block(input: &mut Input<'_>) -> Parsed<Block> {
    let open = expect(input, TokenKind::OpenBrace)?.span;
    nested(input, |input| statements(input, open))
}

fn statements(input: &mut Input<'_>, open: Span) -> Parsed<Block> {
    let mut statements = Vec::new();
    loop {
        match kind(input) {
            TokenKind::CloseBrace => {
                braces::note_closing(input, open);
                bump(input);
                return Ok(ended_block(input, statements));
            }
            // The blocks around are not closed either, and one error is enough.
            _ if input.state.missing_brace && braces::is_missing(input) => {
                return Ok(ended_block(input, statements));
            }
            _ if braces::is_missing(input) => {
                let error = braces::missing(input, open);
                input.state.missing_brace = true;
                report(input, error);
                return Ok(ended_block(input, statements));
            }
            TokenKind::Semicolon => {
                bump(input);
            }
            _ => match statement(input) {
                Ok(statement) => statements.push(statement),
                Err(error) => {
                    if !report(input, error) {
                        return Ok(ended_block(input, statements));
                    }
                    skip_statement(input);
                }
            },
        }
        if !may_go_on(input) {
            return Ok(ended_block(input, statements));
        }
    }
}

fn ended_block(input: &Input<'_>, statements: Vec<Statement>) -> Block {
    Block { statements, end: span_from(input, 0).end }
}

fn statement(input: &mut Input<'_>) -> Parsed<Statement> {
    let start = look(input).span.start;
    let kind = statement_kind(input)?;
    Ok(Statement { kind, span: span_from(input, start) })
}

fn statement_kind(input: &mut Input<'_>) -> Parsed<StatementKind> {
    match kind(input) {
        TokenKind::Let => let_statement(input),
        TokenKind::If => if_statement(input),
        TokenKind::While => while_statement(input),
        TokenKind::For => for_statement(input),
        TokenKind::Assert => assert_statement(input),
        TokenKind::Assume => {
            bump(input);
            let condition = expression(input)?;
            ended(input, StatementKind::Assume(condition))
        }
        TokenKind::Return => {
            bump(input);
            ended(input, StatementKind::Return)
        }
        TokenKind::OpenBrace => Ok(StatementKind::Block(block(input)?)),
        TokenKind::Word => word_statement(input),
        sign @ (TokenKind::Plus | TokenKind::Minus) if second_kind(input) == sign => {
            // `++x;`
            bump(input);
            bump(input);
            Err(unexpected(input, "a statement"))
        }
        _ => Err(unexpected(input, "a statement").or_help(guesses::statements)),
    }
}

fn ended(input: &mut Input<'_>, kind: StatementKind) -> Parsed<StatementKind> {
    expect(input, TokenKind::Semicolon)?;
    Ok(kind)
}

/// A statement that begins with a word: a keyword unless what follows makes it the name of a variable.
fn word_statement(input: &mut Input<'_>) -> Parsed<StatementKind> {
    use TokenKind::{Assign, MinusAssign, OpenBracket, PlusAssign};
    if matches!(second_kind(input), Assign | PlusAssign | MinusAssign | OpenBracket) {
        return assignment(input);
    }
    match look_text(input) {
        "post" => post_statement(input),
        "fork" => {
            let call = fork_call(input)?;
            ended(input, StatementKind::Fork(call))
        }
        "join" => place_statement(
            input,
            "the name of a thread or a local with its handle",
            StatementKind::Join,
        ),
        "lock" => place_statement(input, A_LOCK, StatementKind::Lock),
        "unlock" => place_statement(input, A_LOCK, StatementKind::Unlock),
        "with" => {
            bump(input);
            let mutex = place(input, A_LOCK)?;
            Ok(StatementKind::With { mutex, body: block(input)? })
        }
        "lock_shared" => place_statement(input, A_SHARED_LOCK, StatementKind::LockShared),
        "unlock_shared" => place_statement(input, A_SHARED_LOCK, StatementKind::UnlockShared),
        "with_shared" => {
            bump(input);
            let lock = place(input, A_SHARED_LOCK)?;
            Ok(StatementKind::WithShared { lock, body: block(input)? })
        }
        "acquire" => place_statement(input, A_SEMAPHORE, StatementKind::Acquire),
        "release" => place_statement(input, A_SEMAPHORE, StatementKind::Release),
        "wait" => wait_statement(input),
        "notify" => place_statement(input, A_CONDITION, StatementKind::Notify),
        "notify_all" => place_statement(input, A_CONDITION, StatementKind::NotifyAll),
        "atomic" => {
            bump(input);
            Ok(StatementKind::Atomic(block(input)?))
        }
        word if second_kind(input) == TokenKind::OpenParenthesis
            && guesses::word(word).is_none() =>
        {
            let value = expression(input)?;
            ended(input, StatementKind::Evaluate(value))
        }
        _ => Err(not_a_statement(input)),
    }
}

fn not_a_statement(input: &mut Input<'_>) -> SyntaxError {
    use TokenKind::{Colon, Less, Minus, Percent, Plus, Slash, Star};
    let word = look_text(input);
    let operator = second_kind(input);
    if matches!(operator, Plus | Minus | Star | Slash | Percent | Colon | Less) {
        // `x++;`, `x *= 2;`, `x := 1;`: the error stands behind the sign, where it can be recognised.
        bump(input);
        let sign = bump(input).kind;
        let twice = kind(input) == sign;
        if twice {
            bump(input);
        }
        return unexpected(input, "`=`, `+=` or `-=`");
    }
    if at_declaration_word(input) {
        return unexpected(input, "a statement").or_help(|| match word {
            "var" | "param" => "a local is `let a = 0;`; shared variables are declared outside of threads and messages".to_owned(),
            _ => "declarations stand outside of threads and messages".to_owned(),
        });
    }
    if let Some(advice) = guesses::word(word) {
        return unexpected(input, "a statement").or_help(|| advice.to_owned());
    }
    if operator == TokenKind::Word {
        let known = words(FormKind::Statement).chain(["else"]);
        return unknown_word(input, "a statement", known).or_help(guesses::statements);
    }
    let misspelt = suggest(word, words(FormKind::Statement));
    bump(input);
    unexpected(input, "`=`, `+=` or `-=`").or_help(|| match (misspelt, operator) {
        (Some(help), _) => help,
        (None, TokenKind::Equal) => {
            "assignment is `=`; a comparison stands in a condition or an `assert`".to_owned()
        }
        (None, _) => guesses::statements(),
    })
}

fn place_statement(
    input: &mut Input<'_>,
    what: &str,
    make: fn(Place) -> StatementKind,
) -> Parsed<StatementKind> {
    bump(input);
    let place = place(input, what)?;
    ended(input, make(place))
}

fn assignment(input: &mut Input<'_>) -> Parsed<StatementKind> {
    let target = place(input, "the name of a variable")?;
    let operator = match kind(input) {
        TokenKind::Assign => AssignOperator::Set,
        TokenKind::PlusAssign => AssignOperator::Add,
        TokenKind::MinusAssign => AssignOperator::Subtract,
        _ => return Err(unexpected(input, "`=`, `+=` or `-=`")),
    };
    bump(input);
    let value = value(input)?;
    ended(input, StatementKind::Assign { target, operator, value })
}

/// An expression, or `fork t(e)`.
fn value(input: &mut Input<'_>) -> Parsed<Value> {
    if look_text(input) == "fork" && second_kind(input) == TokenKind::Word {
        return Ok(Value::Fork(fork_call(input)?));
    }
    Ok(Value::Expression(expression(input)?))
}

fn fork_call(input: &mut Input<'_>) -> Parsed<Call> {
    bump(input);
    call(input, "the name of a task")
}

fn call(input: &mut Input<'_>, what: &str) -> Parsed<Call> {
    let name = name(input, what)?;
    let arguments =
        if kind(input) == TokenKind::OpenParenthesis { arguments(input)? } else { Vec::new() };
    Ok(Call { name, arguments })
}

fn let_statement(input: &mut Input<'_>) -> Parsed<StatementKind> {
    bump(input);
    let name = name(input, "a name for the local")?;
    expect(input, TokenKind::Assign)?;
    let value = value(input)?;
    ended(input, StatementKind::Let { name, value })
}

fn post_statement(input: &mut Input<'_>) -> Parsed<StatementKind> {
    bump(input);
    let call = call(input, "the name of a message")?;
    expect_word(input, "to")?;
    let handler = place(input, "the name of a handler")?;
    ended(input, StatementKind::Post { call, handler })
}

/// `wait b;` or `wait c with m;`
fn wait_statement(input: &mut Input<'_>) -> Parsed<StatementKind> {
    bump(input);
    let awaited = place(input, "the name of a barrier or condition")?;
    let has_lock = kind(input) == TokenKind::Word && look_text(input) == "with";
    let lock = match has_lock {
        true => {
            bump(input);
            Some(place(input, A_LOCK)?)
        }
        false => None,
    };
    ended(input, StatementKind::Wait { place: awaited, lock })
}

fn if_statement(input: &mut Input<'_>) -> Parsed<StatementKind> {
    let mut branches = Vec::new();
    loop {
        expect(input, TokenKind::If)?;
        let condition = expression(input)?;
        branches.push((condition, block(input)?));
        if !accept(input, TokenKind::Else) {
            return Ok(StatementKind::If { branches, otherwise: None });
        }
        if kind(input) != TokenKind::If {
            let otherwise = Some(block(input)?);
            return Ok(StatementKind::If { branches, otherwise });
        }
    }
}

fn while_statement(input: &mut Input<'_>) -> Parsed<StatementKind> {
    bump(input);
    let condition = expression(input)?;
    Ok(StatementKind::While { condition, body: block(input)? })
}

fn for_statement(input: &mut Input<'_>) -> Parsed<StatementKind> {
    bump(input);
    let index = name(input, "a name for the loop's index")?;
    expect(input, TokenKind::In)?;
    let (from, to) = range(input)?;
    Ok(StatementKind::For { index, from, to, body: block(input)? })
}

/// `a..b`
pub(super) fn range(input: &mut Input<'_>) -> Parsed<(Expression, Expression)> {
    let from = expression(input)?;
    expect(input, TokenKind::DotDot)?;
    Ok((from, expression(input)?))
}

fn assert_statement(input: &mut Input<'_>) -> Parsed<StatementKind> {
    bump(input);
    let (condition, text) = condition_with_text(input)?;
    ended(input, StatementKind::Assert { condition, text })
}

/// `e` or `e, "text"`
pub(super) fn condition_with_text(input: &mut Input<'_>) -> Parsed<(Expression, Option<String>)> {
    let condition = expression(input)?;
    let text = if accept(input, TokenKind::Comma) {
        let token = expect(input, TokenKind::Text)?;
        Some(unescaped(text_of(input, token.span)))
    } else {
        None
    };
    Ok((condition, text))
}

/// The text between the quotes: `\n`, `\t`, and `\` before any other character for that character.
fn unescaped(quoted: &str) -> String {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("");
    let mut out = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    out
}
