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

use mazurka_engine::{Failure, Recording};

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

/// The names of the threads and handlers, in the order of their first events.
fn columns(recording: &Recording) -> Vec<&str> {
    let mut columns: Vec<&str> = Vec::new();
    for event in &recording.events {
        if !columns.contains(&event.column.as_str()) {
            columns.push(&event.column);
        }
        if let mazurka_engine::Action::Post { handler, .. } = &event.action
            && !columns.contains(&handler.as_str())
        {
            columns.push(handler);
        }
    }
    columns
}

/// The failure in a line, without breaks.
fn headline(failure: &Failure) -> String {
    crate::words::headline(failure.kind.name(), &failure.message).replace('\n', " ")
}
