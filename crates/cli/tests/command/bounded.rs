//! `--max-preemptions` and `--max-delays`: few first, and never `safe`.

use crate::support::Folder;
use expect_test::expect;
use serde_json::{Value, json};

/// An update is lost if one thread moves between the two steps of the other.
const LOST: &str = "\
var x;
thread a { let old = x; x = old + 1; }
thread b { let old = x; x = old + 1; }
finally { assert x == 2; }
";

fn explored(flags: &str) -> Value {
    let folder = Folder::with("lost.ed", LOST);
    let run = folder.mazurka(&format!("check lost.ed --keep-going --format json {flags}"));
    serde_json::from_str(&run.stdout).expect("an object")
}

#[test]
fn an_update_is_lost_by_one_preemption() {
    let without = explored("--max-preemptions 0");
    assert_eq!(without["verdict"], "incomplete");
    assert_eq!(without["incomplete_because"], json!(["bound"]));
    assert_eq!(without["executions"], 2, "one thread behind the other");
    let with_one = explored("--max-preemptions 1");
    assert_eq!(with_one["verdict"], "violation");
    assert_eq!(with_one["algorithm"], "bounded");
    // Reading before the other writes costs one, whoever writes first then.
    assert_eq!(with_one["executions"], 4);
}

#[test]
fn the_first_thread_goes_first_unless_it_is_delayed() {
    assert_eq!(explored("--max-delays 0")["executions"], 1);
    assert_eq!(explored("--max-delays 0")["verdict"], "incomplete");
    assert_eq!(explored("--max-delays 1")["verdict"], "violation");
}

#[test]
fn without_a_bound_everything_is_explored() {
    let outcome = explored("--algorithm bounded");
    assert_eq!(outcome["executions"], 4);
    assert_eq!(outcome["incomplete_because"], json!([]));
}

#[test]
fn what_the_bound_leaves_out_is_said() {
    let folder = Folder::with("lost.ed", LOST);
    let run = folder.mazurka("check lost.ed --max-preemptions 0");
    assert_eq!(run.status, 3);
    expect![[r#"
        incomplete: lost (fifo), bounded
          2 complete executions, 8 events, TIME
          not everything was explored: only schedules with at most 0 preemptions were explored
    "#]]
    .assert_eq(&run.steady_stdout());
}

#[test]
fn other_algorithms_count_no_preemptions() {
    let folder = Folder::with("lost.ed", LOST);
    let run = folder.mazurka("check lost.ed --algorithm optimal --max-preemptions 1");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("are for --algorithm bounded, and this is optimal"));
}
