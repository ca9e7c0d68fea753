//! Words, numbers and signs. Most keywords are ordinary words to the lexer: `handler`, `task` or `to` are
//! keywords only where a declaration or statement expects them, so they may name things as well.

use crate::diagnostic::{Diagnostic, MAX_ERRORS};
use crate::source::Span;
use logos::Logos;

/// The kinds of token.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\u{feff}]+")]
pub(crate) enum TokenKind {
    /// To the end of the line.
    #[regex(r"//[^\n]*", allow_greedy = true)]
    LineComment,
    #[regex(r"/\*[^*]*\*+([^/*][^*]*\*+)*/")]
    BlockComment,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*", priority = 1)]
    Word,
    #[regex(r"[0-9][0-9_]*")]
    Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[token("let")]
    Let,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("while")]
    While,
    #[token("for")]
    For,
    #[token("in")]
    In,
    #[token("assert")]
    Assert,
    #[token("assume")]
    Assume,
    #[token("return")]
    Return,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("(")]
    OpenParenthesis,
    #[token(")")]
    CloseParenthesis,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("..")]
    DotDot,
    #[token("=")]
    Assign,
    #[token("+=")]
    PlusAssign,
    #[token("-=")]
    MinusAssign,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("!")]
    Not,
    /// A comment that is never closed; a closed one is longer.
    #[token("/*")]
    OpenComment,
    /// Stands after the last token, so that there is always one to look at.
    End,
}

impl TokenKind {
    /// Is it only for people?
    pub(crate) fn is_comment(self) -> bool {
        matches!(self, TokenKind::LineComment | TokenKind::BlockComment)
    }

    /// How messages call it.
    pub(crate) fn describe(self) -> &'static str {
        use TokenKind::*;
        match self {
            LineComment | BlockComment => "a comment",
            Word => "a name",
            Number => "a number",
            Text => "a text in quotes",
            Let => "`let`",
            If => "`if`",
            Else => "`else`",
            While => "`while`",
            For => "`for`",
            In => "`in`",
            Assert => "`assert`",
            Assume => "`assume`",
            Return => "`return`",
            True => "`true`",
            False => "`false`",
            OpenParenthesis => "`(`",
            CloseParenthesis => "`)`",
            OpenBracket => "`[`",
            CloseBracket => "`]`",
            OpenBrace => "`{`",
            CloseBrace => "`}`",
            Comma => "`,`",
            Semicolon => "`;`",
            Colon => "`:`",
            DotDot => "`..`",
            Assign => "`=`",
            PlusAssign => "`+=`",
            MinusAssign => "`-=`",
            Plus => "`+`",
            Minus => "`-`",
            Star => "`*`",
            Slash => "`/`",
            Percent => "`%`",
            Equal => "`==`",
            NotEqual => "`!=`",
            Less => "`<`",
            LessEqual => "`<=`",
            Greater => "`>`",
            GreaterEqual => "`>=`",
            And => "`&&`",
            Or => "`||`",
            Not => "`!`",
            OpenComment => "`/*`",
            End => "the end of the file",
        }
    }
}

/// A token and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// Where the comments of a text stand, in the order of the text.
pub fn comments(text: &str) -> Vec<Span> {
    let (tokens, _) = tokens_and_comments(text);
    tokens.iter().filter(|token| token.kind.is_comment()).map(|token| token.span).collect()
}

/// Splits a text into tokens, with [`TokenKind::End`] at its end. What is no token is reported and
/// left out; after [`MAX_ERRORS`] of those the rest of the text is not looked at.
pub(crate) fn tokens(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let (mut tokens, errors) = tokens_and_comments(text);
    tokens.retain(|token| !token.kind.is_comment());
    (tokens, errors)
}

/// [`tokens`] with the comments among them.
pub(crate) fn tokens_and_comments(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut tokens = Vec::new();
    let mut errors: Vec<Diagnostic> = Vec::new();
    let mut lexer = TokenKind::lexer(text);
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let span = Span { start: range.start as u32, end: range.end as u32 };
        match result {
            Ok(TokenKind::OpenComment) => {
                errors.push(open_comment(span));
                break;
            }
            Ok(kind) => tokens.push(Token { kind, span }),
            Err(()) => {
                if extends_last(&mut errors, span) {
                    continue;
                }
                if errors.len() == MAX_ERRORS {
                    break;
                }
                errors.push(not_a_token(text, span));
            }
        }
    }
    let end = text.len() as u32;
    tokens.push(Token { kind: TokenKind::End, span: Span { start: end, end } });
    (tokens, errors)
}

/// A row of strange characters is one error.
fn extends_last(errors: &mut [Diagnostic], span: Span) -> bool {
    match errors.last_mut().and_then(|error| error.span.as_mut()) {
        Some(last) if last.end == span.start => {
            last.end = span.end;
            true
        }
        _ => false,
    }
}

fn open_comment(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this comment is never closed")
        .with_help(Some("close it with `*/`".into()))
}

fn not_a_token(text: &str, span: Span) -> Diagnostic {
    let rest = &text[span.start as usize..];
    if rest.starts_with('"') {
        return Diagnostic::new(span, "this text has no closing `\"` on its line");
    }
    let character = rest.chars().next().unwrap_or(' ');
    let before = text[..span.start as usize].chars().next_back().unwrap_or(' ');
    let after = rest.chars().nth(1).unwrap_or(' ');
    let help = match character {
        '&' => "logical and is `&&`",
        '|' => "logical or is `||`",
        '.' if before.is_ascii_digit() && after.is_ascii_digit() => "values are integers",
        '.' if before == '.' => "a range is written `a..b`",
        '.' if after.is_alphabetic() => member(&rest[1..]),
        '.' => "a range is written `a..b`",
        '\'' | '`' | '“' | '”' | '‘' | '’' => {
            "a text stands in `\"`, and only behind an `assert`"
        }
        '#' if rest.starts_with("#include") || rest.starts_with("#import") => {
            "a program is one file"
        }
        '#' if rest.starts_with("#define") => "a constant is `param n = 3;`",
        '#' => "a comment begins with `//`",
        '?' => "choose with `if e { … } else { … }`",
        '^' | '~' => "there are no operations on bits, and no powers",
        '≤' => "at most is `<=`",
        '≥' => "at least is `>=`",
        '≠' => "not equal is `!=`",
        '×' | '·' => "multiplication is `*`",
        '÷' => "division is `/`",
        '∧' => "logical and is `&&`",
        '∨' => "logical or is `||`",
        '¬' => "logical not is `!`",
        '@' => "there are no annotations",
        character if character.is_alphabetic() => {
            "names consist of the letters a to z and A to Z, digits and `_`"
        }
        _ => "",
    };
    let help = (!help.is_empty()).then(|| help.to_owned());
    let shown = if character.is_control() {
        character.escape_debug().to_string()
    } else {
        character.to_string()
    };
    Diagnostic::new(span, format!("unexpected character `{shown}`")).with_help(help)
}

/// What is written instead of a method or field of another language.
fn member(rest: &str) -> &'static str {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    match &rest[..end] {
        "lock" => "it is written `lock m;`, or `with m { … }` for a block",
        "unlock" => "it is written `unlock m;`",
        "acquire" => "a permit is taken with `acquire s;`",
        "release" | "signal" => "a permit is given with `release s;`",
        "wait" => "it is written `wait c with m;`, or `wait b;` for a barrier",
        "notify" | "notify_one" => "it is written `notify c;`",
        "notify_all" | "notifyAll" | "broadcast" => "it is written `notify_all c;`",
        "read" | "lock_shared" => "a lock for reading is `with_shared r { … }`",
        "post" | "send" | "emit" | "push" | "tell" | "enqueue" => {
            "a message is posted: `post m(e) to h;`"
        }
        "join" => "it is written `join t;`",
        "start" | "spawn" | "fork" => "a thread is started with `fork t(e);`",
        "fetch_add" | "add" | "increment" => "it is written `fetch_add(x, e)`, or `x += e;`",
        "swap" | "exchange" => "it is written `swap(x, e)`",
        "cas" | "compare_exchange" | "compare_and_swap" | "compareAndSet" => {
            "it is written `cas(x, old, new)`"
        }
        "load" | "get" => "a variable is read by its name: `x`",
        "store" | "set" => "a variable is written with `x = e;`",
        "length" | "len" | "size" => {
            "the length of an array is a constant: `param n = 3;  var a[n];`"
        }
        _ => {
            "there are no fields and methods: use a variable or array (`var x[n];`), `lock m;`, `post m(e) to h;`"
        }
    }
}
