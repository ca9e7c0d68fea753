//! `mazurka check` for people.

use crate::programs::*;
use crate::support::Folder;
use expect_test::{Expect, expect};

fn check(program: &str, flags: &str, status: i32, expected: Expect) {
    let folder = Folder::with("program.ed", program);
    let run = folder.mazurka(&format!("check program.ed {flags}"));
    assert_eq!(run.status, status, "{}", run.stderr);
    assert_eq!(run.stderr, "");
    expected.assert_eq(&run.steady_stdout());
}

#[test]
fn posters_have_ninety_classes() {
    check(
        POSTERS,
        "--algorithm naive --classes",
        0,
        expect![[r#"
        safe: program (n = 3, multiset), naive
          8,046 complete executions, 77,754 events, TIME
          90 distinct traces, 90 when the order of messages on a handler counts
    "#]],
    );
}

#[test]
fn a_lost_update_is_found_and_told() {
    check(
        LOST_UPDATE,
        "--algorithm naive",
        1,
        expect![[r#"
            violation: program (fifo), naive
              2 complete executions, 8 events, TIME
              not everything was explored: it stopped at the first failure; --keep-going explores everything

            assertion `x == 2` failed
              at program.ed:4:11
              because `read x = 0` of left came before `x = 1` of right
              the nearest execution that passes parts from it in step 2: `x = 1` of right instead of `read x =
              0` of left
              shortened from 3 switches in 4 events to 2 switches in 4 events; --no-shorten shows it as it was
              found

              step  right       left        program.ed
              ────────────────────────────────────────
                 1  read x = 0              3:20
            ◆    2              read x = 0  2:19
                 3              x = 1 ∎     2:15
            ◆    4  x = 1 ∎                 3:16
              ∎ the last event of its thread or message
              ◆ the order of these two decides
              the execution is complete
                  ✗ assertion `x == 2` failed (program.ed:4:11)
                    x = 1, written by right in step 4
        "#]],
    );
}

#[test]
fn a_deadlock_shows_who_waits_for_what() {
    check(
        LOCK_ORDER,
        "--algorithm naive",
        1,
        expect![[r#"
            violation: program (fifo), naive
              2 complete executions, 15 events, TIME
              1 deadlocked
              not everything was explored: it stopped at the first failure; --keep-going explores everything

            deadlock: left waits for lock b, held by right; right waits for lock a, held by left
              because `lock b` of right came before `lock b` of left
              the nearest execution that passes parts from it in step 2: `lock b` of left instead of `lock b` of
              right

              step  left    right   program.ed
              ────────────────────────────────
                 1  lock a          3:20
            ◆    2          lock b  4:21
              ◆ it decides that this comes first
            ✗ deadlock: nothing can move any more
                    left waits for lock b, held by right
                    right waits for lock a, held by left
        "#]],
    );
}

#[test]
fn a_failing_message_is_marked_in_its_handler() {
    check(
        STALE,
        "--algorithm naive",
        1,
        expect![[r#"
            violation: program (limit = 1, fifo), naive
              0 complete executions, 4 events, TIME
              not everything was explored: it stopped at the first failure; --keep-going explores everything

            assertion: too late for a picture
              at program.ed:4:19
              because `ready = 1` of loader came before `read ready = 1` of show(7)
              the nearest execution that passes parts from it in step 1: `post show(7) to ui` of main instead of
              `ready = 1` of loader

              step  loader       main                  ui                program.ed
              ─────────────────────────────────────────────────────────────────────
            ◆    1  ready = 1 ∎                                          5:17
                 2               post show(7) to ui ∎                    6:15
                 3                                     start show(7)     4:9
            ✗    4                                     read ready = 1 ∎  4:26
                  ✗ assertion: too late for a picture (program.ed:4:19)
                    ready = 1, written by loader in step 1
              ∎ the last event of its thread or message
              ◆ the order of these two decides
              the execution is complete
        "#]],
    );
}

#[test]
fn another_parameter_mends_it() {
    check(
        STALE,
        "--algorithm naive --param limit=2",
        0,
        expect![[r#"
        safe: program (limit = 2, fifo), naive
          4 complete executions, 13 events, TIME
    "#]],
    );
}

#[test]
fn everything_is_explored_on_request() {
    check(
        LOST_UPDATE,
        "--algorithm naive --keep-going",
        1,
        expect![[r#"
            violation: program (fifo), naive
              6 complete executions, 18 events, TIME

            assertion `x == 2` failed
              at program.ed:4:11
              because `read x = 0` of left came before `x = 1` of right
              the nearest execution that passes parts from it in step 2: `x = 1` of right instead of `read x =
              0` of left
              shortened from 3 switches in 4 events to 2 switches in 4 events; --no-shorten shows it as it was
              found

              step  right       left        program.ed
              ────────────────────────────────────────
                 1  read x = 0              3:20
            ◆    2              read x = 0  2:19
                 3              x = 1 ∎     2:15
            ◆    4  x = 1 ∎                 3:16
              ∎ the last event of its thread or message
              ◆ the order of these two decides
              the execution is complete
                  ✗ assertion `x == 2` failed (program.ed:4:11)
                    x = 1, written by right in step 4
        "#]],
    );
}

#[test]
fn limits_make_it_incomplete() {
    check(
        POSTERS,
        "--algorithm naive --max-executions 5",
        3,
        expect![[r#"
            incomplete: program (n = 3, multiset), naive
              5 complete executions, 55 events, TIME
              not everything was explored: the limit of 5 executions was reached
        "#]],
    );
}

#[test]
fn sampling_never_says_safe() {
    check(
        TWO_POSTS,
        "--algorithm random --max-executions 9",
        3,
        expect![[r#"
            incomplete: program (fifo), random
              9 complete executions, 54 events, TIME
              not everything was explored: the limit of 9 executions was reached
              not everything was explored: random only samples: finding nothing proves nothing
        "#]],
    );
    check(
        TWO_POSTS,
        "--algorithm pct --max-executions 9",
        3,
        expect![[r#"
            incomplete: program (fifo), pct
              9 complete executions, 54 events, TIME
              not everything was explored: the limit of 9 executions was reached
              not everything was explored: pct only samples: finding nothing proves nothing
        "#]],
    );
}

#[test]
fn a_time_limit_ends_it() {
    let folder = Folder::with("posters.ed", POSTERS);
    let run = folder.mazurka("check posters.ed --param n=12 --algorithm naive --timeout 0.2");
    assert_eq!(run.status, 3);
    assert!(run.stdout.contains("the time limit of 0.200 s was reached"), "{}", run.stdout);
}

#[test]
fn the_same_seed_gives_the_same_schedules() {
    let folder = Folder::with("lost.ed", LOST_UPDATE);
    let run = |seed: u32| {
        folder
            .mazurka(&format!("check lost.ed --algorithm random --seed {seed} --all-steps"))
            .steady_stdout()
    };
    assert_eq!(run(7), run(7));
}

#[test]
fn a_loop_that_does_not_end_is_cut() {
    let forever = "var x; thread t { while true { x = 1; } }";
    check(
        forever,
        "--algorithm naive --unroll 3",
        3,
        expect![[r#"
        incomplete: program (fifo), naive
          0 complete executions, 3 events, TIME
          1 cut at a bound
          not everything was explored: a loop was cut at its bound in 1 execution; --unroll raises the bound
    "#]],
    );
}

#[test]
fn more_threads_than_one_are_honestly_refused() {
    let folder = Folder::with("posts.ed", TWO_POSTS);
    let run = folder.mazurka("check posts.ed --algorithm naive --threads 4");
    assert_eq!(run.status, 0);
    expect![[r#"
        note: explorations are not split yet: one worker is used
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn colours_come_when_asked_for() {
    let folder = Folder::with("lost.ed", LOST_UPDATE);
    let coloured = folder.mazurka("check lost.ed --algorithm naive --color always");
    assert!(coloured.stdout.contains("\u{1b}[31m"));
    let plain = folder.mazurka("check lost.ed --algorithm naive");
    assert!(!plain.stdout.contains('\u{1b}'));
}

#[test]
fn a_failure_leaves_a_page_that_stands_alone() {
    let folder = Folder::with("stale.ed", STALE);
    let run = folder.mazurka("check stale.ed --algorithm naive --report page.html");
    assert_eq!(run.status, 1);
    let page = folder.read("page.html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.contains("too late for a picture"));
    assert!(page.contains("start show(7)"));
    assert!(!page.contains("src="), "everything is in it");
}

#[test]
fn without_a_failure_there_is_a_page_and_no_schedule() {
    let folder = Folder::with("posts.ed", TWO_POSTS);
    let run = folder
        .mazurka("check posts.ed --algorithm naive --report page.html --save-schedule s.json");
    assert_eq!(run.status, 0);
    assert!(folder.read("page.html").contains("\"verdict\":\"passes\""));
    assert!(!folder.path("s.json").exists());
}

/// Ctrl-C ends an exploration with what is known so far.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_cleanly() {
    use std::io::Read;
    use std::process::Command;
    let folder = Folder::with("posters.ed", POSTERS);
    let arguments = "check posters.ed --param n=12 --algorithm naive --format json";
    let mut child = folder.command(arguments).spawn().expect("it starts");
    let pid = child.id().to_string();
    // The handler is installed soon after the start. Before that an interrupt kills, so ask the kernel
    // whether the signal is caught yet instead of guessing a time.
    while !catches_interrupts(&pid) {
        std::thread::yield_now();
    }
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill exists").success());
    let mut stdout = String::new();
    let pipe = child.stdout.as_mut().expect("it is piped");
    pipe.read_to_string(&mut stdout).expect("text");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(3));
    let object: serde_json::Value = serde_json::from_str(&stdout).expect("one object");
    assert_eq!(object["verdict"], "incomplete");
    assert_eq!(object["incomplete_because"][0], "interrupt");
}

#[cfg(unix)]
fn catches_interrupts(pid: &str) -> bool {
    const SIGINT_BIT: u64 = 1 << 1;
    let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/status")) else {
        panic!("the process is gone");
    };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = u64::from_str_radix(caught.expect("a mask").trim(), 16).expect("a number");
    mask & SIGINT_BIT != 0
}
