//! The grammar that editors colour programs with: made from the lexer's tokens and the table of words, and held to both. `UPDATE_EXPECT=1`
//! writes it anew.

use crate::forms::{FormKind, form_of, words};
use crate::source::Source;
use crate::token::{Token, TokenKind, tokens_and_comments};
use crate::{Outline, analyse};
use expect_test::expect_file;
use fancy_regex::Regex;
use std::path::{Path, PathBuf};

/// Words that are never names.
const RESERVED: [TokenKind; 9] = {
    use TokenKind::*;
    [Let, If, Else, While, For, In, Assert, Assume, Return]
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

/// Words that a block follows, where other words of their kind have a name behind them.
const BEFORE_A_BLOCK: [&str; 2] = ["finally", "atomic"];

/// A rule of the grammar.
enum Rule {
    Match(String),
    /// Over several lines: editors look at one at a time.
    Between(&'static str, &'static str),
}

/// The rules in the order in which they are tried, with the names that themes know.
fn rules() -> Vec<(&'static str, Rule)> {
    let name = "[A-Za-z_][A-Za-z0-9_]*";
    let end = "(?![A-Za-z0-9_])";
    let before_a_name = "(?=\\s+[A-Za-z_])";
    let before_a_block = "(?=\\s*\\{)";
    let before_arguments = "(?=\\s*\\()";
    let one_of = |words: String, ahead: &str| Rule::Match(format!("(?:{words}){end}{ahead}"));
    vec![
        ("comment.line.double-slash.ed", Rule::Match("//.*".into())),
        ("comment.block.ed", Rule::Between("/\\*", "\\*/")),
        ("string.quoted.double.ed", Rule::Match("\"(?:[^\"\\\\]|\\\\.)*\"".into())),
        ("constant.numeric.ed", Rule::Match("[0-9][0-9_]*".into())),
        ("constant.language.ed", one_of(alternatives(words(FormKind::Literal)), "")),
        ("keyword.control.ed", one_of(spellings(&RESERVED), "")),
        ("storage.type.ed", one_of("invariant".into(), "(?=\\s+[A-Za-z0-9_(!-])")),
        ("storage.type.ed", one_of(contextual(FormKind::Declaration, false), before_a_name)),
        ("storage.type.ed", one_of(contextual(FormKind::Declaration, true), before_a_block)),
        ("keyword.control.ed", one_of(contextual(FormKind::Statement, false), before_a_name)),
        ("keyword.control.ed", one_of(contextual(FormKind::Statement, true), before_a_block)),
        ("keyword.control.ed", one_of("to".into(), before_a_name)),
        (
            "storage.modifier.ed",
            Rule::Match(format!("(?<=:|: |mailbox )(?:fifo|multiset){end}(?=\\s*;)")),
        ),
        ("support.function.ed", one_of(alternatives(words(FormKind::Function)), before_arguments)),
        ("entity.name.function.ed", one_of(name.into(), before_arguments)),
        ("variable.other.ed", Rule::Match(name.into())),
        ("keyword.operator.ed", Rule::Match(spellings(&OPERATORS))),
        ("punctuation.ed", Rule::Match(spellings(&PUNCTUATION))),
    ]
}

fn alternatives(words: impl Iterator<Item = &'static str>) -> String {
    // Only what means something else without it: `\<` means something else with it.
    let is_special = |sign: char| ".+*()[]{}|".contains(sign);
    let escaped = |sign: char| if is_special(sign) { format!("\\{sign}") } else { sign.into() };
    words.map(|word| word.chars().map(escaped).collect()).collect::<Vec<String>>().join("|")
}

/// Tokens that have one spelling each.
fn spellings(kinds: &[TokenKind]) -> String {
    alternatives(kinds.iter().map(|kind| kind.describe().trim_matches('`')))
}

/// The words of a kind that are names elsewhere.
fn contextual(kind: FormKind, before_a_block: bool) -> String {
    let reserved = RESERVED.map(|kind| kind.describe().trim_matches('`'));
    let contextual = words(kind).filter(|word| !reserved.contains(word));
    alternatives(contextual.filter(|word| BEFORE_A_BLOCK.contains(word) == before_a_block))
}

/// The file that editors read. (`{:?}` writes these patterns as JSON does.)
fn textmate() -> String {
    let rules: Vec<String> = rules()
        .into_iter()
        .map(|(name, rule)| match rule {
            Rule::Match(pattern) => format!("    {{ \"name\": {name:?}, \"match\": {pattern:?} }}"),
            Rule::Between(begin, end) => {
                format!("    {{ \"name\": {name:?}, \"begin\": {begin:?}, \"end\": {end:?} }}")
            }
        })
        .collect();
    let head = "{\n  \"name\": \"Mazurka\",\n  \"scopeName\": \"source.ed\",\n  \"fileTypes\": [\"ed\"],\n  \"patterns\": [\n";
    format!("{head}{}\n  ]\n}}\n", rules.join(",\n"))
}

/// A coloured stretch of a text: where it begins and ends, and its name.
type Stretch = (usize, usize, &'static str);

/// Colours texts as editors do: a line at a time; where several rules fit, the one that fits earliest, and of those the first. The
/// patterns use nothing that their engine (Oniguruma) and this one understand differently.
struct Painter(Vec<(&'static str, Regex, Option<Regex>)>);

impl Painter {
    fn new() -> Painter {
        let compiled = |pattern: &str| Regex::new(pattern).expect("a pattern");
        let rules = rules().into_iter().map(|(name, rule)| match rule {
            Rule::Match(pattern) => (name, compiled(&pattern), None),
            Rule::Between(begin, end) => (name, compiled(begin), Some(compiled(end))),
        });
        Painter(rules.collect())
    }

    fn paint(&self, text: &str) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        // What is open, where it began, and what ends it.
        let mut open: Option<(usize, &'static str, &Regex)> = None;
        let mut line_start = 0;
        for line in text.split_inclusive('\n') {
            let shown = line.trim_end_matches(['\n', '\r']);
            let mut at = 0;
            loop {
                if let Some((begin, name, end)) = open {
                    let Some(found) = find(end, shown, at) else { break };
                    stretches.push((begin, line_start + found.end, name));
                    (open, at) = (None, found.end);
                    continue;
                }
                let fitting = self.0.iter().filter_map(|(name, pattern, end)| {
                    find(pattern, shown, at).map(|found| (found, *name, end))
                });
                let Some((found, name, end)) = fitting.min_by_key(|(found, ..)| found.start) else {
                    break;
                };
                match end {
                    Some(end) => open = Some((line_start + found.start, name, end)),
                    None => {
                        stretches.push((line_start + found.start, line_start + found.end, name))
                    }
                }
                at = found.end;
            }
            line_start += line.len();
        }
        stretches
    }
}

fn find(pattern: &Regex, line: &str, at: usize) -> Option<std::ops::Range<usize>> {
    pattern.find_from_pos(line, at).expect("no pattern is too hard").map(|found| found.range())
}

/// May a token have this colour? A word of the language that names something is coloured as a name, and as a keyword elsewhere.
fn is_fitting(token: &Token, text: &str, outline: &Outline, colour: &str) -> bool {
    let is_one_of = |colours: &[&str]| colours.iter().any(|it| colour.starts_with(it));
    match token.kind {
        TokenKind::LineComment | TokenKind::BlockComment => is_one_of(&["comment."]),
        TokenKind::Text => is_one_of(&["string."]),
        TokenKind::Number => is_one_of(&["constant.numeric."]),
        TokenKind::True | TokenKind::False => is_one_of(&["constant.language."]),
        kind if RESERVED.contains(&kind) => is_one_of(&["keyword.control."]),
        kind if OPERATORS.contains(&kind) => is_one_of(&["keyword.operator."]),
        kind if PUNCTUATION.contains(&kind) => is_one_of(&["punctuation."]),
        _ if outline.symbol_at(token.span.start).is_some() => is_one_of(&["variable.", "entity."]),
        _ => match form_of(text).expect("a word is a name or of the language").kind {
            FormKind::Declaration => is_one_of(&["storage.type."]),
            FormKind::Statement => is_one_of(&["keyword.control."]),
            FormKind::Function => is_one_of(&["support.function."]),
            FormKind::Particle => is_one_of(&["keyword.control.", "storage.modifier."]),
            FormKind::Literal => is_one_of(&["constant.language."]),
        },
    }
}

/// Compares the colours of a text with its tokens: the same borders, and fitting names. Answers with the number of tokens.
fn check(file: &str, text: &str, painter: &Painter) -> usize {
    let (tokens, errors) = tokens_and_comments(text);
    assert!(errors.is_empty(), "{file}");
    let (errors, outline) = analyse(&Source::new(file, text));
    assert!(errors.is_empty(), "{file}");
    let painted = painter.paint(text);
    let tokens: Vec<&Token> = tokens.iter().filter(|token| token.kind != TokenKind::End).collect();
    for (token, &(start, end, colour)) in tokens.iter().zip(&painted) {
        let spelling = &text[token.span.start as usize..token.span.end as usize];
        let is_same =
            start == token.span.start as usize && &text[start..end] == spelling.trim_end();
        assert!(
            is_same,
            "{file}: `{spelling}` at {} is coloured as `{}`",
            token.span.start,
            &text[start..end]
        );
        let fits = is_fitting(token, spelling, &outline, colour);
        assert!(fits, "{file}: `{spelling}` at {start} is coloured as {colour}");
    }
    assert_eq!(tokens.len(), painted.len(), "{file}");
    tokens.len()
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
    let (programs, painter) = (programs(), Painter::new());
    let count: usize = programs
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).expect("readable");
            check(&path.display().to_string(), &text, &painter)
        })
        .sum();
    assert!(programs.len() >= 60 && count > 8_000, "{} files, {count} tokens", programs.len());
}

/// Where words touch numbers and signs touch each other; words of the language as names; comments in odd places.
#[test]
fn odd_spellings_are_coloured_too() {
    let painter = Painter::new();
    for text in [
        "var post; handler to; message lock(fifo) { post = fifo; } thread handler { post lock(post) to to; }",
        "var x;thread t{if x==1{x=-1;}else{x+=1;x-=-2;}assert!(x<1)&&x>=2||x!=3,\"a \\\" // b\";}",
        "/* a\n // b */var x;/**//***/thread t/* c */{x=1/2/* d */*3;}// e",
        "param n=1_000;var a[i in 0..n]=i%2;thread t[i in 0..2]{let in_=true;let iffy=false;a[0]=in_+iffy;}",
        "\u{feff}var x;\r\n/* ä\r\n */ thread t { x = 1; } // ü\r\n",
    ] {
        assert!(check(text, text, &painter) > 10);
    }
}

#[test]
fn what_is_no_token_has_no_colour_and_spoils_nothing() {
    let stretches = Painter::new().paint("let ä = §2x; \"open");
    let colours: Vec<&str> = stretches.iter().map(|(.., colour)| *colour).collect();
    assert_eq!(
        colours,
        [
            "keyword.control.ed",
            "keyword.operator.ed",
            "constant.numeric.ed",
            "variable.other.ed",
            "punctuation.ed",
            "variable.other.ed"
        ]
    );
}
