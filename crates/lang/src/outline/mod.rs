//! What the names of a program stand for, and the events of its statements: what editors ask for. Works on whatever could be parsed.

mod events;
mod walk;

use crate::compile::{Options, compile};
use crate::diagnostic::Diagnostic;
use crate::parser::parse_with_recovery;
use crate::source::{Source, Span};

/// What a name can stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    /// A `param`.
    Param,
    /// A shared variable.
    Variable,
    /// A mutex.
    Mutex,
    /// A read-write lock.
    ReadWriteLock,
    /// A semaphore.
    Semaphore,
    /// A condition.
    Condition,
    /// A barrier.
    Barrier,
    /// A handler.
    Handler,
    /// A message.
    Message,
    /// A task.
    Task,
    /// A thread.
    Thread,
    /// A local, a parameter or an index.
    Local,
}

impl SymbolKind {
    /// How people call it.
    pub fn describe(self) -> &'static str {
        match self {
            SymbolKind::Param => "param",
            SymbolKind::Variable => "shared variable",
            SymbolKind::Mutex => "mutex",
            SymbolKind::ReadWriteLock => "read-write lock",
            SymbolKind::Semaphore => "semaphore",
            SymbolKind::Condition => "condition",
            SymbolKind::Barrier => "barrier",
            SymbolKind::Handler => "handler",
            SymbolKind::Message => "message",
            SymbolKind::Task => "task",
            SymbolKind::Thread => "thread",
            SymbolKind::Local => "local",
        }
    }
}

/// Something with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Where its name is declared.
    pub span: Span,
    /// Where a local can be used; everything else can be used everywhere.
    pub scope: Option<Span>,
}

/// A statement and what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatementEvents {
    /// Where it stands.
    pub span: Span,
    /// Its events in order, without those of the blocks in it.
    pub events: Vec<String>,
}

/// The names and statements of a program.
#[derive(Clone, Default, Debug)]
pub struct Outline {
    /// Everything that has a name, in the order of the text as far as it is known.
    pub symbols: Vec<Symbol>,
    /// Where names are mentioned, their declarations among them, and the number of the symbol that is meant.
    pub mentions: Vec<(Span, usize)>,
    /// The statements, outer ones before those in them.
    pub statements: Vec<StatementEvents>,
}

impl Outline {
    /// The symbol whose name stands at a place.
    pub fn symbol_at(&self, offset: u32) -> Option<usize> {
        let here = |(span, _): &&(Span, usize)| span.start <= offset && offset <= span.end;
        self.mentions.iter().find(here).map(|(_, symbol)| *symbol)
    }

    /// All places where a symbol is mentioned.
    pub fn mentions_of(&self, symbol: usize) -> impl Iterator<Item = Span> {
        self.mentions.iter().filter(move |(_, other)| *other == symbol).map(|(span, _)| *span)
    }

    /// The innermost statement around a place.
    pub fn statement_at(&self, offset: u32) -> Option<&StatementEvents> {
        let around = |it: &&StatementEvents| it.span.start <= offset && offset <= it.span.end;
        self.statements.iter().rev().find(around)
    }

    /// What can be named at a place: all that is declared, and the locals there.
    pub fn visible_at(&self, offset: u32) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(move |symbol| {
            symbol.scope.is_none_or(|scope| scope.start <= offset && offset <= scope.end)
        })
    }
}

/// What is wrong with a program, in the order of the text, and what can be said of it all the same.
pub fn analyse(source: &Source) -> (Vec<Diagnostic>, Outline) {
    let (program, errors) = parse_with_recovery(source);
    let outline = walk::outline(&program, source);
    if !errors.is_empty() {
        let errors = crate::diagnostic::Diagnostics::new(source.clone(), errors);
        return (errors.errors().to_vec(), outline);
    }
    let compiled = compile(source.file_name(), source.text(), &Options::default());
    let errors = compiled.err().map_or_else(Vec::new, |errors| errors.errors().to_vec());
    (errors, outline)
}
