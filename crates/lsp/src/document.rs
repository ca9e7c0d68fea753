//! An open document: its text, what is known of it, and places in it as the protocol counts them.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use mazurka_lang::{Diagnostic, Outline, Source, Span, analyse};

/// An open document.
pub struct Document {
    pub source: Source,
    pub errors: Vec<Diagnostic>,
    pub outline: Outline,
}

impl Document {
    /// Analyses a text.
    pub fn new(name: &str, text: &str) -> Document {
        let source = Source::new(name, text);
        let (errors, outline) = analyse(&source);
        Document { source, errors, outline }
    }

    /// The text of the document.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// The text after some changes, each made on top of those before it.
    pub fn changed(&self, changes: &[TextDocumentContentChangeEvent]) -> String {
        let mut source = None;
        for change in changes {
            let before = source.as_ref().unwrap_or(&self.source);
            let text = match change.range {
                Some(range) => {
                    let (start, end) = (offset(before, range.start), offset(before, range.end));
                    let text = before.text();
                    // A client that sends them the wrong way round means what is between them.
                    let (start, end) = (start.min(end), start.max(end));
                    format!("{}{}{}", &text[..start], change.text, &text[end..])
                }
                None => change.text.clone(),
            };
            source = Some(Source::new("", &text));
        }
        source.as_ref().unwrap_or(&self.source).text().to_owned()
    }

    /// The byte at a place.
    pub fn offset(&self, position: Position) -> u32 {
        offset(&self.source, position) as u32
    }

    /// The place of a range of bytes.
    pub fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end) }
    }

    fn position(&self, offset: u32) -> Position {
        let offset = offset.min(self.text().len() as u32);
        let line = self.source.position(offset).line;
        let (_, start) = self.source.line(line);
        let before = self.source.slice(Span { start, end: offset });
        Position { line: line as u32 - 1, character: before.encode_utf16().count() as u32 }
    }

    /// Everything.
    pub fn whole(&self) -> Range {
        self.range(Span { start: 0, end: self.text().len() as u32 })
    }

    /// The word at a byte, if one stands there.
    pub fn word_at(&self, offset: u32) -> Option<Span> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (before, after) = self.text().split_at_checked(offset as usize)?;
        let start = before.len() - before.chars().rev().take_while(|c| is_part(*c)).count();
        let end = before.len() + after.chars().take_while(|c| is_part(*c)).count();
        (start < end).then_some(Span { start: start as u32, end: end as u32 })
    }
}

/// The byte at a line and a column in UTF-16 code units; what lies outside is moved to the nearest place inside.
fn offset(source: &Source, position: Position) -> usize {
    let text = source.text();
    let lines = source.line_count();
    if position.line as usize >= lines {
        return text.len();
    }
    let (line, start) = source.line(position.line as usize + 1);
    let mut units = 0;
    for (at, character) in line.char_indices() {
        if units >= position.character as usize {
            return start as usize + at;
        }
        units += character.len_utf16();
    }
    start as usize + line.len()
}
