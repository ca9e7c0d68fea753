//! Every run-time fault: a failure with a place; the task ends, the others go on.

use crate::support::{Driver, first_run, program};
use expect_test::{Expect, expect};
use mazurka_engine::{Effect, Next, Operation, Run, TaskId};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&first_run(text));
}

#[test]
fn arithmetic() {
    check(
        "var x = 9223372036854775807; thread t { x = x + 1; x = 5; }",
        expect![[r#"
        t: R x=9223372036854775807 !fault: integer overflow: 9223372036854775807 + 1 does not fit into 64 bits at test.ed:1:45
    "#]],
    );
    check(
        "var x = -9223372036854775807; thread t { x = x - 2; x = 5; }",
        expect![[r#"
        t: R x=-9223372036854775807 !fault: integer overflow: -9223372036854775807 - 2 does not fit into 64 bits at test.ed:1:46
    "#]],
    );
    check(
        "var x = 9223372036854775807; thread t { x = x * 2; x = 5; }",
        expect![[r#"
        t: R x=9223372036854775807 !fault: integer overflow: 9223372036854775807 * 2 does not fit into 64 bits at test.ed:1:45
    "#]],
    );
    check(
        "var x = -9223372036854775808; thread t { x = -x; x = 5; }",
        expect![[r#"
        t: R x=-9223372036854775808 !fault: integer overflow: -(-9223372036854775808) does not fit into 64 bits at test.ed:1:46
    "#]],
    );
    check(
        "var x = -9223372036854775808; thread t { x = x / -1; x = 5; }",
        expect![[r#"
        t: R x=-9223372036854775808 !fault: integer overflow: -9223372036854775808 / -1 does not fit into 64 bits at test.ed:1:46
    "#]],
    );
    check(
        "var x; thread t { x = 1 / x; x = 5; }",
        expect![[r#"
        t: R x=0 !fault: division by zero: 1 / 0 at test.ed:1:23
    "#]],
    );
    check(
        "var x; thread t { x = 1 % x; x = 5; }",
        expect![[r#"
        t: R x=0 !fault: division by zero: 1 % 0 at test.ed:1:23
    "#]],
    );
}

#[test]
fn overflow_of_an_update_leaves_the_variable_alone() {
    check(
        "var x = 9223372036854775807; thread t { x += 1; x = 5; } finally { assert x == 1; }",
        expect![[r#"
        t: U x=9223372036854775807->9223372036854775807 !fault: integer overflow: 9223372036854775807 + 1 does not fit into 64 bits at test.ed:1:41
        finally !assertion: assertion `x == 1` failed at test.ed:1:68
    "#]],
    );
    check(
        "var x = -9223372036854775808; thread t { x -= 1; x = 5; }",
        expect![[r#"
        t: U x=-9223372036854775808->-9223372036854775808 !fault: integer overflow: -9223372036854775808 - 1 does not fit into 64 bits at test.ed:1:42
    "#]],
    );
    check(
        "var x = 9223372036854775807; thread t { let o = fetch_add(x, x); x = 5; }",
        expect![[r#"
        t: R x=9223372036854775807
        t: U x=9223372036854775807->9223372036854775807 !fault: integer overflow: 9223372036854775807 + 9223372036854775807 does not fit into 64 bits at test.ed:1:49
    "#]],
    );
    check(
        "var x = 9223372036854775807; thread t { atomic { x += 1; x = 5; } x = 6; }",
        expect![[r#"
        t: U x=9223372036854775807->9223372036854775807 !fault: integer overflow: 9223372036854775807 + 1 does not fit into 64 bits at test.ed:1:50
    "#]],
    );
}

#[test]
fn index_out_of_range() {
    check(
        "var i = 3; var a[3]; thread t { a[i] = 1; } thread u { let v = a[i - 1]; v = a[i - 4]; }",
        expect![[r#"
        t: R i=3 !fault: index 3 of `a` is out of range 0..3 at test.ed:1:35
        u: R i=3
        u: R a[2]=0
        u: R i=3 !fault: index -1 of `a` is out of range 0..3 at test.ed:1:80
    "#]],
    );
    check(
        "var a[2][2]; thread t { let i = 1; a[i][i + 1] = 1; }",
        expect![[r#"
        t: !fault: index 2 of `a` is out of range 0..2 at test.ed:1:41
    "#]],
    );
    check(
        "var a[i in 5..7]; thread t { a[6] = 1; a[4] = 1; }",
        expect![[r#"
        t: W a[6]=1 !fault: index 4 of `a` is out of range 5..7 at test.ed:1:42
    "#]],
    );
    check(
        "var x; var a[0]; thread t { x = 1; x = a[0]; }",
        expect![[r#"
        t: W x=1 !fault: index 0 of `a` is out of range 0..0 at test.ed:1:42
    "#]],
    );
    check(
        "mutex m[2]; var x; thread t { x = 2; lock m[x]; }",
        expect![[r#"
        t: W x=2
        t: R x=2 !fault: index 2 of `m` is out of range 0..2 at test.ed:1:45
    "#]],
    );
    check(
        "var x; thread t { x = 7; join u[x]; } thread u[i in 0..2] { }",
        expect![[r#"
        t: W x=7
        t: R x=7 !fault: index 7 of `u` is out of range 0..2 at test.ed:1:33
    "#]],
    );
    check(
        "var i = -9223372036854775808; var a[i in 1..3]; thread t { a[i] = 1; }",
        expect![[r#"
        t: R i=-9223372036854775808 !fault: index -9223372036854775808 of `a` is out of range 1..3 at test.ed:1:62
    "#]],
    );
}

#[test]
fn posting_to_a_handler_that_does_not_exist() {
    check(
        "var x = 2; handler h[2]; message m { } thread t { post m to h[x]; } thread u { post m to h[1]; }",
        expect![[r#"
        t: R x=2 !fault: index 2 of `h` is out of range 0..2 at test.ed:1:63
        u: post m() to h[1]
        u.1: start
    "#]],
    );
}

#[test]
fn unlocking_what_is_not_held() {
    check(
        "var x; mutex m; thread t { lock m; x = 1; } thread u { x = 2; unlock m; x = 3; }",
        expect![[r#"
        t: Lock m
        t: W x=1
        u: W x=2 !fault: `unlock m`, but this task does not hold `m` at test.ed:1:63
    "#]],
    );
    check(
        "mutex m; handler h; message k { unlock m; } thread t { lock m; post k to h; unlock m; unlock m; }",
        expect![[r#"
        t: Lock m
        t: post k() to h
        t: Unlock m !fault: `unlock m`, but this task does not hold `m` at test.ed:1:87
        t.1: start !fault: `unlock m`, but this task does not hold `m` at test.ed:1:33
    "#]],
    );
}

#[test]
fn joining_what_is_not_a_handle() {
    check(
        "var x; thread t { x = 1; let w = 0; join w; x = 2; } thread u { join x; }",
        expect![[r#"
        t: W x=1 !fault: 0 is not the handle of a thread at test.ed:1:37
        u: R x=1 !fault: 1 is not the handle of a thread at test.ed:1:65
    "#]],
    );
}

#[test]
fn a_fault_before_the_first_event_of_a_thread_has_an_event_of_its_own() {
    let text = "var x; thread t[i in 0..2] { let a = i + 1; a = 1 / (a - 1); x = a; } thread u { assert false, \"never\"; x = 1; }";
    check(
        text,
        expect![[r#"
        t[0]: !fault: division by zero: 1 / 0 at test.ed:1:49
        t[1]: W x=1
        u: !assertion: never at test.ed:1:82
        u: W x=1
    "#]],
    );
    let program = program(text);
    let driver = Driver::new(&program);
    assert_eq!(driver.run.next(TaskId(0)), Next::Operation(Operation::Local));
}

#[test]
fn a_fault_before_the_first_event_of_a_forked_thread_belongs_to_the_fork() {
    let text = "var x; task f(p) { assert p > 2; let a = 1 / p; x = a; } thread t { fork f(0); fork f(1); }";
    check(
        text,
        expect![[r#"
        t: fork f(0) !assertion: assertion `p > 2` failed at test.ed:1:20 !fault: division by zero: 1 / 0 at test.ed:1:42
        t: fork f(1) !assertion: assertion `p > 2` failed at test.ed:1:20
        t.2: W x=1
    "#]],
    );
    let program = program(text);
    let mut driver = Driver::new(&program);
    let step = driver.step(TaskId(0)).clone();
    let Effect::Fork(forked) = step.effect else { panic!("{step:?}") };
    assert_eq!(step.faults.len(), 2);
    assert_eq!(driver.run.next(forked), Next::Ended);
}

#[test]
fn faults_of_finally() {
    check(
        "var x; var a[2]; finally { assert a[x + 2] == 0; assert true; } finally { assert 1 / x; }",
        expect![[r#"
        finally !fault: index 2 of `a` is out of range 0..2 at test.ed:1:37
        finally !fault: division by zero: 1 / 0 at test.ed:1:82
    "#]],
    );
}
