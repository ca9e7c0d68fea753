//! The exploration of a Rust test as JSON. Fields that `mazurka check` has too are called as there and mean the same.

use crate::explanation::because;
use crate::steps::steps;
use crate::written::{Fields, Written, to_json};
use mazurka_engine::explain::Explanation;
use mazurka_engine::{Statistics, Verdict};

/// What a Rust test explored.
#[derive(Clone, Copy, Debug)]
pub struct RustTest<'a> {
    /// The name of the test.
    pub name: &'a str,
    /// The name of the algorithm.
    pub algorithm: &'a str,
    /// What came of it.
    pub verdict: Verdict,
    /// What was counted.
    pub statistics: &'a Statistics,
    /// What was cut or given up, a sentence each.
    pub not_explored: &'a [String],
    /// The failures, and for each the line that shows it again.
    pub failures: &'a [(&'a Explanation, String)],
}

impl RustTest<'_> {
    /// One object, with a line break at its end.
    pub fn json(&self) -> String {
        to_json(self) + "\n"
    }
}

impl Written for RustTest<'_> {
    fn write(&self, out: &mut String) {
        let statistics = self.statistics;
        let mut fields = Fields::new(out);
        fields.field("test", self.name);
        fields.field("algorithm", self.algorithm);
        fields.field("verdict", self.verdict.name());
        fields.field("executions", &statistics.executions);
        fields.field("blocked", &statistics.blocked);
        fields.field("redundant", &statistics.redundant);
        fields.field("deadlocks", &statistics.deadlocks);
        fields.field("truncated", &statistics.truncated);
        fields.field("transitions", &statistics.transitions);
        fields.field("elapsed_seconds", &statistics.elapsed.as_secs_f64());
        fields.field("not_explored", self.not_explored);
        let failures: Vec<_> = self.failures.iter().map(Failed).collect();
        fields.field("failures", &failures);
        fields.end();
    }
}

/// A failure, and the line that shows it again.
struct Failed<'a>(&'a (&'a Explanation, String));

impl Written for Failed<'_> {
    fn write(&self, out: &mut String) {
        let (explained, replay) = self.0;
        let failure = &explained.failure;
        let mut fields = Fields::new(out);
        fields.field("kind", failure.kind.name());
        fields.field("message", &failure.message);
        fields.field("location", &failure.location);
        fields.field("schedule", &failure.schedule.moves);
        fields.field("because", &because(explained));
        fields.field("replay", replay);
        fields.field("waiting", &explained.recording.waiting);
        fields.field("steps", &steps(&explained.recording));
        fields.end();
    }
}
