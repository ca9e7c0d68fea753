//! From text to syntax tree: a lexer ([`crate::token`]) and a recursive descent over its tokens with
//! `winnow`.
//!
//! After an error the parser goes on behind the next `;` or closing `}`, so that one run reports several;
//! it gives up after [`MAX_ERRORS`]. How deep things may be nested is
//! bounded ([`MAX_DEPTH`]), so no input can exhaust the stack. Cost: linear in the text.

mod advice;
mod braces;
mod declarations;
mod expressions;
mod guesses;
mod input;
mod statements;

use crate::ast::Program;
use crate::diagnostic::{Diagnostic, Diagnostics, MAX_ERRORS};
use crate::source::Source;
use crate::token::tokens;

/// How deep blocks and expressions may be nested.
pub const MAX_DEPTH: u32 = 200;

/// Longer texts are refused: nobody wrote them by hand, and places are 32-bit numbers.
const MAX_TEXT: usize = 256 << 20;

/// Parses a program, or says what is wrong with it.
pub fn parse(source: &Source) -> Result<Program, Diagnostics> {
    let (program, errors) = parse_with_recovery(source);
    if errors.is_empty() { Ok(program) } else { Err(Diagnostics::new(source.clone(), errors)) }
}

/// Parses what can be parsed; the errors say what could not.
pub(crate) fn parse_with_recovery(source: &Source) -> (Program, Vec<Diagnostic>) {
    if source.text().len() > MAX_TEXT {
        let message = format!("the file is larger than {} MB", MAX_TEXT >> 20);
        return (Program::default(), vec![Diagnostic::global(message)]);
    }
    let (tokens, mut errors) = tokens(source.text());
    if errors.len() >= MAX_ERRORS {
        return (Program::default(), errors);
    }
    let mut input = input::new(source.text(), &tokens);
    let items = declarations::items(&mut input);
    let line = |error: &Diagnostic| error.span.map(|span| source.position(span.start).line);
    let strange: Vec<_> = errors.iter().map(line).collect();
    // What is no token was left out, and the parser misses it: its errors on those lines and at the end of the
    // file say nothing new.
    let end = source.text().len() as u32;
    let is_news = |error: &Diagnostic| {
        let at_end = error.span.is_some_and(|span| span.start == end);
        strange.is_empty() || !(at_end || strange.contains(&line(error)))
    };
    errors.extend(input.state.errors.into_iter().filter(is_news));
    (Program { items }, errors)
}
