//! What is said of the thing under the cursor: its declaration, the form that a word belongs to, the events of the statement.

use crate::document::Document;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use mazurka_lang::{Form, Span, Symbol, form_of};

/// What is said of a place.
pub fn hover(document: &Document, offset: u32) -> Option<Hover> {
    let word = document.word_at(offset);
    let mut parts = Vec::new();
    if let Some(symbol) = document.outline.symbol_at(offset) {
        parts.push(declaration(document, &document.outline.symbols[symbol]));
    } else if let Some(form) = word.and_then(|span| form_of(document.source.slice(span))) {
        parts.push(explained(form));
    }
    if let Some(statement) = document.outline.statement_at(offset) {
        parts.push(events(&statement.events));
    }
    if parts.is_empty() {
        return None;
    }
    let value = parts.join("\n\n---\n\n");
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: word.map(|span| document.range(span)),
    })
}

/// A form as it is written, what it means, and its events.
pub fn explained(form: &Form) -> String {
    let mut text = format!("```ed\n{}\n```\n{}", form.syntax, form.meaning);
    if !form.events.is_empty() {
        text.push_str(&format!("\n\nEvents: {}.", form.events));
    }
    text
}

fn declaration(document: &Document, symbol: &Symbol) -> String {
    let line = document.source.position(symbol.span.start).line;
    let (text, start) = document.source.line(line);
    let before = &text[..(symbol.span.start - start) as usize];
    // The statement or declaration on that line, without the code behind its name.
    let begin = before.rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let rest = &text[begin..];
    let end = rest.find(['{', ';']).unwrap_or(rest.len());
    format!("```ed\n{}\n```\n{}", rest[..end].trim(), symbol.kind.describe())
}

fn events(events: &[String]) -> String {
    if events.is_empty() {
        return "This statement makes no event of its own.".to_owned();
    }
    let lines: Vec<String> =
        events.iter().enumerate().map(|(at, event)| format!("{}. {event}", at + 1)).collect();
    format!("Events of this statement:\n\n{}", lines.join("\n"))
}

/// The text of a place, for completions.
pub fn detail(document: &Document, symbol: &Symbol) -> String {
    let Span { start, .. } = symbol.span;
    format!("{} (line {})", symbol.kind.describe(), document.source.position(start).line)
}
