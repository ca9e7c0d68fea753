//! `mazurka check` with several files and folders.

use crate::programs::*;
use crate::support::Folder;
use expect_test::expect;
use serde_json::{Value, json};

/// Two safe programs, one that fails, in a folder and a folder in it.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("all/deep/.hidden")).expect("folders");
    folder.write("all/posts.ed", TWO_POSTS);
    folder.write("all/deep/lost.ed", LOST_UPDATE);
    folder.write("all/deep/other.ed", "var x; thread t { x = 1; }");
    folder.write("all/deep/.hidden/no.ed", "this is not looked at");
    folder.write("all/notes.txt", "nor is this");
    folder
}

/// Without times, which differ.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once(", ") {
        Some((before, time)) if time.ends_with(" s") => format!("{before}, TIME\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn a_summary_comes_at_the_end_and_the_worst_status() {
    let run = folder().mazurka("check all");
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    expect![[r#"
        all/deep/lost.ed
        violation: lost (fifo), event
          2 complete executions, 7 events, TIME
          not everything was explored: it stopped at the first failure; --keep-going explores everything

        assertion `x == 2` failed
          at lost.ed:4:11
          because `read x = 0` of left came before `x = 1` of right
          the nearest execution that passes parts from it in step 2: `x = 1` of right instead of `read x =
          0` of left
          shortened from 3 switches in 4 events to 2 switches in 4 events; --no-shorten shows it as it was
          found

          step  right       left        lost.ed
          ─────────────────────────────────────
             1  read x = 0              3:20
        ◆    2              read x = 0  2:19
             3              x = 1 ∎     2:15
        ◆    4  x = 1 ∎                 3:16
          ∎ the last event of its thread or message
          ◆ the order of these two decides
          the execution is complete
              ✗ assertion `x == 2` failed (lost.ed:4:11)
                x = 1, written by right in step 4

        all/deep/other.ed
        safe: other (fifo), event
          1 complete execution, 1 event, TIME

        all/posts.ed
        safe: posts (fifo), event
          1 complete execution, 6 events, TIME

        3 programs: 2 safe, 1 violation, TIME
          violation  all/deep/lost.ed: assertion `x == 2` failed
    "#]]
    .assert_eq(&steady(&run.stdout));
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let folder = folder();
    let outputs = [1, 2, 7].map(|threads| {
        let run = folder.mazurka(&format!("check all --threads {threads}"));
        assert_eq!((run.status, run.stderr.as_str()), (1, ""));
        steady(&run.stdout)
    });
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0], outputs[2]);
}

#[test]
fn statuses_from_fine_to_bad_input() {
    let folder = folder();
    folder.write("bad.ed", "thread t { x = 1; }");
    folder.write("long.ed", "var x; thread t { while true { x += 1; } }");
    let status = |files: &str| folder.mazurka(&format!("check {files} --unroll 2")).status;
    assert_eq!(status("all/posts.ed all/deep/other.ed"), 0);
    assert_eq!(status("all/posts.ed long.ed"), 3);
    assert_eq!(status("all/deep/lost.ed long.ed all/posts.ed"), 1);
    assert_eq!(status("all/deep/lost.ed bad.ed long.ed"), 2);
    assert_eq!(status("all/posts.ed missing.ed"), 2);
}

#[test]
fn a_bad_file_does_not_stop_the_others() {
    let folder = folder();
    folder.write("bad.ed", "thread t { x = 1; }");
    let run = folder.mazurka("check bad.ed all/posts.ed");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("bad.ed:1:12"), "{}", run.stderr);
    assert!(run.stdout.contains("safe: posts"), "{}", run.stdout);
    assert!(run.stdout.contains("2 programs: 1 safe, 1 error"), "{}", run.stdout);
}

#[test]
fn one_json_object_with_an_object_for_each_file() {
    let folder = folder();
    folder.write("bad.ed", "thread t { x = 1; }");
    let run = folder.mazurka("check all bad.ed --format json");
    assert_eq!(run.status, 2);
    let object = run.json();
    let numbers = ["programs", "safe", "violation", "incomplete", "error", "status"];
    let found = numbers.map(|name| object[name].as_u64().expect(name));
    assert_eq!(found, [4, 2, 1, 0, 1, 2]);
    assert!(object["elapsed_seconds"].is_number());
    let files = object["files"].as_object().expect("an object");
    let names: Vec<&String> = files.keys().collect();
    assert_eq!(names, ["all/deep/lost.ed", "all/deep/other.ed", "all/posts.ed", "bad.ed"]);
    assert_eq!(files["bad.ed"]["verdict"], "error");
    assert!(files["bad.ed"]["error"].as_str().is_some_and(|text| text.contains("bad.ed:1:12")));
    let lost = &files["all/deep/lost.ed"];
    assert_eq!(
        (&lost["file"], &lost["verdict"]),
        (&json!("all/deep/lost.ed"), &json!("violation"))
    );
    assert_eq!((&lost["program"], &lost["executions"]), (&json!("lost"), &json!(2)));
    assert_eq!(lost["failures"][0]["kind"], "assertion");
}

#[test]
fn a_folder_has_the_object_of_several_even_with_one_file() {
    let folder = Folder::with("a.ed", TWO_POSTS);
    let one: Value = folder.mazurka("check a.ed --format json").json();
    assert_eq!((&one["verdict"], &one["files"]), (&json!("safe"), &Value::Null));
    let several: Value = folder.mazurka("check . --format json").json();
    assert_eq!(several["files"]["./a.ed"]["verdict"], "safe");
}

#[test]
fn a_file_that_is_named_twice_is_checked_once() {
    let folder = folder();
    let run = folder.mazurka("check all/posts.ed all ./all/posts.ed --format json");
    assert_eq!(run.json()["programs"], 3);
}

#[test]
fn what_is_about_one_program_is_refused_for_several() {
    let folder = folder();
    for flag in ["--report page.html", "--save-schedule s.json"] {
        let run = folder.mazurka(&format!("check all {flag}"));
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.contains("is about one program, and 3 were named"), "{}", run.stderr);
    }
}

#[test]
fn a_folder_without_programs_is_bad_input() {
    let folder = Folder::with("notes.txt", "");
    let run = folder.mazurka("check .");
    assert_eq!(run.status, 2);
    assert_eq!(run.stderr, "error: there are no `.ed` files in .\n");
}
