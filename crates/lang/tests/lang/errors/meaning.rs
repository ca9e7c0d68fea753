//! Programs that parse and resolve, and still mean nothing.

use super::check;
use expect_test::expect;

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
