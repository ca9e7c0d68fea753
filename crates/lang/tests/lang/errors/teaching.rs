//! What newcomers write, and what they are told: each guess of another language gets an answer that says what to write here.

use mazurka_lang::{Options, compile};

/// The first error of a program that must not compile: place, message and advice.
fn first_error(text: &str) -> (String, String, String) {
    let Err(errors) = compile("bad.ed", text, &Options::default()) else {
        panic!("accepted: {text}");
    };
    let error = &errors.errors()[0];
    let place = errors.place(error).unwrap_or_default();
    let place = place.trim_start_matches("bad.ed:").to_owned();
    (place, error.message.clone(), error.help.clone().unwrap_or_default())
}

/// In a body: what is written, the column of the error, and a part of the advice.
fn in_body(guesses: &[(&str, &str, &str)]) {
    for (written, place, advice) in guesses {
        let text = format!(
            "var x; var y; var a[2]; mutex m; handler h; message msg(p) {{ }} task w(p) {{ }} thread t {{\n {written}\n}}"
        );
        let (found, message, help) = first_error(&text);
        // The body is indented by one.
        let column = place.parse::<usize>().expect("a column") + 1;
        assert_eq!(found, format!("2:{column}"), "{written}\n{message}\n{help}");
        assert!(help.contains(advice), "{written}\n{message}\nhelp: {help}\nwanted: {advice}");
    }
}

/// Outside of bodies.
fn in_file(guesses: &[(&str, &str, &str)]) {
    for (written, place, advice) in guesses {
        let (found, message, help) = first_error(written);
        assert_eq!(found, *place, "{written}\n{message}\n{help}");
        assert!(help.contains(advice), "{written}\n{message}\nhelp: {help}\nwanted: {advice}");
    }
}

#[test]
fn statements_of_other_languages() {
    in_body(&[
        ("if x == 1 { } elif y == 1 { }", "15", "else if e"),
        ("if x == 1 { } elsif y == 1 { }", "15", "else if e"),
        ("if x == 1 { } elseif y == 1 { }", "15", "else if e"),
        ("if x == 1 { } else y = 1;", "20", "a body stands in braces"),
        ("else { }", "1", "belongs to no `if`"),
        ("while x == 0 { break; }", "16", "`return;` ends the whole thread"),
        ("while x == 0 { continue; }", "16", "a loop ends when its condition"),
        ("x++;", "4", "`x += 1;` (one indivisible event)"),
        ("x--;", "4", "`x -= 1;`"),
        ("y = x++;", "7", "there is no `++`"),
        ("++x;", "3", "there is no `++`"),
        ("x *= 2;", "4", "only `+=` and `-=` exist"),
        ("x := 1;", "4", "assignment is `=`"),
        ("const n = 3;", "1", "`param n = 3;`"),
        ("int z = 3;", "1", "`let a = 0;`"),
        ("var z = 3;", "1", "a local is `let a = 0;`"),
        ("let mut z = 3;", "9", "leave `mut` out"),
        ("let z: int = 3;", "6", "values have no types"),
        ("let z;", "6", "`let a = 0;`"),
        ("return x;", "8", "gives nothing back"),
        ("print(x);", "1", "the report shows every read and write"),
        ("println x;", "1", "a program prints nothing"),
        ("sleep(10);", "1", "time does not pass"),
        ("wait(m);", "5", "leave the parentheses out"),
        ("wait m;", "6", "held with `with m { … }`"),
        ("await m;", "1", "`join t;`"),
        ("spawn w(1);", "1", "`fork t(e);`"),
        ("send msg(1) to h;", "1", "`post m(e) to h;`"),
        ("receive msg(p) { }", "1", "what arrives runs by itself"),
        ("function f() { }", "1", "there are no functions"),
        ("try { }", "1", "there are no exceptions"),
        ("switch x { }", "1", "`if e { … } else if e { … }"),
        ("do { } while x;", "1", "`while e { … }`"),
        ("for (i = 0; i < 3; i++) { }", "5", "`for i in 0..n { … }`"),
        ("for i in 3 { }", "12", "a range is `0..n`"),
        ("for i in 0..=3 { }", "13", "`a..b + 1`"),
        ("synchronized m { }", "1", "`with m { … }`"),
        ("thread u { }", "1", "declarations stand outside"),
        ("pass;", "1", "an empty block is `{ }`"),
    ]);
}

#[test]
fn conditions() {
    in_body(&[
        ("assert 0 < x < 2;", "8", "write `0 < x && x < 2`"),
        ("if 0 <= x + 1 < y { }", "4", "write `0 <= x + 1 && x + 1 < y`"),
        ("if x = 1 { }", "6", "equality is `==`"),
        ("while (x = 1) { }", "10", "equality is `==`"),
        ("assert x = 1;", "10", "equality is `==`"),
        ("if x === 1 { }", "8", "equality is `==`"),
        ("if x <> 1 { }", "7", "not equal is `!=`"),
        ("if x == 1 and y == 1 { }", "11", "logical and is `&&`"),
        ("if x == 1 or y == 1 { }", "11", "logical or is `||`"),
        ("if not x { }", "4", "logical not is `!`"),
        ("if x & y { }", "6", "logical and is `&&`"),
        ("if x == 1: x = 2;", "10", "a body stands in braces"),
        ("if x == 1 then x = 2;", "11", "a body stands in braces"),
        ("while (x) x = 1;", "11", "a body stands in braces"),
        ("if (x == 1) x = 2;", "13", "a body stands in braces"),
        ("assert(x == 1, \"text\");", "14", "leave the parentheses out"),
        ("assert x == 1 \"text\";", "15", "a `,` is missing before the text"),
        ("x = y ? 1 : 2;", "7", "`if e { … } else { … }`"),
    ]);
}

#[test]
fn values_and_calls() {
    in_body(&[
        ("x = y.z;", "6", "there are no fields"),
        ("m.lock();", "2", "`lock m;`"),
        ("x = 1.5;", "6", "values are integers"),
        ("x = 0x10;", "6", "numbers are decimal"),
        ("x = \"text\";", "5", "values are integers"),
        ("x = 'a';", "5", "a text stands in"),
        ("x = null;", "5", "values are integers"),
        ("x = True;", "5", "it is written `true`"),
        ("x = 2 ** 3;", "8", "there is no power"),
        ("lock(m);", "5", "leave the parentheses out"),
        ("lock m { }", "8", "`with m { … }`"),
        ("post msg(1);", "12", "`post m(e) to h;`"),
        ("x = y = 1;", "7", "equality is `==`"),
        ("# note", "1", "a comment begins with `//`"),
        ("x = post msg(1) to h;", "10", "a statement gives no value"),
    ]);
}

#[test]
fn declarations_of_other_languages() {
    in_file(&[
        ("blah x;", "1:1", "a file consists of `param`, `mailbox`, `var`, `mutex`"),
        ("3", "1:1", "a file consists of `param`"),
        ("let x = 1;", "1:1", "a shared variable is `var x = 0;`"),
        ("int x = 1;", "1:1", "a shared variable is `var x = 0;`"),
        ("const n = 3;", "1:1", "`param n = 3;`"),
        ("var x: int;", "1:6", "values have no types"),
        ("x = 1;", "1:1", "statements stand in a `thread t { … }`"),
        ("post m() to h;", "1:1", "statements stand in"),
        ("function f() { }", "1:1", "`message m(p) { … }`"),
        ("void f() { }", "1:1", "there are no functions"),
        ("class A { }", "1:1", "there are no objects"),
        ("import a;", "1:1", "a program is one file"),
        ("process p { }", "1:1", "there are no functions"),
        ("actor a { }", "1:1", "`handler h;`"),
        ("queue q;", "1:1", "`handler h;`"),
        ("handler h { }", "1:11", "a handler runs the messages"),
        ("thread t() { }", "1:9", "a thread has no parameters"),
        ("message m(int p) { }", "1:15", "values have no types"),
        ("thread t { } }", "1:14", "the `{` of a block above is missing"),
        ("mesage m() { }", "1:1", "did you mean `message`?"),
    ]);
}

#[test]
fn a_missing_brace_is_found_where_it_is_missing() {
    let missing =
        "var x;\nthread t {\n    if x == 1 {\n        x = 2;\n}\nthread u {\n    x = 3;\n}\n";
    let (place, message, help) = first_error(missing);
    assert_eq!(
        (place.as_str(), message.as_str()),
        ("6:1", "a `}` is missing before this `thread`")
    );
    assert_eq!(help, "the `{` of line 3 is not closed");
    let (place, _, help) = first_error("thread t {\n    let a = 1;\n\nvar x;\n");
    assert_eq!((place.as_str(), help.as_str()), ("4:1", "the `{` of line 1 is not closed"));
    let (_, message, _) = first_error("thread t {\n    { let a = 1;\n}\n");
    assert_eq!(message, "expected `}` (to close the `{` of line 2), found the end of the file");
}

/// One missing brace is one error.
#[test]
fn a_missing_brace_is_told_once() {
    let text = "var x;\nthread t {\n while x == 0 { if x == 1 {\n x = 2;\nthread u { x = 3; }\nfinally { assert x == 1; }\n";
    let errors = compile("bad.ed", text, &Options::default()).expect_err("it is open");
    assert_eq!(errors.errors().len(), 1, "{errors}");
}

#[test]
fn words_that_are_only_close_in_letters_are_not_suggested() {
    for written in ["releese_all x;", "elbow x;", "lost x;", "wide x;"] {
        let (_, _, help) = first_error(&format!("var x; thread t {{ {written} }}"));
        assert!(!help.contains("did you mean"), "{written}: {help}");
    }
}

/// Comparisons of truth values are rare, and need parentheses.
#[test]
fn comparisons_in_parentheses_are_fine() {
    let text =
        "var x; thread t { assert (0 < x) < 2; assert 0 < x == x < 2; assert x == 1 == true; }";
    assert!(compile("good.ed", text, &Options::default()).is_ok());
}

/// Guesses that were once answered with nothing, or with something else.
#[test]
fn more_guesses_of_newcomers() {
    in_body(&[
        ("let z := 1;", "7", "assignment is `=`"),
        ("for i = 0 to 3 { }", "7", "`for i in 0..n { … }`"),
        ("0 < x < 2;", "1", "a statement is an assignment"),
        ("h ! msg(1);", "3", "`post m(e) to h;`"),
        ("x =+ 1;", "4", "`x += e;`"),
        ("x <- 1;", "4", "assignment is `=`"),
        ("x <<= 1;", "4", "there are no bits"),
        ("fork { x = 1; }", "6", "`task t(p) { … }`"),
        ("join;", "5", "say for which"),
        ("x = choose {1, 2};", "12", "it is written `choose(n)`"),
        ("x = choose(1, 2);", "5", "Any number from 0 to n - 1"),
        ("x = random(3);", "5", "`choose(n)`"),
        ("x = len(a);", "5", "the length of an array is a constant"),
        ("x = foo(1);", "5", "the functions are `min`, `max`"),
        ("x.fetch_add(1);", "2", "`fetch_add(x, e)`"),
        ("h.send(1);", "2", "`post m(e) to h;`"),
        ("x = if y { 1 } else { 2 };", "5", "`if` is a statement"),
        ("if { }", "4", "a condition stands before"),
        ("lock x;", "6", "`mutex m;`"),
        ("release m;", "9", "`lock m;` and `unlock m;`"),
        ("join h;", "6", "a handler runs for ever"),
    ]);
    in_file(&[
        ("var x := 3;", "1:7", "assignment is `=`"),
        ("var a = [1, 2];", "1:9", "an array is `var a[3];`"),
        ("var a[];", "1:7", "say how many"),
        ("var x y;", "1:6", "several are `var x, y;`"),
        ("atomic x;", "1:1", "a shared variable is `var x;`"),
        ("handler h = fifo;", "1:11", "handler h: multiset;`"),
        ("handler h fifo;", "1:10", "handler h: multiset;`"),
        ("mutex m = 1;", "1:9", "it is written `mutex m;"),
        ("semaphore s(2);", "1:12", "`semaphore s = 2;`"),
        ("param n;", "1:8", "`param n = 3;`"),
        ("#include <x>", "1:1", "a program is one file"),
        ("property p: x == 1;", "1:1", "`finally { assert e; }`"),
    ]);
}
