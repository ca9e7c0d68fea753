//! Syntax trees back to source.
//!
//! What is printed parses to a tree that prints the same. Parentheses stand only where they are needed.

use crate::ast::{
    AssignOperator, BinaryOperator, Block, Call, Dimension, Expression, ExpressionKind, Item, Name,
    Place, Program, Routine, Statement, StatementKind, UnaryOperator, Value,
};
use std::fmt::{self, Display, Formatter, Write};

/// Binds more strongly than every binary operator.
const UNARY: u8 = 7;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.items.iter().try_for_each(|item| writeln!(f, "{item}"))
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Display for Dimension {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Dimension::Size(size) => write!(f, "[{size}]"),
            Dimension::Range { index, from, to } => write!(f, "[{index} in {from}..{to}]"),
        }
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Param { name, value } => write!(f, "param {name} = {value};"),
            Item::Mailbox { policy, .. } => write!(f, "mailbox {};", policy.name()),
            Item::Variable { name, dimensions, initial } => {
                write!(f, "var {name}")?;
                all(f, dimensions)?;
                if let Some(initial) = initial {
                    write!(f, " = {initial}")?;
                }
                f.write_char(';')
            }
            Item::Mutex { name, dimensions } => {
                write!(f, "mutex {name}")?;
                all(f, dimensions)?;
                f.write_char(';')
            }
            Item::ReadWriteLock { name, dimensions } => {
                write!(f, "rwlock {name}")?;
                all(f, dimensions)?;
                f.write_char(';')
            }
            Item::Semaphore { name, dimensions, permits } => {
                write!(f, "semaphore {name}")?;
                all(f, dimensions)?;
                if let Some(permits) = permits {
                    write!(f, " = {permits}")?;
                }
                f.write_char(';')
            }
            Item::Condition { name, dimensions } => {
                write!(f, "condition {name}")?;
                all(f, dimensions)?;
                f.write_char(';')
            }
            Item::Barrier { name, dimensions, size } => {
                write!(f, "barrier {name}")?;
                all(f, dimensions)?;
                write!(f, " = {size};")
            }
            Item::Handler { name, dimensions, policy } => {
                write!(f, "handler {name}")?;
                all(f, dimensions)?;
                if let Some(policy) = policy {
                    write!(f, ": {}", policy.name())?;
                }
                f.write_char(';')
            }
            Item::Message(routine) => write!(f, "message {routine}"),
            Item::Task(routine) => write!(f, "task {routine}"),
            Item::Thread { name, dimensions, body } => {
                write!(f, "thread {name}")?;
                all(f, dimensions)?;
                write!(f, " {body}")
            }
            Item::Invariant { condition, text, .. } => {
                write!(f, "invariant {condition}")?;
                if let Some(text) = text {
                    f.write_str(", ")?;
                    quoted(f, text)?;
                }
                f.write_char(';')
            }
            Item::Finally(body) => write!(f, "finally {body}"),
        }
    }
}

impl Display for Routine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        list(f, &self.parameters)?;
        write!(f, ") {}", self.body)
    }
}

fn all<T: Display>(f: &mut Formatter<'_>, things: &[T]) -> fmt::Result {
    things.iter().try_for_each(|thing| thing.fmt(f))
}

fn list<T: Display>(f: &mut Formatter<'_>, things: &[T]) -> fmt::Result {
    for (position, thing) in things.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        write!(f, "{separator}{thing}")?;
    }
    Ok(())
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        block(f, self, 0)
    }
}

fn block(f: &mut Formatter<'_>, block: &Block, indent: usize) -> fmt::Result {
    if block.statements.is_empty() {
        return f.write_str("{ }");
    }
    f.write_str("{\n")?;
    for inner in &block.statements {
        write!(f, "{:width$}", "", width = indent + 4)?;
        statement(f, inner, indent + 4)?;
        f.write_char('\n')?;
    }
    write!(f, "{:indent$}}}", "")
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        statement(f, self, 0)
    }
}

fn statement(f: &mut Formatter<'_>, statement: &Statement, indent: usize) -> fmt::Result {
    match &statement.kind {
        StatementKind::Let { name, value } => write!(f, "let {name} = {value};"),
        StatementKind::Assign { target, operator, value } => {
            write!(f, "{target} {operator} {value};")
        }
        StatementKind::Evaluate(expression) => write!(f, "{expression};"),
        StatementKind::Post { call, handler } => write!(f, "post {call} to {handler};"),
        StatementKind::Fork(call) => write!(f, "fork {call};"),
        StatementKind::Join(place) => write!(f, "join {place};"),
        StatementKind::Lock(place) => write!(f, "lock {place};"),
        StatementKind::Unlock(place) => write!(f, "unlock {place};"),
        StatementKind::With { mutex, body } => {
            write!(f, "with {mutex} ")?;
            block(f, body, indent)
        }
        StatementKind::LockShared(place) => write!(f, "lock_shared {place};"),
        StatementKind::UnlockShared(place) => write!(f, "unlock_shared {place};"),
        StatementKind::WithShared { lock, body } => {
            write!(f, "with_shared {lock} ")?;
            block(f, body, indent)
        }
        StatementKind::Acquire(place) => write!(f, "acquire {place};"),
        StatementKind::Release(place) => write!(f, "release {place};"),
        StatementKind::Wait { place, lock: None } => write!(f, "wait {place};"),
        StatementKind::Wait { place, lock: Some(lock) } => write!(f, "wait {place} with {lock};"),
        StatementKind::Notify(place) => write!(f, "notify {place};"),
        StatementKind::NotifyAll(place) => write!(f, "notify_all {place};"),
        StatementKind::If { branches, otherwise } => {
            if_chain(f, branches, otherwise.as_ref(), indent)
        }
        StatementKind::While { condition, body } => {
            write!(f, "while {condition} ")?;
            block(f, body, indent)
        }
        StatementKind::For { index, from, to, body } => {
            write!(f, "for {index} in {from}..{to} ")?;
            block(f, body, indent)
        }
        StatementKind::Assert { condition, text: None } => write!(f, "assert {condition};"),
        StatementKind::Assert { condition, text: Some(text) } => {
            write!(f, "assert {condition}, ")?;
            quoted(f, text)?;
            f.write_char(';')
        }
        StatementKind::Assume(condition) => write!(f, "assume {condition};"),
        StatementKind::Atomic(body) => {
            f.write_str("atomic ")?;
            block(f, body, indent)
        }
        StatementKind::Return => f.write_str("return;"),
        StatementKind::Block(body) => block(f, body, indent),
    }
}

fn if_chain(
    f: &mut Formatter<'_>,
    branches: &[(Expression, Block)],
    otherwise: Option<&Block>,
    indent: usize,
) -> fmt::Result {
    for (position, (condition, body)) in branches.iter().enumerate() {
        let separator = if position == 0 { "" } else { " else " };
        write!(f, "{separator}if {condition} ")?;
        block(f, body, indent)?;
    }
    if let Some(body) = otherwise {
        f.write_str(" else ")?;
        block(f, body, indent)?;
    }
    Ok(())
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}

impl Display for AssignOperator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AssignOperator::Set => "=",
            AssignOperator::Add => "+=",
            AssignOperator::Subtract => "-=",
        })
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Expression(expression) => expression.fmt(f),
            Value::Fork(call) => write!(f, "fork {call}"),
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)?;
        self.indices.iter().try_for_each(|index| write!(f, "[{index}]"))
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        list(f, &self.arguments)?;
        f.write_char(')')
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        expression(f, self, 0)
    }
}

/// Prints an expression that stands where only operators of at least this strength may stand bare.
fn expression(f: &mut Formatter<'_>, this: &Expression, weakest: u8) -> fmt::Result {
    match &this.kind {
        ExpressionKind::Integer(value) => write!(f, "{value}"),
        ExpressionKind::Bool(value) => write!(f, "{value}"),
        ExpressionKind::Place(place) => place.fmt(f),
        ExpressionKind::Call(call) => call.fmt(f),
        ExpressionKind::Unary(operator, inner) => {
            f.write_char(if *operator == UnaryOperator::Not { '!' } else { '-' })?;
            // `-1` is a number of its own and `--1` would not read as two signs.
            let bare_number = matches!(inner.kind, ExpressionKind::Integer(_));
            if bare_number { write!(f, "({inner})") } else { expression(f, inner, UNARY) }
        }
        ExpressionKind::Binary(operator, left, right) => {
            let strength = operator.precedence();
            let parentheses = strength < weakest;
            f.write_str(if parentheses { "(" } else { "" })?;
            // Comparisons are not chained: `(a < b) < c`.
            let comparison = strength == BinaryOperator::Less.precedence();
            expression(f, left, strength + u8::from(comparison))?;
            write!(f, " {} ", operator.sign())?;
            expression(f, right, strength + 1)?;
            f.write_str(if parentheses { ")" } else { "" })
        }
    }
}
