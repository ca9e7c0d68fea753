//! Blocks of statements as lines.

use super::WIDTH;
use super::spacing::blank_between;
use super::tree::{Block, Entry, Piece, Word};
use crate::token::TokenKind;

/// Of a block, and of the further lines of a statement.
const INDENT: usize = 4;

/// A line: what it says, and the comment at its end.
struct Line {
    text: String,
    comment: Option<String>,
}

/// A whole program.
pub(super) fn text(file: &Block<'_>) -> String {
    let mut layout = Layout { lines: Vec::new() };
    layout.entries(&file.entries, 0);
    layout.finish()
}

struct Layout {
    lines: Vec<Line>,
}

impl Layout {
    fn line(&mut self, text: String) {
        self.lines.push(Line { text, comment: None });
    }

    /// Adds to the last line.
    fn add(&mut self, text: &str) {
        match self.lines.last_mut() {
            Some(last) => last.text.push_str(text),
            None => self.line(text.to_owned()),
        }
    }

    /// Puts a comment at the end of the last line.
    fn comment(&mut self, comment: &Word<'_>) {
        if let Some(last) = self.lines.last_mut() {
            last.comment = Some(comment.text.to_owned());
        }
    }

    fn entries(&mut self, entries: &[Entry<'_>], indent: usize) {
        for entry in entries {
            if entry.apart {
                self.line(String::new());
            }
            self.entry(entry, indent);
        }
    }

    fn entry(&mut self, entry: &Entry<'_>, indent: usize) {
        match flat(&entry.pieces).filter(|line| indent + width(line) <= WIDTH || !has_block(entry))
        {
            Some(line) => self.line(format!("{:indent$}{line}", "")),
            None => self.broken(&entry.pieces, indent),
        }
        for (at, comment) in entry.trailing.iter().enumerate() {
            if at > 0 {
                self.line(String::new());
            }
            self.comment(comment);
        }
    }

    /// A statement on several lines: broken where its author broke it, and its blocks.
    fn broken(&mut self, pieces: &[Piece<'_>], indent: usize) {
        self.line(" ".repeat(indent));
        let mut before: Option<&Piece<'_>> = None;
        for piece in pieces {
            match piece {
                Piece::Word(word) => self.word(word, before, indent),
                Piece::Block(block) => {
                    // Behind a comment to the end of the line the brace needs a line of its own.
                    match before {
                        Some(Piece::Word(word)) if word.kind == TokenKind::LineComment => {
                            self.line(format!("{:indent$}{{", ""));
                        }
                        None => self.add("{"),
                        _ => self.add(" {"),
                    }
                    self.block(block, indent);
                }
            }
            before = Some(piece);
        }
    }

    fn word(&mut self, word: &Word<'_>, before: Option<&Piece<'_>>, indent: usize) {
        let text = word.text;
        match before {
            None => self.add(text),
            Some(Piece::Block(_)) if word.kind.is_comment() && word.breaks > 0 => {
                self.line(format!("{:indent$}{text}", ""));
            }
            Some(Piece::Block(_)) => self.add(&format!(" {text}")),
            Some(Piece::Word(previous)) if is_broken(previous, word) => {
                use TokenKind::{CloseBracket, CloseParenthesis, Else};
                let outside = matches!(word.kind, CloseParenthesis | CloseBracket | Else);
                let further = if outside { indent } else { indent + INDENT };
                self.line(format!("{:further$}{text}", ""));
            }
            Some(Piece::Word(previous)) => {
                self.add(if blank_between(previous, word) { " " } else { "" });
                self.add(text);
            }
        }
    }

    /// What stands between the braces, the first of which is there, and the second one.
    fn block(&mut self, block: &Block<'_>, indent: usize) {
        if let Some(comment) = &block.beside_brace {
            self.add(&format!(" {}", comment.text));
        } else if block.entries.is_empty() {
            self.add(" }");
            return;
        }
        self.entries(&block.entries, indent + INDENT);
        self.line(format!("{:indent$}}}", ""));
    }

    /// The lines with their comments; those of neighbouring lines begin in one column.
    fn finish(self) -> String {
        let mut out = String::new();
        let mut rest = self.lines.as_slice();
        while let Some(first) = rest.first() {
            let alike = |line: &&Line| line.comment.is_some() == first.comment.is_some();
            let (group, others) = rest.split_at(rest.iter().take_while(alike).count());
            let column = group.iter().map(|line| width(&line.text)).max().unwrap_or(0);
            for Line { text, comment } in group {
                match comment {
                    Some(comment) => {
                        let gap = column - width(text);
                        out.push_str(&format!("{text}{:gap$} {comment}\n", ""));
                    }
                    None => out.push_str(&format!("{}\n", text.trim_end())),
                }
            }
            rest = others;
        }
        out
    }
}

/// Does a word begin a new line inside of its statement? Where its author wanted it, and behind a comment to the end of the line.
fn is_broken(before: &Word<'_>, word: &Word<'_>) -> bool {
    let sticks = matches!(word.kind, TokenKind::Semicolon | TokenKind::Comma);
    before.kind == TokenKind::LineComment || (word.breaks > 0 && !sticks)
}

fn has_block(entry: &Entry<'_>) -> bool {
    entry.pieces.iter().any(|piece| matches!(piece, Piece::Block(_)))
}

/// A statement on one line, if it was written so.
fn flat(pieces: &[Piece<'_>]) -> Option<String> {
    let mut out = String::new();
    let mut before: Option<&Piece<'_>> = None;
    for piece in pieces {
        match (before, piece) {
            (None, Piece::Word(word)) => out.push_str(word.text),
            (Some(Piece::Word(previous)), Piece::Word(word)) => {
                if is_broken(previous, word) {
                    return None;
                }
                out.push_str(if blank_between(previous, word) { " " } else { "" });
                out.push_str(word.text);
            }
            (Some(Piece::Block(_)), Piece::Word(word)) => {
                if word.breaks > 0 {
                    return None;
                }
                out.push_str(&format!(" {}", word.text));
            }
            (Some(Piece::Word(word)), Piece::Block(_)) if word.kind == TokenKind::LineComment => {
                return None;
            }
            (_, Piece::Block(block)) => {
                out.push_str(if before.is_some() { " " } else { "" });
                out.push_str(&flat_block(block)?);
            }
        }
        before = Some(piece);
    }
    Some(out)
}

fn flat_block(block: &Block<'_>) -> Option<String> {
    let mut out = "{ ".to_owned();
    if !block.on_one_line {
        return None;
    }
    for entry in &block.entries {
        out.push_str(&flat(&entry.pieces)?);
        for comment in &entry.trailing {
            out.push_str(&format!(" {}", comment.text));
        }
        out.push(' ');
    }
    out.push('}');
    Some(out)
}

fn width(text: &str) -> usize {
    text.chars().count()
}
