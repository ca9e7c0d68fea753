//! Results for code scanning: SARIF 2.1.0.

use crate::files::FileReport;
use crate::words;
use mazurka_engine::{Failure, FailureKind};
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
            let failures = examined.iter().flat_map(|one| &one.exploration.outcome.failures);
            failures.map(|failure| result(file, failure)).collect()
        }
        Err(error) => vec![json!({
            "ruleId": "input",
            "level": "error",
            "message": { "text": error },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }],
        })],
    }
}

fn result(file: &str, failure: &Failure) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some((line, column)) = failure.location.as_deref().and_then(place) {
        physical["region"] = json!({ "startLine": line, "startColumn": column });
    }
    let schedule: Vec<&str> =
        failure.schedule.moves.iter().map(|next| next.task.as_str()).collect();
    json!({
        "ruleId": failure.kind.name(),
        "level": "error",
        "message": { "text": words::headline(failure.kind.name(), &failure.message) },
        "locations": [{ "physicalLocation": physical }],
        "properties": { "schedule": schedule },
    })
}

/// The line and the column of `file:line:column`.
fn place(location: &str) -> Option<(u64, u64)> {
    let mut parts = location.rsplit(':');
    let column = parts.next()?.parse().ok()?;
    Some((parts.next()?.parse().ok()?, column))
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
