//! Conditions and barriers.

use crate::support::{first_run, program};
use expect_test::{Expect, expect};
use mazurka_engine::{Algorithm, Config, Outcome, explore};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&first_run(text));
}

fn explored(text: &str, algorithm: Algorithm) -> Outcome {
    let mut config = Config::new(algorithm);
    config.classes = true;
    config.keep_going = true;
    explore(&program(text), &config, &mut ())
}

/// Complete and deadlocked classes, with which every algorithm agrees.
fn classes(text: &str) -> (u64, u64) {
    let truth = explored(text, Algorithm::Naive).classes.unwrap_or_default();
    for algorithm in [Algorithm::Optimal, Algorithm::Event, Algorithm::Dpor, Algorithm::EmDpor] {
        let outcome = explored(text, algorithm);
        let found = outcome.classes.unwrap_or_default();
        let name = algorithm.name();
        assert!(outcome.complete, "{name}");
        assert_eq!(
            (found.complete, found.deadlocked),
            (truth.complete, truth.deadlocked),
            "{name}"
        );
    }
    (truth.complete, truth.deadlocked)
}

const WAITER: &str = "mutex m; condition c; thread a { with m { wait c with m; } }";

#[test]
fn events_of_a_wait() {
    let text = format!("{WAITER} thread b {{ notify c; }}");
    check(
        &text,
        expect![[r#"
            a: Lock m
            a: U c=0->0
            a: Unlock m
            b: U c=0->0 Signal wake-up of a (data dependent)
            a: Wait wake-up of a
            a: Lock m
            a: Unlock m
        "#]],
    );
}

#[test]
fn a_notification_that_nobody_waits_for_is_lost() {
    assert_eq!(classes(&format!("{WAITER} thread b {{ notify c; }}")), (1, 1));
    assert_eq!(classes(&format!("{WAITER} thread b {{ notify_all c; }}")), (1, 1));
    assert_eq!(classes("condition c; thread a { notify c; } thread b { notify_all c; }"), (1, 0));
}

/// The first of two notifications wakes either of two who wait; the second one the other. A third finds nobody.
#[test]
fn one_or_all_are_woken() {
    let waiters = "mutex m; condition c; var n; var first;
        thread a { with m { n += 1; wait c with m; } cas(first, 0, 1); }
        thread b { with m { n += 1; wait c with m; } cas(first, 0, 2); }";
    let notifies = |what: &str| {
        let assumes = "with m { assume n == 2; }";
        let text =
            format!("{waiters} thread t {{ {assumes} {what} }} finally {{ assert first == 1; }}");
        let outcome = explored(&text, Algorithm::Event);
        let failures: Vec<_> = outcome.failures.iter().map(|failure| failure.kind.name()).collect();
        (outcome.statistics.deadlocks > 0, failures.contains(&"assertion"))
    };
    assert_eq!(notifies("notify c;"), (true, false));
    assert_eq!(notifies("notify c; notify c;"), (false, true));
    assert_eq!(notifies("notify c; notify c; notify c;"), (false, true));
    assert_eq!(notifies("notify_all c;"), (false, true));
}

#[test]
fn a_barrier_lets_all_through_and_begins_anew() {
    let pair = "barrier b = 2; thread x { wait b; wait b; } thread y { wait b; wait b; }";
    let (complete, deadlocked) = classes(pair);
    assert!(complete > 0 && deadlocked == 0);
    assert_eq!(classes("barrier b = 1; thread x { wait b; wait b; }"), (1, 0));
    // Three come to a barrier for two: one waits for ever.
    let (complete, deadlocked) = classes("barrier b = 2; thread x[i in 0..3] { wait b; }");
    assert!(complete == 0 && deadlocked > 0);
}

#[test]
fn words_may_still_be_names() {
    let text = "var wait; var notify; var barrier; var condition; handler h;
        message notify_all { wait = 1; } thread t { notify = wait; barrier += condition; post notify_all to h; }";
    assert_eq!(classes(text).1, 0);
}

#[test]
fn waiting_without_the_lock_is_a_fault() {
    let outcome = explored("mutex m; condition c; thread a { wait c with m; }", Algorithm::Event);
    assert_eq!(outcome.failures.first().map(|failure| failure.kind.name()), Some("fault"));
}
