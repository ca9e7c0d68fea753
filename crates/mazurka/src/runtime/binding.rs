//! What an object is called in the source: the variable, field or `static` that it was made for.
//!
//! Only the place of its making is known at run time, so the line is looked up in the source, where that can be found: tests usually run beside it.
//! `let open = Arc::new(AtomicBool::new(true))` makes `open`; `Queue { items: Mutex::new(…) }` makes `items`. What is made in a pattern, or far
//! from its name, has none.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::path::PathBuf;

/// A name may stand so many lines above the place where the object is made.
const LINES_ABOVE: usize = 3;

thread_local! {
    /// The lines of the files that were asked for; nothing where a file cannot be read.
    static FILES: RefCell<HashMap<&'static str, Option<Vec<String>>>> = RefCell::default();
}

/// The name that an object made at this place has.
pub(crate) fn binding(place: &'static Location<'static>) -> Option<String> {
    FILES.with_borrow_mut(|files| {
        let read = || Some(source(place.file())?.lines().map(str::to_owned).collect());
        let lines = files.entry(place.file()).or_insert_with(read).as_ref()?;
        in_lines(lines, place.line() as usize, place.column() as usize)
    })
}

/// The text of a source file. Its name counts from the folder of the workspace, and tests run in that of their package.
pub(crate) fn source(file: &str) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let candidates = here.ancestors().map(|folder| folder.join(file));
    let found: PathBuf = candidates.into_iter().find(|path| path.is_file())?;
    std::fs::read_to_string(found).ok()
}

/// The name that belongs to what is made at this line and column, counted from 1.
fn in_lines(lines: &[String], line: usize, column: usize) -> Option<String> {
    let own = lines.get(line.checked_sub(1)?)?;
    let mut before: String = own.chars().take(column.saturating_sub(1)).collect();
    for above in 1..=LINES_ABOVE {
        if let Some(name) = in_text(&before) {
            return Some(name);
        }
        let earlier = lines.get(line.checked_sub(1 + above)?)?.trim_end();
        // A statement does not go on behind these.
        if earlier.ends_with([';', '}']) || before.contains([';', '}']) {
            return None;
        }
        before = format!("{earlier} {before}");
    }
    in_text(&before)
}

/// The name in what stands before the object in its statement.
fn in_text(before: &str) -> Option<String> {
    let statement = before.rsplit(';').next().unwrap_or(before);
    declared(statement).or_else(|| field(statement))
}

/// `open` of `let mut open: Arc<_> = Arc::new(`, `COUNT` of `static COUNT: AtomicU32 = `.
fn declared(statement: &str) -> Option<String> {
    let (_, rest) = ["let mut ", "let ", "static "].iter().find_map(|word| {
        statement.rsplit_once(word).filter(|(left, _)| !left.ends_with(is_word))
    })?;
    let (name, rest) = word(rest)?;
    let rest = rest.trim_start();
    (rest.starts_with(':') || rest.starts_with('=')).then_some(name)
}

/// `items` of `items: Arc::new(`: only what wraps the object may stand between.
fn field(statement: &str) -> Option<String> {
    let (left, wrappers) = statement.rsplit_once(": ")?;
    let wraps = |sign: char| is_word(sign) || ":<>(&".contains(sign) || sign.is_whitespace();
    let start = left.rfind(|sign| !is_word(sign)).map_or(0, |at| at + 1);
    let (name, _) = word(&left[start..])?;
    wrappers.chars().all(wraps).then_some(name)
}

/// The word at the beginning of a text, if it begins as a name does, and the rest.
fn word(text: &str) -> Option<(String, &str)> {
    let end = text.find(|sign| !is_word(sign)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let is_name = name.starts_with(|sign: char| sign.is_alphabetic() || sign == '_');
    (is_name && name != "_").then(|| (name.to_owned(), rest))
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of what is made where `@` stands.
    fn name(text: &str) -> Option<String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let line = lines.iter().position(|line| line.contains('@')).expect("a place");
        let column = lines[line].chars().position(|sign| sign == '@').expect("a place");
        in_lines(&lines, line + 1, column + 1)
    }

    #[test]
    fn objects_are_called_by_their_bindings() {
        let named = [
            ("    let open = Arc::new(@AtomicBool::new(true));", "open"),
            ("let mut m: Mutex<u32> = @", "m"),
            ("static COUNT: AtomicU32 = @", "COUNT"),
            ("Queue { items: @Mutex::new(0), size: 1 }", "items"),
            ("    items: Arc::new(@", "items"),
            ("let slots = [@AtomicU32::new(0), ", "slots"),
            ("let state =\n    Arc::new(\n        @Mutex::new(1));", "state"),
            ("foo(); let x = @", "x"),
        ];
        for (text, expected) in named {
            assert_eq!(name(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_name_of_its_own_has_none() {
        for text in
            ["let (a, b) = @", "run(@Mutex::new(0))", "let x = 1;\n@", "x::y(@", "let _ = @"]
        {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
