//! Outcomes as JSON objects. The fields are a contract: names and meanings stay once they exist.

use crate::again;
use crate::explanation;
use crate::left;
use crate::reasons::{Reason, reasons};
use crate::schedule_file::{ExpectedFailure, SavedMove, saved_moves};
use crate::steps::steps;
use crate::subject::{Exploration, Subject};
use crate::written::{Written, to_json};
use mazurka_engine::explain::{Again, Explanation};
use mazurka_engine::{Ending, Failure, Recording, Statistics};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

/// Parameters as an object, in the program's order.
pub(crate) struct Params<'a>(pub &'a [(String, i64)]);

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
struct ExplorationObject<'a> {
    program: &'a str,
    params: Params<'a>,
    mailbox: &'a str,
    algorithm: &'a str,
    verdict: &'a str,
    executions: u64,
    blocked: u64,
    redundant: u64,
    deadlocks: u64,
    truncated: u64,
    #[serde(flatten)]
    classes: Option<ClassesObject>,
    transitions: u64,
    elapsed_seconds: f64,
    /// How many executions there would have been, where a limit came before the end and something is known of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Value>,
    incomplete_because: Vec<&'static str>,
    not_explored: Vec<String>,
    statistics: Value,
    failures: Vec<FailureObject<'a>>,
}

#[derive(serde::Serialize)]
struct ClassesObject {
    classes: u64,
    ordered_classes: u64,
    deadlocked_classes: u64,
    blocked_classes: u64,
}

#[derive(serde::Serialize)]
struct FailureObject<'a> {
    kind: &'a str,
    message: &'a str,
    location: Option<&'a str>,
    schedule: Vec<SavedMove>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Value>,
}

/// An exploration as one JSON object on several lines, with a line break at its end.
pub fn exploration(exploration: &Exploration<'_>) -> String {
    pretty(&object(exploration))
}

/// The fields of an exploration.
pub(crate) fn object<'a>(exploration: &Exploration<'a>) -> impl Serialize + use<'a> {
    let Exploration { subject, config, outcome, explanation } = *exploration;
    let statistics = &outcome.statistics;
    let reasons = reasons(exploration);
    ExplorationObject {
        program: &subject.program,
        params: Params(&subject.params),
        mailbox: subject.mailbox.name(),
        algorithm: config.algorithm.name(),
        verdict: outcome.verdict().name(),
        executions: statistics.executions,
        blocked: statistics.blocked,
        redundant: statistics.redundant,
        deadlocks: statistics.deadlocks,
        truncated: statistics.truncated,
        classes: outcome.classes.map(|classes| ClassesObject {
            classes: classes.complete,
            ordered_classes: classes.ordered,
            deadlocked_classes: classes.deadlocked,
            blocked_classes: classes.blocked,
        }),
        transitions: statistics.transitions,
        elapsed_seconds: statistics.elapsed.as_secs_f64(),
        estimate: left::at_limit(exploration).map(|it| left::object(&it, statistics)),
        incomplete_because: reasons.iter().map(Reason::name).collect(),
        not_explored: reasons.iter().map(Reason::words).collect(),
        statistics: statistics_object(statistics),
        failures: (outcome.failures.iter().enumerate())
            .map(|(at, failure)| failure_object(failure, explanation.filter(|_| at == 0)))
            .collect(),
    }
}

fn failure_object<'a>(failure: &'a Failure, explained: Option<&Explanation>) -> FailureObject<'a> {
    FailureObject {
        kind: failure.kind.name(),
        message: &failure.message,
        location: failure.location.as_deref(),
        schedule: saved_moves(&failure.schedule),
        explanation: explained.map(explanation::object),
    }
}

fn statistics_object(statistics: &Statistics) -> Value {
    let checks = &statistics.redundancy_checks;
    json!({
        "races": statistics.races,
        "wakeups": statistics.wakeups,
        "parked": statistics.parked,
        "redundancy_checks": {
            "simple": checks.simple,
            "happens_before": checks.happens_before,
            "witness": checks.witness,
            "decision": checks.decision,
        },
    })
}

/// One execution as one JSON object. `expected` is the failure that its schedule was saved for.
pub fn replayed(
    subject: &Subject,
    recording: &Recording,
    expected: Option<&ExpectedFailure>,
) -> String {
    execution(subject, recording, expected, None)
}

/// A schedule that was followed as far as it goes.
pub fn replayed_again(
    subject: &Subject,
    again: &Again,
    expected: Option<&ExpectedFailure>,
) -> String {
    execution(subject, &again.recording, expected, Some(again::object(again)))
}

fn execution(
    subject: &Subject,
    recording: &Recording,
    expected: Option<&ExpectedFailure>,
    replay: Option<Value>,
) -> String {
    #[derive(serde::Serialize)]
    struct Object<'a> {
        program: &'a str,
        params: Params<'a>,
        mailbox: &'a str,
        verdict: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reproduced: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        replay: Option<Value>,
        ending: Option<&'a str>,
        waiting: &'a [String],
        failures: Vec<ExpectedFailure>,
        steps: Value,
    }
    let failures = failures_of(recording);
    let is_there = |expected: &ExpectedFailure| {
        failures.iter().any(|failure| failure.is_same_but_for_place(expected))
    };
    let reproduced = expected.map(is_there);
    pretty(&Object {
        program: &subject.program,
        params: Params(&subject.params),
        mailbox: subject.mailbox.name(),
        verdict: if failures.is_empty() { "passed" } else { "violation" },
        reproduced,
        replay,
        ending: recording.ending.map(ending_name),
        waiting: &recording.waiting,
        failures,
        steps: value(&steps(recording)),
    })
}

/// Everything that went wrong in a recording, in order.
pub fn failures_of(recording: &Recording) -> Vec<ExpectedFailure> {
    let during = recording.events.iter().flat_map(|event| &event.faults);
    let all = during.chain(&recording.final_faults);
    all.map(ExpectedFailure::from).collect()
}

fn ending_name(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "complete",
        Ending::Blocked => "blocked",
        Ending::Deadlocked => "deadlocked",
        Ending::Truncated => "truncated",
    }
}

/// What is written by hand for Rust tests, as the value that it is.
fn value(written: &impl Written) -> Value {
    serde_json::from_str(&to_json(written)).expect("what is written is JSON")
}

pub(crate) fn pretty(object: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(object);
    text.expect("maps have text keys and numbers are finite") + "\n"
}
