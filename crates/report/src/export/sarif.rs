//! Results for code scanning: SARIF 2.1.0. The steps of a failure are its code flow.

use super::Columns;
use crate::files::{Examined, FileReport};
use crate::page::parse;
use crate::words;
use mazurka_engine::{Failure, FailureKind, RecordedEvent, Recording};
use serde_json::{Value, json};

/// A result for each failure, and for each file that cannot be explored.
pub fn sarif(reports: &[FileReport<'_>], version: &str) -> String {
    let results: Vec<Value> = reports.iter().flat_map(results).collect();
    let kinds = {
        use FailureKind::{Assertion, DataRace, Deadlock, Fault, Nondeterminism};
        [Assertion, Deadlock, Fault, DataRace, Nondeterminism].map(FailureKind::name)
    };
    let rules: Vec<Value> = kinds
        .into_iter()
        .chain(["input"])
        .map(|kind| json!({ "id": kind, "shortDescription": { "text": description(kind) } }))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "mazurka", "version": version, "rules": rules } },
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn description(kind: &str) -> &'static str {
    match kind {
        "assertion" => "An assertion does not hold in some order of events",
        "deadlock" => "Some order of events ends in a deadlock",
        "input" => "The program cannot be read or does not compile",
        "nondeterminism" => "The program is not a function of the schedule",
        "data-race" => "Two accesses race",
        _ => "Some order of events fails",
    }
}

fn results(report: &FileReport<'_>) -> Vec<Value> {
    let file = report.file.as_str();
    match &report.result {
        Ok(examined) => {
            let results = |one: &Examined<'_>| {
                let shown = one.exploration.explanation;
                let failures = one.exploration.outcome.failures.iter().enumerate();
                // What the first one does is known step by step.
                let steps = |at| shown.filter(|_| at == 0).map(|it| &it.recording);
                failures.map(|(at, it)| result(file, it, steps(at))).collect::<Vec<_>>()
            };
            examined.iter().flat_map(results).collect()
        }
        Err(error) => vec![json!({
            "ruleId": "input",
            "level": "error",
            "message": { "text": error },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }],
        })],
    }
}

fn result(file: &str, failure: &Failure, steps: Option<&Recording>) -> Value {
    let schedule: Vec<&str> =
        failure.schedule.moves.iter().map(|next| next.task.as_str()).collect();
    let mut result = json!({
        "ruleId": failure.kind.name(),
        "level": "error",
        "message": { "text": words::headline(failure.kind.name(), &failure.message) },
        "locations": [{ "physicalLocation": physical(file, failure.location.as_deref()) }],
        "properties": { "schedule": schedule },
    });
    if let Some(recording) = steps.filter(|recording| !recording.events.is_empty()) {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow(file, recording) }] }]);
    }
    result
}

/// The steps that lead to a failure.
fn flow(file: &str, recording: &Recording) -> Vec<Value> {
    let columns = Columns::of(recording);
    let step = |(at, event): (usize, &RecordedEvent)| {
        let who = &columns.names[columns.number(event)];
        let text = format!("{who}: {}", words::event_of(event, recording));
        let place = physical(file, event.location.as_deref());
        json!({
            "location": { "physicalLocation": place, "message": { "text": text } },
            "executionOrder": at + 1,
        })
    };
    recording.events.iter().enumerate().map(step).collect()
}

/// A place in the file.
fn physical(file: &str, location: Option<&str>) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some((_, line, column)) = location.and_then(parse) {
        physical["region"] = json!({ "startLine": line });
        if column > 0 {
            physical["region"]["startColumn"] = column.into();
        }
    }
    physical
}

/// A path as a relative address: what has a meaning in one is escaped.
fn uri(path: &str) -> String {
    path.chars()
        .map(|sign| match sign {
            '%' => "%25".to_owned(),
            ' ' => "%20".to_owned(),
            '#' => "%23".to_owned(),
            '?' => "%3F".to_owned(),
            '\\' => "/".to_owned(),
            other => other.to_string(),
        })
        .collect()
}
