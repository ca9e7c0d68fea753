//! What the source calls an object: the variable or field that the call which makes it is bound to.
//!
//! Read from the text in front of the call, up to where its statement begins. That is a guess by the looks of it: where it
//! cannot be made, an object is called by its type and place.

use crate::source_file;
use std::panic::Location;

/// The name that `place`, where something is made, binds it to.
pub(crate) fn binding(place: &Location<'_>) -> Option<String> {
    let source = source_file::text(place.file())?;
    let before_line: usize =
        source.split_inclusive('\n').take(place.line() as usize - 1).map(str::len).sum();
    let end = before_line + place.column() as usize - 1;
    binding_in(source.get(..end)?)
}

/// The name that something which comes behind this text is bound to.
fn binding_in(text: &str) -> Option<String> {
    let begin = text.rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let lines = text[begin..].lines().map(str::trim);
    let is_code = |line: &&str| !line.starts_with("//") && !line.starts_with('#');
    let statement = lines.filter(is_code).collect::<Vec<_>>().join(" ");
    let statement = statement.trim();
    field(statement).or_else(|| variable(statement))
}

/// `name: Arc::new(`: a field of a struct, with calls around the value.
fn field(statement: &str) -> Option<String> {
    let mut rest = statement;
    while let Some(outer) = rest.strip_suffix('(') {
        let is_path = |c: char| c.is_alphanumeric() || "_:<>".contains(c);
        rest = outer.trim_end_matches(is_path).trim_end();
        if rest.len() == outer.len() {
            return None;
        }
        // The path may have taken the colon of the field with it.
        if let Some(colon) = outer[rest.len()..].trim_start().strip_prefix(':')
            && !colon.starts_with(':')
        {
            return last_name(rest);
        }
    }
    let before = rest.strip_suffix(':').filter(|before| !before.ends_with(':'))?;
    last_name(before)
}

/// `let name = `, `static NAME: T = `, `self.name = `.
fn variable(statement: &str) -> Option<String> {
    let (left, right) = statement.split_once('=')?;
    if right.starts_with(['=', '>']) || left.ends_with(['!', '<', '>', '+', '-']) {
        return None;
    }
    let words = ["pub ", "let ", "static ", "const ", "mut "];
    let mut pattern = left.trim();
    while let Some(rest) = words.iter().find_map(|word| pattern.strip_prefix(word)) {
        pattern = rest.trim_start();
    }
    match pattern.strip_prefix('(') {
        Some(parts) => of_tuple(parts, right),
        None => last_name(pattern.split_once(": ").map_or(pattern, |(name, _)| name).trim()),
    }
}

/// The part of `a, b)` that is bound to what comes behind `right`: all of them unless that is a tuple, too.
fn of_tuple(pattern: &str, right: &str) -> Option<String> {
    let (inside, _) = pattern.split_once(')')?;
    let names: Option<Vec<String>> = inside.split(',').map(|part| last_name(part.trim())).collect();
    let names = names?;
    let Some(values) = right.trim_start().strip_prefix('(') else { return Some(names.join("/")) };
    let mut depth = 0;
    let mut position = 0;
    for character in values.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => position += 1,
            _ => {}
        }
    }
    names.get(position).cloned()
}

/// The name at the end of a text, if it is one.
fn last_name(text: &str) -> Option<String> {
    let text = text.trim_end();
    let begin = text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    let name = &text[begin..];
    let begins_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (begins_well && name != "_").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_front_of_calls() {
        let name = |text| binding_in(text).unwrap_or_else(|| "none".to_owned());
        assert_eq!(name("fn f() {\n    let open = Arc::new("), "open");
        assert_eq!(name("g();\n // not = this\n let mut x: Arc<Mutex<u32>> = Arc::new("), "x");
        assert_eq!(name("Account { id: 1, balance: "), "balance");
        assert_eq!(name("Account { balance: std::sync::Arc::new("), "balance");
        assert_eq!(name("static READY: AtomicBool = "), "READY");
        assert_eq!(name("self.queue = "), "queue");
        assert_eq!(name("let (a, b) = (Arc::new(f(1, 2)), Arc::new("), "b");
        assert_eq!(name("let (sender, receiver) = "), "sender/receiver");
        assert_eq!(name("let cells: Vec<_> = (0..3).map(|_| Arc::new("), "cells");
    }

    #[test]
    fn what_has_no_name_gets_none() {
        for text in ["f(", "x == ", "", "let _ = ", "match x { 1 => ", "fn f() -> Mutex<u32> { "] {
            assert_eq!(binding_in(text), None, "{text}");
        }
    }
}
