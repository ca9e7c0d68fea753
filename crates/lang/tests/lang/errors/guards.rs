//! Locks, semaphores and choices where they cannot be.

use super::check;
use expect_test::expect;

#[test]
fn the_wrong_kind_of_thing() {
    check(
        "mutex m; thread t { lock_shared m; }",
        expect![[r#"
            error: `m` is a mutex, not a read-write lock
             --> bad.ed:1:33
              |
            1 | mutex m; thread t { lock_shared m; }
              |                                 ^
              = help: a mutex is held with `with m { … }`, or `lock m;` and `unlock m;`

        "#]],
    );
    check(
        "semaphore s; thread t { lock s; let a = try_lock(s); }",
        expect![[r#"
            error: `s` is a semaphore, not a mutex
             --> bad.ed:1:30
              |
            1 | semaphore s; thread t { lock s; let a = try_lock(s); }
              |                              ^
              = help: permits are taken with `acquire s;` and given with `release s;`

            error: `s` is a semaphore, not a mutex
             --> bad.ed:1:50
              |
            1 | semaphore s; thread t { lock s; let a = try_lock(s); }
              |                                                  ^
              = help: permits are taken with `acquire s;` and given with `release s;`

        "#]],
    );
    check(
        "rwlock r; thread t { acquire r; let a = try_acquire(1); }",
        expect![[r#"
            error: `r` is a read-write lock, not a semaphore
             --> bad.ed:1:30
              |
            1 | rwlock r; thread t { acquire r; let a = try_acquire(1); }
              |                              ^
              = help: a read-write lock is held with `with r { … }` or `with_shared r { … }`

            error: the argument of `try_acquire` must be a semaphore
             --> bad.ed:1:53
              |
            1 | rwlock r; thread t { acquire r; let a = try_acquire(1); }
              |                                                     ^

        "#]],
    );
}

#[test]
fn a_semaphore_has_no_negative_permits() {
    check(
        "semaphore s = 0 - 1; thread t { }",
        expect![[r#"
        error: a semaphore has 0 to 4294967295 permits, but this is -1
         --> bad.ed:1:15
          |
        1 | semaphore s = 0 - 1; thread t { }
          |               ^^^^^

    "#]],
    );
}

#[test]
fn events_of_their_own() {
    check(
        "mutex m; thread t { atomic { let a = try_lock(m); } } finally { assert choose(2) == 0; }",
        expect![[r#"
            error: `try_lock` cannot stand inside `atomic`
             --> bad.ed:1:38
              |
            1 | mutex m; thread t { atomic { let a = try_lock(m); } } finally { assert choose(2) == 0; }
              |                                      ^^^^^^^^^^^
              = help: an atomic block is one event: it reads, writes and computes

            error: `choose` cannot stand in `finally`
             --> bad.ed:1:72
              |
            1 | mutex m; thread t { atomic { let a = try_lock(m); } } finally { assert choose(2) == 0; }
              |                                                                        ^^^^^^^^^
              = help: `finally` only looks at the final state

        "#]],
    );
    check(
        "semaphore s; thread t { atomic { acquire s; } }",
        expect![[r#"
        error: `acquire` cannot stand inside `atomic`
         --> bad.ed:1:34
          |
        1 | semaphore s; thread t { atomic { acquire s; } }
          |                                  ^^^^^^^^^^
          = help: an atomic block is one event: it reads, writes and computes

    "#]],
    );
}
