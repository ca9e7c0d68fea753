//! Results for continuous integration: JUnit XML, as the schema of Jenkins has it.

use crate::files::{Examined, FileReport};
use crate::palette::Palette;
use crate::reasons::reasons;
use crate::words;
use mazurka_engine::Verdict;
use std::time::Duration;

/// A test case for each exploration of each file. What is not as expected, or a violation where nothing is expected, is a failure; what was not
/// explored to the end is skipped; a file that cannot be read or does not compile is an error.
pub fn junit(reports: &[FileReport<'_>], elapsed: Duration) -> String {
    let cases: Vec<Case> = reports.iter().flat_map(cases).collect();
    let count = |wanted: &str| cases.iter().filter(|case| case.kind() == wanted).count();
    let totals = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        cases.len(),
        count("failure"),
        count("error"),
        count("skipped"),
        elapsed.as_secs_f64()
    );
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mazurka\" {totals}>\n  <testsuite name=\"mazurka\" {totals}>\n"
    );
    for case in &cases {
        out.push_str(&case.text());
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

struct Case {
    file: String,
    name: String,
    seconds: f64,
    /// The element that says what is wrong, its message, its type and its text.
    wrong: Option<(&'static str, String, String, String)>,
}

impl Case {
    fn kind(&self) -> &str {
        self.wrong.as_ref().map_or("passed", |(kind, ..)| kind)
    }

    fn text(&self) -> String {
        let head = format!(
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
            escaped(&self.file),
            escaped(&self.name),
            self.seconds
        );
        match &self.wrong {
            None => format!("{head}/>\n"),
            Some(("skipped", message, ..)) => {
                format!(
                    "{head}>\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                    escaped(message)
                )
            }
            Some((kind, message, what, text)) => format!(
                "{head}>\n      <{kind} message=\"{}\" type=\"{}\">{}</{kind}>\n    </testcase>\n",
                escaped(message),
                escaped(what),
                escaped(text)
            ),
        }
    }
}

fn cases(report: &FileReport<'_>) -> Vec<Case> {
    match &report.result {
        Ok(examined) => examined.iter().map(|one| case(&report.file, one)).collect(),
        Err(error) => {
            let message = error.lines().next().unwrap_or_default().to_owned();
            let wrong = Some(("error", message, "input".to_owned(), error.clone()));
            vec![Case {
                file: report.file.clone(),
                name: "compiles".to_owned(),
                seconds: 0.0,
                wrong,
            }]
        }
    }
}

fn case(file: &str, one: &Examined<'_>) -> Case {
    let exploration = &one.exploration;
    let outcome = exploration.outcome;
    let name = match one.compared {
        Some(compared) => format!("expect: {}", compared.expected),
        None => exploration.subject.describe(),
    };
    let wrong = match (one.compared, outcome.verdict()) {
        (Some(compared), _) if compared.as_expected() => None,
        (Some(compared), _) => Some((
            "failure",
            "not as expected".to_owned(),
            "expectation".to_owned(),
            compared.differences.join("\n"),
        )),
        (None, Verdict::Safe) => None,
        (None, Verdict::Violation) => outcome.failures.first().map(|failure| {
            let message = words::headline(failure.kind.name(), &failure.message);
            let text = crate::summary::failure(failure, Palette::PLAIN);
            ("failure", message, failure.kind.name().to_owned(), text)
        }),
        (None, Verdict::Incomplete) => {
            let why: Vec<String> = reasons(exploration).iter().map(|it| it.words()).collect();
            Some((
                "skipped",
                format!("incomplete: {}", why.join("; ")),
                String::new(),
                String::new(),
            ))
        }
    };
    Case { file: file.to_owned(), name, seconds: outcome.statistics.elapsed.as_secs_f64(), wrong }
}

/// For attributes and text; what XML cannot say at all is left out.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            control if control.is_control() && control != '\t' => {}
            other => out.push(other),
        }
    }
    out
}
