//! Markdown for a terminal: headings, paragraphs, lists, code and tables, with colours where there are any.

use super::table::Table;
use mazurka_report::{Palette, Role};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// How it looks.
#[derive(Clone, Copy)]
pub struct Style {
    pub palette: Palette,
    /// Of the terminal.
    pub width: usize,
}

/// Wider text is hard to read.
const WIDEST: usize = 100;

/// Of code, and of what belongs to an item of a list.
const INDENT: usize = 4;

/// A word of a paragraph.
#[derive(Clone, Debug)]
pub struct Word {
    text: String,
    role: Option<Role>,
    /// Does it follow the word before it without a blank?
    glued: bool,
}

/// A Markdown text as lines for a terminal.
pub fn render(text: &str, style: Style) -> String {
    let style = Style { width: style.width.min(WIDEST), ..style };
    let mut page = Page { style, ..Page::new(style) };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        page.event(event);
    }
    page.out.trim_start_matches('\n').to_owned()
}

struct Page {
    style: Style,
    out: String,
    words: Vec<Word>,
    /// Of what is read at the moment.
    role: Option<Role>,
    /// Does a blank stand behind the last word?
    blank: bool,
    /// For each list around: the number of its next item, if it has numbers.
    lists: Vec<Option<u64>>,
    /// What stands before the first line of the next paragraph of an item.
    bullet: Option<String>,
    in_code: bool,
    table: Option<Table>,
}

impl Page {
    fn new(style: Style) -> Page {
        Page {
            style,
            out: String::new(),
            words: Vec::new(),
            role: None,
            blank: false,
            lists: Vec::new(),
            bullet: None,
            in_code: false,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code => self.code(&text),
            Event::Text(text) => self.text(&text, self.role),
            Event::Code(text) => self.text(&text, Some(Role::Control)),
            Event::SoftBreak | Event::HardBreak => self.blank = true,
            Event::Rule => self.out.push('\n'),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } | Tag::Strong => self.role = Some(Role::Strong),
            Tag::Paragraph if self.bullet.is_none() => self.out.push('\n'),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.flush();
                self.out.push('\n');
                self.in_code = true;
            }
            Tag::List(number) => {
                self.flush();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
                self.lists.push(number);
            }
            Tag::Item => self.bullet = Some(self.next_bullet()),
            Tag::Table(_) => self.table = Some(Table::default()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.out.push('\n');
                self.flush();
                self.role = None;
            }
            TagEnd::Strong => self.role = None,
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::TableCell => {
                let words = std::mem::take(&mut self.words);
                self.table.iter_mut().for_each(|table| table.cell(words.clone()));
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                self.table.iter_mut().for_each(Table::end_row);
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.out.push('\n');
                    self.out.push_str(&table.render(self.style));
                }
            }
            _ => {}
        }
    }

    fn next_bullet(&mut self) -> String {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "- ".to_owned(),
        }
    }

    fn text(&mut self, text: &str, role: Option<Role>) {
        let glued = !self.blank && !text.starts_with(char::is_whitespace);
        for (at, word) in text.split_whitespace().enumerate() {
            let glued = at == 0 && glued && !self.words.is_empty();
            self.words.push(Word { text: word.to_owned(), role, glued });
        }
        self.blank = text.ends_with(char::is_whitespace);
    }

    fn code(&mut self, text: &str) {
        let indent = self.indent() + INDENT;
        for line in text.lines() {
            let line = self.style.palette.paint(Role::Control, line);
            self.out.push_str(format!("{:indent$}{line}", "").trim_end());
            self.out.push('\n');
        }
    }

    /// Of what stands in the lists around.
    fn indent(&self) -> usize {
        2 * self.lists.len()
    }

    /// Ends a paragraph.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.words);
        self.blank = false;
        let bullet = self.bullet.take();
        if words.is_empty() {
            return;
        }
        let indent = self.indent();
        let hanging = bullet.as_ref().map_or(0, String::len);
        let lines =
            wrapped(&words, self.style.width.saturating_sub(indent + hanging), self.style.palette);
        for (at, line) in lines.iter().enumerate() {
            let lead = match &bullet {
                Some(bullet) if at == 0 => format!("{:width$}{bullet}", "", width = indent - 2),
                Some(_) => " ".repeat(indent - 2 + hanging),
                None => " ".repeat(indent),
            };
            self.out.push_str(&format!("{lead}{}\n", line.text));
        }
    }
}

/// A line and how wide it is without its colours.
pub struct Line {
    pub text: String,
    pub width: usize,
}

/// Words in lines of at most this width, where that is possible.
pub fn wrapped(words: &[Word], width: usize, palette: Palette) -> Vec<Line> {
    let mut lines = vec![Line { text: String::new(), width: 0 }];
    let mut at = 0;
    while at < words.len() {
        // Words that are glued together are one.
        let end =
            words[at + 1..].iter().position(|word| !word.glued).map_or(words.len(), |n| at + 1 + n);
        let length: usize = words[at..end].iter().map(|word| word.text.chars().count()).sum();
        let painted: String = words[at..end]
            .iter()
            .map(|word| {
                word.role.map_or_else(|| word.text.clone(), |role| palette.paint(role, &word.text))
            })
            .collect();
        match lines.last_mut() {
            Some(line) if line.width > 0 && line.width + 1 + length <= width => {
                line.text.push_str(&format!(" {painted}"));
                line.width += 1 + length;
            }
            Some(line) if line.width == 0 => *line = Line { text: painted, width: length },
            _ => lines.push(Line { text: painted, width: length }),
        }
        at = end;
    }
    lines
}

/// How wide the words are on one line, and the widest one of them.
pub fn widths(words: &[Word]) -> (usize, usize) {
    let line = wrapped(words, usize::MAX, Palette::PLAIN);
    let narrow = wrapped(words, 0, Palette::PLAIN);
    (
        line.first().map_or(0, |line| line.width),
        narrow.iter().map(|line| line.width).max().unwrap_or(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn shown(text: &str, width: usize) -> String {
        render(text, Style { palette: Palette::PLAIN, width })
    }

    #[test]
    fn headings_paragraphs_lists_and_code() {
        let text = "# Title\n\nA paragraph with `code`, **strong** words and [a link](x.md), which is\nlonger than a line.\n\n- one\n- two that is too long for a line of this width\n  - inner\n\n1. first\n2. second\n\n```\nvar x;\n  y\n```\n\nEnd.\n";
        expect![[r#"
            Title

            A paragraph with code, strong words and
            a link, which is longer than a line.

            - one
            - two that is too long for a line of
              this width
              - inner

            1. first
            2. second

                var x;
                  y

            End.
        "#]]
        .assert_eq(&shown(text, 40));
    }

    #[test]
    fn tables_fit_the_width() {
        let text = "| form | means |\n|---|---|\n| `x = e;` | one write, after the reads in the indices and in the expression |\n| `a` | nothing |\n";
        expect![[r#"
            form    means
            ──────  ────────────────────────────────
            x = e;  one write, after the reads in
                    the indices and in the
                    expression
            a       nothing
        "#]]
        .assert_eq(&shown(text, 40));
    }
}
