//! Read-write locks, semaphores, attempts and choices.

use crate::support::{first_run, program};
use expect_test::{Expect, expect};
use mazurka_engine::{Algorithm, Config, Verdict, explore};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&first_run(text));
}

/// Executions and verdict.
fn explored(text: &str) -> (u64, Verdict) {
    let mut config = Config::new(Algorithm::Naive);
    config.classes = true;
    config.keep_going = true;
    let outcome = explore(&program(text), &config, &mut ());
    (outcome.classes.unwrap_or_default().complete, outcome.verdict())
}

#[test]
fn readers_share_a_lock_and_writers_do_not() {
    check(
        "rwlock r[2]; thread t { with_shared r[1] { lock_shared r[0]; } unlock_shared r[0]; with r[0] { } }",
        expect![[r#"
            t: LockShared r[1]
            t: LockShared r[0]
            t: UnlockShared r[1]
            t: UnlockShared r[0]
            t: Lock r[0]
            t: Unlock r[0]
        "#]],
    );
    // Two readers do not conflict; a writer stands before, between or behind them in four ways.
    let text = "rwlock r; thread a { with_shared r { } } thread b { with_shared r { } }";
    assert_eq!(explored(text), (1, Verdict::Safe));
    assert_eq!(explored(&format!("{text} thread w {{ with r {{ }} }}")), (4, Verdict::Safe));
}

#[test]
fn a_permit_is_taken_if_there_is_one() {
    check(
        "semaphore s[2] = 1; thread t { acquire s[1]; release s[0]; }",
        expect![[r#"
        t: Wait s[1]
        t: Signal s[0]
    "#]],
    );
    let taker = "thread a { acquire s; }";
    assert_eq!(explored(&format!("semaphore s = 1; {taker}")), (1, Verdict::Safe));
    assert_eq!(explored(&format!("semaphore s; {taker}")), (0, Verdict::Violation));
    let given = format!("semaphore s; {taker} thread b {{ release s; }}");
    assert_eq!(explored(&given), (1, Verdict::Safe));
}

#[test]
fn permits_may_depend_on_the_index() {
    let text = "semaphore s[i in 0..2] = i; thread t { acquire s[1]; } thread u { acquire s[0]; }";
    assert_eq!(explored(text), (0, Verdict::Violation));
}

#[test]
fn an_attempt_never_waits() {
    check(
        "mutex m; rwlock r; semaphore s = 1; var x; thread t {
            if try_lock(m) { x = try_lock(m); unlock m; }
            let a = try_lock_shared(r); let b = try_lock_shared(r); let c = try_lock(r);
            x = a + b + c;
            x = try_acquire(s) + 10 * try_acquire(s);
        }",
        expect![[r#"
            t: Lock m (data dependent)
            t: R m=1 (data dependent)
            t: W x=0
            t: Unlock m
            t: LockShared r (data dependent)
            t: LockShared r (data dependent)
            t: R r=1 (data dependent)
            t: W x=2
            t: Wait s (data dependent)
            t: R s=0 (data dependent)
            t: W x=1
        "#]],
    );
    let contended = "mutex m; var x; thread a { if try_lock(m) { unlock m; } else { x = 1; } }
        thread b { with m { } }";
    assert_eq!(explored(contended), (3, Verdict::Safe));
}

#[test]
fn every_alternative_is_explored() {
    let text = "var x; thread t { x = choose(3); } finally { assert x != 2; }";
    assert_eq!(explored(text), (3, Verdict::Violation));
    check(
        "var x; thread t { x = choose(1); x = choose(2); }",
        expect![[r#"
        t: W x=0
        t: Choose(0)
        t: W x=0
    "#]],
    );
}

#[test]
fn what_is_not_held_cannot_be_given_back() {
    check(
        "rwlock r; thread t { lock r; unlock_shared r; }",
        expect![[r#"
        t: Lock r !fault: `unlock_shared r`, but this task does not hold `r` for reading at test.ed:1:30
    "#]],
    );
    check(
        "rwlock r; thread t { lock_shared r; unlock r; }",
        expect![[r#"
        t: LockShared r !fault: `unlock r`, but this task does not hold `r` at test.ed:1:37
    "#]],
    );
    check(
        "thread t { let a = choose(0); }",
        expect![[r#"
            t: !fault: `choose` needs between 1 and 10000 alternatives, but this is 0 at test.ed:1:20
        "#]],
    );
    // What another task holds does not help.
    let text = "rwlock r; thread a { lock_shared r; } thread b { unlock_shared r; }";
    assert_eq!(explored(text).1, Verdict::Violation);
}

#[test]
fn return_gives_shared_locks_back() {
    check(
        "rwlock r; thread t { with_shared r { with r { return; } } }",
        expect![[r#"
        t: LockShared r
        t stands at Operation(Access(ObjectId(0), Lock))
    "#]],
    );
    check(
        "rwlock r; mutex m; thread t { with_shared r { with m { return; } } }",
        expect![[r#"
        t: LockShared r
        t: Lock m
        t: Unlock m
        t: UnlockShared r
    "#]],
    );
}
