//! An `// expect:` line into its parts.

use super::counts::{self, Count};
use super::settings::Settings;
use super::{Expectation, ExpectedFailure};
use mazurka_engine::{FailureKind, Verdict};
use mazurka_lang::{Diagnostic, Source, Span};

const KINDS: [FailureKind; 5] = [
    FailureKind::Assertion,
    FailureKind::Deadlock,
    FailureKind::Fault,
    FailureKind::DataRace,
    FailureKind::Nondeterminism,
];

const FORMS: &str = "an expectation is a verdict (`safe`, `violation \"text\"`, `deadlock`, `incomplete`), then counts (`90 executions`, \
`at least 2 blocked`, `no redundant`) and settings (`algorithm optimal`, `mailbox multiset`, `n = 2`), separated by commas";

/// What the first word of a clause can say of the outcome.
enum Outcome {
    Verdict(Verdict),
    Failure(Option<FailureKind>),
}

/// Parses what stands behind `expect:`.
pub fn expectation(source: &Source, span: Span) -> Result<Expectation, Diagnostic> {
    let mut verdict = None;
    let (mut failures, mut counts, mut settings) = (Vec::new(), Vec::new(), Settings::default());
    for clause in clauses(source, span) {
        let text = source.slice(clause);
        match outcome(first_word(text)) {
            Some(outcome) => {
                let (found, failure) = failure_clause(text, outcome, clause)?;
                if verdict.replace(found).is_some_and(|before| before != found) {
                    let message = "this contradicts the verdict before it";
                    return Err(Diagnostic::new(clause, message));
                }
                failures.extend(failure);
            }
            None if verdict.is_none() => return Err(no_verdict(clause, text)),
            None => match counts::parse(text) {
                Some(count) => counts.push(count.map_err(|why| Diagnostic::new(clause, why))?),
                None => settings.add(clause, text)?,
            },
        }
    }
    let verdict = verdict.ok_or_else(|| no_verdict(span, ""))?;
    if counts.iter().any(Count::needs_classes) {
        settings.count_classes();
    }
    Ok(Expectation {
        line: source.position(span.start).line,
        text: source.slice(span).trim().to_owned(),
        verdict,
        failures,
        counts,
        arguments: settings.arguments(span)?,
    })
}

/// Does this text begin as an expectation does?
pub fn begins_with_verdict(text: &str) -> bool {
    outcome(first_word(text)).is_some()
}

fn no_verdict(span: Span, text: &str) -> Diagnostic {
    let message = if text.is_empty() {
        "nothing is expected here".to_owned()
    } else {
        format!("`{text}` is no verdict, and an expectation begins with one")
    };
    Diagnostic::new(span, message).with_help(Some(FORMS.to_owned()))
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| c.is_whitespace() || "\":".contains(c)).next().unwrap_or("")
}

fn outcome(word: &str) -> Option<Outcome> {
    let verdicts = [Verdict::Safe, Verdict::Incomplete];
    let verdict = verdicts.into_iter().find(|verdict| verdict.name() == word);
    let kind = KINDS.into_iter().find(|kind| kind.name() == word);
    verdict
        .map(Outcome::Verdict)
        .or_else(|| kind.map(|kind| Outcome::Failure(Some(kind))))
        .or_else(|| (word == Verdict::Violation.name()).then_some(Outcome::Failure(None)))
}

/// `safe`, `violation "text"`, `deadlock`, …
fn failure_clause(
    text: &str,
    outcome: Outcome,
    span: Span,
) -> Result<(Verdict, Option<ExpectedFailure>), Diagnostic> {
    let rest = text[first_word(text).len()..].trim().trim_start_matches(':').trim_start();
    match outcome {
        Outcome::Verdict(verdict) if rest.is_empty() => Ok((verdict, None)),
        Outcome::Verdict(verdict) => {
            let message = format!("a `,` is missing behind `{}`", verdict.name());
            Err(Diagnostic::new(span, message).with_help(Some(FORMS.to_owned())))
        }
        Outcome::Failure(kind) => {
            let text = if rest.is_empty() { None } else { Some(quoted(rest, span)?) };
            Ok((Verdict::Violation, Some(ExpectedFailure { kind, text })))
        }
    }
}

/// The text in quotes, with `\"` and `\\` in it.
fn quoted(text: &str, span: Span) -> Result<String, Diagnostic> {
    let bad = || {
        let message = "expected a text in quotes, or a `,` before what follows";
        Diagnostic::new(span, message).with_help(Some(FORMS.to_owned()))
    };
    let inner = text.strip_prefix('"').ok_or_else(bad)?;
    let (mut out, mut characters) = (String::new(), inner.chars());
    loop {
        match characters.next() {
            Some('"') => break,
            Some('\\') => out.extend(characters.next()),
            Some(character) => out.push(character),
            None => return Err(Diagnostic::new(span, "this text has no closing `\"`")),
        }
    }
    if characters.as_str().trim().is_empty() { Ok(out) } else { Err(bad()) }
}

/// The parts between commas and the words `with` and `and`, outside of quotes; empty ones are left out.
fn clauses(source: &Source, span: Span) -> Vec<Span> {
    let text = source.slice(span);
    let (mut clauses, mut start, mut in_quotes, mut escaped) = (Vec::new(), 0, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if in_quotes => escaped = true,
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            ',' | ';' => {
                clauses.push((start, at));
                start = at + 1;
            }
            _ => {
                if let Some(length) = separating_word(text, at) {
                    clauses.push((start, at));
                    start = at + length;
                }
            }
        }
    }
    clauses.push((start, text.len()));
    let trimmed = clauses.into_iter().map(|(start, end)| {
        let blank = text[start..end].len() - text[start..end].trim_start().len();
        let length = text[start..end].trim().len();
        let start = span.start + (start + blank) as u32;
        Span { start, end: start + length as u32 }
    });
    trimmed.filter(|clause| clause.start < clause.end).collect()
}

/// The length of a word that separates clauses, if one stands here.
fn separating_word(text: &str, at: usize) -> Option<usize> {
    let free_before = at == 0 || text[..at].ends_with(char::is_whitespace);
    let words = ["with", "and"];
    let is_next = |word: &&str| {
        let rest = text[at..].strip_prefix(*word);
        rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
    };
    words.iter().find(|word| free_before && is_next(word)).map(|word| word.len())
}
