//! From syntax tree to code: names, arities and kinds are checked, constants evaluated, sizes bounded.
//!
//! Two passes: [`symbols`] collects what is declared, then every routine is compiled by a
//! [`builder::Builder`]. Errors do not stop the compilation, so one run reports many.

mod builder;
mod constants;
mod dependence;
mod expressions;
mod invariants;
mod looks;
mod statements;
mod symbols;

use crate::ast::{Block, Item, Program};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::parser::parse_with_recovery;
use crate::program::EdProgram;
use crate::source::{Source, Span};
use builder::{Builder, Context};
use invariants::Invariant;
use mazurka_engine::Mailbox;
use std::sync::OnceLock;
use symbols::{Symbols, index_name};

/// How a program is to be run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Replaces `param`s; the last one of a name counts.
    pub params: Vec<(String, i64)>,
    /// Overrides the file's default mailbox policy; a handler with its own policy keeps it.
    pub mailbox: Option<Mailbox>,
    /// How often the body of a `while` may run before the execution is cut.
    pub unroll: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { params: Vec::new(), mailbox: None, unroll: 1000 }
    }
}

/// Parses, checks and compiles a program. `file_name` is shown in messages and positions.
pub fn compile(file_name: &str, text: &str, options: &Options) -> Result<EdProgram, Diagnostics> {
    let source = Source::new(file_name, text);
    let (program, errors) = parse_with_recovery(&source);
    if !errors.is_empty() {
        return Err(Diagnostics::new(source, errors));
    }
    compile_tree(source, &program, options)
}

fn compile_tree(
    source: Source,
    program: &Program,
    options: &Options,
) -> Result<EdProgram, Diagnostics> {
    let mut symbols = Symbols::collect(program, &options.params, options.mailbox);
    let mut errors = std::mem::take(&mut symbols.errors);
    let mut code = Code::default();
    let invariants = invariants::all_of(program);
    let mut compiler = Compiler {
        symbols: &symbols,
        invariants: &invariants,
        code: &mut code,
        errors: &mut errors,
    };
    let Routines { threads: thread_routines, finally: finally_routines, invariants } =
        compiler.routines(program);
    if !errors.is_empty() {
        return Err(Diagnostics::new(source, errors));
    }
    Ok(EdProgram {
        source,
        code,
        params: symbols.params,
        mailbox: symbols.mailbox.unwrap_or(Mailbox::Fifo),
        objects: symbols.objects,
        initial: symbols.initial,
        handlers: symbols.handlers,
        policies: symbols.policies,
        threads: symbols.threads,
        thread_routines,
        finally_routines,
        invariant_routines: invariants,
        unroll: i64::try_from(options.unroll).unwrap_or(i64::MAX),
        future: OnceLock::new(),
    })
}

struct Compiler<'a> {
    symbols: &'a Symbols,
    invariants: &'a [Invariant<'a>],
    code: &'a mut Code,
    errors: &'a mut Vec<Diagnostic>,
}

/// The numbers of the routines that nothing in the program calls.
#[derive(Default)]
struct Routines {
    threads: Vec<u16>,
    finally: Vec<u16>,
    invariants: Vec<u16>,
}

impl Compiler<'_> {
    /// Compiles everything. Messages and tasks come first, in the order of their signatures' numbers;
    /// then threads, `finally` blocks and invariants, whose routine numbers are given back.
    fn routines(&mut self, program: &Program) -> Routines {
        for item in &program.items {
            if let Item::Message(routine) | Item::Task(routine) = item {
                self.duplicate_parameters(&routine.parameters);
                let parameters: Vec<_> =
                    routine.parameters.iter().map(|name| Some(name.text.as_str())).collect();
                let (name, span) = (&routine.name.text, routine.name.span);
                self.routine(name, span, &parameters, &routine.body, Context::Ordinary);
            }
        }
        let Routines { mut threads, mut finally, mut invariants } = Routines::default();
        for item in &program.items {
            match item {
                Item::Thread { name, dimensions, body } => {
                    threads.push(self.next_routine(name.span));
                    let parameters: Vec<_> = dimensions.iter().map(index_name).collect();
                    self.routine(&name.text, name.span, &parameters, body, Context::Ordinary);
                }
                Item::Finally(body) => {
                    finally.push(self.next_routine(Span::default()));
                    self.routine("finally", Span::default(), &[], body, Context::Finally);
                }
                _ => {}
            }
        }
        for number in 0..self.invariants.len() {
            invariants.push(self.next_routine(self.invariants[number].span));
            self.invariant(number);
        }
        Routines { threads, finally, invariants }
    }

    /// An invariant by itself, for the state at the beginning.
    fn invariant(&mut self, number: usize) {
        let span = self.invariants[number].span;
        let context = Context::Invariant;
        let mut builder =
            Builder::new(self.symbols, self.code, self.errors, self.invariants, context);
        let entry = builder.enter(span, std::iter::empty());
        builder.check_invariant(number);
        builder.finish("invariant", entry, 0, span);
    }

    fn next_routine(&mut self, span: Span) -> u16 {
        u16::try_from(self.code.routines.len()).unwrap_or_else(|_| {
            self.errors.push(Diagnostic::new(
                span,
                "more than 65536 threads, messages and tasks are declared",
            ));
            0
        })
    }

    fn routine(
        &mut self,
        name: &str,
        span: Span,
        parameters: &[Option<&str>],
        body: &Block,
        context: Context,
    ) {
        let mut builder =
            Builder::new(self.symbols, self.code, self.errors, self.invariants, context);
        let entry = builder.enter(span, parameters.iter().copied());
        builder.block(body);
        builder.finish(name, entry, parameters.len(), span);
    }

    fn duplicate_parameters(&mut self, parameters: &[crate::ast::Name]) {
        for (position, name) in parameters.iter().enumerate() {
            if parameters[..position].iter().any(|other| other.text == name.text) {
                let message = format!("there is already a parameter named `{}`", name.text);
                self.errors.push(Diagnostic::new(name.span, message));
            }
        }
    }
}
