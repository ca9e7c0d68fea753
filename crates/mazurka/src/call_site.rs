//! Where in the source the argument of a call begins and ends.
//!
//! All closures of a function have the same name, so whether something stands inside of a certain one is read from the
//! source, where it can be found.

use crate::source_file;
use std::panic::Location;

/// The lines of a call that has a closure written in its argument: `None` if it has none, or the source is not there.
pub(crate) fn lines_of_inline_closure(call: &Location<'_>) -> Option<(u32, u32)> {
    let source = source_file::text(call.file())?;
    let first = call.line() as usize - 1;
    let from: usize = source.split_inclusive('\n').take(first).map(str::len).sum();
    let (text, lines) = argument(source.get(from + call.column() as usize - 1..)?)?;
    text.contains('|').then_some((call.line(), call.line() + lines))
}

/// The text from here to the parenthesis that closes the first one, and how many lines further that is.
fn argument(text: &str) -> Option<(&str, u32)> {
    let (mut depth, mut lines) = (0, 0);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let skipped = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => string(rest),
            '\'' => character(rest),
            _ => next.len_utf8(),
        };
        lines += rest[..skipped].matches('\n').count() as u32;
        rest = &rest[skipped..];
        match next {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some((&text[..text.len() - rest.len()], lines));
                }
            }
            _ => {}
        }
    }
    None
}

/// The length of the string that begins here.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (position, character) in text.char_indices().skip(1) {
        match character {
            '"' if !escaped => return position + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// The length of the character that begins here; of a lifetime only its mark.
fn character(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    match inside.next() {
        Some((_, '\\')) => text[2..].find('\'').map_or(1, |end| {
            // The escaped character may be the mark itself.
            if end == 0 { text[3..].find('\'').map_or(1, |end| end + 4) } else { end + 3 }
        }),
        Some(_) => match inside.next() {
            Some((position, '\'')) => position + 1,
            _ => 1,
        },
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_ends_where_its_parenthesis_does() {
        let text =
            "check(|| {\n let a = \")\\\")\"; // )\n f('(', '\\'', x::<'a>()); /* ) */\n}) + (1)";
        let (argument, lines) = argument(text).expect("it ends");
        assert_eq!(lines, 3);
        assert!(argument.ends_with("})"), "{argument}");
    }

    #[test]
    fn a_call_without_a_closure_has_no_lines() {
        fn lines(_code: fn()) -> Option<(u32, u32)> {
            lines_of_inline_closure(caller())
        }
        #[track_caller]
        fn caller() -> &'static Location<'static> {
            Location::caller()
        }
        assert_eq!(lines(|| ()), None);
    }
}
