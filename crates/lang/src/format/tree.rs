//! The tokens of a program as blocks of statements, which is all that its layout depends on. Declarations are statements of the file.

use super::spacing::sign_may_follow;
use crate::token::{Token, TokenKind, tokens_and_comments};

/// A token or comment of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
    /// Is it a `-` or `!` in front of its operand?
    pub(super) is_sign: bool,
    /// Line breaks between the token before it and this one.
    pub(super) breaks: usize,
    /// Where it starts in its line.
    column: usize,
}

/// What stands between two braces, or in the file.
#[derive(Debug, Default)]
pub(super) struct Block<'t> {
    pub(super) entries: Vec<Entry<'t>>,
    /// A comment on the line of the opening brace, with the statements below.
    pub(super) beside_brace: Option<Word<'t>>,
    /// Was it written on one line?
    pub(super) on_one_line: bool,
}

/// A statement, or a comment on a line of its own.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    pub(super) pieces: Vec<Piece<'t>>,
    /// A comment behind it on its last line, and those below that continue it.
    pub(super) trailing: Vec<Word<'t>>,
    /// Does an empty line stand before it?
    pub(super) apart: bool,
}

/// A part of a statement.
#[derive(Debug)]
pub(super) enum Piece<'t> {
    Word(Word<'t>),
    Block(Block<'t>),
}

/// Reads a text without errors.
pub(super) fn read(text: &str) -> Block<'_> {
    let (tokens, _) = tokens_and_comments(text);
    let mut reader = Reader { words: words(text, &tokens), at: 0 };
    reader.block()
}

fn words<'t>(text: &'t str, tokens: &[Token]) -> Vec<Word<'t>> {
    let (mut end, mut line_start, mut before) = (0, 0, None);
    let mut words = Vec::with_capacity(tokens.len());
    for token in tokens {
        let (start, stop) = (token.span.start as usize, token.span.end as usize);
        let gap = &text[end..start];
        if let Some(at) = gap.rfind('\n') {
            line_start = end + at + 1;
        }
        let column = text[line_start..start].chars().count();
        let word = &text[start..stop];
        words.push(Word {
            kind: token.kind,
            text: if token.kind.is_comment() { word.trim_end() } else { word },
            is_sign: matches!(token.kind, TokenKind::Minus | TokenKind::Not)
                && sign_may_follow(before),
            breaks: gap.matches('\n').count(),
            column,
        });
        if let Some(at) = word.rfind('\n') {
            line_start = start + at + 1;
        }
        if !token.kind.is_comment() {
            before = Some(token.kind);
        }
        end = stop;
    }
    words
}

struct Reader<'t> {
    words: Vec<Word<'t>>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn look(&self) -> Word<'t> {
        // The last one is `End`.
        self.words[self.at.min(self.words.len() - 1)]
    }

    fn take(&mut self) -> Word<'t> {
        let word = self.look();
        self.at += 1;
        word
    }

    /// Everything up to the brace that closes it, or to the end of the file.
    fn block(&mut self) -> Block<'t> {
        let mut block = Block { on_one_line: true, ..Block::default() };
        let begin = self.at;
        if begin > 0 && self.look().kind.is_comment() && self.look().breaks == 0 {
            let is_last_of_line = self.words[self.at + 1].breaks > 0;
            block.beside_brace = is_last_of_line.then(|| self.take());
        }
        while !matches!(self.look().kind, TokenKind::CloseBrace | TokenKind::End) {
            if self.look().kind == TokenKind::Semicolon {
                self.at += 1;
                continue;
            }
            let entry = self.entry(block.entries.is_empty());
            block.entries.push(entry);
        }
        // The line break before the closing brace counts too.
        let inside = &self.words[begin..=self.at.min(self.words.len() - 1)];
        block.on_one_line = inside.iter().all(|word| word.breaks == 0 && stays_in_line(word));
        block
    }

    fn entry(&mut self, is_first: bool) -> Entry<'t> {
        let apart = self.look().breaks > 1 && !is_first;
        let alone = self.look().kind.is_comment() && self.words[self.at + 1].breaks > 0;
        let pieces = if alone { vec![Piece::Word(self.take())] } else { self.statement() };
        let trailing = if alone { Vec::new() } else { self.trailing() };
        Entry { pieces, trailing, apart }
    }

    /// Up to its `;`, or to the end of its last block.
    fn statement(&mut self) -> Vec<Piece<'t>> {
        let mut pieces = Vec::new();
        loop {
            match self.look().kind {
                TokenKind::End | TokenKind::CloseBrace => return pieces,
                TokenKind::OpenBrace => {
                    self.at += 1;
                    pieces.push(Piece::Block(self.block()));
                    self.at += 1;
                    if !self.else_follows() {
                        return pieces;
                    }
                }
                kind => {
                    pieces.push(Piece::Word(self.take()));
                    if kind == TokenKind::Semicolon {
                        return pieces;
                    }
                }
            }
        }
    }

    /// Is the next word that is no comment an `else`?
    fn else_follows(&self) -> bool {
        let next =
            self.words[self.at.min(self.words.len())..].iter().find(|word| !word.kind.is_comment());
        next.is_some_and(|word| word.kind == TokenKind::Else)
    }

    /// The comment behind a statement, if it is the last thing on its line, and comments below it in the same column.
    fn trailing(&mut self) -> Vec<Word<'t>> {
        let mut comments = Vec::new();
        while self.look().kind == TokenKind::Semicolon {
            self.at += 1;
        }
        let first = self.look();
        if !first.kind.is_comment() || first.breaks > 0 || !self.ends_line() {
            return comments;
        }
        comments.push(self.take());
        while first.kind == TokenKind::LineComment
            && self.look().kind == TokenKind::LineComment
            && self.look().breaks == 1
            && self.look().column == first.column
        {
            comments.push(self.take());
        }
        comments
    }

    /// Is the next word the last one of its line, or of its block?
    fn ends_line(&self) -> bool {
        let after = self.words[(self.at + 1).min(self.words.len() - 1)];
        after.breaks > 0 || matches!(after.kind, TokenKind::CloseBrace | TokenKind::End)
    }
}

/// May something stand behind it on the same line, and is it on one line itself?
fn stays_in_line(word: &Word<'_>) -> bool {
    word.kind != TokenKind::LineComment && !word.text.contains('\n')
}
