//! Every statement form, by the events it makes when always the first task that can move does.

use crate::support::{first_run, first_run_with};
use expect_test::{Expect, expect};
use mazurka_lang::Options;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&first_run(text));
}

#[test]
fn locals_make_no_events() {
    check(
        "var x; thread t { let a = 1; a = a + 1; a += 3; a -= 1; { let a = 9; a = 8; } x = a; }",
        expect![[r#"
        t: W x=4
    "#]],
    );
}

#[test]
fn a_write_comes_after_the_reads_of_indices_and_value() {
    check(
        "var i = 1; var x = 7; var a[3]; thread t { a[i] = x + 1; }",
        expect![[r#"
        t: R i=1
        t: R x=7
        t: W a[1]=8
    "#]],
    );
}

#[test]
fn compound_assignment_is_one_update() {
    check(
        "var x = 5; var y = 2; var a[2]; thread t { x += y; x -= 3; a[y - 1] += x; }",
        expect![[r#"
        t: R y=2
        t: U x=5->7
        t: U x=7->4
        t: R y=2
        t: R x=4
        t: U a[1]=0->4
    "#]],
    );
}

#[test]
fn post_computes_arguments_then_the_handler() {
    check(
        "var x = 1; handler h[2]; message m(p, q) { p = p + q; x = p; } thread t { post m(x, 2) to h[x]; }",
        expect![[r#"
            t: R x=1
            t: R x=1
            t: post m(1, 2) to h[1]
            t.1: start
            t.1: W x=3
        "#]],
    );
}

#[test]
fn messages_without_parameters_may_leave_out_the_parentheses() {
    check(
        "handler h; message m { } message k() { } thread t { post m to h; post k() to h; }",
        expect![[r#"
        t: post m() to h
        t: post k() to h
        t.1: start
        t.2: start
    "#]],
    );
}

#[test]
fn fork_and_join() {
    check(
        "var x; task w(p) { x = p; } thread t { let w = fork w(3); join w; fork w(4); w = fork w(5); join w; }",
        expect![[r#"
            t: fork w(3)
            t.1: W x=3
            t: join t.1
            t: fork w(4)
            t: fork w(5)
            t.2: W x=4
            t.3: W x=5
            t: join t.3
        "#]],
    );
}

#[test]
fn handles_can_be_shared_and_posted() {
    check(
        "var w; var a[2]; handler h; task t { } message wait(p) { join p; }
         thread main { w = fork t(); join w; a[1] = fork t; join a[1]; post wait(w) to h; }",
        expect![[r#"
            main: fork t()
            main: W w=2469002333522399705
            main: R w=2469002333522399705
            main: join main.1
            main: fork t()
            main: W a[1]=372850180391498165
            main: R a[1]=372850180391498165
            main: join main.2
            main: R w=2469002333522399705
            main: post wait(2469002333522399705) to h
            main.3: start
            main.3: join main.1
        "#]],
    );
}

#[test]
fn join_of_threads() {
    check(
        "thread last { join first; join many[1]; let i = 2; join many[i]; }
         var x; thread first { x = 1; } thread many[i in 1..3] { x = i; }",
        expect![[r#"
            first: W x=1
            last: join first
            many[1]: W x=1
            last: join many[1]
            many[2]: W x=2
            last: join many[2]
        "#]],
    );
}

#[test]
fn locks() {
    check(
        "mutex m; mutex ms[2]; thread t { lock m; unlock m; with ms[1] { lock m; } let i = 0; lock ms[i]; unlock ms[i]; }",
        expect![[r#"
            t: Lock m
            t: Unlock m
            t: Lock ms[1]
            t: Lock m
            t: Unlock ms[1]
            t: Lock ms[0]
            t: Unlock ms[0]
        "#]],
    );
}

#[test]
fn return_inside_with_gives_the_locks_back() {
    check(
        "var x; mutex m[2]; thread t { with m[0] { with m[1] { if true { return; } } x = 1; } } thread u { with m[1] { } }",
        expect![[r#"
            t: Lock m[0]
            t: Lock m[1]
            t: Unlock m[1]
            t: Unlock m[0]
            u: Lock m[1]
            u: Unlock m[1]
        "#]],
    );
}

#[test]
fn taking_a_lock_twice_waits_for_ever() {
    check(
        "mutex m; thread t { lock m; lock m; }",
        expect![[r#"
        t: Lock m
        t stands at Operation(Access(ObjectId(0), Lock))
    "#]],
    );
}

#[test]
fn if_takes_the_first_branch_that_holds() {
    check(
        "var x = 2; thread t { if x == 1 { x = 10; } else if x == 2 { x = 20; } else if x == 3 { } else { x = 30; }
                           if x == 0 { x = 1; } else { x = 2; } if x { } }",
        expect![[r#"
            t: R x=2
            t: R x=2
            t: W x=20
            t: R x=20
            t: W x=2
            t: R x=2
        "#]],
    );
}

#[test]
fn while_goes_on_as_long_as_its_condition_holds() {
    check(
        "var x; thread t { while x < 2 { x += 1; } }",
        expect![[r#"
        t: R x=0
        t: U x=0->1
        t: R x=1
        t: U x=1->2
        t: R x=2
    "#]],
    );
}

#[test]
fn while_is_cut_at_the_bound() {
    let options = Options { unroll: 2, ..Options::default() };
    expect![[r#"
        t: U x=0->1
        t: U x=1->2
        t stands at Truncated
    "#]]
    .assert_eq(&first_run_with("var x; thread t { while true { x += 1; } }", &options));
    let exactly = "var x; thread t { let i = 0; while i < 2 { i += 1; x = i; } x = 9; }";
    expect![[r#"
        t: W x=1
        t: W x=2
        t: W x=9
    "#]]
    .assert_eq(&first_run_with(exactly, &options));
}

#[test]
fn the_bound_counts_anew_each_time_a_while_begins() {
    let options = Options { unroll: 1, ..Options::default() };
    let text =
        "var x; thread t { for i in 0..3 { let go = true; while go { x = i; go = false; } } }";
    expect![[r#"
        t: W x=0
        t: W x=1
        t: W x=2
    "#]]
    .assert_eq(&first_run_with(text, &options));
}

#[test]
fn for_evaluates_its_bounds_once() {
    check(
        "var n = 2; var x; thread t { for i in n - 2..n { n = 9; x = i; } for i in 3..1 { x = 100; } }",
        expect![[r#"
        t: R n=2
        t: R n=2
        t: W n=9
        t: W x=0
        t: W n=9
        t: W x=1
    "#]],
    );
}

#[test]
fn assigning_to_the_index_does_not_change_the_rounds() {
    check(
        "var x; thread t { for i in 0..2 { i = i + 5; x = i; } }",
        expect![[r#"
        t: W x=5
        t: W x=6
    "#]],
    );
}

#[test]
fn for_is_not_bounded() {
    let options = Options { unroll: 1, ..Options::default() };
    let account = first_run_with(
        "var x; thread t { let s = 0; for i in 0..5000 { s += i; } x = s; }",
        &options,
    );
    expect![[r#"
        t: W x=12497500
    "#]]
    .assert_eq(&account);
}

#[test]
fn assert_reports_and_goes_on() {
    check(
        "var x; thread t { assert x == 1; assert  x  ==  2, \"x is \\\"two\\\"\"; x = 3; assert x; }",
        expect![[r#"
        t: R x=0 !assertion: assertion `x == 1` failed at test.ed:1:19
        t: R x=0 !assertion: x is "two" at test.ed:1:34
        t: W x=3
        t: R x=3
    "#]],
    );
}

#[test]
fn assume_blocks_for_good() {
    check(
        "var x; thread t { assume x == 0; x = 1; assume x == 0; x = 2; }",
        expect![[r#"
        t: R x=0
        t: W x=1
        t: R x=1
        t stands at Blocked
    "#]],
    );
}

#[test]
fn a_blocked_message_keeps_its_handler() {
    check(
        "mailbox fifo; handler h; message no { assume false; } message yes { } thread t { post no to h; post yes to h; }",
        expect![[r#"
            t: post no() to h
            t: post yes() to h
            t.1: start
            t.1 stands at Blocked
            t.2 stands at Operation(Start)
        "#]],
    );
}

#[test]
fn atomic_is_one_event() {
    check(
        "var x = 1; var y; var a[2]; thread t { let i = 1; atomic { y = x; x = x + 1; x = x * 5; let k = i; a[k] = y; a[k] += 1; } }",
        expect![[r#"
            t: U x=1->10 W y=1 W a[1]=2
        "#]],
    );
}

#[test]
fn atomic_is_data_dependent_when_it_branches_on_what_it_read() {
    check(
        "var x = 1; var a[2]; thread t { let i = 1;
           atomic { if x == 1 { x = 2; } }
           atomic { a[x - 1] = 1; }
           atomic { let k = 0; for j in 0..2 { a[k] = 5; k = x - 1; } }
           atomic { let b = a[0] && a[1]; }
           atomic { cas(x, 2, 3); }
           atomic { assume x; }
           atomic { while x < 3 { x += 1; } }
           atomic { for j in 0..x { } }
         }",
        expect![[r#"
            t: U x=1->2 (data dependent)
            t: R x=2 W a[1]=1 (data dependent)
            t: W a[0]=5 R x=2 W a[1]=5 (data dependent)
            t: R a[0]=5 R a[1]=5 (data dependent)
            t: U x=2->3 (data dependent)
            t: R x=3 (data dependent)
            t: R x=3 (data dependent)
            t: R x=3 (data dependent)
        "#]],
    );
}

#[test]
fn atomic_is_not_data_dependent_when_it_branches_on_locals() {
    check(
        "var x = 1; var a[2]; thread t { let i = 1;
           atomic { if i == 1 { x = 2; } a[i] = x; }
           atomic { for j in 0..2 { a[j] += x; } let s = x; assert s == 2; }
           atomic { fetch_add(x, 1); let o = swap(x, 4); x = o; }
         }",
        expect![[r#"
            t: W x=2 W a[1]=2
            t: R x=2 U a[0]=0->2 U a[1]=2->4
            t: U x=2->3
        "#]],
    );
}

#[test]
fn leaving_an_atomic_block() {
    check(
        "var x; mutex m; thread t { with m { atomic { x = 1; return; } } }
         thread u { with m { x = 2; } } thread v { atomic { x = 3; assume false; x = 4; } } thread w { x = 5; atomic { x = 1 / (x - 5); x = 6; } }",
        expect![[r#"
            t: Lock m
            t: W x=1
            t: Unlock m
            u: Lock m
            u: W x=2
            u: Unlock m
            v: W x=3
            w: W x=5
            w: R x=5 !fault: division by zero: 1 / 0 at test.ed:2:124
            v stands at Blocked
        "#]],
    );
}

#[test]
fn a_long_atomic_block_merges_per_variable() {
    check(
        "var a[3]; thread t { atomic { for r in 0..50 { for i in 0..3 { a[i] += 1; } } } atomic { a[0] = 1; } }",
        expect![[r#"
        t: U a[0]=0->50 U a[1]=0->50 U a[2]=0->50
        t: W a[0]=1
    "#]],
    );
}

#[test]
fn return_ends_the_task() {
    check(
        "var x; handler h; message m { return; x = 1; } thread t { post m to h; return; x = 2; }",
        expect![[r#"
        t: post m() to h
        t.1: start
    "#]],
    );
}

#[test]
fn finally_looks_at_the_final_state() {
    check(
        "var x; var a[2] = 4; thread t { x = 1; } finally { assert x == 1; assert x == 2, \"no\"; let s = 0; for i in 0..2 { s += a[i]; }
           assert s == 9; if s == 8 { assert false; } assume false; assert false; } finally { assert a[x] / (x - 1) == 0; }",
        expect![[r#"
            t: W x=1
            finally !assertion: no at test.ed:1:67
            finally !assertion: assertion `s == 9` failed at test.ed:2:12
            finally !assertion: assertion `false` failed at test.ed:2:39
            finally !fault: division by zero: 4 / 0 at test.ed:2:102
        "#]],
    );
}

#[test]
fn finally_does_not_run_for_ever() {
    let options = Options { unroll: 10, ..Options::default() };
    expect![[r#"
        finally !fault: a `while` in `finally` ran more than 10 times at test.ed:1:11
    "#]]
    .assert_eq(&first_run_with("finally { while true { } }", &options));
}

#[test]
fn messages_and_tasks_may_start_themselves() {
    check(
        "handler h; message m(n) { if n > 0 { post m(n - 1) to h; } } task f(n) { if n > 0 { let w = fork f(n - 1); join w; } }
         thread t { post m(2) to h; fork f(1); }",
        expect![[r#"
            t: post m(2) to h
            t: fork f(1)
            t.1: start
            t.1: post m(1) to h
            t.2: fork f(0)
            t.2: join t.2.1
            t.1.1: start
            t.1.1: post m(0) to h
            t.1.1.1: start
        "#]],
    );
}

#[test]
fn fifo_and_multiset_are_told_apart() {
    check(
        "handler f: fifo; handler m: multiset; var x; message w(i) { x = i; } thread t { post w(1) to f; post w(2) to m; }",
        expect![[r#"
            t: post w(1) to f
            t: post w(2) to m
            t.1: start
            t.1: W x=1
            t.2: start
            t.2: W x=2
        "#]],
    );
}
