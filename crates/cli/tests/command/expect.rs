//! `mazurka check --expect`: what files say of themselves.

use crate::programs::*;
use crate::support::{Finished, Folder};
use expect_test::expect;
use serde_json::json;

fn check(expectation: &str, program: &str, flags: &str) -> Finished {
    let folder = Folder::with("program.ed", format!("// {expectation}\n{program}"));
    folder.mazurka(&format!("check program.ed --expect {flags}"))
}

#[test]
fn what_is_as_expected_is_fine() {
    let cases = [
        ("expect: safe, 90 executions", POSTERS),
        ("expect: safe", POSTERS),
        ("Expected: safe", POSTERS),
        ("expect:safe,90 executions,0 redundant,no blocked,90 classes", POSTERS),
        ("expect: safe, 6 executions with n = 2, algorithm optimal", POSTERS),
        ("expect: safe, 6 executions, param n=2 and algorithm=event", POSTERS),
        ("expect: safe, 6 classes, --param n=2, --algorithm naive", POSTERS),
        (
            "expect: safe, at least 80 executions, at most 100 executions, exactly 0 deadlocks",
            POSTERS,
        ),
        ("expect: safe, 1 execution", TWO_POSTS),
        ("expect: safe, 2 executions, mailbox multiset", TWO_POSTS),
        ("expect: safe, 1 class, 1 ordered class", TWO_POSTS),
        ("expect: violation", LOST_UPDATE),
        ("expect: violation \"x == 2\"", LOST_UPDATE),
        ("expect: assertion \"x == 2\", 4 executions, keep-going", LOST_UPDATE),
        ("expect: violation: \"x == 2\", 1 failure, keep_going", LOST_UPDATE),
        ("expect: deadlock", LOCK_ORDER),
        ("expect: violation \"left waits for lock b, held by right\"", LOCK_ORDER),
        ("expect: violation \"too late\"", STALE),
        ("expect: safe, limit = 2", STALE),
        ("expect: incomplete, max-executions 3, 3 executions", POSTERS),
    ];
    for (expectation, program) in cases {
        let run = check(expectation, program, "");
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{expectation}\n{}", run.stdout);
        assert!(run.stdout.contains("as expected (line 1)"), "{expectation}\n{}", run.stdout);
    }
}

#[test]
fn what_differs_is_a_failure_and_is_told() {
    let cases = [
        (
            "expect: safe",
            LOST_UPDATE,
            "expected safe, found violation: assertion \"assertion `x == 2` failed\"",
        ),
        ("expect: violation", POSTERS, "expected violation, found safe"),
        ("expect: safe, 89 executions", POSTERS, "executions: expected 89, found 90"),
        ("expect: safe, at least 91 classes", POSTERS, "classes: expected at least 91, found 90"),
        (
            "expect: violation \"other\"",
            LOST_UPDATE,
            "expected violation \"other\", found assertion",
        ),
        ("expect: deadlock", LOST_UPDATE, "expected deadlock, found assertion"),
        ("expect: incomplete", POSTERS, "expected incomplete, found safe"),
        ("expect: safe, max-executions 3", POSTERS, "expected safe, found incomplete"),
    ];
    for (expectation, program, difference) in cases {
        let run = check(expectation, program, "");
        assert_eq!(run.status, 1, "{expectation}\n{}", run.stdout);
        assert!(run.stdout.contains("not as expected (line 1)"), "{}", run.stdout);
        assert!(run.stdout.contains(difference), "{expectation}\n{}", run.stdout);
    }
}

#[test]
fn bad_lines_are_bad_input_with_their_place() {
    let cases = [
        ("expect:", "nothing is expected here"),
        ("expect: 90 executions", "`90 executions` is no verdict"),
        ("expect: fine", "`fine` is no verdict"),
        ("expect safe", "an expectation needs a `:`"),
        ("expect: safe, violation", "this contradicts the verdict before it"),
        ("expect: safe 90 executions", "a `,` is missing behind `safe`"),
        ("expect: safe, 90 apples", "`apples` cannot be counted"),
        ("expect: safe, 9x executions", "`9x` is not a number"),
        ("expect: safe, quickly", "`quickly` is neither a count nor a setting"),
        ("expect: safe, format json", "`format json` is neither a count nor a setting"),
        ("expect: violation \"open", "no closing"),
        ("expect: violation text", "expected a text in quotes"),
        ("expect: safe, algorithm best", "invalid value 'best' for '--algorithm <NAME>'"),
        ("expect: safe, unroll", "a value is required for '--unroll <N>'"),
    ];
    for (expectation, message) in cases {
        let run = check(expectation, POSTERS, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{expectation}");
        assert!(run.stderr.contains(message), "{expectation}\n{}", run.stderr);
        assert!(run.stderr.contains("program.ed:1:"), "{expectation}\n{}", run.stderr);
    }
}

#[test]
fn a_bad_line_is_shown() {
    let run = check("expect: safe, 90 executions, mailbox lifo", POSTERS, "");
    expect![[r#"
        error: in this expectation: invalid value 'lifo' for '--mailbox <POLICY>': there are fifo and multiset
         --> program.ed:1:11
          |
        1 | // expect: safe, 90 executions, mailbox lifo
          |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn lines_are_read_only_on_request_and_other_comments_never() {
    let folder = Folder::with("program.ed", format!("// expect: nonsense\n{TWO_POSTS}"));
    assert_eq!(folder.mazurka("check program.ed").status, 0);
    let run = check("expectations are high\n/* // expect: violation */", TWO_POSTS, "");
    assert_eq!(run.status, 0);
    assert!(run.stdout.ends_with("the file has no `// expect:` line\n"), "{}", run.stdout);
}

#[test]
fn without_a_line_the_verdict_counts() {
    assert_eq!(check("no line", LOST_UPDATE, "").status, 1);
    assert_eq!(check("no line", TWO_POSTS, "").status, 0);
}

#[test]
fn each_line_is_an_exploration() {
    let lines = "expect: safe, 1 execution\n// expect: safe, 2 executions with mailbox multiset";
    let run = check(lines, TWO_POSTS, "--format json");
    assert_eq!(run.status, 0, "{}", run.stdout);
    let object = run.json();
    assert_eq!((&object["verdict"], &object["executions"]), (&json!("safe"), &json!(1)));
    assert_eq!(object["as_expected"], true);
    let second = &object["expectations"][1];
    assert_eq!((&second["line"], &second["as_expected"]), (&json!(2), &json!(true)));
    assert_eq!(second["expected"], "safe, 2 executions with mailbox multiset");
    assert_eq!(second["executions"], 2);
    assert_eq!(second["differences"], json!([]));
}

#[test]
fn a_line_comes_on_top_of_the_command_line() {
    let run = check("expect: safe, 2 executions", TWO_POSTS, "--mailbox multiset");
    assert_eq!(run.status, 0, "{}", run.stdout);
    let line = "expect: safe, 1 execution, mailbox fifo";
    let run = check(line, TWO_POSTS, "--mailbox multiset");
    assert_eq!(run.status, 0, "{}", run.stdout);
}

#[test]
fn several_files_are_summed_up() {
    let folder = Folder::with("a.ed", format!("// expect: violation \"x == 2\"\n{LOST_UPDATE}"));
    folder.write("b.ed", format!("// expect: safe, 2 executions\n{TWO_POSTS}"));
    folder.write("c.ed", TWO_POSTS);
    let run = folder.mazurka("check --expect -- .");
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let summary = run.stdout.rsplit_once("\n\n").expect("reports, then the summary").1;
    assert!(run.stdout.starts_with("./a.ed: as expected (line 1): violation \"x == 2\"\n"));
    assert!(summary.starts_with("3 programs: 1 as expected, 1 safe, 1 not as expected, "));
    assert!(summary.contains("not as expected  ./b.ed:1: executions: expected 2, found 1"));
    let object = folder.mazurka("check . --expect --format json").json();
    assert_eq!((&object["as_expected"], &object["not_as_expected"]), (&json!(1), &json!(1)));
    assert_eq!(object["files"]["./a.ed"]["as_expected"], true);
}
