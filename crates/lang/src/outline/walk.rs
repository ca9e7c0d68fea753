//! Goes through a program with its scopes.

use super::events::events;
use super::{Outline, StatementEvents, Symbol, SymbolKind};
use crate::ast::{
    Block, Call, Dimension, Expression, ExpressionKind, Item, Name, Place, Program, Routine,
    Statement, StatementKind, Value,
};
use crate::source::{Source, Span};
use rustc_hash::FxHashMap;

/// Kinds that share their names.
const VALUES: [SymbolKind; 7] = [
    SymbolKind::Param,
    SymbolKind::Variable,
    SymbolKind::Mutex,
    SymbolKind::ReadWriteLock,
    SymbolKind::Semaphore,
    SymbolKind::Condition,
    SymbolKind::Barrier,
];

/// The names and statements of a program.
pub(super) fn outline(program: &Program, source: &Source) -> Outline {
    let end = source.text().len() as u32;
    let mut walk = Walk {
        outline: Outline::default(),
        globals: FxHashMap::default(),
        locals: Vec::new(),
        end,
    };
    for item in &program.items {
        walk.declare_item(item);
    }
    for item in &program.items {
        walk.item(item);
    }
    walk.outline
}

pub(super) struct Walk {
    outline: Outline,
    globals: FxHashMap<String, Vec<usize>>,
    /// The locals of the blocks around, innermost last.
    locals: Vec<usize>,
    /// Of the text.
    end: u32,
}

impl Walk {
    fn declare(&mut self, name: &Name, kind: SymbolKind) -> usize {
        let number = self.outline.symbols.len();
        let symbol = Symbol { name: name.text.clone(), kind, span: name.span, scope: None };
        self.outline.symbols.push(symbol);
        self.outline.mentions.push((name.span, number));
        number
    }

    fn global(&mut self, name: &Name, kind: SymbolKind) {
        let number = self.declare(name, kind);
        self.globals.entry(name.text.clone()).or_default().push(number);
    }

    fn local(&mut self, name: &Name) {
        let number = self.declare(name, SymbolKind::Local);
        // Where it ends is known when its block ends.
        self.outline.symbols[number].scope = Some(Span { start: name.span.start, end: self.end });
        self.locals.push(number);
    }

    /// Runs something in a scope that reaches to `end`.
    fn scope(&mut self, end: u32, inside: impl FnOnce(&mut Walk)) {
        let before = self.locals.len();
        inside(self);
        for number in self.locals.drain(before..) {
            if let Some(scope) = &mut self.outline.symbols[number].scope {
                scope.end = end.max(scope.start);
            }
        }
    }

    fn declare_item(&mut self, item: &Item) {
        match item {
            Item::Param { name, .. } => self.global(name, SymbolKind::Param),
            Item::Variable { name, .. } => self.global(name, SymbolKind::Variable),
            Item::Mutex { name, .. } => self.global(name, SymbolKind::Mutex),
            Item::ReadWriteLock { name, .. } => self.global(name, SymbolKind::ReadWriteLock),
            Item::Semaphore { name, .. } => self.global(name, SymbolKind::Semaphore),
            Item::Condition { name, .. } => self.global(name, SymbolKind::Condition),
            Item::Barrier { name, .. } => self.global(name, SymbolKind::Barrier),
            Item::Handler { name, .. } => self.global(name, SymbolKind::Handler),
            Item::Message(routine) => self.global(&routine.name, SymbolKind::Message),
            Item::Task(routine) => self.global(&routine.name, SymbolKind::Task),
            Item::Thread { name, .. } => self.global(name, SymbolKind::Thread),
            Item::Mailbox { .. } | Item::Invariant { .. } | Item::Finally(_) => {}
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Param { value, .. } => self.expression(value),
            Item::Variable { dimensions, initial, .. } => self.sized(dimensions, initial.as_ref()),
            Item::Semaphore { dimensions, permits, .. } => self.sized(dimensions, permits.as_ref()),
            Item::Barrier { dimensions, size, .. } => self.sized(dimensions, Some(size)),
            Item::Mutex { dimensions, .. }
            | Item::Condition { dimensions, .. }
            | Item::ReadWriteLock { dimensions, .. }
            | Item::Handler { dimensions, .. } => self.sized(dimensions, None),
            Item::Message(routine) | Item::Task(routine) => self.routine(routine),
            Item::Thread { dimensions, body, .. } => self.scope(body.end, |walk| {
                walk.dimensions(dimensions);
                walk.block(body);
            }),
            Item::Invariant { condition, .. } => self.expression(condition),
            Item::Finally(body) => self.block(body),
            Item::Mailbox { .. } => {}
        }
    }

    fn routine(&mut self, routine: &Routine) {
        self.scope(routine.body.end, |walk| {
            for parameter in &routine.parameters {
                walk.local(parameter);
            }
            walk.block(&routine.body);
        });
    }

    /// Dimensions, and a value that may use their indices.
    fn sized(&mut self, dimensions: &[Dimension], initial: Option<&Expression>) {
        let end = initial.map_or(0, |initial| initial.span.end);
        self.scope(end, |walk| {
            walk.dimensions(dimensions);
            initial.into_iter().for_each(|initial| walk.expression(initial));
        });
    }

    fn dimensions(&mut self, dimensions: &[Dimension]) {
        for dimension in dimensions {
            match dimension {
                Dimension::Size(size) => self.expression(size),
                Dimension::Range { index, from, to } => {
                    self.expression(from);
                    self.expression(to);
                    self.local(index);
                }
            }
        }
    }

    fn block(&mut self, block: &Block) {
        self.scope(block.end, |walk| {
            for statement in &block.statements {
                walk.statement(statement);
            }
        });
    }

    fn statement(&mut self, statement: &Statement) {
        let events = events(self, statement);
        self.outline.statements.push(StatementEvents { span: statement.span, events });
        match &statement.kind {
            StatementKind::Let { name, value } => {
                self.value(value);
                self.local(name);
            }
            StatementKind::Assign { target, value, .. } => {
                self.place(target, &VALUES);
                self.value(value);
            }
            StatementKind::Evaluate(expression) | StatementKind::Assume(expression) => {
                self.expression(expression);
            }
            StatementKind::Post { call, handler } => {
                self.call(call, SymbolKind::Message);
                self.place(handler, &[SymbolKind::Handler]);
            }
            StatementKind::Fork(call) => self.call(call, SymbolKind::Task),
            StatementKind::Join(place) => {
                self.place(place, &[SymbolKind::Thread, SymbolKind::Variable]);
            }
            StatementKind::Lock(place)
            | StatementKind::Unlock(place)
            | StatementKind::LockShared(place)
            | StatementKind::UnlockShared(place)
            | StatementKind::Acquire(place)
            | StatementKind::Release(place)
            | StatementKind::Notify(place)
            | StatementKind::NotifyAll(place) => self.place(place, &VALUES),
            StatementKind::Wait { place, lock } => {
                self.place(place, &VALUES);
                lock.iter().for_each(|lock| self.place(lock, &VALUES));
            }
            StatementKind::With { mutex: place, body }
            | StatementKind::WithShared { lock: place, body } => {
                self.place(place, &VALUES);
                self.block(body);
            }
            StatementKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expression(condition);
                    self.block(body);
                }
                otherwise.iter().for_each(|body| self.block(body));
            }
            StatementKind::While { condition, body } => {
                self.expression(condition);
                self.block(body);
            }
            StatementKind::For { index, from, to, body } => {
                self.expression(from);
                self.expression(to);
                self.scope(statement.span.end, |walk| {
                    walk.local(index);
                    walk.block(body);
                });
            }
            StatementKind::Assert { condition, .. } => self.expression(condition),
            StatementKind::Atomic(body) | StatementKind::Block(body) => self.block(body),
            StatementKind::Return => {}
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Expression(expression) => self.expression(expression),
            Value::Fork(call) => self.call(call, SymbolKind::Task),
        }
    }

    fn call(&mut self, call: &Call, kind: SymbolKind) {
        self.mention(&call.name, &[kind]);
        call.arguments.iter().for_each(|argument| self.expression(argument));
    }

    fn place(&mut self, place: &Place, kinds: &[SymbolKind]) {
        self.mention(&place.name, kinds);
        place.indices.iter().for_each(|index| self.expression(index));
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Bool(_) => {}
            ExpressionKind::Place(place) => self.place(place, &VALUES),
            ExpressionKind::Unary(_, inner) => self.expression(inner),
            ExpressionKind::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            ExpressionKind::Call(call) => {
                call.arguments.iter().for_each(|argument| self.expression(argument));
            }
        }
    }

    fn mention(&mut self, name: &Name, kinds: &[SymbolKind]) {
        if let Some(symbol) = self.resolve(name, kinds) {
            self.outline.mentions.push((name.span, symbol));
        }
    }

    /// The symbol that a name stands for: the innermost local, unless only other things can stand here; then what is declared.
    fn resolve(&self, name: &Name, kinds: &[SymbolKind]) -> Option<usize> {
        let may_be_local = kinds.contains(&SymbolKind::Variable);
        let local =
            self.locals.iter().rev().find(|&&it| self.outline.symbols[it].name == name.text);
        local.filter(|_| may_be_local).copied().or_else(|| {
            let named = self.globals.get(&name.text)?;
            named.iter().copied().find(|&it| kinds.contains(&self.outline.symbols[it].kind))
        })
    }

    /// Is this place a shared variable?
    pub(super) fn is_shared(&self, place: &Place) -> bool {
        let symbol = self.resolve(&place.name, &VALUES).map(|it| &self.outline.symbols[it]);
        symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Variable)
    }
}
