//! What a file says of itself: `// expect: violation "drawing on a closed screen"`, `// expect: safe, 90 executions`.
//!
//! A line has clauses, separated by commas or the word `with`:
//!
//! - first what comes of it: `safe`, `incomplete`, `violation`, or the kind of a failure (`assertion`, `deadlock`, `fault`, …);
//!   behind `violation` or a kind a text in quotes may stand, which the message of the failure contains. Several failures may be named;
//! - then counts: `90 executions`, `no redundant`, `at least 2 deadlocks`, `at most 10 blocked` (see [`counts`]);
//! - and settings, which are the flags of `mazurka check` that say what is explored and how: `algorithm optimal`, `mailbox multiset`,
//!   `keep-going`, `unroll 5`, `n = 2` for `--param n=2`. They come on top of those of the command line.
//!
//! Each line is an exploration of its own.

mod compare;
mod counts;
mod parse;
mod settings;

use crate::args::CheckArgs;
use crate::error::Error;
use counts::Count;
use mazurka_engine::{FailureKind, Verdict};
use mazurka_lang::{Diagnostic, Diagnostics, Source, Span, comments};
use std::path::Path;

/// What a line expects.
pub struct Expectation {
    /// The line's number.
    line: usize,
    /// What it says behind `expect:`.
    text: String,
    verdict: Verdict,
    failures: Vec<ExpectedFailure>,
    counts: Vec<Count>,
    /// How to explore, with the settings of the line.
    pub arguments: CheckArgs,
}

/// One failure that must be among those found.
struct ExpectedFailure {
    /// Any kind if there is none.
    kind: Option<FailureKind>,
    /// What its message contains.
    text: Option<String>,
}

/// The expectations of a file, in the order of its lines.
pub fn read(file: &Path, text: &str) -> Result<Vec<Expectation>, Error> {
    let source = Source::new(&file.to_string_lossy(), text);
    let (mut expectations, mut errors) = (Vec::new(), Vec::new());
    for comment in comments(text) {
        match content(&source, comment) {
            Ok(None) => {}
            Ok(Some(span)) => match parse::expectation(&source, span) {
                Ok(expectation) => expectations.push(expectation),
                Err(error) => errors.push(error),
            },
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(expectations)
    } else {
        Err(Error::Program(Box::new(Diagnostics::new(source, errors))))
    }
}

/// Where a comment says what is expected, if it does. A comment that looks as if it wanted to is an error: what is not compared
/// would look like something that holds.
fn content(source: &Source, comment: Span) -> Result<Option<Span>, Diagnostic> {
    let text = source.slice(comment);
    let Some(inner) = text.strip_prefix("//") else {
        return Ok(None);
    };
    let words = inner.trim_start_matches('/').trim_start();
    let length = words.find(|c: char| !c.is_alphabetic()).unwrap_or(words.len());
    let (word, rest) = words.split_at(length);
    if !["expect", "expects", "expected"].contains(&word.to_lowercase().as_str()) {
        return Ok(None);
    }
    let trimmed = rest.trim_start();
    if let Some(content) = trimmed.strip_prefix(':') {
        return Ok(Some(Span { start: comment.end - content.len() as u32, end: comment.end }));
    }
    if parse::begins_with_verdict(trimmed) {
        let message = "an expectation needs a `:`";
        let help = format!("write `// expect: {}`", trimmed.trim_end());
        return Err(Diagnostic::new(comment, message).with_help(Some(help)));
    }
    Ok(None)
}
