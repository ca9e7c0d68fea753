//! Where a closing brace is missing. The parser misses it at the end of the file; people look for it where the next declaration begins, or
//! where a block ends further left than it began.

use super::declarations::at_declaration_word;
use super::input::{Input, SyntaxError, kind, look, second_kind, text_of, unexpected};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::TokenKind;

/// Is a `}` missing here, inside of a block? At the end of the file, and before a declaration that stands at the beginning of a line
/// without indentation.
pub(super) fn is_missing(input: &Input<'_>) -> bool {
    let named = matches!(second_kind(input), TokenKind::Word | TokenKind::OpenBrace);
    kind(input) == TokenKind::End
        || (named && at_declaration_word(input) && begins_line(input, look(input).span))
}

/// Remembers a closing brace that stands further left than the line of its opening one.
pub(super) fn note_closing(input: &mut Input<'_>, open: Span) {
    let close = look(input).span;
    let own_line = text_of(input, line_before(input, close)).trim().is_empty();
    if own_line && input.state.suspect.is_none() && indent(input, close) < indent(input, open) {
        input.state.suspect = Some(open);
    }
}

/// The error: at the declaration, or at the end of the file, with the line of the brace that is probably the open one.
pub(super) fn missing(input: &Input<'_>, open: Span) -> SyntaxError {
    let open = input.state.suspect.unwrap_or(open);
    let line = line_number(input, open);
    if kind(input) == TokenKind::End {
        return unexpected(input, &format!("`}}` (to close the `{{` of line {line})"));
    }
    let word = text_of(input, look(input).span);
    let message = format!("a `}}` is missing before this `{word}`");
    let help = format!("the `{{` of line {line} is not closed");
    SyntaxError::new(Diagnostic::new(look(input).span, message).with_help(Some(help)))
}

fn line_number(input: &Input<'_>, span: Span) -> usize {
    text_of(input, Span { start: 0, end: span.start }).matches('\n').count() + 1
}

/// Does it stand at the very beginning of a line?
fn begins_line(input: &Input<'_>, span: Span) -> bool {
    let before = line_before(input, span);
    before.start > 0 && before.start == before.end
}

/// What stands before a place on its line.
fn line_before(input: &Input<'_>, span: Span) -> Span {
    let before = text_of(input, Span { start: 0, end: span.start });
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    Span { start: start as u32, end: span.start }
}

/// How far the line of a place is indented.
fn indent(input: &Input<'_>, span: Span) -> usize {
    let before = line_before(input, span);
    let text = text_of(input, before);
    text.len() - text.trim_start().len()
}
