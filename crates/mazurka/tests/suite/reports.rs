//! What a failing test says, and that its last line works.

use mazurka::sync::Arc;
use mazurka::sync::atomic::Ordering::{Acquire, Relaxed};
use mazurka::sync::atomic::{AtomicBool, AtomicUsize};
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
        "mazurka: a task panicked at crates/mazurka/tests/suite/failures.rs:",
        "an update was lost",
        "main",
        "incrementer",
        "start incrementer",
        "read AtomicU32 of failures.rs:",
        "= 0",
        "write AtomicU32 of failures.rs:",
        "suite/failures.rs:",
        "executions were explored before this one",
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
        "= 7, Relaxed",
        "= 1, Acquire",
        "= 0, Relaxed",
        "└ reads the initial value, not step 2; step 3 is Relaxed, so it publishes nothing",
    ] {
        assert!(report.contains(part), "{part:?} is missing in\n{report}");
    }
    assert!(schedule(&report).contains(':'), "the schedule holds what was read: {report}");
    let (passed, again) = run(test, &[("MAZURKA_REPLAY", schedule(&report))]);
    assert!(passed && again.contains("an old value"), "{again}");
}

#[test]
fn a_schedule_that_does_not_fit_is_refused() {
    let (passed, report) = run(LOST_UPDATE, &[("MAZURKA_REPLAY", "main,main.7")]);
    assert!(!passed);
    assert!(report.contains("does not fit this test") && report.contains("main.7"), "{report}");
    let (passed, report) = run(LOST_UPDATE, &[("MAZURKA_REPLAY", "main*x")]);
    assert!(!passed);
    assert!(report.contains("MAZURKA_REPLAY must be a schedule"), "{report}");
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
