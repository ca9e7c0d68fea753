//! The text of a program and places in it.
//!
//! Places are byte ranges ([`Span`]); lines and columns are worked out only when something is shown.

/// A range of bytes in the source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

/// A program's text and the name of its file.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Keeps the text, and finds its lines.
    pub fn new(name: &str, text: &str) -> Source {
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        Source { name: name.to_owned(), text: text.to_owned(), line_starts }
    }

    /// The name that positions are shown with: the file's name without its folders.
    pub fn file_name(&self) -> &str {
        self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name)
    }

    /// The file's name without folders and extension: the program's name.
    pub fn stem(&self) -> &str {
        let file_name = self.file_name();
        match file_name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem,
            _ => file_name,
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a range; empty if there is no such range.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of a byte.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset).max(1);
        let start = self.line_starts[line - 1];
        let before = self.slice(Span { start, end: offset });
        Position { line, column: before.chars().count() + 1 }
    }

    /// How many lines there are; the last one may be empty.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// A line's text without its end, and the byte where it starts. Lines count from 1.
    pub fn line(&self, line: usize) -> (&str, u32) {
        let start = self.line_starts[line - 1];
        let end = self.line_starts.get(line).copied().unwrap_or(self.text.len() as u32);
        (self.slice(Span { start, end }).trim_end_matches(['\n', '\r']), start)
    }

    /// `file:line:column` of the beginning of a range.
    pub fn place(&self, span: Span) -> String {
        let Position { line, column } = self.position(span.start);
        format!("{}:{line}:{column}", self.file_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("some/dir/a.b.ed", "ab\nä=c\n");
        assert_eq!(source.file_name(), "a.b.ed");
        assert_eq!(source.stem(), "a.b");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(5), Position { line: 2, column: 2 });
        assert_eq!(source.line(2), ("ä=c", 3));
        assert_eq!(source.place(Span { start: 6, end: 7 }), "a.b.ed:2:3");
        assert_eq!(source.position(8), Position { line: 3, column: 1 });
    }
}
