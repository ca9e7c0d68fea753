//! The stream of tokens, and the small parsers that everything else is made of.

use crate::ast::Name;
use crate::diagnostic::{Diagnostic, MAX_ERRORS, suggest};
use crate::parser::MAX_DEPTH;
use crate::parser::advice::advice;
use crate::source::Span;
use crate::token::{Token, TokenKind};
use winnow::Parser;
use winnow::error::ParserError;
use winnow::stream::{Stateful, Stream, TokenSlice};
use winnow::token::{any, one_of};

/// The tokens that are left, and what is kept beside them.
pub(super) type Input<'t> = Stateful<TokenSlice<'t, Token>, State<'t>>;

/// Gives up when recovery has skipped so many tokens.
const MAX_SKIPPED: u32 = 200_000;

/// What a parser gives.
pub(super) type Parsed<T> = Result<T, SyntaxError>;

/// What is kept beside the tokens.
#[derive(Debug)]
pub(super) struct State<'t> {
    text: &'t str,
    /// What has been reported so far.
    pub(super) errors: Vec<Diagnostic>,
    depth: u32,
    /// How many tokens have been skipped to recover from errors.
    skipped: u32,
    /// The end of the last token that was taken.
    last_end: u32,
    /// The last token that was taken, and the kinds of the last two.
    pub(super) last_span: Span,
    pub(super) last_kinds: [TokenKind; 2],
    /// Has a missing `}` been reported? Then the others are too.
    pub(super) missing_brace: bool,
    /// An opening brace whose closing one stands further left than its line: probably not its own.
    pub(super) suspect: Option<Span>,
}

/// The one error that ended a parser. Boxed: results are passed around a lot, errors are rare.
#[derive(Debug)]
pub(super) struct SyntaxError(Box<Diagnostic>);

impl SyntaxError {
    pub(super) fn new(diagnostic: Diagnostic) -> SyntaxError {
        SyntaxError(Box::new(diagnostic))
    }
}

impl<'t> ParserError<Input<'t>> for SyntaxError {
    type Inner = Self;

    fn from_input(input: &Input<'t>) -> Self {
        unexpected(input, "something else")
    }

    fn into_inner(self) -> Result<Self::Inner, Self> {
        Ok(self)
    }
}

pub(super) fn new<'t>(text: &'t str, tokens: &'t [Token]) -> Input<'t> {
    let state = State {
        text,
        errors: Vec::new(),
        depth: 0,
        skipped: 0,
        last_end: 0,
        last_span: Span::default(),
        last_kinds: [TokenKind::End; 2],
        missing_brace: false,
        suspect: None,
    };
    Input { input: TokenSlice::new(tokens), state }
}

/// The next token; at the end it is [`TokenKind::End`] for ever.
pub(super) fn look(input: &Input<'_>) -> Token {
    input.peek_token().copied().unwrap_or_else(|| {
        let end = input.state.text.len() as u32;
        Token { kind: TokenKind::End, span: Span { start: end, end } }
    })
}

/// The kind of the next token.
pub(super) fn kind(input: &Input<'_>) -> TokenKind {
    look(input).kind
}

/// The kind of the token after the next one.
pub(super) fn second_kind(input: &Input<'_>) -> TokenKind {
    input.input.iter_offsets().nth(1).map_or(TokenKind::End, |(_, token)| token.kind)
}

/// The text of the next token.
pub(super) fn look_text<'t>(input: &Input<'t>) -> &'t str {
    text_of(input, look(input).span)
}

/// The text of a place.
pub(super) fn text_of<'t>(input: &Input<'t>, span: Span) -> &'t str {
    input.state.text.get(span.start as usize..span.end as usize).unwrap_or("")
}

/// Is the next token this word?
pub(super) fn at_word(input: &Input<'_>, word: &str) -> bool {
    kind(input) == TokenKind::Word && look_text(input) == word
}

/// Takes the next token, whatever it is, except the end.
pub(super) fn bump(input: &mut Input<'_>) -> Token {
    let token = look(input);
    if token.kind != TokenKind::End {
        let taken: Parsed<&Token> = any.parse_next(input);
        debug_assert!(taken.is_ok(), "there was a token to look at");
        input.state.taken(token);
    }
    token
}

impl State<'_> {
    fn taken(&mut self, token: Token) {
        self.last_end = token.span.end;
        self.last_span = token.span;
        self.last_kinds = [self.last_kinds[1], token.kind];
    }
}

/// Takes a token of this kind, or says that it was expected.
pub(super) fn expect(input: &mut Input<'_>, expected: TokenKind) -> Parsed<Token> {
    let taken: Parsed<&Token> = one_of(|token: &Token| token.kind == expected).parse_next(input);
    match taken {
        Ok(token) => {
            input.state.taken(*token);
            Ok(*token)
        }
        Err(_) => Err(unexpected(input, expected.describe())),
    }
}

/// Takes a token of this kind if it is the next one.
pub(super) fn accept(input: &mut Input<'_>, wanted: TokenKind) -> bool {
    let is_next = kind(input) == wanted;
    if is_next {
        bump(input);
    }
    is_next
}

/// Takes this word, or says that it was expected.
pub(super) fn expect_word(input: &mut Input<'_>, word: &str) -> Parsed<Token> {
    if at_word(input, word) {
        Ok(bump(input))
    } else {
        Err(unexpected(input, &format!("`{word}`")))
    }
}

/// Takes a name; `what` says of what.
pub(super) fn name(input: &mut Input<'_>, what: &str) -> Parsed<Name> {
    if kind(input) != TokenKind::Word {
        return Err(unexpected(input, what));
    }
    let token = bump(input);
    Ok(Name { text: text_of(input, token.span).to_owned(), span: token.span })
}

/// `expected …, found …`, at the next token; a missing `;` is shown where it is missing.
pub(super) fn unexpected(input: &Input<'_>, expected: &str) -> SyntaxError {
    let token = look(input);
    let found = match token.kind {
        TokenKind::Word | TokenKind::Number => {
            format!("`{}`", shortened(text_of(input, token.span)))
        }
        kind => kind.describe().to_owned(),
    };
    let help = advice(input, expected);
    // A missing `;` is shown where it is missing, unless something else was meant.
    let missing = expected == TokenKind::Semicolon.describe() && input.state.last_end > 0;
    let span = if missing && help.is_none() {
        Span { start: input.state.last_end, end: input.state.last_end + 1 }
    } else {
        token.span
    };
    SyntaxError::new(
        Diagnostic::new(span, format!("expected {expected}, found {found}")).with_help(help),
    )
}

fn shortened(text: &str) -> String {
    if text.len() > 30 { format!("{}…", &text[..30]) } else { text.to_owned() }
}

/// An error about a word that should have been one of these.
pub(super) fn unknown_word<'a>(
    input: &Input<'_>,
    expected: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> SyntaxError {
    let mut error = unexpected(input, expected);
    if kind(input) == TokenKind::Word && error.0.help.is_none() {
        error.0.help = suggest(look_text(input), words);
    }
    error
}

impl SyntaxError {
    /// With this advice.
    pub(super) fn with_help(mut self, help: String) -> SyntaxError {
        self.0.help = Some(help);
        self
    }

    /// With this advice, if it has none yet.
    pub(super) fn or_help(mut self, help: impl FnOnce() -> String) -> SyntaxError {
        self.0.help = self.0.help.or_else(|| Some(help()));
        self
    }
}

/// Runs a parser one level deeper; refuses to go deeper than [`MAX_DEPTH`].
pub(super) fn nested<'t, T>(
    input: &mut Input<'t>,
    parser: impl FnOnce(&mut Input<'t>) -> Parsed<T>,
) -> Parsed<T> {
    if input.state.depth == MAX_DEPTH {
        return Err(too_deep(look(input).span));
    }
    input.state.depth += 1;
    let result = parser(input);
    input.state.depth -= 1;
    result
}

/// The error of [`nested`].
pub(super) fn too_deep(span: Span) -> SyntaxError {
    SyntaxError::new(Diagnostic::new(
        span,
        format!("this is nested more than {MAX_DEPTH} levels deep"),
    ))
}

/// The range from a place to the last token that was taken.
pub(super) fn span_from(input: &Input<'_>, start: u32) -> Span {
    Span { start, end: input.state.last_end.max(start) }
}

/// Reports an error. Says whether it is worth going on.
pub(super) fn report(input: &mut Input<'_>, error: SyntaxError) -> bool {
    if input.state.errors.len() < MAX_ERRORS {
        input.state.errors.push(*error.0);
    }
    may_go_on(input)
}

/// Is it worth going on? Not after too many errors, nor when most of the text had to be skipped: then it is no
/// program at all.
pub(super) fn may_go_on(input: &Input<'_>) -> bool {
    input.state.errors.len() < MAX_ERRORS && input.state.skipped < MAX_SKIPPED
}

/// Takes a token while recovering from an error.
pub(super) fn skip(input: &mut Input<'_>) -> Token {
    input.state.skipped += 1;
    bump(input)
}

/// After an error: goes behind the next `;` of this block or stands before the `}` that closes it.
pub(super) fn skip_statement(input: &mut Input<'_>) {
    let mut open = 0_u32;
    loop {
        match kind(input) {
            TokenKind::End => return,
            _ if !may_go_on(input) => return,
            TokenKind::CloseBrace if open == 0 => return,
            TokenKind::OpenBrace => open += 1,
            TokenKind::CloseBrace => open -= 1,
            _ => {}
        }
        let taken = skip(input).kind;
        let ended = matches!(taken, TokenKind::Semicolon | TokenKind::CloseBrace);
        // `else` belongs to what has just been skipped.
        if ended && open == 0 && kind(input) != TokenKind::Else {
            return;
        }
    }
}
