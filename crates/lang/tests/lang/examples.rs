//! The programs in `programs/examples`.

use crate::support::first_run;
use expect_test::expect;
use mazurka_lang::{Options, Source, compile, parse};
use std::path::{Path, PathBuf};

/// The bundled examples.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/examples");
    let files = std::fs::read_dir(folder).expect("the examples are there");
    let paths = files.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "ed")).collect()
}

#[test]
fn posters() {
    let text = include_str!("../../../../programs/examples/posters.ed");
    expect![[r#"
        poster[0]: post first(0) to h
        poster[1]: post first(1) to h
        poster[2]: post first(2) to h
        poster[0].1: start
        poster[0].1: W x=0
        poster[0].1: post second(0) to h
        poster[0].1: R x=0
        poster[1].1: start
        poster[1].1: W x=2
        poster[1].1: post second(1) to h
        poster[1].1: R x=2
        poster[2].1: start
        poster[2].1: W x=4
        poster[2].1: post second(2) to h
        poster[2].1: R x=4
        poster[0].1.1: start
        poster[0].1.1: W x=1
        poster[0].1.1: R x=1
        poster[1].1.1: start
        poster[1].1.1: W x=3
        poster[1].1.1: R x=3
        poster[2].1.1: start
        poster[2].1.1: W x=5
        poster[2].1.1: R x=5
    "#]]
    .assert_eq(&first_run(text));
}

#[test]
fn all_examples_compile() {
    for path in examples() {
        let text = std::fs::read_to_string(&path).expect("readable");
        if let Err(errors) = compile(&path.to_string_lossy(), &text, &Options::default()) {
            panic!("{errors}");
        }
    }
    assert!(examples().len() >= 50, "only {} examples", examples().len());
}

/// The variants of an enum, read from the source, so that a new one cannot be forgotten here.
fn variants(of: &str) -> Vec<&'static str> {
    let source = include_str!("../../src/ast.rs");
    let (_, rest) = source.split_once(&format!("pub enum {of} {{\n")).expect("the enum is there");
    let body = rest.split_once("\n}").expect("it ends").0;
    let names = body.lines().filter_map(|line| line.strip_prefix("    "));
    let names = names.filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()));
    names.map(|line| line.split([' ', '(', ',']).next().unwrap_or(line)).collect()
}

/// A newcomer finds each of them in use.
#[test]
fn every_form_is_in_an_example() {
    let mut trees = String::new();
    for path in examples() {
        let text = std::fs::read_to_string(&path).expect("readable");
        trees += &format!("{:?}", parse(&Source::new("example.ed", &text)).expect("it parses"));
    }
    for statement in variants("StatementKind") {
        assert!(
            trees.contains(&format!("Statement {{ kind: {statement}")),
            "{statement} is in no example"
        );
    }
    for declaration in variants("Item") {
        let found = [format!("[{declaration}"), format!(", {declaration}")];
        assert!(found.iter().any(|form| trees.contains(form)), "{declaration} is in no example");
    }
    for function in [
        "min",
        "max",
        "fetch_add",
        "swap",
        "cas",
        "try_lock",
        "try_lock_shared",
        "try_acquire",
        "choose",
    ] {
        assert!(
            trees.contains(&format!("Call(Call {{ name: Name {{ text: {function:?}")),
            "{function} is in no example"
        );
    }
}

/// The forms of the language's reference, as they are written there.
#[test]
fn the_forms_of_the_reference_are_accepted() {
    let text = "
        param n = 3; param m = 2;
        mailbox fifo;
        var x; var x2 = n + 1;
        var a[n]; var b[n][m] = 7;
        var c[i in 0..n][j in 0..m] = (i + j) % 2;
        mutex mu; mutex mus[n];
        handler h; handler hs[n]; handler hf: fifo;
        message name(p, q) { x = p + q; }
        message one(e) { }
        thread plain { }
        thread many[i in 0..n] { }
        task t(p) { }
        finally { assert x >= 0; }
        thread all {
            let a1 = 1; a1 = 2;
            x = 1; a[0] = 2; x += 1; x -= 1;
            post name(1, 2) to h; post one(1) to hs[2];
            fork t(1); let w = fork t(2); join w; join plain; join many[1];
            lock mu; unlock mu; with mu { x = 1; }
            if x == 1 { } else if x == 2 { } else { }
            while x < 3 { x += 1; } for i in 0..n { a[i] = i; }
            assert x == 3; assert x == 3, \"text\"; assume x == 3;
            atomic { x = x + 1; }
            let e = (1 + 2 - 3) * 4 / 5 % 6 == 0 && 1 != 2 || !(1 < 2) && 1 <= 2 && 2 > 1 && 2 >= 1 && true && !false;
            e = min(1, 2) + max(1, 2) + fetch_add(x, 1) + swap(x, 2) + cas(x, 2, 3);
            return;
        }
    ";
    assert!(!first_run(text).contains('!'), "{}", first_run(text));
}
