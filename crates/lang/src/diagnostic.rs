//! What is wrong with a program's text, and how it is shown: message, place, source line with a caret,
//! and a suggestion where one can be guessed.

use crate::source::{Source, Span};
use std::fmt;

/// More errors than this are not reported: the rest is mostly a consequence of the first.
pub const MAX_ERRORS: usize = 20;

/// Source lines are shown up to this many characters around the place.
const SHOWN_WIDTH: usize = 120;

/// One error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Where; `None` if it is not about a place in the text (a bad `--param`, say).
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: Some(span), message: message.into(), help: None }
    }

    /// An error without a place.
    pub fn global(message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: None, message: message.into(), help: None }
    }

    /// Adds advice, if there is any.
    pub fn with_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help;
        self
    }
}

/// All errors of one program, in the order of the text.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    source: Source,
    errors: Vec<Diagnostic>,
}

impl std::error::Error for Diagnostics {}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl Diagnostics {
    /// What is wrong with this text. Several errors at one place are one.
    pub fn new(source: Source, mut errors: Vec<Diagnostic>) -> Diagnostics {
        errors.sort_by_key(|error| error.span);
        // A second error at the same place is a consequence of the first.
        errors.dedup_by(|second, first| first.span.is_some() && second.span == first.span);
        errors.truncate(MAX_ERRORS);
        Diagnostics { source, errors }
    }

    /// The errors.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// `file:line:column` of an error, if it has a place.
    pub fn place(&self, error: &Diagnostic) -> Option<String> {
        error.span.map(|span| self.source.place(span))
    }

    /// The errors as text for people, each followed by an empty line; with colours for a terminal if asked for.
    pub fn render(&self, color: bool) -> String {
        let paint = Paint { color };
        let mut out = String::new();
        for error in &self.errors {
            self.render_one(error, paint, &mut out);
            out.push('\n');
        }
        if self.errors.len() == MAX_ERRORS {
            out.push_str(&format!("{MAX_ERRORS} errors are shown; there may be more\n"));
        }
        out
    }

    fn render_one(&self, error: &Diagnostic, paint: Paint, out: &mut String) {
        out.push_str(&format!("{}: {}\n", paint.red("error"), paint.bold(&error.message)));
        let mut margin = 1;
        if let Some(span) = error.span {
            let position = self.source.position(span.start);
            margin = position.line.to_string().len();
            let bar = paint.blue("|");
            let arrow = paint.blue("-->");
            out.push_str(&format!("{:margin$}{arrow} {}\n", "", self.source.place(span)));
            let snippet = self.snippet(span);
            let number = paint.blue(&format!("{:margin$}", position.line));
            out.push_str(&format!("{:margin$} {bar}\n", ""));
            out.push_str(&format!("{number} {bar} {}\n", snippet.line));
            let caret = paint.red(&"^".repeat(snippet.caret_width));
            out.push_str(&format!(
                "{:margin$} {bar} {:indent$}{caret}\n",
                "",
                "",
                indent = snippet.caret_start
            ));
        }
        if let Some(help) = &error.help {
            out.push_str(&format!("{:margin$} {} help: {help}\n", "", paint.blue("=")));
        }
    }

    /// The line of a place, cut to a window around it, with everything that a terminal could take as a command made harmless.
    fn snippet(&self, span: Span) -> Snippet {
        let position = self.source.position(span.start);
        let (line, line_start) = self.source.line(position.line);
        let line_end = line_start + line.len() as u32;
        let inside = Span {
            start: span.start.min(line_end),
            end: span.end.clamp(span.start.min(line_end), line_end),
        };
        let marked = self.source.slice(inside).chars().count().max(1);
        let first = position.column - 1;
        let fits = line.chars().count() <= SHOWN_WIDTH;
        let skip = if fits { 0 } else { first.saturating_sub(SHOWN_WIDTH / 2) };
        let line: String = line.chars().skip(skip).take(SHOWN_WIDTH).map(harmless).collect();
        let caret_start = first - skip;
        Snippet {
            line: line.trim_end().to_owned(),
            caret_start,
            caret_width: marked.min(SHOWN_WIDTH - caret_start),
        }
    }
}

struct Snippet {
    line: String,
    caret_start: usize,
    caret_width: usize,
}

/// Tabs and control characters become a blank, so that carets stand under what they mean.
fn harmless(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

#[derive(Clone, Copy)]
struct Paint {
    color: bool,
}

impl Paint {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn red(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn blue(self, text: &str) -> String {
        self.paint("1;34", text)
    }

    fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }
}

/// Nobody means another name with a longer one, and comparing takes time quadratic in its length.
const LONGEST_NAME_TO_GUESS: usize = 80;

/// The candidate that was most likely meant, in words.
pub(crate) fn suggest<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    if written.len() > LONGEST_NAME_TO_GUESS {
        return None;
    }
    let length = |text: &str| text.chars().count();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(written, candidate), candidate))
        .filter(|&(distance, candidate)| {
            let shorter = length(written).min(length(candidate));
            distance <= allowed_distance(shorter)
                && distance < shorter
                && begin_alike(written, candidate)
        })
        .min()
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

/// Do they begin with the same letter, or with the same two the other way round? Few people miss a word at its first letter, and many words are
/// alike behind it (`lifo` is not `fifo`).
fn begin_alike(written: &str, candidate: &str) -> bool {
    let [(a, b), (c, d)] = [written, candidate].map(|text| {
        let mut letters = text.chars().flat_map(char::to_lowercase);
        (letters.next(), letters.next())
    });
    a == c || (a == d && b == c)
}

/// A slip in a short word, two in a longer one; more is another word (`release` is not `else`).
fn allowed_distance(length: usize) -> usize {
    if length < 6 { 1 } else { 2 }
}
