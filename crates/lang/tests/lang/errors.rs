//! Every message about a program that does not parse or resolve.

use expect_test::{Expect, expect};
use mazurka_lang::{Options, compile};

fn check(text: &str, expected: Expect) {
    match compile("folder/bad.ed", text, &Options::default()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(errors) => expected.assert_eq(&errors.render(false)),
    }
}

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
          = help: did you mean `fifo`?

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

    "#]],
    );
    check(
        "thread t { lock; }",
        expect![[r#"
        error: expected the name of a mutex, found `;`
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
        error: expected a declaration, found `}`
         --> bad.ed:1:14
          |
        1 | thread t { } }
          |              ^

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
fn unknown_names() {
    check(
        "var counter; thread t { conter = 1; let a = countre; }",
        expect![[r#"
        error: there is no variable named `conter`
         --> bad.ed:1:25
          |
        1 | var counter; thread t { conter = 1; let a = countre; }
          |                         ^^^^^^
          = help: did you mean `counter`?

        error: there is no variable named `countre`
         --> bad.ed:1:45
          |
        1 | var counter; thread t { conter = 1; let a = countre; }
          |                                             ^^^^^^^
          = help: did you mean `counter`?

    "#]],
    );
    check(
        "thread t { let index = 1; let b = indx; }",
        expect![[r#"
        error: there is no variable named `indx`
         --> bad.ed:1:35
          |
        1 | thread t { let index = 1; let b = indx; }
          |                                   ^^^^
          = help: did you mean `index`?

    "#]],
    );
    check(
        "thread t { q = 1; }",
        expect![[r#"
        error: there is no variable named `q`
         --> bad.ed:1:12
          |
        1 | thread t { q = 1; }
          |            ^
          = help: declare it with `var q;` or `let q = …;`

    "#]],
    );
    check(
        "thread t { { let a = 1; } let b = a; }",
        expect![[r#"
        error: there is no variable named `a`
         --> bad.ed:1:35
          |
        1 | thread t { { let a = 1; } let b = a; }
          |                                   ^

    "#]],
    );
    check(
        "handler server; message m { } thread t { post m() to sever; post n() to server; }",
        expect![[r#"
            error: there is no handler named `sever`
             --> bad.ed:1:54
              |
            1 | handler server; message m { } thread t { post m() to sever; post n() to server; }
              |                                                      ^^^^^
              = help: did you mean `server`?

            error: there is no message named `n`
             --> bad.ed:1:66
              |
            1 | handler server; message m { } thread t { post m() to sever; post n() to server; }
              |                                                                  ^

        "#]],
    );
    check(
        "task worker { } thread t { fork workr(); }",
        expect![[r#"
        error: there is no task named `workr`
         --> bad.ed:1:33
          |
        1 | task worker { } thread t { fork workr(); }
          |                                 ^^^^^
          = help: did you mean `worker`?

    "#]],
    );
    check(
        "mutex mutual; thread t { lock mutal; }",
        expect![[r#"
        error: there is no mutex named `mutal`
         --> bad.ed:1:31
          |
        1 | mutex mutual; thread t { lock mutal; }
          |                               ^^^^^
          = help: did you mean `mutual`?

    "#]],
    );
    check(
        "thread main { join mian; }",
        expect![[r#"
        error: there is no thread named `mian`
         --> bad.ed:1:20
          |
        1 | thread main { join mian; }
          |                    ^^^^
          = help: did you mean `main`?

    "#]],
    );
    check(
        "thread t { let a = mim(1, 2); }",
        expect![[r#"
        error: `mim` is not a function
         --> bad.ed:1:20
          |
        1 | thread t { let a = mim(1, 2); }
          |                    ^^^
          = help: did you mean `min`?

    "#]],
    );
    check(
        "thread t { foo(); }",
        expect![[r#"
        error: `foo` is not a function
         --> bad.ed:1:12
          |
        1 | thread t { foo(); }
          |            ^^^

    "#]],
    );
}

#[test]
fn wrong_kinds() {
    check(
        "handler h; task w { } thread t { post w() to h; }",
        expect![[r#"
        error: `w` is a task, not a message
         --> bad.ed:1:39
          |
        1 | handler h; task w { } thread t { post w() to h; }
          |                                       ^
          = help: tasks are started with `fork`

    "#]],
    );
    check(
        "handler h; message m { } thread t { fork m(); let a = m(); }",
        expect![[r#"
        error: `m` is a message, not a task
         --> bad.ed:1:42
          |
        1 | handler h; message m { } thread t { fork m(); let a = m(); }
          |                                          ^
          = help: messages are sent with `post`

        error: `m` is a message, not a function
         --> bad.ed:1:55
          |
        1 | handler h; message m { } thread t { fork m(); let a = m(); }
          |                                                       ^
          = help: messages are posted: `post … to …`

    "#]],
    );
    check(
        "task w { } thread t { let a = w(); join w; }",
        expect![[r#"
        error: `w` is a task, not a function
         --> bad.ed:1:31
          |
        1 | task w { } thread t { let a = w(); join w; }
          |                               ^
          = help: tasks are started: `fork …`

        error: `w` is a task, not a thread
         --> bad.ed:1:41
          |
        1 | task w { } thread t { let a = w(); join w; }
          |                                         ^
          = help: join the handle: `let w = fork w(…); join w;`

    "#]],
    );
    check(
        "var x; message m { } thread t { post m() to x; }",
        expect![[r#"
        error: `x` is a shared variable, not a handler
         --> bad.ed:1:45
          |
        1 | var x; message m { } thread t { post m() to x; }
          |                                             ^

    "#]],
    );
    check(
        "var x; thread t { lock x; }",
        expect![[r#"
        error: `x` is a shared variable, not a mutex
         --> bad.ed:1:24
          |
        1 | var x; thread t { lock x; }
          |                        ^

    "#]],
    );
    check(
        "mutex m; thread t { let a = m; m = 1; m += 1; }",
        expect![[r#"
        error: `m` is a mutex, not a variable
         --> bad.ed:1:29
          |
        1 | mutex m; thread t { let a = m; m = 1; m += 1; }
          |                             ^

        error: `m` is a mutex, not a shared variable
         --> bad.ed:1:32
          |
        1 | mutex m; thread t { let a = m; m = 1; m += 1; }
          |                                ^

        error: `m` is a mutex, not a shared variable
         --> bad.ed:1:39
          |
        1 | mutex m; thread t { let a = m; m = 1; m += 1; }
          |                                       ^

    "#]],
    );
    check(
        "handler h; thread t { let a = h; join h; }",
        expect![[r#"
        error: `h` is a handler, not a variable
         --> bad.ed:1:31
          |
        1 | handler h; thread t { let a = h; join h; }
          |                               ^

        error: `h` is a handler, not a thread
         --> bad.ed:1:39
          |
        1 | handler h; thread t { let a = h; join h; }
          |                                       ^

    "#]],
    );
    check(
        "param n = 1; thread t { n = 2; n += 1; let a = fetch_add(n, 1); join n; }",
        expect![[r#"
            error: `n` is a param: it cannot be assigned
             --> bad.ed:1:25
              |
            1 | param n = 1; thread t { n = 2; n += 1; let a = fetch_add(n, 1); join n; }
              |                         ^

            error: `n` is a param: it cannot be assigned
             --> bad.ed:1:32
              |
            1 | param n = 1; thread t { n = 2; n += 1; let a = fetch_add(n, 1); join n; }
              |                                ^

            error: `n` is a param, not a shared variable
             --> bad.ed:1:58
              |
            1 | param n = 1; thread t { n = 2; n += 1; let a = fetch_add(n, 1); join n; }
              |                                                          ^

            error: `n` is a param, not a thread
             --> bad.ed:1:70
              |
            1 | param n = 1; thread t { n = 2; n += 1; let a = fetch_add(n, 1); join n; }
              |                                                                      ^

        "#]],
    );
    check(
        "thread t { let a = 1; let b = cas(a, 1, 2); b = swap(1 + 2, 3); }",
        expect![[r#"
        error: `a` is a local, not a shared variable
         --> bad.ed:1:35
          |
        1 | thread t { let a = 1; let b = cas(a, 1, 2); b = swap(1 + 2, 3); }
          |                                   ^

        error: the first argument of `swap` must be a shared variable
         --> bad.ed:1:54
          |
        1 | thread t { let a = 1; let b = cas(a, 1, 2); b = swap(1 + 2, 3); }
          |                                                      ^^^^^

    "#]],
    );
    check(
        "task w { } var x; thread t { x += fork w(); }",
        expect![[r#"
        error: the handle of a thread cannot be added to anything
         --> bad.ed:1:40
          |
        1 | task w { } var x; thread t { x += fork w(); }
          |                                        ^

    "#]],
    );
    check(
        "thread t { min(1, 2); }",
        expect![[r#"
        error: this value is not used
         --> bad.ed:1:12
          |
        1 | thread t { min(1, 2); }
          |            ^^^^^^^^^

    "#]],
    );
}

#[test]
fn wrong_numbers_of_things() {
    check(
        "var x; var a[2]; var b[2][2]; param p = 1; thread t { x[1] = 1; a = 1; let c = b[1]; c = a[1][0]; c[0] = 1; c = p[0]; c = c[1]; }",
        expect![[r#"
        error: `x` takes no index, but 1 index given
         --> bad.ed:1:55
          |
        1 | var x; var a[2]; var b[2][2]; param p = 1; thread t { x[1] = 1; a = 1; let c = b[1]; c = a[1][0]; c[0] = 1; c = p[0]; c
          |                                                       ^^^^

        error: `a` takes 1 index, but no index given
         --> bad.ed:1:65
          |
        1 | x; var a[2]; var b[2][2]; param p = 1; thread t { x[1] = 1; a = 1; let c = b[1]; c = a[1][0]; c[0] = 1; c = p[0]; c = c[
          |                                                             ^

        error: `b` takes 2 indices, but 1 index given
         --> bad.ed:1:80
          |
        1 | r b[2][2]; param p = 1; thread t { x[1] = 1; a = 1; let c = b[1]; c = a[1][0]; c[0] = 1; c = p[0]; c = c[1]; }
          |                                                             ^^^^

        error: `a` takes 1 index, but 2 indices given
         --> bad.ed:1:90
          |
        1 |  param p = 1; thread t { x[1] = 1; a = 1; let c = b[1]; c = a[1][0]; c[0] = 1; c = p[0]; c = c[1]; }
          |                                                             ^^^^^^^

        error: `c` is not an array
         --> bad.ed:1:99
          |
        1 | = 1; thread t { x[1] = 1; a = 1; let c = b[1]; c = a[1][0]; c[0] = 1; c = p[0]; c = c[1]; }
          |                                                             ^^^^

        error: `p` is not an array
         --> bad.ed:1:113
          |
        1 | { x[1] = 1; a = 1; let c = b[1]; c = a[1][0]; c[0] = 1; c = p[0]; c = c[1]; }
          |                                                             ^^^^

        error: `c` is not an array
         --> bad.ed:1:123
          |
        1 | ; a = 1; let c = b[1]; c = a[1][0]; c[0] = 1; c = p[0]; c = c[1]; }
          |                                                             ^^^^

    "#]],
    );
    check(
        "handler h; handler hs[2]; message m(a, b) { } thread t { post m(1) to h; post m(1, 2) to hs; post m(1, 2) to h[0]; }",
        expect![[r#"
            error: `m` takes 2 arguments, but 1 given
             --> bad.ed:1:63
              |
            1 | handler h; handler hs[2]; message m(a, b) { } thread t { post m(1) to h; post m(1, 2) to hs; post m(1, 2) to h[0]; }
              |                                                               ^

            error: `hs` takes 1 index, but no index given
             --> bad.ed:1:90
              |
            1 | handler h; handler hs[2]; message m(a, b) { } thread t { post m(1) to h; post m(1, 2) to hs; post m(1, 2) to h[0]; }
              |                                                                                          ^^

            error: `h` takes no index, but 1 index given
             --> bad.ed:1:110
              |
            1 | handler h; handler hs[2]; message m(a, b) { } thread t { post m(1) to h; post m(1, 2) to hs; post m(1, 2) to h[0]; }
              |                                                                                                              ^^^^

        "#]],
    );
    check(
        "task w(a) { } thread t { fork w(); }",
        expect![[r#"
        error: `w` takes 1 argument, but 0 given
         --> bad.ed:1:31
          |
        1 | task w(a) { } thread t { fork w(); }
          |                               ^

    "#]],
    );
    check(
        "mutex m[2]; thread t { lock m; join t[0]; }",
        expect![[r#"
        error: `m` takes 1 index, but no index given
         --> bad.ed:1:29
          |
        1 | mutex m[2]; thread t { lock m; join t[0]; }
          |                             ^

        error: `t` takes no index, but 1 index given
         --> bad.ed:1:37
          |
        1 | mutex m[2]; thread t { lock m; join t[0]; }
          |                                     ^^^^

    "#]],
    );
    check(
        "var x; thread t { let a = min(1); a = fetch_add(x); a = cas(x, 1); a = swap(x, 1, 2); }",
        expect![[r#"
            error: `min` takes 2 arguments, but 1 given
             --> bad.ed:1:27
              |
            1 | var x; thread t { let a = min(1); a = fetch_add(x); a = cas(x, 1); a = swap(x, 1, 2); }
              |                           ^^^^^^

            error: `fetch_add` takes 2 arguments, but 1 given
             --> bad.ed:1:39
              |
            1 | var x; thread t { let a = min(1); a = fetch_add(x); a = cas(x, 1); a = swap(x, 1, 2); }
              |                                       ^^^^^^^^^^^^

            error: `cas` takes 3 arguments, but 2 given
             --> bad.ed:1:57
              |
            1 | var x; thread t { let a = min(1); a = fetch_add(x); a = cas(x, 1); a = swap(x, 1, 2); }
              |                                                         ^^^^^^^^^

            error: `swap` takes 2 arguments, but 3 given
             --> bad.ed:1:72
              |
            1 | var x; thread t { let a = min(1); a = fetch_add(x); a = cas(x, 1); a = swap(x, 1, 2); }
              |                                                                        ^^^^^^^^^^^^^

        "#]],
    );
}

#[test]
fn duplicates() {
    check(
        "var x; var x; param x = 1; mutex x;",
        expect![[r#"
        error: there is already a param named `x`
         --> bad.ed:1:5
          |
        1 | var x; var x; param x = 1; mutex x;
          |     ^

        error: there is already a param named `x`
         --> bad.ed:1:12
          |
        1 | var x; var x; param x = 1; mutex x;
          |            ^

        error: there is already a param named `x`
         --> bad.ed:1:34
          |
        1 | var x; var x; param x = 1; mutex x;
          |                                  ^

    "#]],
    );
    check(
        "message m { } message m { } task t { } task t { } handler h; handler h; thread u { } thread u { }",
        expect![[r#"
            error: there is already a message named `m`
             --> bad.ed:1:23
              |
            1 | message m { } message m { } task t { } task t { } handler h; handler h; thread u { } thread u { }
              |                       ^

            error: there is already a task named `t`
             --> bad.ed:1:45
              |
            1 | message m { } message m { } task t { } task t { } handler h; handler h; thread u { } thread u { }
              |                                             ^

            error: there is already a handler named `h`
             --> bad.ed:1:70
              |
            1 | message m { } message m { } task t { } task t { } handler h; handler h; thread u { } thread u { }
              |                                                                      ^

            error: there is already a thread named `u`
             --> bad.ed:1:93
              |
            1 | message m { } message m { } task t { } task t { } handler h; handler h; thread u { } thread u { }
              |                                                                                             ^

        "#]],
    );
    check(
        "mailbox fifo; mailbox multiset;",
        expect![[r#"
        error: the default mailbox is declared twice
         --> bad.ed:1:15
          |
        1 | mailbox fifo; mailbox multiset;
          |               ^^^^^^^

    "#]],
    );
    check(
        "message m(a, b, a) { }",
        expect![[r#"
        error: there is already a parameter named `a`
         --> bad.ed:1:17
          |
        1 | message m(a, b, a) { }
          |                 ^

    "#]],
    );
}

#[test]
fn constants() {
    check(
        "param n = 9223372036854775807 + 1;",
        expect![[r#"
        error: integer overflow: 9223372036854775807 + 1 does not fit into 64 bits
         --> bad.ed:1:11
          |
        1 | param n = 9223372036854775807 + 1;
          |           ^^^^^^^^^^^^^^^^^^^^^^^

    "#]],
    );
    check(
        "param n = 1 / 0; param m = 1 % 0;",
        expect![[r#"
        error: division by zero: 1 / 0
         --> bad.ed:1:11
          |
        1 | param n = 1 / 0; param m = 1 % 0;
          |           ^^^^^

        error: division by zero: 1 % 0
         --> bad.ed:1:28
          |
        1 | param n = 1 / 0; param m = 1 % 0;
          |                            ^^^^^

    "#]],
    );
    check(
        "param n = m; param m = 1;",
        expect![[r#"
        error: `m` is not a constant
         --> bad.ed:1:11
          |
        1 | param n = m; param m = 1;
          |           ^
          = help: constants may use params that are declared before

    "#]],
    );
    check(
        "param size = 1; var a[sise];",
        expect![[r#"
        error: `sise` is not a constant
         --> bad.ed:1:23
          |
        1 | param size = 1; var a[sise];
          |                       ^^^^
          = help: did you mean `size`?

    "#]],
    );
    check(
        "var x; var a[x];",
        expect![[r#"
        error: `x` is not a constant
         --> bad.ed:1:14
          |
        1 | var x; var a[x];
          |              ^
          = help: constants may use params that are declared before

    "#]],
    );
    check(
        "param n = 3; var x = n[1];",
        expect![[r#"
        error: `n` is not an array
         --> bad.ed:1:22
          |
        1 | param n = 3; var x = n[1];
          |                      ^

    "#]],
    );
    check(
        "var x = fetch_add(y, 1);",
        expect![[r#"
        error: `fetch_add` cannot be used in a constant expression
         --> bad.ed:1:9
          |
        1 | var x = fetch_add(y, 1);
          |         ^^^^^^^^^
          = help: constants are made of numbers, params, operators, `min` and `max`

    "#]],
    );
    check(
        "var x = min(1);",
        expect![[r#"
        error: `min` takes 2 arguments, but 1 given
         --> bad.ed:1:9
          |
        1 | var x = min(1);
          |         ^^^

    "#]],
    );
    check(
        "var a[0 - 1];",
        expect![[r#"
        error: a size cannot be negative, but this is -1
         --> bad.ed:1:7
          |
        1 | var a[0 - 1];
          |       ^^^^^

    "#]],
    );
    check(
        "thread t[i in 3..1] { }",
        expect![[r#"
        error: this range goes backwards, from 3 to 1
         --> bad.ed:1:15
          |
        1 | thread t[i in 3..1] { }
          |               ^^^^

    "#]],
    );
    check(
        "var a[2000000];",
        expect![[r#"
        error: 2000000 is more than the 1000000 that are supported
         --> bad.ed:1:7
          |
        1 | var a[2000000];
          |       ^^^^^^^

    "#]],
    );
    check(
        "var a[1000][1000]; var b;",
        expect![[r#"
        error: `b` makes more than 1000000 of its kind
         --> bad.ed:1:24
          |
        1 | var a[1000][1000]; var b;
          |                        ^

    "#]],
    );
    check(
        "handler h[1000001];",
        expect![[r#"
        error: 1000001 is more than the 1000000 that are supported
         --> bad.ed:1:11
          |
        1 | handler h[1000001];
          |           ^^^^^^^

    "#]],
    );
    check(
        "var a[i in -9223372036854775807..9223372036854775807];",
        expect![[r#"
        error: 18446744073709551614 is more than the 1000000 that are supported
         --> bad.ed:1:12
          |
        1 | var a[i in -9223372036854775807..9223372036854775807];
          |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    "#]],
    );
    check(
        "var a[i in 0..3] = 1 / (i - 1);",
        expect![[r#"
        error: division by zero: 1 / 0
         --> bad.ed:1:20
          |
        1 | var a[i in 0..3] = 1 / (i - 1);
          |                    ^^^^^^^^^^^

    "#]],
    );
    check(
        "var a[j in 0..3] = i;",
        expect![[r#"
        error: `i` is not a constant
         --> bad.ed:1:20
          |
        1 | var a[j in 0..3] = i;
          |                    ^
          = help: constants may use params that are declared before

    "#]],
    );
}

#[test]
fn what_may_not_stand_in_atomic() {
    check(
        "mutex m; handler h; message k { } task w { } thread t { let a = 0; atomic { lock m; unlock m; with m { } post k() to h; fork w(); let b = fork w(); a = fork w(); join t; atomic { } } }",
        expect![[r#"
            error: `lock` cannot stand inside `atomic`
             --> bad.ed:1:77
              |
            1 |  h; message k { } task w { } thread t { let a = 0; atomic { lock m; unlock m; with m { } post k() to h; fork w(); let b
              |                                                             ^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `unlock` cannot stand inside `atomic`
             --> bad.ed:1:85
              |
            1 | age k { } task w { } thread t { let a = 0; atomic { lock m; unlock m; with m { } post k() to h; fork w(); let b = fork w
              |                                                             ^^^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `with` cannot stand inside `atomic`
             --> bad.ed:1:95
              |
            1 | task w { } thread t { let a = 0; atomic { lock m; unlock m; with m { } post k() to h; fork w(); let b = fork w(); a = fo
              |                                                             ^^^^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `post` cannot stand inside `atomic`
             --> bad.ed:1:106
              |
            1 | thread t { let a = 0; atomic { lock m; unlock m; with m { } post k() to h; fork w(); let b = fork w(); a = fork w(); joi
              |                                                             ^^^^^^^^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `fork` cannot stand inside `atomic`
             --> bad.ed:1:121
              |
            1 | a = 0; atomic { lock m; unlock m; with m { } post k() to h; fork w(); let b = fork w(); a = fork w(); join t; atomic { }
              |                                                             ^^^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `fork` cannot stand inside `atomic`
             --> bad.ed:1:131
              |
            1 | mic { lock m; unlock m; with m { } post k() to h; fork w(); let b = fork w(); a = fork w(); join t; atomic { } } }
              |                                                             ^^^^^^^^^^^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `fork` cannot stand inside `atomic`
             --> bad.ed:1:149
              |
            1 | ck m; with m { } post k() to h; fork w(); let b = fork w(); a = fork w(); join t; atomic { } } }
              |                                                             ^^^^^^^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `join` cannot stand inside `atomic`
             --> bad.ed:1:163
              |
            1 |  } post k() to h; fork w(); let b = fork w(); a = fork w(); join t; atomic { } } }
              |                                                             ^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `atomic` cannot stand inside `atomic`
             --> bad.ed:1:171
              |
            1 | k() to h; fork w(); let b = fork w(); a = fork w(); join t; atomic { } } }
              |                                                             ^^^^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

        "#]],
    );
}

#[test]
fn what_may_not_stand_in_finally() {
    check(
        "var x; mutex m; finally { x = 1; x += 1; let a = cas(x, 0, 1); lock m; atomic { } join t; } thread t { }",
        expect![[r#"
            error: `finally` cannot change shared variables
             --> bad.ed:1:27
              |
            1 | var x; mutex m; finally { x = 1; x += 1; let a = cas(x, 0, 1); lock m; atomic { } join t; } thread t { }
              |                           ^^^^^^

            error: `finally` cannot change shared variables
             --> bad.ed:1:34
              |
            1 | var x; mutex m; finally { x = 1; x += 1; let a = cas(x, 0, 1); lock m; atomic { } join t; } thread t { }
              |                                  ^^^^^^^

            error: `cas` writes, which `finally` cannot do
             --> bad.ed:1:50
              |
            1 | var x; mutex m; finally { x = 1; x += 1; let a = cas(x, 0, 1); lock m; atomic { } join t; } thread t { }
              |                                                  ^^^^^^^^^^^^

            error: `lock` cannot stand in `finally`
             --> bad.ed:1:64
              |
            1 | var x; mutex m; finally { x = 1; x += 1; let a = cas(x, 0, 1); lock m; atomic { } join t; } thread t { }
              |                                                                ^^^^^^^
              = help: `finally` only looks at the final state

            error: `atomic` cannot stand in `finally`
             --> bad.ed:1:72
              |
            1 | var x; mutex m; finally { x = 1; x += 1; let a = cas(x, 0, 1); lock m; atomic { } join t; } thread t { }
              |                                                                        ^^^^^^^^^^
              = help: `finally` only looks at the final state

            error: `join` cannot stand in `finally`
             --> bad.ed:1:83
              |
            1 | var x; mutex m; finally { x = 1; x += 1; let a = cas(x, 0, 1); lock m; atomic { } join t; } thread t { }
              |                                                                                   ^^^^^^^
              = help: `finally` only looks at the final state

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
