//! The layout of programs.

use crate::generate::{self, Random};
use expect_test::{Expect, expect};
use mazurka_lang::{Options, Source, comments, compile, format};
use std::path::{Path, PathBuf};

fn formatted(text: &str) -> String {
    format(&Source::new("test.ed", text)).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Formats a text, checks what holds of every text, and gives the result.
fn checked(text: &str) -> String {
    let once = formatted(text);
    assert_eq!(formatted(&once), once, "formatting twice changes something:\n{text}");
    assert_eq!(comment_words(&once), comment_words(text), "comments were changed:\n{text}");
    let [before, after] = [text, &once].map(|text| {
        compile("test.ed", text, &Options::default())
            .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
    });
    assert!(before.is_same_code(&after), "the code was changed:\n{text}\n{once}");
    once
}

/// What the comments say, without the blanks at the ends of their lines.
fn comment_words(text: &str) -> Vec<String> {
    let source = Source::new("test.ed", text);
    comments(text).into_iter().map(|span| source.slice(span).trim_end().to_owned()).collect()
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&checked(text));
}

#[test]
fn blanks_and_lines() {
    check(
        "param n=3;var   x=-1 ,y ; var a[ i in 0 .. n ][2]=(i+ 1)%2;handler h : fifo;mailbox multiset;\n\n\n\nmessage m ( p,q )\n{\nx=-p- -q+2*(y-1);assert!(x<1)&&y==2,\"text\"; ;\n}\nthread t[i in 0..n]{post m(1,-2)to h;}",
        expect![[r#"
            param n = 3;
            var x = -1, y;
            var a[i in 0..n][2] = (i + 1) % 2;
            handler h: fifo;
            mailbox multiset;

            message m(p, q) {
                x = -p - -q + 2 * (y - 1);
                assert !(x < 1) && y == 2, "text";
            }
            thread t[i in 0..n] { post m(1, -2) to h; }
        "#]],
    );
}

#[test]
fn blocks_stay_on_one_line_while_they_fit() {
    check(
        "var x; thread t { if x == 1 { x = 2; } else { x = 3; }\n if x==1{x=2;}\nelse{x=3;} while x == 0 {} }
         thread u { x = 1111111111; x = 1111111111; x = 1111111111; x = 1111111111; x = 1111111111; x = 1111111111; }",
        expect![[r#"
            var x;
            thread t {
                if x == 1 { x = 2; } else { x = 3; }
                if x == 1 {
                    x = 2;
                } else {
                    x = 3;
                }
                while x == 0 { }
            }
            thread u {
                x = 1111111111;
                x = 1111111111;
                x = 1111111111;
                x = 1111111111;
                x = 1111111111;
                x = 1111111111;
            }
        "#]],
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "// The head.\n\n\nvar x; // one\nvar longer_name;   // two\n                   // and more\n\n/* before */ var z; /* behind */\nthread t { // beside\n// alone\nx = 1; // a\nx = 22; // b\n\n\n// last\n}\nthread u { x = /* in */ 1; /* end */ }\nthread v { if x == 1 { } // why\n else { } /* many\n lines */ x = 1 + // first\n 2; ; // stray\n }\nthread w { /* nothing */ }\nthread y {\n }",
        expect![[r#"
            // The head.

            var x;           // one
            var longer_name; // two
                             // and more

            /* before */ var z; /* behind */
            thread t { // beside
                // alone
                x = 1;  // a
                x = 22; // b

                // last
            }
            thread u { x = /* in */ 1; /* end */ }
            thread v {
                if x == 1 { } // why
                else { }
                /* many
             lines */ x = 1 + // first
                    2; // stray
            }
            thread w { /* nothing */ }
            thread y { }
        "#]],
    );
}

#[test]
fn what_its_author_broke_stays_broken() {
    check(
        "var x; handler h; message m(p, q) { }\nthread t {\n  assert x == 1 &&\n x == 2\n || x == 3\n ;\n post m(\n 1,\n 2\n ) to h;\n}",
        expect![[r#"
            var x;
            handler h;
            message m(p, q) { }
            thread t {
                assert x == 1 &&
                    x == 2
                    || x == 3;
                post m(
                    1,
                    2
                ) to h;
            }
        "#]],
    );
}

#[test]
fn bad_programs_are_not_touched() {
    let errors = format(&Source::new("bad.ed", "thread t { x = ; }")).expect_err("no expression");
    assert_eq!(errors.errors().len(), 1);
}

#[test]
fn an_empty_file_stays_empty() {
    assert_eq!(formatted(""), "");
    assert_eq!(formatted("\n\n  ;;\n"), "");
    assert_eq!(formatted("// nothing"), "// nothing\n");
}

/// Every program of the repository.
#[test]
fn all_programs_keep_their_meaning() {
    let mut count = 0;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the programs are there") {
            let path: PathBuf = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ed") {
                checked(&std::fs::read_to_string(&path).expect("readable"));
                count += 1;
            }
        }
    }
    assert!(count >= 30, "only {count} programs");
}

/// Random programs, laid out at random, with comments everywhere.
#[test]
fn ten_thousand_random_programs_keep_their_meaning() {
    for seed in 0..10_000 {
        let mut random = Random::new(seed);
        let text = generate::program(&mut random);
        let scattered = scattered(&text, &mut random);
        let from_scattered = checked(&scattered);
        assert_eq!(from_scattered.is_empty(), text.is_empty(), "seed {seed}");
    }
}

/// The tokens of a text with something else between them.
fn scattered(text: &str, random: &mut Random) -> String {
    let mut out = String::new();
    for token in tokens(text) {
        let gaps = [
            " ",
            " ",
            " ",
            "  ",
            "\n",
            "\n\n\n",
            "\t",
            " \n",
            " // note\n",
            " /* note */ ",
            "\r\n",
            " /* a\n b */",
        ];
        let close = token.len() == 1 && "()[]{};,".contains(token);
        let gap = if close && random.below(2) == 0 { "" } else { random.pick(&gaps) };
        // Most programs have few line breaks, so that blocks on one line occur.
        let gap = if random.below(3) > 0 && gap.contains('\n') { " " } else { gap };
        out.push_str(gap);
        out.push_str(token);
        if token == ";" && random.below(20) == 0 {
            out.push(';');
        }
    }
    out
}

/// Splits a text of [`generate`] into tokens: words, texts, signs of one or two characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let two = rest.get(..2).unwrap_or("");
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else if first == '"' {
            rest[1..].find('"').expect("a closing quote") + 2
        } else if ["..", "+=", "-=", "==", "!=", "<=", ">=", "&&", "||"].contains(&two) {
            2
        } else {
            1
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}
