//! Several programs at once, and what their files say of them: the summary for people, and JSON.

use crate::json::{object, pretty};
use crate::palette::{Palette, Role};
use crate::subject::Exploration;
use crate::text::{count, pad, seconds};
use crate::words;
use mazurka_engine::Verdict;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// An exploration beside what was expected of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    /// The line of the file that says what is expected.
    pub line: usize,
    /// What it says.
    pub expected: String,
    /// In what the exploration differs, in words; nothing if all is as expected.
    pub differences: Vec<String>,
}

impl Compared {
    /// Is all as expected?
    pub fn as_expected(&self) -> bool {
        self.differences.is_empty()
    }

    /// The comparison in a line or a few, with a line break at the end.
    pub fn text(&self, palette: Palette) -> String {
        let Compared { line, expected, differences } = self;
        if self.as_expected() {
            let label = palette.paint(Role::Good, "as expected");
            return format!("{label} (line {line}): {expected}\n");
        }
        let label = palette.paint(Role::Bad, "not as expected");
        let differences: String = differences.iter().map(|one| format!("  {one}\n")).collect();
        format!("{label} (line {line}): {expected}\n{differences}")
    }
}

/// One exploration of a file.
#[derive(Clone, Copy, Debug)]
pub struct Examined<'a> {
    /// What was found.
    pub exploration: Exploration<'a>,
    /// What was expected, where the file was asked.
    pub compared: Option<&'a Compared>,
}

/// What came of one file.
#[derive(Clone, Debug)]
pub struct FileReport<'a> {
    /// The file as it was named.
    pub file: String,
    /// Its explorations, at least one; or what is wrong with the file.
    pub result: Result<Vec<Examined<'a>>, String>,
}

/// What counts of a file in a summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    AsExpected,
    NotAsExpected,
    Verdict(Verdict),
    Error,
}

impl Standing {
    const ALL: [Standing; 6] = [
        Standing::AsExpected,
        Standing::Verdict(Verdict::Safe),
        Standing::NotAsExpected,
        Standing::Verdict(Verdict::Violation),
        Standing::Verdict(Verdict::Incomplete),
        Standing::Error,
    ];

    fn of(report: &FileReport<'_>) -> Standing {
        let Ok(examined) = &report.result else {
            return Standing::Error;
        };
        let mut compared = examined.iter().filter_map(|one| one.compared).peekable();
        if compared.peek().is_none() {
            return Standing::Verdict(verdict(examined));
        }
        if compared.all(Compared::as_expected) {
            Standing::AsExpected
        } else {
            Standing::NotAsExpected
        }
    }

    fn words(self) -> &'static str {
        match self {
            Standing::AsExpected => "as expected",
            Standing::NotAsExpected => "not as expected",
            Standing::Verdict(verdict) => verdict.name(),
            Standing::Error => "error",
        }
    }

    fn role(self) -> Role {
        match self {
            Standing::AsExpected | Standing::Verdict(Verdict::Safe) => Role::Good,
            Standing::Verdict(Verdict::Incomplete) => Role::Caution,
            _ => Role::Bad,
        }
    }

    fn is_good(self) -> bool {
        self.role() == Role::Good
    }
}

/// The verdict of a file's first exploration; there is one.
fn verdict(examined: &[Examined<'_>]) -> Verdict {
    examined.first().map_or(Verdict::Incomplete, |one| one.exploration.outcome.verdict())
}

/// How many files came out how, and a line for each that is not as it should be.
pub fn summary(reports: &[FileReport<'_>], elapsed: Duration, palette: Palette) -> String {
    let standings: Vec<Standing> = reports.iter().map(Standing::of).collect();
    let counts: Vec<String> = Standing::ALL
        .iter()
        .map(|standing| (standings.iter().filter(|it| *it == standing).count(), standing))
        .filter(|(number, _)| *number > 0)
        .map(|(number, standing)| {
            palette.paint(standing.role(), &format!("{number} {}", standing.words()))
        })
        .collect();
    let programs = count(reports.len() as u64, "program");
    let mut out = format!("{programs}: {}, {}\n", counts.join(", "), seconds(elapsed));
    let width = standings.iter().map(|standing| standing.words().len()).max().unwrap_or(0);
    for (report, standing) in reports.iter().zip(standings).filter(|(_, it)| !it.is_good()) {
        let label = palette.paint(standing.role(), &pad(standing.words(), width));
        out.push_str(&format!("  {label}  {}{}\n", report.file, reason(report)));
    }
    out
}

/// Why a file is listed, in a few words.
fn reason(report: &FileReport<'_>) -> String {
    let Ok(examined) = &report.result else {
        return String::new();
    };
    let differs = examined.iter().filter_map(|one| one.compared).find(|it| !it.as_expected());
    if let Some(compared) = differs {
        return format!(":{}: {}", compared.line, compared.differences.join("; "));
    }
    let failure = examined.iter().find_map(|one| one.exploration.outcome.failures.first());
    failure.map_or_else(String::new, |failure| {
        format!(": {}", words::headline(failure.kind.name(), &failure.message))
    })
}

/// One file as the object that [`crate::json::exploration`] makes, with what was expected where the file was asked.
pub fn one_file(examined: &[Examined<'_>]) -> String {
    pretty(&Value::Object(fields(examined)))
}

/// Several files as one JSON object. `status` is the exit status.
pub fn several_files(reports: &[FileReport<'_>], elapsed: Duration, status: u8) -> String {
    let number = |standing: Standing| {
        reports.iter().filter(|report| Standing::of(report) == standing).count()
    };
    let verdicts = |wanted: Verdict| {
        let explored = reports.iter().filter_map(|report| report.result.as_ref().ok());
        explored.filter(|examined| verdict(examined) == wanted).count()
    };
    let files: Map<String, Value> =
        reports.iter().map(|report| (report.file.clone(), file_object(report))).collect();
    pretty(&json!({
        "programs": reports.len(),
        "safe": verdicts(Verdict::Safe),
        "violation": verdicts(Verdict::Violation),
        "incomplete": verdicts(Verdict::Incomplete),
        "error": number(Standing::Error),
        "as_expected": number(Standing::AsExpected),
        "not_as_expected": number(Standing::NotAsExpected),
        "status": status,
        "elapsed_seconds": elapsed.as_secs_f64(),
        "files": files,
    }))
}

fn file_object(report: &FileReport<'_>) -> Value {
    let mut object = Map::new();
    object.insert("file".to_owned(), json!(report.file));
    match &report.result {
        Ok(examined) => object.append(&mut fields(examined)),
        Err(error) => {
            object.insert("verdict".to_owned(), json!("error"));
            object.insert("error".to_owned(), json!(error));
        }
    }
    Value::Object(object)
}

/// The fields of a file's first exploration, and all that was expected.
fn fields(examined: &[Examined<'_>]) -> Map<String, Value> {
    let first = examined.first().map(|one| value(&object(&one.exploration)));
    let mut fields = match first {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let expectations: Vec<Value> = examined.iter().filter_map(expectation).collect();
    if !expectations.is_empty() {
        let met = examined.iter().filter_map(|one| one.compared).all(Compared::as_expected);
        fields.insert("as_expected".to_owned(), json!(met));
        fields.insert("expectations".to_owned(), json!(expectations));
    }
    fields
}

fn expectation(examined: &Examined<'_>) -> Option<Value> {
    let Compared { line, expected, differences } = examined.compared?;
    let Exploration { config, outcome, .. } = examined.exploration;
    Some(json!({
        "line": line,
        "expected": expected,
        "as_expected": differences.is_empty(),
        "differences": differences,
        "algorithm": config.algorithm.name(),
        "verdict": outcome.verdict().name(),
        "executions": outcome.statistics.executions,
    }))
}

fn value(object: &impl Serialize) -> Value {
    serde_json::to_value(object).expect("maps have text keys and numbers are finite")
}
