//! An outcome beside what was expected.

use super::{Expectation, ExpectedFailure};
use mazurka_engine::{Failure, Outcome, Verdict};
use mazurka_report::Compared;

impl Expectation {
    /// In what an outcome differs.
    pub fn compare(&self, outcome: &Outcome) -> Compared {
        let mut differences = Vec::new();
        let found = outcome.verdict();
        if found == self.verdict {
            let missing = self.failures.iter().filter(|failure| !failure.is_among(outcome));
            differences.extend(missing.map(|failure| failure.missing(outcome)));
        } else {
            differences.push(format!(
                "expected {}, found {}",
                self.verdict.name(),
                describe(outcome)
            ));
        }
        differences.extend(self.counts.iter().filter_map(|count| count.difference(outcome)));
        Compared { line: self.line, expected: self.text.clone(), differences }
    }
}

impl ExpectedFailure {
    fn is_among(&self, outcome: &Outcome) -> bool {
        outcome.failures.iter().any(|failure| self.is(failure))
    }

    fn is(&self, failure: &Failure) -> bool {
        let text = self.text.as_deref().unwrap_or("");
        self.kind.is_none_or(|kind| kind == failure.kind) && failure.message.contains(text)
    }

    fn missing(&self, outcome: &Outcome) -> String {
        let kind = self.kind.map_or("violation", |kind| kind.name());
        let text = self.text.as_ref().map_or_else(String::new, |text| format!(" \"{text}\""));
        let found: Vec<String> = outcome.failures.iter().map(one).collect();
        format!("expected {kind}{text}, found {}", found.join(", "))
    }
}

fn describe(outcome: &Outcome) -> String {
    match (outcome.verdict(), outcome.failures.first()) {
        (Verdict::Violation, Some(failure)) => format!("violation: {}", one(failure)),
        (verdict, _) => verdict.name().to_owned(),
    }
}

fn one(failure: &Failure) -> String {
    format!("{} \"{}\"", failure.kind.name(), failure.message)
}
