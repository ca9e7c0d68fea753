//! EM-Explorer's text format: `trace.txt`, one operation on a line, and `dependence.txt`.
//!
//! Source: Maiya, Gupta, Kanade and Majumdar, "Partial Order Reduction for Event-Driven Multi-threaded
//! Programs", TACAS 2016, and the files of its tool.
//!
//! Deviations from the original reader:
//!
//! 1. A field that must be a number and is none is an error; the original reads 0.
//! 2. Indexes must be ascending, each used once; the original lets the later one replace the earlier.
//! 3. Addresses keep 64 bits.
//! 4. Blanks at the end of a line never matter.
//! 5. Lines that the original ignores are ignored, and reported as warnings.
//! 6. Lines such as `# thread 3 is main` give names ([`crate::names`]).
//! 7. In `dependence.txt` a short line that is not empty is an error, since a truncated file looks so.

use super::fields::{Fields, id};
use super::keyword;
use crate::action::Action;
use crate::error::{Error, Reason, Warning, WarningKind};
use crate::names::Names;
use crate::trace::{Dependence, Recorded, RecordedTrace};
use std::fmt::Write;

/// What a reader gives: the content, and what it ignored.
pub type Read = (RecordedTrace, Vec<Warning>);

/// Reads `trace.txt` and, if there is one, `dependence.txt` (its name and content). Says nothing yet
/// about whether the operations fit together: that is [`crate::check`].
pub fn read(name: &str, content: &[u8], dependences: Option<(&str, &[u8])>) -> Result<Read, Error> {
    let mut warnings = Vec::new();
    let mut names = Names::default();
    let operations = operations(name, content, &mut names, &mut warnings)?;
    let (dependence_name, dependences) = match dependences {
        Some((name, content)) => (name.to_owned(), edges(name, content, &mut warnings)?),
        None => (String::new(), Vec::new()),
    };
    let name = name.to_owned();
    let trace = RecordedTrace { name, dependence_name, operations, dependences, names };
    Ok((trace, warnings))
}

/// The lines of a file with their numbers, without blanks at their ends.
pub(crate) fn lines<'t>(
    name: &'t str,
    content: &'t [u8],
) -> impl Iterator<Item = Result<(u32, &'t str), Error>> {
    content.split(|&byte| byte == b'\n').zip(1..).map(move |(bytes, line)| {
        match str::from_utf8(bytes) {
            Ok(text) => Ok((line, text.trim_end())),
            Err(_) => Err(Error { file: name.to_owned(), line, reason: Reason::NotUtf8 }),
        }
    })
}

fn operations(
    name: &str,
    content: &[u8],
    names: &mut Names,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Recorded>, Error> {
    let mut operations = Vec::new();
    for item in lines(name, content) {
        let (line, text) = item?;
        if text.is_empty() || names.read_line(text) {
            continue;
        }
        match parse_line(text) {
            Ok(Line::Operation(index, action, trailing)) => {
                operations.push(Recorded { index, line, action });
                warnings.extend(trailing.map(|kind| Warning { line, kind }));
            }
            // Where the original's numbering begins.
            Ok(Line::Ignored(WarningKind::Start)) if line == 1 => {}
            Ok(Line::Ignored(kind)) => warnings.push(Warning { line, kind }),
            Err(reason) => {
                return Err(Error { file: name.to_owned(), line, reason });
            }
        }
    }
    Ok(operations)
}

enum Line {
    Operation(u32, Action, Option<WarningKind>),
    Ignored(WarningKind),
}

fn parse_line(text: &str) -> Result<Line, Reason> {
    if text.len() <= 2
        || !text.starts_with(|first: char| first.is_ascii_digit() || "+-".contains(first))
    {
        return Ok(Line::Ignored(WarningKind::Text));
    }
    let mut parts = text.splitn(3, ' ');
    let index = parts.next().unwrap_or_default();
    let keyword = parts.next().unwrap_or_default();
    let mut fields = Fields::new(keyword, parts.next());
    match keyword::parse(keyword, &mut fields)? {
        Some(action) => Ok(Line::Operation(id("index", index)?, action, fields.trailing())),
        None => Ok(Line::Ignored(ignored(keyword))),
    }
}

pub(crate) fn ignored(keyword: &str) -> WarningKind {
    match keyword {
        "START" => WarningKind::Start,
        "JOIN" => WarningKind::Join,
        "" => WarningKind::Text,
        _ => WarningKind::UnknownKeyword { keyword: keyword.to_owned() },
    }
}

fn edges(
    name: &str,
    content: &[u8],
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Dependence>, Error> {
    let mut edges = Vec::new();
    let mut end = None;
    for item in lines(name, content) {
        let (line, text) = item?;
        match (text.is_empty(), end) {
            (true, _) => end = end.or(Some(line)),
            (false, Some(stop)) => {
                warnings.push(Warning { line, kind: WarningKind::AfterTheEnd { stop } })
            }
            (false, None) => {
                let edge = edge(line, text);
                edges.push(edge.map_err(|reason| Error { file: name.to_owned(), line, reason })?);
            }
        }
    }
    Ok(edges)
}

/// The first token is the source, the last one the destination.
fn edge(line: u32, text: &str) -> Result<Dependence, Reason> {
    let bad = || Reason::BadDependence { found: text.to_owned() };
    let (first, rest) = text.split_once(' ').ok_or_else(bad)?;
    let (_, source) = first.split_once(':').ok_or_else(bad)?;
    let last = rest.rsplit_once(' ').map_or(rest, |(_, last)| last);
    let (_, destination) = last.split_once(':').ok_or_else(bad)?;
    Ok(Dependence {
        line,
        source: id("src", source.trim_end())?,
        destination: id("dest", destination)?,
    })
}

/// Writes `trace.txt`. A trace that was read as JSON may have texts that this format cannot say, such as
/// a class with a blank in it; that is an error.
pub fn write_trace(trace: &RecordedTrace) -> Result<String, Error> {
    let mut out = String::new();
    if let Some(first) = trace.operations.first().filter(|first| first.index > 1) {
        // START is where the original's numbering begins.
        writeln!(out, "{} START", first.index - 1).expect("writing to a string");
    }
    for recorded in &trace.operations {
        let begin = out.len();
        write!(out, "{} {}", recorded.index, recorded.action.keyword())
            .expect("writing to a string");
        keyword::write_fields(&mut out, &recorded.action).expect("writing to a string");
        if !reads_back(&out[begin..], recorded) {
            let reason = Reason::NotInText { index: recorded.index };
            return Err(Error { file: trace.name.clone(), line: recorded.line, reason });
        }
        out.push('\n');
    }
    for line in trace.names.lines() {
        writeln!(out, "{line}").expect("writing to a string");
    }
    Ok(out)
}

fn reads_back(line: &str, recorded: &Recorded) -> bool {
    !line.contains('\n')
        && matches!(parse_line(line.trim_end()), Ok(Line::Operation(index, action, None))
            if index == recorded.index && action == recorded.action)
}

/// Writes `dependence.txt`.
pub fn write_dependences(trace: &RecordedTrace) -> String {
    let mut out = String::new();
    for (source, destination) in trace.dependence_set() {
        writeln!(out, "src:{source} dest:{destination}").expect("writing to a string");
    }
    out
}
