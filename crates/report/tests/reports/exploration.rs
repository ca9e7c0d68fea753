//! How explorations look: summaries, JSON, saved schedules.

use crate::common::*;
use expect_test::{Expect, expect};
use mazurka_engine::{Algorithm, ClassCounts, Config, Limits, Outcome, Recording};
use mazurka_report::{
    Exploration, Palette, ScheduleFileError, json, schedule_file, subject::Subject, summary,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn check_summary(config: &Config, outcome: &Outcome, expected: Expect) {
    let subject = subject();
    let exploration = Exploration { subject: &subject, config, outcome, explanation: None };
    expected.assert_eq(&summary(&exploration, Palette::PLAIN));
}

#[test]
fn summary_of_a_safe_program() {
    let mut outcome = outcome(Vec::new(), true);
    outcome.classes = Some(ClassCounts { complete: 90, ordered: 90, ..ClassCounts::default() });
    check_summary(
        &config(),
        &outcome,
        expect![[r#"
        safe: lost (n = 3, a = -1, multiset), event
          90 complete executions, 1,234 events, 0.004 s
          90 distinct traces, 90 when the order of messages on a handler counts
    "#]],
    );
}

#[test]
fn summary_of_a_violation() {
    let mut outcome = outcome(vec![failure()], false);
    outcome.classes =
        Some(ClassCounts { complete: 6, ordered: 8, deadlocked: 1, ..ClassCounts::default() });
    outcome.statistics.deadlocks = 1;
    outcome.statistics.redundant = 2000;
    check_summary(
        &config(),
        &outcome,
        expect![[r#"
            violation: lost (n = 3, a = -1, multiset), event
              90 complete executions, 1,234 events, 0.004 s
              1 deadlocked, 2,000 abandoned as redundant
              6 distinct traces, 8 when the order of messages on a handler counts; 1 deadlocked
              not everything was explored: it stopped at the first failure; --keep-going explores everything
        "#]],
    );
}

#[test]
fn summary_of_an_incomplete_exploration_gives_every_reason() {
    let config = Config {
        algorithm: Algorithm::Random,
        limits: Limits {
            max_executions: Some(92),
            timeout: Some(Duration::from_millis(4)),
            cancel: Some(Arc::new(AtomicBool::new(true))),
            ..Limits::default()
        },
        ..config()
    };
    let mut outcome = outcome(Vec::new(), false);
    outcome.statistics.truncated = 1;
    outcome.statistics.blocked = 1;
    check_summary(
        &config,
        &outcome,
        expect![[r#"
        incomplete: lost (n = 3, a = -1, multiset), random
          90 complete executions, 1,234 events, 0.004 s
          1 blocked by an assume or a waiting loop, 1 cut at a bound
          not everything was explored: it was interrupted
          not everything was explored: the time limit of 0.004 s was reached
          not everything was explored: the limit of 92 executions was reached
          not everything was explored: a loop was cut at its bound in 1 execution; --unroll raises the bound
          not everything was explored: random only samples: finding nothing proves nothing
    "#]],
    );
}

#[test]
fn failures_are_listed_after_the_first() {
    let other = |message: &str| {
        let mut other = failure();
        other.message = message.to_owned();
        other
    };
    let outcome = outcome(vec![failure(), other("y is false"), other("z is false")], true);
    let (subject, config) = (subject(), config());
    let exploration =
        Exploration { subject: &subject, config: &config, outcome: &outcome, explanation: None };
    expect![[r#"
        assertion: x == 2 is false
          at lost.ed:9:12
    "#]]
    .assert_eq(&summary::failure(&outcome.failures[0], Palette::PLAIN));
    expect![[r#"
        and 2 more failures:
          assertion: y is false (lost.ed:9:12)
          assertion: z is false (lost.ed:9:12)
    "#]]
    .assert_eq(&summary::other_failures(&exploration));
}

#[test]
fn json_of_an_exploration() {
    let mut outcome = outcome(vec![failure()], true);
    outcome.classes = Some(ClassCounts {
        complete: 6,
        ordered: 7,
        deadlocked: 1,
        blocked: 2,
        ..ClassCounts::default()
    });
    let (subject, config) = (subject(), config());
    let exploration =
        Exploration { subject: &subject, config: &config, outcome: &outcome, explanation: None };
    expect![[r#"
        {
          "program": "lost",
          "params": {
            "n": 3,
            "a": -1
          },
          "mailbox": "multiset",
          "algorithm": "event",
          "verdict": "violation",
          "executions": 90,
          "blocked": 0,
          "redundant": 0,
          "deadlocks": 0,
          "truncated": 0,
          "classes": 6,
          "ordered_classes": 7,
          "deadlocked_classes": 1,
          "blocked_classes": 2,
          "transitions": 1234,
          "elapsed_seconds": 0.004,
          "incomplete_because": [],
          "not_explored": [],
          "statistics": {
            "races": 0,
            "wakeups": 0,
            "parked": 0,
            "redundancy_checks": {
              "simple": 0,
              "happens_before": 0,
              "witness": 0,
              "decision": 0
            }
          },
          "failures": [
            {
              "kind": "assertion",
              "message": "x == 2 is false",
              "location": "lost.ed:9:12",
              "schedule": [
                "left",
                {
                  "task": "right",
                  "choice": 2
                },
                "left.1"
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&json::exploration(&exploration));
}

#[test]
fn json_without_classes_has_no_fields_for_them() {
    let outcome = outcome(Vec::new(), true);
    let (subject, config) = (subject(), config());
    let exploration =
        Exploration { subject: &subject, config: &config, outcome: &outcome, explanation: None };
    assert!(!json::exploration(&exploration).contains("classes"));
}

#[test]
fn json_of_a_replay() {
    let expected = (&failure()).into();
    let text = json::replayed(&subject(), &failing_message(), Some(&expected));
    expect![[r#"
        {
          "program": "lost",
          "params": {
            "n": 3,
            "a": -1
          },
          "mailbox": "multiset",
          "verdict": "violation",
          "reproduced": false,
          "ending": null,
          "waiting": [],
          "failures": [
            {
              "kind": "assertion",
              "message": "x == 0 is false, \"<b>no & never</b>\"",
              "location": "lost.ed:9:12"
            }
          ],
          "steps": [
            {
              "step": 1,
              "column": "poster[0]",
              "task": "poster[0]",
              "path": "poster[0]",
              "action": {
                "post": "first(0)",
                "to": "h"
              },
              "accesses": [],
              "ends_task": true,
              "location": "lost.ed:4:5",
              "failures": []
            },
            {
              "step": 2,
              "column": "h",
              "task": "first(0)",
              "path": "path of first(0)",
              "action": "start",
              "accesses": [],
              "ends_task": false,
              "location": "lost.ed:6:5",
              "failures": []
            },
            {
              "step": 3,
              "column": "other",
              "task": "other",
              "path": "other",
              "action": null,
              "accesses": [
                {
                  "update": "x",
                  "from": 0,
                  "to": 3
                }
              ],
              "ends_task": false,
              "location": "lost.ed:5:5",
              "failures": []
            },
            {
              "step": 4,
              "column": "h",
              "task": "first(0)",
              "path": "path of first(0)",
              "action": null,
              "accesses": [
                {
                  "read": "x",
                  "value": 3
                }
              ],
              "ends_task": false,
              "location": "lost.ed:7:5",
              "failures": [
                {
                  "kind": "assertion",
                  "message": "x == 0 is false, \"<b>no & never</b>\"",
                  "location": "lost.ed:9:12"
                }
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&text);
    assert!(
        json::replayed(&subject(), &lost_update(), Some(&expected))
            .contains("\"reproduced\": true")
    );
}

#[test]
fn a_schedule_is_read_as_it_was_written() {
    let text = {
        let failure = failure();
        let schedule = &failure.schedule;
        let recording = Recording::default();
        schedule_file::write(&subject(), Some(1000), schedule, Some(&failure), &recording)
    };
    expect![[r#"
        {
          "format": "mazurka-schedule/1",
          "program": "lost",
          "params": {
            "n": 3,
            "a": -1
          },
          "mailbox": "multiset",
          "unroll": 1000,
          "failure": {
            "kind": "assertion",
            "message": "x == 2 is false",
            "location": "lost.ed:9:12"
          },
          "schedule": [
            "left",
            {
              "task": "right",
              "choice": 2
            },
            "left.1"
          ]
        }
    "#]]
    .assert_eq(&text);
    let read = schedule_file::read(&text).expect("its own text");
    let Subject { program, params, mailbox } = subject();
    assert_eq!(read.program, program);
    assert_eq!(read.params, params.into_iter().collect());
    assert_eq!(read.mailbox, Some(mailbox));
    assert_eq!(read.unroll, Some(1000));
    assert_eq!(read.failure, Some((&failure()).into()));
    assert_eq!(read.schedule, failure().schedule);
}

#[test]
fn other_files_are_not_schedules() {
    let refusal = |text: &str| schedule_file::read(text).expect_err("not a schedule").to_string();
    expect!["it is not a schedule: expected ident at line 1 column 2"]
        .assert_eq(&refusal("nonsense"));
    expect!["it is not a schedule: missing field `format` at line 1 column 2"]
        .assert_eq(&refusal("{}"));
    expect![
        "its format is `mazurka-schedule/9`; this version of mazurka reads `mazurka-schedule/1`"
    ]
    .assert_eq(&refusal(r#"{"format": "mazurka-schedule/9", "schedule": {}}"#));
    expect!["it names the mailbox policy `heap`; there are `fifo` and `multiset`"].assert_eq(
        &refusal(r#"{"format": "mazurka-schedule/1", "mailbox": "heap", "schedule": []}"#),
    );
    let wrong = schedule_file::read(r#"{"format": "mazurka-schedule/1", "schedule": [1]}"#);
    assert!(matches!(wrong, Err(ScheduleFileError::Malformed(_))));
}
