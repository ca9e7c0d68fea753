//! What a failing test says, and that its last line works.

use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use mazurka::sync::atomic::{AtomicBool, AtomicUsize};
use mazurka::sync::{Arc, Mutex};
use std::process::Command;

/// Runs one test of this binary in a process of its own; returns what it says on standard error.
pub fn run(test: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("this binary has a path"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    for variable in
        std::env::vars().map(|(name, _)| name).filter(|name| name.starts_with("MAZURKA_"))
    {
        command.env_remove(variable);
    }
    let output = command.envs(variables.iter().copied()).output().expect("it runs");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

const LOST_UPDATE: &str = "failures::the_users_message_comes_through";

fn schedule(report: &str) -> &str {
    let (_, rest) = report.split_once("MAZURKA_REPLAY='").expect("a report ends with the command");
    rest.split_once('\'').expect("the schedule is quoted").0
}

#[test]
fn a_report_tells_what_where_how_and_how_to_see_it_again() {
    let (passed, report) = run(LOST_UPDATE, &[]);
    assert!(passed, "{report}");
    for part in [
        "mazurka: assertion `left == right` failed: an update was lost\n  left: 1\n right: 2\n",
        "\n  at crates/mazurka/tests/suite/failures.rs:",
        "because `read x = 0` of incrementer came before `x = 1` of main",
        "shortened from 4 switches in 7 events to 2 switches in 7 events; MAZURKA_SHORTEN=0 shows it",
        "step  main              incrementer  suite/failures.rs",
        "1  fork incrementer ",
        "◆    3                    read x = 0 ",
        "◆    5  x = 1 ",
        "✗    7  read x = 1 ∎",
        "explored before this one",
        "cargo test failures::the_users_message_comes_through",
    ] {
        assert!(report.contains(part), "{part:?} is missing in\n{report}");
    }
}

#[test]
fn the_schedule_of_a_report_replays_it() {
    let (_, report) = run(LOST_UPDATE, &[]);
    let (passed, again) = run(LOST_UPDATE, &[("MAZURKA_REPLAY", schedule(&report))]);
    assert!(passed, "{again}");
    assert_eq!(schedule(&again), schedule(&report));
    assert!(again.contains("an update was lost"));
}

/// That somebody asks whether the thread has ended, which makes its end an event, is not seen in the execution that fails.
#[test]
fn what_fails_in_an_execution_that_teaches_less() {
    let failed = std::panic::catch_unwind(|| {
        mazurka::check(|| {
            let flag = Arc::new(AtomicBool::new(false));
            let up = Arc::clone(&flag);
            let thread = mazurka::thread::spawn(move || up.store(true, SeqCst));
            if flag.load(SeqCst) {
                panic!("it is up");
            }
            std::hint::black_box(thread.is_finished());
        });
    });
    assert!(failed.is_err());
}

#[test]
fn a_schedule_holds_what_was_learned_elsewhere() {
    let test = "reports::what_fails_in_an_execution_that_teaches_less";
    let (_, report) = run(test, &[]);
    let line = schedule(&report);
    assert_eq!(line.split(';').count(), 3, "{report}");
    let (passed, again) = run(test, &[("MAZURKA_REPLAY", line)]);
    assert!(passed && again.contains("it is up"), "{again}");
    assert!(!again.contains("has changed"), "{again}");
    assert_eq!(schedule(&again), line);
}

#[test]
fn an_old_value_is_read() {
    let failed = std::panic::catch_unwind(|| {
        mazurka::check(|| {
            let data = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
            let shared = Arc::clone(&data);
            let writer = mazurka::thread::spawn(move || {
                shared.0.store(7, Relaxed);
                shared.1.store(true, Relaxed);
            });
            if data.1.load(Acquire) {
                assert_eq!(data.0.load(Relaxed), 7, "an old value");
            }
            writer.join().unwrap();
        });
    });
    assert!(failed.is_err());
}

#[test]
fn a_report_says_which_store_was_read_and_why_it_may() {
    let test = "reports::an_old_value_is_read";
    let (passed, report) = run(test, &[]);
    assert!(passed, "{report}");
    for part in [
        "data #2 = 7, Relaxed",
        "read data = 1, Acquire",
        "read data #2 = 0, Relaxed",
        "        reads the initial value, not step 2; step 3 is Relaxed, so it publishes nothing",
    ] {
        assert!(report.contains(part), "{part:?} is missing in\n{report}");
    }
    assert!(schedule(&report).contains(':'), "the schedule holds what was read: {report}");
    let (passed, again) = run(test, &[("MAZURKA_REPLAY", schedule(&report))]);
    assert!(passed && again.contains("an old value"), "{again}");
}

#[test]
fn a_balance_is_wrong() {
    let failed = std::panic::catch_unwind(|| {
        mazurka::check(|| {
            let mut balance = UnsafeCell::new(10_i32);
            balance.with_mut(|it| unsafe { *it -= 40 });
            balance.with(|it| unsafe { assert!(*it >= 0, "overdrawn") });
            assert!(*balance.get_mut() >= 0);
        });
    });
    assert!(failed.is_err());
}

#[test]
fn a_report_shows_the_values_of_cells() {
    let (passed, report) = run("reports::a_balance_is_wrong", &[]);
    assert!(passed, "{report}");
    for part in ["balance = -30", "read balance = -30", "overdrawn"] {
        assert!(report.contains(part), "{part:?} is missing in\n{report}");
    }
}

#[test]
fn an_address_in_a_cell_may_differ_from_execution_to_execution() {
    mazurka::check(|| {
        let address = Arc::new(Mutex::new(UnsafeCell::new(0_usize)));
        let other = Arc::clone(&address);
        let thread =
            mazurka::thread::spawn(move || other.lock().unwrap().with(|it| unsafe { *it }));
        let made = Box::into_raw(Box::new(7));
        address.lock().unwrap().with_mut(|it| unsafe { *it = made as usize });
        let seen = thread.join().unwrap();
        assert!(seen == 0 || seen == made as usize);
        drop(unsafe { Box::from_raw(made) });
    });
}

#[test]
fn a_failure_is_shown_as_it_was_found_if_that_is_asked_for() {
    let (_, short) = run(LOST_UPDATE, &[]);
    let (passed, report) = run(LOST_UPDATE, &[("MAZURKA_SHORTEN", "0")]);
    assert!(passed && report.contains("an update was lost"), "{report}");
    assert!(!report.contains("shortened from") && report.contains("because "), "{report}");
    assert_ne!(schedule(&report), schedule(&short));
}

/// A test that changes with a variable of the environment, as one does when it is edited.
#[test]
fn a_test_that_is_edited() {
    let edit = std::env::var("EDIT_OF_THE_TEST").unwrap_or_default();
    let is_edited = !edit.is_empty();
    let failed = std::panic::catch_unwind(move || {
        mazurka::check(move || {
            let value = Arc::new(AtomicUsize::new(0));
            let before = AtomicBool::new(false);
            let other = Arc::clone(&value);
            if edit == "added" {
                before.store(true, SeqCst);
            }
            let thread = mazurka::thread::spawn(move || increment(&other));
            if edit == "repaired" {
                thread.join().unwrap();
                increment(&value);
            } else {
                increment(&value);
                thread.join().unwrap();
            }
            assert_eq!(value.load(SeqCst), 2, "an update was lost");
        });
    });
    assert!(failed.is_err() || is_edited);
}

fn increment(value: &AtomicUsize) {
    let seen = value.load(SeqCst);
    value.store(seen + 1, SeqCst);
}

#[test]
fn the_schedule_of_a_test_that_has_changed_is_followed_as_far_as_it_goes() {
    let test = "reports::a_test_that_is_edited";
    let (_, report) = run(test, &[]);
    let replay =
        |edit| run(test, &[("MAZURKA_REPLAY", schedule(&report)), ("EDIT_OF_THE_TEST", edit)]).1;
    let same = replay("");
    assert!(same.contains("violation: the recorded failure shows again"), "{same}");
    assert!(!same.contains("has changed"), "{same}");
    let added = replay("added");
    for part in [
        "the program has changed: it left the recorded execution before step 1, where main does something new: `before = 1`",
        "violation: the recorded failure shows again",
    ] {
        assert!(added.contains(part), "{part:?} is missing in\n{added}");
    }
    let repaired = replay("repaired");
    for part in ["the program has changed", "passed: the recorded failure does not show"] {
        assert!(repaired.contains(part), "{part:?} is missing in\n{repaired}");
    }
}

#[test]
fn a_line_that_is_no_schedule_is_refused() {
    for line in ["main*x", "main;abc"] {
        let (passed, report) = run(LOST_UPDATE, &[("MAZURKA_REPLAY", line)]);
        assert!(!passed && report.contains("MAZURKA_REPLAY must be a schedule"), "{report}");
    }
    let (_, report) = run(LOST_UPDATE, &[("MAZURKA_REPLAY", "nobody*3")]);
    assert!(report.contains("does not fit this test"), "{report}");
}

#[test]
fn the_environment_limits_and_logs() {
    let once = [("MAZURKA_MAX_EXECUTIONS", "1"), ("MAZURKA_LOG", "1")];
    let (passed, report) = run("reports::a_test_that_passes", &once);
    assert!(!passed && report.contains("MAZURKA_ALLOW_INCOMPLETE=1"), "{report}");
    let allowed = [once[0], once[1], ("MAZURKA_ALLOW_INCOMPLETE", "1")];
    let (passed, report) = run("reports::a_test_that_passes", &allowed);
    assert!(passed, "{report}");
    assert!(
        report.contains("1 executions, 0 blocked")
            && report.contains("not everything was explored"),
        "{report}"
    );
    let (_, report) = run("reports::a_test_that_passes", &[("MAZURKA_LOG", "1")]);
    assert!(
        report.contains("2 executions, 0 blocked") && report.contains("; everything was explored"),
        "{report}"
    );
}

#[test]
fn a_test_that_passes() {
    mazurka::check(|| assert!(mazurka::choose(0..2) < 2));
}
