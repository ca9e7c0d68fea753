//! `mazurka check --format json`, the contract with scripts.

use crate::programs::*;
use crate::support::Folder;
use serde_json::{Value, json};

fn check(program: &str, flags: &str) -> (i32, Value) {
    let folder = Folder::with("posters.ed", program);
    let run = folder.mazurka(&format!("check posters.ed --format json {flags}"));
    assert_eq!(run.stderr, "");
    (run.status, run.json())
}

#[test]
fn every_field_of_the_contract() {
    let (status, object) = check(POSTERS, "--algorithm naive --classes --param n=2");
    assert_eq!(status, 0);
    assert_eq!(object["program"], "posters");
    assert_eq!(object["params"], json!({ "n": 2 }));
    assert_eq!(object["mailbox"], "multiset");
    assert_eq!(object["algorithm"], "naive");
    assert_eq!(object["verdict"], "safe");
    assert_eq!(object["classes"], 6);
    assert_eq!(object["failures"], json!([]));
    assert_eq!(object["incomplete_because"], json!([]));
    let numbers = [
        "executions",
        "blocked",
        "redundant",
        "deadlocks",
        "truncated",
        "ordered_classes",
        "deadlocked_classes",
        "blocked_classes",
        "transitions",
        "elapsed_seconds",
    ];
    for field in numbers {
        assert!(object[field].is_number(), "{field}");
    }
    let statistics = &object["statistics"];
    for field in ["races", "wakeups", "parked"] {
        assert!(statistics[field].is_number(), "{field}");
    }
    for field in ["simple", "happens_before", "witness", "decision"] {
        assert!(statistics["redundancy_checks"][field].is_number(), "{field}");
    }
}

#[test]
fn posters_with_three_threads_have_ninety_classes() {
    let (_, object) = check(POSTERS, "--algorithm naive --classes");
    assert_eq!(object["classes"], 90);
}

#[test]
fn classes_are_counted_only_on_request() {
    let (_, object) = check(TWO_POSTS, "--algorithm naive");
    assert_eq!(object.get("classes"), None);
    assert_eq!(object.get("ordered_classes"), None);
}

#[test]
fn mailbox_policies_differ_where_they_should() {
    let classes = |policy: &str| {
        let flags = format!("--algorithm naive --classes --mailbox {policy}");
        let (status, object) = check(TWO_POSTS, &flags);
        assert_eq!((status, &object["mailbox"]), (0, &json!(policy)));
        object["classes"].clone()
    };
    assert_eq!(classes("multiset"), 2);
    assert_eq!(classes("fifo"), 1);
}

#[test]
fn a_failure_has_kind_message_place_and_schedule() {
    let (status, object) = check(STALE, "--algorithm naive");
    assert_eq!(status, 1);
    assert_eq!(object["verdict"], "violation");
    let failure = &object["failures"][0];
    assert_eq!(failure["kind"], "assertion");
    assert_eq!(failure["message"], "too late for a picture");
    assert_eq!(failure["location"], "posters.ed:4:19");
    let schedule = failure["schedule"].as_array().expect("a list");
    assert!(schedule.iter().all(Value::is_string));
    assert!(schedule.contains(&json!("loader")));
    assert!(schedule.contains(&json!("main.1")), "the message is the first child of main");
}

#[test]
fn a_deadlock_has_no_place() {
    let (status, object) = check(LOCK_ORDER, "--algorithm naive --keep-going");
    assert_eq!(status, 1);
    assert_eq!(object["failures"][0]["kind"], "deadlock");
    assert_eq!(object["failures"][0]["location"], Value::Null);
    assert!(object["deadlocks"].as_u64() >= Some(1));
}

#[test]
fn blocked_and_truncated_executions_are_counted() {
    let (status, object) =
        check("var x; thread t { assume x == 1; } thread u { x = 1; }", "--algorithm naive");
    assert_eq!((status, &object["blocked"]), (0, &json!(1)));
    let (status, object) =
        check("var x; thread t { while true { x += 1; } }", "--algorithm naive --unroll 2");
    assert_eq!((status, &object["truncated"]), (3, &json!(1)));
    assert_eq!(object["incomplete_because"], json!(["unroll"]));
}

#[test]
fn sampling_is_incomplete() {
    for algorithm in ["random", "pct"] {
        let flags = format!("--algorithm {algorithm} --max-executions 4");
        let (status, object) = check(TWO_POSTS, &flags);
        assert_eq!((status, &object["verdict"]), (3, &json!("incomplete")));
        assert_eq!(object["executions"], 4);
    }
}

#[test]
fn sampling_finds_failures_too() {
    let (status, object) = check(LOST_UPDATE, "--algorithm random");
    assert_eq!((status, &object["verdict"]), (1, &json!("violation")));
}

#[test]
fn the_default_algorithm_is_event() {
    let (_, object) = check("var x; thread t { x = 1; }", "");
    assert_eq!(object["algorithm"], "event");
}
