//! The one way to lay out a program: `mazurka fmt`.
//!
//! Works on the tokens, so comments stay where they are and nothing is written differently, only elsewhere. A statement stands on a line of
//! its own, indented by its blocks. Like gofmt it leaves to the author what only an author knows: a block that was written on one line
//! stays there while it fits ([`WIDTH`]), a statement that was broken stays broken, an empty line between things stays (one). Comments at the
//! ends of neighbouring lines are aligned. Empty statements are left out.
//!
//! Formatting twice is formatting once, and the syntax tree is the same before and after; the second is checked each time.
//! Cost: linear in the text, times the depth of blocks on one line.

mod layout;
mod spacing;
mod tree;

use crate::ast::Program;
use crate::diagnostic::Diagnostics;
use crate::parser::parse;
use crate::source::Source;

/// Blocks on one line are at most so wide, with their indentation.
pub const WIDTH: usize = 100;

/// The program laid out, or what is wrong with it.
pub fn format(source: &Source) -> Result<String, Diagnostics> {
    let program = parse(source)?;
    let formatted = layout::text(&tree::read(source.text()));
    // A formatter that changes a program would be worse than none.
    if same_meaning(&program, &formatted) { Ok(formatted) } else { Ok(source.text().to_owned()) }
}

/// Is this the text of the same program?
fn same_meaning(program: &Program, text: &str) -> bool {
    let again = parse(&Source::new("formatted", text));
    debug_assert!(again.is_ok(), "what is formatted parses:\n{text}\n{again:?}");
    again.is_ok_and(|again| again.to_string() == program.to_string())
}
