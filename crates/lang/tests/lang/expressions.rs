//! Every expression form, by its value and its reads.

use crate::support::{Driver, first_run, program};
use expect_test::expect;
use mazurka_engine::ObjectId;

/// The value of an expression over `x = 3`, `y = 0` and the local `a = 5`.
fn value(expression: &str) -> i64 {
    let text = format!(
        "var result; var x = 3; var y = 0; var v[2][2] = 8; param p = 4; thread t {{ let a = 5; result = {expression}; }}"
    );
    let program = program(&text);
    let mut driver = Driver::new(&program);
    driver.run_first();
    assert_eq!(driver.faults(), []);
    driver.run.value(ObjectId(0))
}

#[test]
fn values() {
    let cases = [
        ("42", 42),
        ("1_000", 1000),
        ("-9223372036854775808", i64::MIN),
        ("9223372036854775807", i64::MAX),
        ("true", 1),
        ("false", 0),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("20 / 2 / 5", 2),
        ("x - -1", 4),
        ("-x", -3),
        ("--x", 3),
        ("- -a", 5),
        ("!x", 0),
        ("!y", 1),
        ("!!x", 1),
        ("-(2 + 3)", -5),
        ("x == 3", 1),
        ("x != 3", 0),
        ("x < 3", 0),
        ("x <= 3", 1),
        ("x > 2", 1),
        ("x >= 4", 0),
        ("1 < 2 == true", 1),
        ("x && a", 1),
        ("x && y", 0),
        ("y || a", 1),
        ("y || y", 0),
        ("y && y || 1", 1),
        ("1 || y && y", 1),
        ("a + p", 9),
        ("min(x, a)", 3),
        ("max(x, min(9, a))", 5),
        ("min(1, 2) + max(1, 2)", 3),
        ("v[0][1] + v[y][y + 1]", 16),
        ("fetch_add(x, 2) * 10", 30),
        ("swap(x, 2) + x", 5),
        ("cas(x, 3, 4) * 10 + x", 14),
        ("cas(x, 9, 4) * 10 + x", 3),
        ("p * 2 + 1", 9),
    ];
    for (expression, expected) in cases {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn reads_go_from_left_to_right_and_stop_when_decided() {
    let text = "var x = 1; var y = 0; var z = 2; var a[3];
        thread t { let r = x + y * z; r = y && x; r = x && y; r = x || y; r = y || z; r = a[x] + a[a[y]]; r = min(z, x); }";
    expect![[r#"
        t: R x=1
        t: R y=0
        t: R z=2
        t: R y=0
        t: R x=1
        t: R y=0
        t: R x=1
        t: R y=0
        t: R z=2
        t: R x=1
        t: R a[1]=0
        t: R y=0
        t: R a[0]=0
        t: R a[0]=0
        t: R z=2
        t: R x=1
    "#]]
    .assert_eq(&first_run(text));
}

#[test]
fn atomic_operations_are_one_event_after_their_reads() {
    let text = "var x = 1; var y = 2; var a[3]; thread t { let r = fetch_add(a[x], y); r = swap(x, y); r = cas(x, y, y + 1); r = cas(x, y, 0);
        fetch_add(x, 1); swap(x, 0); cas(x, 0, 1); }";
    expect![[r#"
        t: R x=1
        t: R y=2
        t: U a[1]=0->2
        t: R y=2
        t: U x=1->2
        t: R y=2
        t: R y=2
        t: U x=2->3 (data dependent)
        t: R y=2
        t: R x=3 (data dependent)
        t: U x=3->4
        t: U x=4->0
        t: U x=0->1 (data dependent)
    "#]]
    .assert_eq(&first_run(text));
}

#[test]
fn a_local_may_be_used_while_it_is_assigned() {
    let text = "var x = 1; var y; thread t { let a = 3; a = x && a; y = a; a = 7; a = a - (x + a); y = a; let b = 4; b = b || x; y = b; }";
    expect![[r#"
        t: R x=1
        t: W y=1
        t: R x=1
        t: W y=-1
        t: W y=1
    "#]]
    .assert_eq(&first_run(text));
}

#[test]
fn words_of_the_language_may_name_things_where_that_is_clear() {
    let text = "var min = 3; var task = 1; handler to; message message(handler) { task = handler; } mutex lock;
        thread thread { let to = 2; let param = min; post message(to) to to; lock lock; unlock lock; task = min(to, param); }";
    expect![[r#"
        thread: R min=3
        thread: post message(2) to to
        thread: Lock lock
        thread: Unlock lock
        thread: W task=2
        thread.1: start
        thread.1: W task=2
    "#]]
    .assert_eq(&first_run(text));
}
