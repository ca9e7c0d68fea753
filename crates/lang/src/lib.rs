//! The `.ed` language: a small language for event-driven programs.
//!
//! The way of a program: text → tokens (`token`) → syntax tree ([`ast`], `parser`) → code
//! ([`compile()`]) → a machine that runs it one event at a time and can go back ([`vm`]).
//!
//! ```
//! use mazurka_engine::{Program, Run};
//! use mazurka_lang::{Options, compile};
//!
//! let program = compile("hello.ed", "var x; thread t { x = 1; }", &Options::default()).unwrap();
//! let mut run = program.start();
//! let task = run.roots()[0];
//! let mut step = mazurka_engine::Step::default();
//! run.step(task, 0, &mut step);
//! assert_eq!(step.accesses[0].written, 1);
//! ```

mod arithmetic;
pub mod ast;
mod code;
mod compile;
mod diagnostic;
mod format;
mod forms;
mod future;
#[cfg(test)]
mod grammar;
mod layout;
mod outline;
mod parser;
mod print;
mod program;
mod source;
mod token;
pub mod vm;

pub use compile::{Options, compile};
pub use diagnostic::{Diagnostic, Diagnostics, MAX_ERRORS};
pub use format::{WIDTH, format};
pub use forms::{FORMS, Form, FormKind, form_of, words};
pub use outline::{Outline, StatementEvents, Symbol, SymbolKind, analyse};
pub use parser::{MAX_DEPTH, parse};
pub use program::EdProgram;
pub use source::{Position, Source, Span};
pub use token::comments;
