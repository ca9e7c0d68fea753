//! The grammar that editors colour programs with, made from the lexer's tokens and the table of words, and held to the lexer: it gives a
//! colour to every token of every program of the repository, and the same borders to it. `UPDATE_EXPECT=1` writes it anew.

use crate::forms::{FormKind, form_of, words};
use crate::token::{TokenKind, tokens_and_comments};
use expect_test::expect_file;
use regex::Regex;
use std::path::{Path, PathBuf};

/// Words that are never names.
const RESERVED: [TokenKind; 11] = {
    use TokenKind::*;
    [Let, If, Else, While, For, In, Assert, Assume, Return, True, False]
};

/// Operators, long ones before those that they begin with.
const OPERATORS: [TokenKind; 18] = {
    use TokenKind::*;
    [
        DotDot,
        PlusAssign,
        MinusAssign,
        Equal,
        NotEqual,
        LessEqual,
        GreaterEqual,
        And,
        Or,
        Assign,
        Plus,
        Minus,
        Star,
        Slash,
        Percent,
        Less,
        Greater,
        Not,
    ]
};

/// The other signs.
const PUNCTUATION: [TokenKind; 9] = {
    use TokenKind::*;
    [
        OpenParenthesis,
        CloseParenthesis,
        OpenBracket,
        CloseBracket,
        OpenBrace,
        CloseBrace,
        Comma,
        Semicolon,
        Colon,
    ]
};

/// How a token of one spelling is written.
fn spelling(kind: TokenKind) -> &'static str {
    kind.describe().trim_matches('`')
}

fn alternatives(words: impl Iterator<Item = &'static str>) -> String {
    words.map(regex::escape).collect::<Vec<_>>().join("|")
}

/// The words of a kind that are keywords only where something follows that makes them so.
fn contextual(kind: FormKind) -> impl Iterator<Item = &'static str> {
    let reserved = RESERVED.map(spelling);
    words(kind).filter(move |word| !reserved.contains(word))
}

/// The patterns in the order in which they are tried, with the names that themes know.
fn patterns() -> Vec<(&'static str, String)> {
    let reserved =
        RESERVED.into_iter().map(spelling).filter(|word| !["true", "false"].contains(word));
    let followed_by_name = "(?=\\s+[A-Za-z_])";
    let followed_by_block = "(?=\\s*\\{)";
    vec![
        ("comment.line.double-slash.ed", "//.*".to_owned()),
        ("comment.block.ed", "/\\*(?:[^*]|\\*(?!/))*\\*/".to_owned()),
        ("string.quoted.double.ed", "\"(?:[^\"\\\\]|\\\\.)*\"".to_owned()),
        ("constant.numeric.ed", "[0-9][0-9_]*".to_owned()),
        ("constant.language.ed", format!("\\b(?:{})\\b", alternatives(words(FormKind::Literal)))),
        ("keyword.control.ed", format!("\\b(?:{})\\b", alternatives(reserved))),
        (
            "storage.type.ed",
            format!("\\b(?:{}){followed_by_name}", alternatives(contextual(FormKind::Declaration))),
        ),
        ("storage.type.ed", format!("\\bfinally{followed_by_block}")),
        (
            "keyword.control.ed",
            format!("\\b(?:{}){followed_by_name}", alternatives(contextual(FormKind::Statement))),
        ),
        ("keyword.control.ed", format!("\\batomic{followed_by_block}")),
        ("keyword.control.ed", format!("\\bto{followed_by_name}")),
        ("storage.modifier.ed", "\\b(?:fifo|multiset)(?=\\s*;)".to_owned()),
        (
            "support.function.ed",
            format!("\\b(?:{})(?=\\s*\\()", alternatives(words(FormKind::Function))),
        ),
        ("entity.name.function.ed", "\\b[A-Za-z_][A-Za-z0-9_]*(?=\\s*\\()".to_owned()),
        ("variable.other.ed", "\\b[A-Za-z_][A-Za-z0-9_]*".to_owned()),
        ("keyword.operator.ed", alternatives(OPERATORS.into_iter().map(spelling))),
        ("punctuation.ed", alternatives(PUNCTUATION.into_iter().map(spelling))),
    ]
}

/// The file that editors read. A comment over several lines needs a begin and an end there: editors look at one line at a time. (`{:?}`
/// writes these patterns as JSON does.)
fn textmate() -> String {
    let rules: Vec<String> = patterns()
        .into_iter()
        .map(|(name, pattern)| match name {
            "comment.block.ed" => {
                let (begin, end) = ("/\\*", "\\*/");
                format!("    {{ \"name\": {name:?}, \"begin\": {begin:?}, \"end\": {end:?} }}")
            }
            _ => format!("    {{ \"name\": {name:?}, \"match\": {pattern:?} }}"),
        })
        .collect();
    let head = "{\n  \"name\": \"Mazurka\",\n  \"scopeName\": \"source.ed\",\n  \"fileTypes\": [\"ed\"],\n  \"patterns\": [\n";
    format!("{head}{}\n  ]\n}}\n", rules.join(",\n"))
}

/// The token that the grammar sees at the beginning of a text: its name and length. The engine of this test knows no look-ahead, which is
/// therefore tried on its own.
fn first_token(
    text: &str,
    compiled: &[(&'static str, Regex, Option<(bool, Regex)>)],
) -> Option<(&'static str, usize)> {
    compiled.iter().find_map(|(name, head, ahead)| {
        let length = head.find(text)?.end();
        let rest = &text[length..];
        let is_word = text[..length].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let word_goes_on =
            is_word && rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let fits = ahead.as_ref().is_none_or(|(wanted, ahead)| ahead.is_match(rest) == *wanted);
        (fits && !(word_goes_on && *name != "constant.numeric.ed")).then_some((*name, length))
    })
}

fn compiled() -> Vec<(&'static str, Regex, Option<(bool, Regex)>)> {
    let anchored = |pattern: &str| Regex::new(&format!("^(?:{pattern})")).expect("a pattern");
    patterns()
        .into_iter()
        .map(|(name, pattern)| match pattern.split_once("(?=") {
            _ if name == "comment.block.ed" => (name, anchored("(?s)/\\*.*?\\*/"), None),
            Some((head, ahead)) => {
                let ahead = ahead.strip_suffix(')').expect("the look-ahead stands at the end");
                (name, anchored(head), Some((true, anchored(ahead))))
            }
            None => (name, anchored(&pattern), None),
        })
        .collect()
}

/// The names that a token of the lexer may have.
fn is_fitting(kind: TokenKind, text: &str, name: &str) -> bool {
    let begins = |prefix: &str| name.starts_with(prefix);
    match kind {
        TokenKind::LineComment | TokenKind::BlockComment => begins("comment."),
        TokenKind::Text => begins("string."),
        TokenKind::Number => begins("constant.numeric."),
        TokenKind::True | TokenKind::False => begins("constant.language."),
        kind if RESERVED.contains(&kind) => begins("keyword.control."),
        kind if OPERATORS.contains(&kind) => begins("keyword.operator."),
        kind if PUNCTUATION.contains(&kind) => begins("punctuation."),
        TokenKind::Word => match form_of(text) {
            Some(_) => !begins("punctuation.") && !begins("comment."),
            None => begins("variable.") || begins("entity."),
        },
        _ => false,
    }
}

fn programs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the programs are there") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ed") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn the_grammar_of_the_extension_is_made_from_the_tables() {
    expect_file!["../../../editors/vscode/syntaxes/ed.tmLanguage.json"].assert_eq(&textmate());
}

#[test]
fn every_token_of_every_program_has_the_colour_of_its_kind() {
    let compiled = compiled();
    let (mut files, mut count) = (0, 0);
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let (tokens, errors) = tokens_and_comments(&text);
        assert!(errors.is_empty(), "{}", path.display());
        for token in tokens.iter().filter(|token| token.kind != TokenKind::End) {
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            let (name, length) = first_token(&text[start..], &compiled).unwrap_or_else(|| {
                panic!("{}: no colour for `{}`", path.display(), &text[start..end])
            });
            assert_eq!(
                length,
                end - start,
                "{}: `{}` is {name}",
                path.display(),
                &text[start..end]
            );
            assert!(
                is_fitting(token.kind, &text[start..end], name),
                "{}: `{}` is {name}",
                path.display(),
                &text[start..end]
            );
            count += 1;
        }
        files += 1;
    }
    assert!(files >= 30 && count > 5_000, "{files} files, {count} tokens");
}

/// Keywords that are names elsewhere are coloured as what they are.
#[test]
fn words_are_keywords_where_they_are_used_so() {
    let compiled = compiled();
    let name = |text: &str| first_token(text, &compiled).expect("a token").0;
    assert_eq!(name("post m() to h;"), "keyword.control.ed");
    assert_eq!(name("post = 1;"), "variable.other.ed");
    assert_eq!(name("handler ui;"), "storage.type.ed");
    assert_eq!(name("finally { }"), "storage.type.ed");
    assert_eq!(name("lettuce = 1;"), "variable.other.ed");
    assert_eq!(name("min(a, b)"), "support.function.ed");
    assert_eq!(name("show(1)"), "entity.name.function.ed");
}
