//! How messages are put on a page.

use super::check;
use expect_test::expect;
use mazurka_lang::{Options, compile};

#[test]
fn several_errors_in_one_run() {
    check(
        "var x\n\nthread t {\n    x = ;\n    y == 2;\n    if x { z = ] }\n    x = 1;\n}\nvra z;\nmessage m( { }\nhandler h: first;\n",
        expect![[r#"
            error: expected `;`, found `thread`
             --> bad.ed:1:6
              |
            1 | var x
              |      ^

            error: expected an expression, found `;`
             --> bad.ed:4:9
              |
            4 |     x = ;
              |         ^

            error: expected `=`, `+=` or `-=`, found `==`
             --> bad.ed:5:7
              |
            5 |     y == 2;
              |       ^^
              = help: assignment is `=`; a comparison stands in a condition or an `assert`

            error: expected an expression, found `]`
             --> bad.ed:6:16
              |
            6 |     if x { z = ] }
              |                ^

            error: expected a declaration, found `vra`
             --> bad.ed:9:1
              |
            9 | vra z;
              | ^^^
              = help: did you mean `var`?

            error: expected the name of a parameter, found `{`
              --> bad.ed:10:12
               |
            10 | message m( { }
               |            ^

            error: expected `fifo` or `multiset`, found `first`
              --> bad.ed:11:12
               |
            11 | handler h: first;
               |            ^^^^^

        "#]],
    );
    check(
        "var total;\nmessage add(n) { totl += n; }\nhandler h;\nthread t { post ad(1) to h; post add() to hh; }\n",
        expect![[r#"
            error: there is no variable named `totl`
             --> bad.ed:2:18
              |
            2 | message add(n) { totl += n; }
              |                  ^^^^
              = help: did you mean `total`?

            error: there is no message named `ad`
             --> bad.ed:4:17
              |
            4 | thread t { post ad(1) to h; post add() to hh; }
              |                 ^^
              = help: did you mean `add`?

            error: `add` takes 1 argument, but 0 given
             --> bad.ed:4:34
              |
            4 | thread t { post ad(1) to h; post add() to hh; }
              |                                  ^^^

            error: there is no handler named `hh`
             --> bad.ed:4:43
              |
            4 | thread t { post ad(1) to h; post add() to hh; }
              |                                           ^^

        "#]],
    );
}

#[test]
fn long_lines_are_cut_and_tabs_kept_in_step() {
    let text =
        format!("thread t {{ {}\tq = 1; {} }}", "let a = 1; ".repeat(40), "let b = 2; ".repeat(40));
    check(
        &text,
        expect![[r#"
        error: there is no variable named `q`
         --> bad.ed:1:453
          |
        1 |  1; let a = 1; let a = 1; let a = 1; let a = 1; let a = 1;  q = 1; let b = 2; let b = 2; let b = 2; let b = 2; let b = 2
          |                                                             ^
          = help: declare it with `var q;` or `let q = …;`

    "#]],
    );
}

#[test]
fn colours_only_when_asked_for() {
    let errors = compile("c.ed", "var x", &Options::default()).unwrap_err();
    assert!(!errors.render(false).contains('\x1b'));
    assert!(errors.render(true).contains("\x1b[1;31merror\x1b[0m"));
    assert_eq!(errors.to_string(), errors.render(false));
    assert_eq!(errors.place(&errors.errors()[0]).as_deref(), Some("c.ed:1:6"));
}
