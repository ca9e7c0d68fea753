//! Names that mean nothing, or something else.

use super::check;
use expect_test::expect;

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
              = help: the functions are `min`, `max`, `fetch_add`, `swap`, `cas`, `try_lock`, `try_lock_shared`, `try_acquire`, `choose`

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
              = help: a handler is declared with `handler h;`

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
              = help: locks are declared with `mutex m;` and `rwlock r;`

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
              = help: a mutex is held with `with m { … }`, or `lock m;` and `unlock m;`

            error: `m` is a mutex, not a shared variable
             --> bad.ed:1:32
              |
            1 | mutex m; thread t { let a = m; m = 1; m += 1; }
              |                                ^
              = help: a mutex is held with `with m { … }`, or `lock m;` and `unlock m;`

            error: `m` is a mutex, not a shared variable
             --> bad.ed:1:39
              |
            1 | mutex m; thread t { let a = m; m = 1; m += 1; }
              |                                       ^
              = help: a mutex is held with `with m { … }`, or `lock m;` and `unlock m;`

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
              = help: a handler runs for ever; messages are posted to it: `post m(e) to h;`

            error: `h` is a handler, not a thread
             --> bad.ed:1:39
              |
            1 | handler h; thread t { let a = h; join h; }
              |                                       ^
              = help: a handler runs for ever; messages are posted to it: `post m(e) to h;`

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
              = help: `min(a, b)`: The smaller value.

            error: `fetch_add` takes 2 arguments, but 1 given
             --> bad.ed:1:39
              |
            1 | var x; thread t { let a = min(1); a = fetch_add(x); a = cas(x, 1); a = swap(x, 1, 2); }
              |                                       ^^^^^^^^^^^^
              = help: `fetch_add(x, e)`: Adds to a shared variable; the value is the one before.

            error: `cas` takes 3 arguments, but 2 given
             --> bad.ed:1:57
              |
            1 | var x; thread t { let a = min(1); a = fetch_add(x); a = cas(x, 1); a = swap(x, 1, 2); }
              |                                                         ^^^^^^^^^
              = help: `cas(x, old, new)`: If `x` is `old` it becomes `new` and the value is 1; otherwise 0.

            error: `swap` takes 2 arguments, but 3 given
             --> bad.ed:1:72
              |
            1 | var x; thread t { let a = min(1); a = fetch_add(x); a = cas(x, 1); a = swap(x, 1, 2); }
              |                                                                        ^^^^^^^^^^^^^
              = help: `swap(x, e)`: Writes a shared variable; the value is the one before.

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
