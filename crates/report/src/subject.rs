//! What a report is about.

use mazurka_engine::explain::Explanation;
use mazurka_engine::{Config, Mailbox, Outcome};

/// The program that was executed, and the way it was set up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The program's name, such as `posters`.
    pub program: String,
    /// The values of its parameters, in the order of the program.
    pub params: Vec<(String, i64)>,
    /// The policy of the mailboxes that the program does not say more about.
    pub mailbox: Mailbox,
}

impl Subject {
    /// `posters (n = 3, multiset)`.
    pub fn describe(&self) -> String {
        let params = self.params.iter().map(|(name, value)| format!("{name} = {value}"));
        let facts: Vec<String> = params.chain([self.mailbox.name().to_owned()]).collect();
        format!("{} ({})", self.program, facts.join(", "))
    }
}

/// An exploration that has come to its end.
#[derive(Clone, Copy, Debug)]
pub struct Exploration<'a> {
    /// What was explored.
    pub subject: &'a Subject,
    /// How.
    pub config: &'a Config,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// Why the first failure fails, if that was asked.
    pub explanation: Option<&'a Explanation>,
}
