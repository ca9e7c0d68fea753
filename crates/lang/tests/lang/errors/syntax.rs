//! Programs that do not parse.

use super::check;
use expect_test::expect;

#[test]
fn words_and_signs() {
    check(
        "var x = 3 $ 4;",
        expect![[r#"
            error: unexpected character `$`
             --> bad.ed:1:11
              |
            1 | var x = 3 $ 4;
              |           ^

        "#]],
    );
    check(
        "var ä = 3;",
        expect![[r#"
            error: unexpected character `ä`
             --> bad.ed:1:5
              |
            1 | var ä = 3;
              |     ^
              = help: names consist of the letters a to z and A to Z, digits and `_`

        "#]],
    );
    check(
        "thread t { assert 1, \"open; }\n",
        expect![[r#"
            error: this text has no closing `"` on its line
             --> bad.ed:1:22
              |
            1 | thread t { assert 1, "open; }
              |                      ^^^^^^^^

        "#]],
    );
    check(
        "var x; /* never closed",
        expect![[r#"
            error: this comment is never closed
             --> bad.ed:1:8
              |
            1 | var x; /* never closed
              |        ^^
              = help: close it with `*/`

        "#]],
    );
    check(
        "thread t { if 1 & 2 { } if 1 | 2 { } }",
        expect![[r#"
            error: unexpected character `&`
             --> bad.ed:1:17
              |
            1 | thread t { if 1 & 2 { } if 1 | 2 { } }
              |                 ^
              = help: logical and is `&&`

            error: unexpected character `|`
             --> bad.ed:1:30
              |
            1 | thread t { if 1 & 2 { } if 1 | 2 { } }
              |                              ^
              = help: logical or is `||`

        "#]],
    );
    check(
        "var x = 9223372036854775808;",
        expect![[r#"
        error: this number does not fit into 64 bits with a sign
         --> bad.ed:1:9
          |
        1 | var x = 9223372036854775808;
          |         ^^^^^^^^^^^^^^^^^^^

    "#]],
    );
    check(
        "var x = -9223372036854775809;",
        expect![[r#"
        error: this number does not fit into 64 bits with a sign
         --> bad.ed:1:10
          |
        1 | var x = -9223372036854775809;
          |          ^^^^^^^^^^^^^^^^^^^

    "#]],
    );
}

#[test]
fn declarations() {
    check(
        "mesage m() { }",
        expect![[r#"
        error: expected a declaration, found `mesage`
         --> bad.ed:1:1
          |
        1 | mesage m() { }
          | ^^^^^^
          = help: did you mean `message`?

    "#]],
    );
    check(
        "var 3;",
        expect![[r#"
        error: expected a name for the variable, found `3`
         --> bad.ed:1:5
          |
        1 | var 3;
          |     ^

    "#]],
    );
    check(
        "var if;",
        expect![[r#"
        error: expected a name for the variable, found `if`
         --> bad.ed:1:5
          |
        1 | var if;
          |     ^^
          = help: `if` is a keyword and cannot be a name

    "#]],
    );
    check(
        "param n;",
        expect![[r#"
            error: expected `=`, found `;`
             --> bad.ed:1:8
              |
            1 | param n;
              |        ^
              = help: a constant has a value: `param n = 3;`; `--param n=5` replaces it

        "#]],
    );
    check(
        "mailbox fifi;",
        expect![[r#"
        error: expected `fifo` or `multiset`, found `fifi`
         --> bad.ed:1:9
          |
        1 | mailbox fifi;
          |         ^^^^
          = help: did you mean `fifo`?

    "#]],
    );
    check(
        "handler h: lifo;",
        expect![[r#"
            error: expected `fifo` or `multiset`, found `lifo`
             --> bad.ed:1:12
              |
            1 | handler h: lifo;
              |            ^^^^

        "#]],
    );
    check(
        "thread t(i) { }",
        expect![[r#"
            error: expected `[` or `{`, found `(`
             --> bad.ed:1:9
              |
            1 | thread t(i) { }
              |         ^
              = help: a thread has no parameters: `thread t { … }`, or `thread t[i in 0..n] { … }` for several; one with parameters is a `task` that `fork` starts

        "#]],
    );
    check(
        "message m(1) { }",
        expect![[r#"
        error: expected the name of a parameter, found `1`
         --> bad.ed:1:11
          |
        1 | message m(1) { }
          |           ^

    "#]],
    );
    check(
        "var a[3;",
        expect![[r#"
        error: expected `]`, found `;`
         --> bad.ed:1:8
          |
        1 | var a[3;
          |        ^

    "#]],
    );
    check(
        "var a[i in 3];",
        expect![[r#"
        error: expected `..`, found `]`
         --> bad.ed:1:13
          |
        1 | var a[i in 3];
          |             ^

    "#]],
    );
    check(
        "var x\nvar y;",
        expect![[r#"
        error: expected `;`, found `var`
         --> bad.ed:1:6
          |
        1 | var x
          |      ^

    "#]],
    );
    check(
        "x = 3;",
        expect![[r#"
            error: expected a declaration, found `x`
             --> bad.ed:1:1
              |
            1 | x = 3;
              | ^
              = help: statements stand in a `thread t { … }`, `message m(p) { … }`, `task t(p) { … }` or `finally { … }`

        "#]],
    );
}

#[test]
fn statements() {
    check(
        "var x; thread t { x = ; }",
        expect![[r#"
        error: expected an expression, found `;`
         --> bad.ed:1:23
          |
        1 | var x; thread t { x = ; }
          |                       ^

    "#]],
    );
    check(
        "var x; thread t { x; }",
        expect![[r#"
            error: expected `=`, `+=` or `-=`, found `;`
             --> bad.ed:1:20
              |
            1 | var x; thread t { x; }
              |                    ^
              = help: a statement is an assignment, or begins with `let`, `post`, `fork`, `join`, `lock`, `unlock`, `with`, `lock_shared`, `unlock_shared`, `with_shared`, `acquire`, `release`, `wait`, `notify`, `notify_all`, `if`, `while`, `for`, `assert`, `assume`, `atomic`, `return`

        "#]],
    );
    check(
        "var x; thread t { x = 1\n x = 2; }",
        expect![[r#"
        error: expected `;`, found `x`
         --> bad.ed:1:24
          |
        1 | var x; thread t { x = 1
          |                        ^

    "#]],
    );
    check(
        "thread t { let = 1; }",
        expect![[r#"
        error: expected a name for the local, found `=`
         --> bad.ed:1:16
          |
        1 | thread t { let = 1; }
          |                ^

    "#]],
    );
    check(
        "thread t { pots m() to h; }",
        expect![[r#"
        error: expected a statement, found `pots`
         --> bad.ed:1:12
          |
        1 | thread t { pots m() to h; }
          |            ^^^^
          = help: did you mean `post`?

    "#]],
    );
    check(
        "handler h; message m { } thread t { post m() h; }",
        expect![[r#"
        error: expected `to`, found `h`
         --> bad.ed:1:46
          |
        1 | handler h; message m { } thread t { post m() h; }
          |                                              ^

    "#]],
    );
    check(
        "thread t { if 1 return; }",
        expect![[r#"
            error: expected `{`, found `return`
             --> bad.ed:1:17
              |
            1 | thread t { if 1 return; }
              |                 ^^^^^^
              = help: a body stands in braces: `{ … }`

        "#]],
    );
    check(
        "thread t { for i in 0 { } }",
        expect![[r#"
            error: expected `..`, found `{`
             --> bad.ed:1:23
              |
            1 | thread t { for i in 0 { } }
              |                       ^
              = help: a range is `0..n`: from 0 to n - 1

        "#]],
    );
    check(
        "thread t { lock; }",
        expect![[r#"
            error: expected the name of a mutex or read-write lock, found `;`
             --> bad.ed:1:16
              |
            1 | thread t { lock; }
              |                ^

        "#]],
    );
    check(
        "thread t { assert 1, 2; }",
        expect![[r#"
        error: expected a text in quotes, found `2`
         --> bad.ed:1:22
          |
        1 | thread t { assert 1, 2; }
          |                      ^

    "#]],
    );
    check(
        "thread t { else { } }",
        expect![[r#"
            error: expected a statement, found `else`
             --> bad.ed:1:12
              |
            1 | thread t { else { } }
              |            ^^^^
              = help: this `else` belongs to no `if`

        "#]],
    );
    check(
        "thread t {\n  while 1 {\n",
        expect![[r#"
            error: expected `}` (to close the `{` of line 2), found the end of the file
             --> bad.ed:3:1
              |
            3 | 
              | ^

        "#]],
    );
    check(
        "thread t { } }",
        expect![[r#"
            error: this `}` closes nothing
             --> bad.ed:1:14
              |
            1 | thread t { } }
              |              ^
              = help: there is one too many, or the `{` of a block above is missing

        "#]],
    );
    check(
        "thread t { let a = (1 + 2; }",
        expect![[r#"
        error: expected `)`, found `;`
         --> bad.ed:1:26
          |
        1 | thread t { let a = (1 + 2; }
          |                          ^

    "#]],
    );
    check(
        "thread t { let a = min(1, ; }",
        expect![[r#"
        error: expected an expression, found `;`
         --> bad.ed:1:27
          |
        1 | thread t { let a = min(1, ; }
          |                           ^

    "#]],
    );
}
