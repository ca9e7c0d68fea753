//! Invariants.

use crate::support::program;
use mazurka_engine::{Algorithm, Config, explore};
use mazurka_lang::{Options, compile};

/// What is said of broken invariants, on which every algorithm agrees.
fn broken(text: &str) -> Vec<String> {
    let messages = |algorithm| {
        let mut config = Config::new(algorithm);
        config.keep_going = true;
        let outcome = explore(&program(text), &config, &mut ());
        let mut messages: Vec<String> =
            outcome.failures.iter().map(|failure| failure.message.clone()).collect();
        messages.sort();
        messages.dedup();
        messages
    };
    let truth = messages(Algorithm::Naive);
    for algorithm in [Algorithm::Event, Algorithm::Optimal, Algorithm::EventObservers] {
        assert_eq!(messages(algorithm), truth, "{}", algorithm.name());
    }
    truth
}

#[test]
fn it_must_hold_after_every_event() {
    let text = "var x; var y; invariant x + y == 0, \"unbalanced\"; thread t { x = 1; y = -1; }";
    assert_eq!(broken(text), ["unbalanced"]);
    let text = text.replace("x = 1; y = -1;", "atomic { x = 1; y = -1; }");
    assert!(broken(&text).is_empty());
}

#[test]
fn writes_of_different_variables_conflict() {
    let text = "var x; var y; invariant x == 0 || y == 0; thread a { x = 1; x = 0; } thread b { y = 1; y = 0; }";
    assert_eq!(broken(text), ["invariant `x == 0 || y == 0` broken"]);
}

#[test]
fn it_must_hold_at_the_beginning() {
    assert_eq!(broken("var x = 1; invariant x == 0, \"begin\"; thread t { x = 0; }"), ["begin"]);
    assert_eq!(broken("var x = 1; invariant x == 0, \"begin\";"), ["begin"]);
}

#[test]
fn what_does_not_write_does_not_look() {
    let failing = "var x; var y = 1; invariant x == 0; thread t { let a = cas(x, 1, 2); y = x; }";
    assert!(broken(failing).is_empty());
    let atomic = "var x; invariant x < 2; thread t { atomic { if x == 1 { x = 2; } } }";
    assert!(broken(atomic).is_empty());
    let text = "var x; invariant x < 2; thread t { let a = cas(x, 0, 2); }";
    assert_eq!(broken(text), ["invariant `x < 2` broken"]);
}

#[test]
fn an_atomic_block_that_is_left_looks_too() {
    let text = "var x; invariant x == 0, \"left\"; mutex m; thread t { with m { atomic { x = 1; return; } } }
        thread u { lock m; unlock m; }";
    assert_eq!(broken(text), ["left"]);
}

#[test]
fn locals_do_not_hide_what_it_looks_at() {
    let text =
        "var x; var y; invariant y == x, \"differ\"; thread t { let y = 1; x = 1; assert y == 1; }";
    assert_eq!(broken(text), ["differ"]);
}

#[test]
fn elements_of_arrays() {
    let text = "var a[3]; invariant a[0] + a[1] + a[2] < 2; thread t[i in 0..3] { a[i] = 1; }";
    assert_eq!(broken(text), ["invariant `a[0] + a[1] + a[2] < 2` broken"]);
}

#[test]
fn the_word_may_be_a_name() {
    let text = "var invariant; invariant invariant < 1, \"name\"; thread t { invariant = 1; }";
    assert_eq!(broken(text), ["name"]);
}

#[test]
fn it_only_looks() {
    for (text, part) in [
        ("var x; invariant fetch_add(x, 1) == 0;", "writes, which an `invariant` cannot do"),
        ("invariant choose(2) == 0;", "cannot stand in an `invariant`"),
        ("invariant nothing == 0;", "nothing"),
        ("var x; invariant x == 0", "expected `;`"),
    ] {
        let errors = compile("it.ed", text, &Options::default()).expect_err("it is wrong");
        assert!(errors.to_string().contains(part), "{errors}");
    }
}
