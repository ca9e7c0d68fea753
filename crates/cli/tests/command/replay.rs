//! `--save-schedule` and `mazurka replay`.

use crate::programs::*;
use crate::support::Folder;
use expect_test::expect;
use serde_json::json;

/// A folder with a program and the schedule of its first failure.
fn saved(program: &str, flags: &str) -> Folder {
    let folder = Folder::with("program.ed", program);
    let command = format!("check program.ed --algorithm naive --save-schedule s.json {flags}");
    let run = folder.mazurka(&command);
    assert_eq!(run.status, 1, "{}", run.stderr);
    folder
}

#[test]
fn a_saved_schedule_says_everything_that_replay_needs() {
    let folder = saved(STALE, "--param limit=0 --mailbox multiset");
    expect![[r#"
        {
          "format": "mazurka-schedule/1",
          "program": "program",
          "params": {
            "limit": 0
          },
          "mailbox": "multiset",
          "unroll": 1000,
          "failure": {
            "kind": "assertion",
            "message": "too late for a picture",
            "location": "program.ed:4:19"
          },
          "schedule": [
            "main",
            "main.1",
            "main.1"
          ],
          "events": [
            "post show to ui",
            "start show",
            "read ready"
          ]
        }
    "#]]
    .assert_eq(&folder.read("s.json"));
}

#[test]
fn a_lost_update_shows_again() {
    let folder = saved(LOST_UPDATE, "");
    let run = folder.mazurka("replay program.ed s.json");
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    expect![[r#"
        replay: program (fifo)

          step  right       left        program.ed
          ────────────────────────────────────────
             1  read x = 0              3:20
             2              read x = 0  2:19
             3              x = 1 ∎     2:15
             4  x = 1 ∎                 3:16
          ∎ the last event of its thread or message
          the execution is complete
              ✗ assertion `x == 2` failed (program.ed:4:11)
                x = 1, written by right in step 4

        violation: the saved failure shows again
    "#]]
    .assert_eq(&run.stdout);
}

#[test]
fn a_deadlock_shows_again() {
    let folder = saved(LOCK_ORDER, "");
    let run = folder.mazurka("replay program.ed s.json --format json");
    assert_eq!(run.status, 1);
    let object = run.json();
    assert_eq!(object["verdict"], "violation");
    assert_eq!(object["reproduced"], true);
    assert_eq!(object["ending"], "deadlocked");
    assert_eq!(
        object["waiting"],
        json!(["left waits for lock b, held by right", "right waits for lock a, held by left"])
    );
    assert_eq!(object["steps"].as_array().map(Vec::len), Some(2));
}

#[test]
fn parameters_and_mailboxes_come_from_the_schedule() {
    let folder = saved(STALE, "--param limit=0 --mailbox multiset");
    let run = folder.mazurka("replay program.ed s.json --format json");
    let object = run.json();
    assert_eq!(object["params"], json!({ "limit": 0 }));
    assert_eq!(object["mailbox"], "multiset");
    assert_eq!(object["reproduced"], true);
}

#[test]
fn what_is_given_counts_more_than_what_was_saved() {
    let folder = saved(STALE, "");
    let run = folder.mazurka("replay program.ed s.json --param limit=5");
    assert_eq!(run.status, 0, "{}", run.stderr);
    expect![[r#"
        replay: program (limit = 5, fifo)

          step  loader       main                  ui                program.ed
          ─────────────────────────────────────────────────────────────────────
             1  ready = 1 ∎                                          5:17
             2               post show(7) to ui ∎                    6:15
             3                                     start show(7)     4:9
             4                                     read ready = 1 ∎  4:26
          ∎ the last event of its thread or message
          the execution is complete

        passed: the saved failure does not show
    "#]]
    .assert_eq(&run.stdout);
}

#[test]
fn a_schedule_for_another_program_is_refused() {
    let folder = saved(LOST_UPDATE, "");
    folder.write("other.ed", LOCK_ORDER.replace("right", "wrong").replace("left", "also_wrong"));
    let run = folder.mazurka("replay other.ed s.json");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    expect![[r#"
        note: the schedule was saved for `program`, this is `other`
        error: nothing of the schedule s.json fits the program
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn a_schedule_is_followed_as_far_as_it_goes() {
    let folder = saved(LOST_UPDATE, "");
    folder.write("program.ed", LOCK_ORDER.replace("right", "wrong"));
    let run = folder.mazurka("replay program.ed s.json");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let left = "it left the recorded execution in step 1, which `right` cannot make any more; \
                0 of 4 recorded steps were followed, 8 added";
    assert!(run.stdout.contains(left), "{}", run.stdout);
    assert!(run.stdout.ends_with("passed: the saved failure does not show\n"), "{}", run.stdout);
}

/// Something is done before, and somewhere else: the failure is still there.
#[test]
fn a_schedule_survives_edits() {
    let folder = saved(LOST_UPDATE, "");
    let edited = LOST_UPDATE.replace("thread left {", "var log;\nthread left { log = 1; ");
    assert_ne!(edited, LOST_UPDATE);
    folder.write("program.ed", edited);
    let run = folder.mazurka("replay program.ed s.json");
    assert_eq!(run.status, 1, "{}", run.stderr);
    let left =
        "where left does something new: `log = 1`; 4 of 4 recorded steps were followed, 1 added";
    assert!(run.stdout.contains(left), "{}", run.stdout);
    assert!(run.stdout.ends_with("violation: the saved failure shows again\n"), "{}", run.stdout);
}

#[test]
fn a_task_that_cannot_move_is_passed_over() {
    let folder = Folder::with("program.ed", LOCK_ORDER);
    let moves = json!(["left", "right", "left"]);
    let schedule = json!({ "format": "mazurka-schedule/1", "schedule": moves });
    folder.write("s.json", schedule.to_string());
    let run = folder.mazurka("replay program.ed s.json");
    assert_eq!(run.status, 1, "{}", run.stderr);
    let left = "it left the recorded execution in step 3, which `left` cannot make any more; \
                2 of 3 recorded steps were followed, 0 added";
    assert!(run.stdout.contains(left), "{}", run.stdout);
}

#[test]
fn parameters_that_the_program_does_not_have_are_refused() {
    let folder = saved(STALE, "");
    folder.write("program.ed", LOST_UPDATE);
    let run = folder.mazurka("replay program.ed s.json");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("limit"), "{}", run.stderr);
}

#[test]
fn other_files_are_refused() {
    let folder = Folder::with("program.ed", LOST_UPDATE);
    folder.write("s.json", "[1, 2]");
    let run = folder.mazurka("replay program.ed s.json");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    expect![[r#"
        error: cannot use the schedule s.json: it is not a schedule: invalid type: integer `1`, expected a string at line 1 column 2
    "#]].assert_eq(&run.stderr);
    let run = folder.mazurka("replay program.ed missing.json");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("cannot read missing.json"), "{}", run.stderr);
}

/// Names change more often than what is done.
#[test]
fn a_schedule_survives_other_names() {
    let changes = [
        ("show(", "draw(", "instead of `post show to ui`"),
        ("ready", "loaded", "`loaded = 1` instead of `write ready`"),
        ("thread main", "thread other", "there is no `main` any more, and `other` is taken for it"),
    ];
    for (from, to, left) in changes {
        let folder = saved(STALE, "");
        let edited = STALE.replace(from, to);
        assert_ne!(edited, STALE);
        folder.write("program.ed", edited);
        let run = folder.mazurka("replay program.ed s.json");
        assert_eq!(run.status, 1, "{from}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(left), "{from}:\n{}", run.stdout);
        assert!(run.stdout.ends_with("violation: the saved failure shows again\n"), "{from}");
    }
}

/// What was removed is left out, though what follows looks like it.
#[test]
fn a_step_that_is_gone_is_not_taken_for_the_next_one() {
    let program = "var a; var b; thread t { a = 1; b = 1; } thread u { assert b == 0, \"late\"; }";
    let folder = saved(program, "");
    folder.write("program.ed", program.replace("a = 1; ", ""));
    let run = folder.mazurka("replay program.ed s.json");
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("which `t` cannot make any more; 2 of 3"), "{}", run.stdout);
}
