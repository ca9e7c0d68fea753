//! `--algorithm r4 --bound K`: bounded reversals, and saying what they leave out.

use crate::support::Folder;
use expect_test::expect;
use serde_json::{Value, json};

/// Three messages of one handler append to a list: all orders, and each order is a list of its own.
const APPENDS: &str = "\
mailbox multiset;
var list = 0;
handler h;
message append(i) { list = list * 10 + i; }
thread main { post append(1) to h; post append(2) to h; post append(3) to h; }
finally { assert list != 321; }
";

fn explored(flags: &str) -> Value {
    let folder = Folder::with("appends.ed", APPENDS);
    let run = folder.mazurka(&format!("check appends.ed --algorithm r4 --format json {flags}"));
    serde_json::from_str(&run.stdout).expect("an object")
}

/// The orders with d reversals are the permutations with d inversions: 1, 2, 2 and 1 of them.
#[test]
fn the_bound_is_the_number_of_reversals() {
    for (bound, executions) in [(0, 1), (1, 3), (2, 5)] {
        let outcome = explored(&format!("--bound {bound}"));
        assert_eq!(outcome["executions"], executions);
        assert_eq!(outcome["verdict"], "incomplete");
        assert_eq!(outcome["incomplete_because"], json!(["bound"]));
    }
    let outcome = explored("--bound 3 --keep-going");
    assert_eq!(outcome["executions"], 6);
    assert_eq!(outcome["verdict"], "violation");
    assert_eq!(outcome["incomplete_because"], json!([]));
}

#[test]
fn what_the_bound_leaves_out_is_said() {
    let folder = Folder::with("appends.ed", APPENDS);
    let run = folder.mazurka("check appends.ed --algorithm r4 --bound 1");
    assert_eq!(run.status, 3);
    expect![[r#"
        incomplete: appends (multiset), r4
          3 complete executions, 27 events, TIME
          not everything was explored: there are executions with more than 1 reversal; --bound raises the bound
    "#]]
    .assert_eq(&run.steady_stdout());
}

#[test]
fn a_bound_is_for_r4() {
    let folder = Folder::with("appends.ed", APPENDS);
    let run = folder.mazurka("check appends.ed --algorithm optimal --bound 1");
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("--bound is for --algorithm r4, and this is optimal"),
        "{}",
        run.stderr
    );
}
