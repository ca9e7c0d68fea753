//! A report as one JSON object. The fields are a contract: names and meanings stay once they exist.

use super::model::{Difference, RaceClass, RaceEnd, Severity, WebFailure, WebRace, WebReport};
use crate::json::pretty;
use serde::Serialize;

#[derive(Serialize)]
struct ReportObject<'a> {
    page: &'a str,
    bound: Option<u32>,
    verdict: &'a str,
    events: usize,
    executions: usize,
    races: Vec<RaceObject<'a>>,
    failures: &'a [WebFailure],
    incomplete_because: Vec<&'a str>,
    notes: &'a [String],
    elapsed_seconds: f64,
}

#[derive(Serialize)]
struct RaceObject<'a> {
    first: EndObject<'a>,
    second: EndObject<'a>,
    location: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    other_locations: &'a [String],
    class: RaceClass,
    severity: Severity,
    differences: &'a [Difference],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    depth: u32,
    skipped: usize,
    new: usize,
    schedule: &'a str,
}

#[derive(Serialize)]
struct EndObject<'a> {
    kind: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<&'a str>,
}

/// The report as one JSON object on several lines, with a line break at its end. Races stand in the order in which they were
/// reversed.
pub fn json(report: &WebReport) -> String {
    pretty(&ReportObject {
        page: &report.page,
        bound: report.bound,
        verdict: report.verdict.name(),
        events: report.recorded_events(),
        executions: report.sequences.len(),
        races: report.races.iter().map(|race| race_object(report, race)).collect(),
        failures: &report.failures,
        incomplete_because: report.incomplete.iter().map(|why| &why.because[..]).collect(),
        notes: &report.notes,
        elapsed_seconds: report.elapsed.as_secs_f64(),
    })
}

fn race_object<'a>(report: &'a WebReport, race: &'a WebRace) -> RaceObject<'a> {
    let sequence = &report.sequences[race.sequence];
    RaceObject {
        first: end_object(report, &race.first),
        second: end_object(report, &race.second),
        location: &race.location,
        other_locations: &race.other_locations,
        class: race.class,
        severity: race.severity,
        differences: &race.differences,
        reason: race.reason.as_deref(),
        depth: sequence.depth,
        skipped: sequence.skipped.len(),
        new: sequence.new.len(),
        schedule: &race.schedule,
    }
}

fn end_object<'a>(report: &'a WebReport, end: &'a RaceEnd) -> EndObject<'a> {
    let event = report.event(end.event);
    let location = end.place.as_deref().or(event.place.as_deref());
    EndObject { kind: &event.kind, name: &event.name, location }
}
