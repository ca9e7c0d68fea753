//! Executions and results in the formats of other tools.
//!
//! | kind | for | of |
//! |---|---|---|
//! | `mermaid` | Markdown pages: a sequence diagram | an execution |
//! | `shiviz` | ShiViz: a log with vector clocks | an execution |
//! | `chrome` | Perfetto and `chrome://tracing` | an execution |
//! | `graphviz` | `dot`: happens-before | an execution |
//! | `junit` | continuous integration: JUnit XML | the results of files |
//! | `sarif` | code scanning: SARIF 2.1.0 | the results of files |

mod chrome;
mod graphviz;
mod junit;
mod mermaid;
mod sarif;
mod shiviz;

pub use junit::junit;
pub use sarif::sarif;

use crate::lane_key::{Key, key_of, key_of_handler, keys_of, names};
use mazurka_engine::{Failure, RecordedEvent, Recording};
use std::collections::HashMap;

/// A format of another tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A sequence diagram.
    Mermaid,
    /// A log for ShiViz.
    ShiViz,
    /// A trace for Perfetto or Chrome.
    Chrome,
    /// Happens-before for `dot`.
    Graphviz,
    /// Results for continuous integration.
    JUnit,
    /// Results for code scanning.
    Sarif,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] =
        [Kind::Mermaid, Kind::ShiViz, Kind::Chrome, Kind::Graphviz, Kind::JUnit, Kind::Sarif];

    /// The word that the command line uses.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mermaid => "mermaid",
            Kind::ShiViz => "shiviz",
            Kind::Chrome => "chrome",
            Kind::Graphviz => "graphviz",
            Kind::JUnit => "junit",
            Kind::Sarif => "sarif",
        }
    }

    /// Is it about results, not about one execution?
    pub fn is_of_results(self) -> bool {
        matches!(self, Kind::JUnit | Kind::Sarif)
    }
}

/// An execution in one of the formats for executions; nothing for those of results.
pub fn execution(kind: Kind, recording: &Recording, failure: Option<&Failure>) -> Option<String> {
    match kind {
        Kind::Mermaid => Some(mermaid::diagram(recording, failure)),
        Kind::ShiViz => Some(shiviz::log(recording, failure)),
        Kind::Chrome => Some(chrome::trace(recording, failure)),
        Kind::Graphviz => Some(graphviz::graph(recording, failure)),
        Kind::JUnit | Kind::Sarif => None,
    }
}

/// The threads and handlers of an execution.
struct Columns<'r> {
    /// Their names, in the order of their first events.
    names: Vec<String>,
    numbers: HashMap<Key<'r>, usize>,
}

impl<'r> Columns<'r> {
    fn of(recording: &'r Recording) -> Self {
        let keys = keys_of(recording);
        let numbers = keys.iter().enumerate().map(|(number, &key)| (key, number)).collect();
        Columns { names: names(&keys), numbers }
    }

    /// The number of the column in which an event stands.
    fn number(&self, event: &RecordedEvent) -> usize {
        self.numbers[&key_of(event)]
    }

    /// The number of the column of a handler.
    fn handler(&self, name: &str) -> usize {
        self.numbers[&key_of_handler(name)]
    }
}

/// The failure in a line, without breaks.
fn headline(failure: &Failure) -> String {
    crate::words::headline(failure.kind.name(), &failure.message).replace('\n', " ")
}
