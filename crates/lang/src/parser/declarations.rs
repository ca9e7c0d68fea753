//! Declarations.

use super::expressions::expression;
use super::guesses;
use super::input::{
    Input, Parsed, SyntaxError, accept, bump, expect, kind, look, look_text, may_go_on, name,
    report, second_kind, skip, unexpected, unknown_word,
};
use super::statements::{block, condition_with_text, range};
use crate::ast::{Dimension, Item, Name, Routine};
use crate::diagnostic::Diagnostic;
use crate::forms::{FormKind, form_of, words};
use crate::token::TokenKind;
use mazurka_engine::Mailbox;

/// Everything in a file, going on after errors.
pub(super) fn items(input: &mut Input<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    while kind(input) != TokenKind::End && may_go_on(input) {
        if accept(input, TokenKind::Semicolon) {
            continue;
        }
        if let Err(error) = declaration(input, &mut items) {
            report(input, error);
            skip_declaration(input);
        }
    }
    items
}

fn declaration(input: &mut Input<'_>, items: &mut Vec<Item>) -> Parsed<()> {
    if !at_declaration_word(input) {
        return Err(not_a_declaration(input));
    }
    let word = look_text(input);
    let start = bump(input).span;
    match word {
        "param" => list(input, items, param, "param"),
        "mailbox" => {
            let policy = policy(input)?;
            items.push(Item::Mailbox { policy, span: start });
            expect(input, TokenKind::Semicolon).map(drop)
        }
        "var" => list(input, items, variable, "var"),
        "mutex" => list(input, items, mutex, "mutex"),
        "rwlock" => list(input, items, read_write_lock, "rwlock"),
        "semaphore" => list(input, items, semaphore, "semaphore"),
        "condition" => list(input, items, condition, "condition"),
        "barrier" => list(input, items, barrier, "barrier"),
        "handler" => list(input, items, handler, "handler"),
        "message" => routine(input, "message").map(|routine| items.push(Item::Message(routine))),
        "task" => routine(input, "task").map(|routine| items.push(Item::Task(routine))),
        "thread" => thread(input).map(|thread| items.push(thread)),
        "invariant" => {
            let (condition, text) = condition_with_text(input)?;
            let span = start.to(condition.span);
            items.push(Item::Invariant { condition, text, span });
            expect(input, TokenKind::Semicolon).map(drop)
        }
        _ => block(input).map(|body| items.push(Item::Finally(body))),
    }
}

/// Is the next token a word that begins a declaration?
pub(super) fn at_declaration_word(input: &Input<'_>) -> bool {
    kind(input) == TokenKind::Word
        && form_of(look_text(input)).is_some_and(|form| form.kind == FormKind::Declaration)
}

fn not_a_declaration(input: &Input<'_>) -> SyntaxError {
    let token = look(input);
    let word = look_text(input);
    if token.kind == TokenKind::CloseBrace {
        let message = "this `}` closes nothing";
        let help = "there is one too many, or the `{` of a block above is missing".to_owned();
        return SyntaxError::new(Diagnostic::new(token.span, message).with_help(Some(help)));
    }
    let statement = form_of(word).is_some_and(|form| form.kind == FormKind::Statement);
    let assigns = matches!(
        second_kind(input),
        TokenKind::Assign | TokenKind::PlusAssign | TokenKind::MinusAssign
    );
    let advice = match guesses::word(word) {
        _ if word == "let" => {
            Some("a shared variable is `var x = 0;`; `let` is for locals of a thread or message")
        }
        _ if word == "atomic" && second_kind(input) == TokenKind::Word => Some(
            "a shared variable is `var x;`: each read, write, `x += e;`, `fetch_add`, `swap` and `cas` is one event",
        ),
        Some(advice) => Some(advice),
        None if statement || (assigns && token.kind == TokenKind::Word) => Some(
            "statements stand in a `thread t { … }`, `message m(p) { … }`, `task t(p) { … }` or `finally { … }`",
        ),
        None => None,
    };
    let error = match advice {
        Some(advice) => unexpected(input, "a declaration").or_help(|| advice.to_owned()),
        None => unknown_word(input, "a declaration", words(FormKind::Declaration)),
    };
    error.or_help(guesses::declarations)
}

/// One or several of a kind: `var x, y = 1;`
fn list(
    input: &mut Input<'_>,
    items: &mut Vec<Item>,
    one: fn(&mut Input<'_>) -> Parsed<Item>,
    word: &str,
) -> Parsed<()> {
    loop {
        items.push(one(input)?);
        if !accept(input, TokenKind::Comma) {
            return ended(input, word);
        }
    }
}

/// The `;` behind a declaration; what stands there instead is often its value or policy in another spelling.
fn ended(input: &mut Input<'_>, word: &str) -> Parsed<()> {
    let misplaced = match (word, kind(input)) {
        ("handler", TokenKind::Assign | TokenKind::OpenParenthesis) => true,
        ("handler", TokenKind::Word) => ["fifo", "multiset"].contains(&look_text(input)),
        ("mutex" | "rwlock" | "condition", TokenKind::Assign | TokenKind::OpenParenthesis) => true,
        ("semaphore" | "var", TokenKind::OpenParenthesis) => true,
        _ => false,
    };
    if misplaced && let Some(form) = form_of(word) {
        let help = format!("it is written `{}`", form.syntax);
        return Err(unexpected(input, TokenKind::Semicolon.describe()).with_help(help));
    }
    let several = word == "var" && kind(input) == TokenKind::Word && !begins_declaration(input);
    let result = expect(input, TokenKind::Semicolon).map(drop);
    match several {
        true => result.map_err(|error| error.or_help(|| "several are `var x, y;`".to_owned())),
        false => result,
    }
}

/// Does the next line probably begin here?
fn begins_declaration(input: &Input<'_>) -> bool {
    at_declaration_word(input)
        && matches!(second_kind(input), TokenKind::Word | TokenKind::OpenBrace)
}

fn param(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the parameter")?;
    let value = "a constant has a value: `param n = 3;`; `--param n=5` replaces it";
    expect(input, TokenKind::Assign).map_err(|error| error.with_help(value.to_owned()))?;
    Ok(Item::Param { name, value: expression(input)? })
}

fn variable(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the variable")?;
    let dimensions = dimensions(input)?;
    let initial = if accept(input, TokenKind::Assign) { Some(expression(input)?) } else { None };
    Ok(Item::Variable { name, dimensions, initial })
}

fn mutex(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the mutex")?;
    Ok(Item::Mutex { name, dimensions: dimensions(input)? })
}

fn read_write_lock(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the read-write lock")?;
    Ok(Item::ReadWriteLock { name, dimensions: dimensions(input)? })
}

fn semaphore(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the semaphore")?;
    let dimensions = dimensions(input)?;
    let permits = if accept(input, TokenKind::Assign) { Some(expression(input)?) } else { None };
    Ok(Item::Semaphore { name, dimensions, permits })
}

fn condition(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the condition")?;
    Ok(Item::Condition { name, dimensions: dimensions(input)? })
}

fn barrier(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the barrier")?;
    let dimensions = dimensions(input)?;
    let size = "a barrier says how many must come: `barrier b = 3;`";
    expect(input, TokenKind::Assign).map_err(|error| error.with_help(size.to_owned()))?;
    Ok(Item::Barrier { name, dimensions, size: expression(input)? })
}

fn handler(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the handler")?;
    let dimensions = dimensions(input)?;
    let policy = if accept(input, TokenKind::Colon) { Some(policy(input)?) } else { None };
    Ok(Item::Handler { name, dimensions, policy })
}

fn policy(input: &mut Input<'_>) -> Parsed<Mailbox> {
    let policy = match look_text(input) {
        "fifo" => Mailbox::Fifo,
        "multiset" => Mailbox::Multiset,
        _ => {
            return Err(unknown_word(input, "`fifo` or `multiset`", ["fifo", "multiset"]));
        }
    };
    bump(input);
    Ok(policy)
}

/// `[n]`, `[i in a..b]`, any number of them.
fn dimensions(input: &mut Input<'_>) -> Parsed<Vec<Dimension>> {
    let mut dimensions = Vec::new();
    while accept(input, TokenKind::OpenBracket) {
        dimensions.push(dimension(input)?);
        expect(input, TokenKind::CloseBracket)?;
    }
    Ok(dimensions)
}

fn dimension(input: &mut Input<'_>) -> Parsed<Dimension> {
    if kind(input) == TokenKind::Word && second_kind(input) == TokenKind::In {
        let index = name(input, "a name for the index")?;
        bump(input);
        let (from, to) = range(input)?;
        return Ok(Dimension::Range { index, from, to });
    }
    Ok(Dimension::Size(expression(input)?))
}

fn routine(input: &mut Input<'_>, what: &str) -> Parsed<Routine> {
    let name = name(input, &format!("a name for the {what}"))?;
    let parameters = parameters(input)?;
    Ok(Routine { name, parameters, body: block(input)? })
}

/// `(p, q)`, or nothing.
fn parameters(input: &mut Input<'_>) -> Parsed<Vec<Name>> {
    let mut parameters = Vec::new();
    if kind(input) == TokenKind::OpenBrace {
        return Ok(parameters);
    }
    expect(input, TokenKind::OpenParenthesis)?;
    while kind(input) != TokenKind::CloseParenthesis {
        parameters.push(name(input, "the name of a parameter")?);
        if !accept(input, TokenKind::Comma) {
            break;
        }
    }
    expect(input, TokenKind::CloseParenthesis)?;
    Ok(parameters)
}

fn thread(input: &mut Input<'_>) -> Parsed<Item> {
    let name = name(input, "a name for the thread")?;
    let dimensions = dimensions(input)?;
    if kind(input) != TokenKind::OpenBrace {
        return Err(unexpected(input, "`[` or `{`"));
    }
    Ok(Item::Thread { name, dimensions, body: block(input)? })
}

/// After an error: goes on at the next word that begins a declaration and stands where one can begin.
fn skip_declaration(input: &mut Input<'_>) {
    let mut open = 0_u32;
    while kind(input) != TokenKind::End && may_go_on(input) {
        let may_begin =
            open == 0 && second_kind(input) == TokenKind::Word && at_declaration_word(input);
        if may_begin {
            return;
        }
        let taken = skip(input).kind;
        match taken {
            TokenKind::OpenBrace => open += 1,
            TokenKind::CloseBrace => open = open.saturating_sub(1),
            _ => {}
        }
        let ended = matches!(taken, TokenKind::Semicolon | TokenKind::CloseBrace);
        if ended && open == 0 {
            return;
        }
    }
}
