//! The data of a report on a web page.

use mazurka_engine::Verdict;
use serde::Serialize;
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

/// Everything that is said about an exploration of a page.
#[derive(Clone, Debug)]
pub struct WebReport {
    /// The page, as the user named it.
    pub page: String,
    /// Was one order performed again, and nothing explored?
    pub is_replay: bool,
    /// The largest number of reversals that was explored; none for all.
    pub bound: Option<u32>,
    /// The answer in one word.
    pub verdict: Verdict,
    /// Every event of every sequence, once. Others are numbers of these.
    pub events: Vec<WebEvent>,
    /// The explored sequences, the recorded one first.
    pub sequences: Vec<WebSequence>,
    /// The races that were reversed, in the order in which they were.
    pub races: Vec<WebRace>,
    /// What makes it a violation.
    pub failures: Vec<WebFailure>,
    /// Why not everything was explored; empty if it was.
    pub incomplete: Vec<Incomplete>,
    /// What people should know: a request that was refused, a dialog that was answered, …
    pub notes: Vec<String>,
    /// How long it took.
    pub elapsed: Duration,
}

impl WebReport {
    /// The races, those that hurt most first.
    pub fn races_by_severity(&self) -> Vec<&WebRace> {
        let mut races: Vec<&WebRace> = self.races.iter().collect();
        races.sort_by_key(|race| Reverse((!race.is_harmless(), race.severity, race.class)));
        races
    }

    /// An event by its number.
    pub fn event(&self, number: u32) -> &WebEvent {
        &self.events[number as usize]
    }

    /// How many events the recorded execution has.
    pub fn recorded_events(&self) -> usize {
        self.sequences.first().map_or(0, |recorded| recorded.events.len())
    }
}

/// An event: a callback, a piece of the page that was parsed, something that the user does.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct WebEvent {
    /// `click`, `load`, `timer`, `fetch`, …
    pub kind: String,
    /// What tells it apart from others of its kind: a selector, a file, …
    pub name: String,
    /// Where its code stands, as `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The event that caused it, by its number in [`WebReport::events`].
    #[serde(skip)]
    pub creator: Option<u32>,
    /// Does the user do it?
    #[serde(skip)]
    pub by_user: bool,
}

impl WebEvent {
    /// `click #next`.
    pub fn words(&self) -> String {
        format!("{} {}", self.kind, self.name).trim_end().to_owned()
    }
}

/// An explored sequence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WebSequence {
    /// What happened, in order: numbers of [`WebReport::events`].
    pub events: Vec<u32>,
    /// The number of reversals.
    pub depth: u32,
    /// What was planned and did not happen.
    pub skipped: Vec<u32>,
    /// What happened and was not planned.
    pub new: Vec<u32>,
    /// What the page looks like in the end, as a PNG picture. Equal pictures should be shared.
    pub screenshot: Option<Arc<[u8]>>,
}

/// One of the two events of a race, and its access.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RaceEnd {
    /// Its number in [`WebReport::events`].
    pub event: u32,
    /// Where the access stands, as `file:line:column`.
    pub place: Option<String>,
    /// What is done there: `reads`, `writes`, `cancels`, …
    pub access: String,
    /// The line of source there.
    pub source: Option<String>,
}

/// How two executions that differ by one reversal relate (section 2.4 of the R4 paper).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RaceClass {
    /// They end in the same state.
    Equivalent,
    /// They differ only in what ad-hoc synchronisation explains.
    Approximate,
    /// They differ.
    Different,
}

/// How much a difference hurts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing differs, or only the heap.
    Low,
    /// What the user sees differs.
    Normal,
    /// What the user sees differs in structure and picture, or exceptions, requests or assertions do.
    High,
}

/// In what two executions differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Difference {
    /// Uncaught exceptions.
    Exception,
    /// The document.
    Dom,
    /// The picture.
    Pixels,
    /// The objects that scripts hold.
    Heap,
    /// The requests made.
    Network,
    /// Errors written to the console.
    Console,
    /// Assertions that hold in one and not in the other.
    Assert,
}

/// What there is only before, and only after a reversal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// Only in the parent.
    pub removed: Vec<String>,
    /// Only in the sequence with the race reversed.
    pub added: Vec<String>,
}

impl Difference {
    /// The word that JSON uses.
    pub fn name(self) -> &'static str {
        match self {
            Difference::Exception => "exception",
            Difference::Dom => "dom",
            Difference::Pixels => "pixels",
            Difference::Heap => "heap",
            Difference::Network => "network",
            Difference::Console => "console",
            Difference::Assert => "assert",
        }
    }
}

impl Severity {
    /// The word that JSON uses.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Normal => "normal",
            Severity::High => "high",
        }
    }
}

impl RaceClass {
    /// The word that JSON uses.
    pub fn name(self) -> &'static str {
        match self {
            RaceClass::Equivalent => "equivalent",
            RaceClass::Approximate => "approximate",
            RaceClass::Different => "different",
        }
    }
}

impl Changes {
    /// Is there no difference?
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

/// An uncaught exception.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exception {
    /// What it says.
    pub message: String,
    /// Where it was thrown, as `file:line:column`.
    pub place: Option<String>,
}

/// A path from `window` whose value differs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeapChange {
    /// The path, such as `queue.length`.
    pub path: String,
    /// Its value in the parent, if it has one.
    pub before: Option<String>,
    /// Its value with the race reversed, if it has one.
    pub after: Option<String>,
}

/// What differs in detail. Screenshots are those of the sequences.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RaceDetails {
    /// The documents as text, if they differ: before and after.
    pub dom: Option<(String, String)>,
    /// Uncaught exceptions that only the parent has.
    pub exceptions_removed: Vec<Exception>,
    /// Uncaught exceptions that only the sequence with the race reversed has.
    pub exceptions_added: Vec<Exception>,
    /// Requests: method, address and body.
    pub requests: Changes,
    /// Errors on the console.
    pub console: Changes,
    /// Assertions that fail, only in the parent or only here.
    pub asserts: Changes,
    /// Paths from `window`.
    pub heap: Vec<HeapChange>,
}

/// A race that was reversed, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebRace {
    /// What comes first in the parent.
    pub first: RaceEnd,
    /// What comes first once it is reversed.
    pub second: RaceEnd,
    /// What they race for: `queue`, `#list children`, …
    pub location: String,
    /// Other locations that they race for.
    pub other_locations: Vec<String>,
    /// How the two executions relate.
    pub class: RaceClass,
    /// How much it hurts.
    pub severity: Severity,
    /// In what they differ.
    pub differences: Vec<Difference>,
    /// Why it is harmless, if it is.
    pub reason: Option<String>,
    /// The sequence before the reversal, by its number in [`WebReport::sequences`].
    pub parent: usize,
    /// The sequence with the race reversed.
    pub sequence: usize,
    /// The schedule that `mazurka web replay` takes, as the text of its file.
    pub schedule: String,
    /// What differs.
    pub details: RaceDetails,
}

impl WebRace {
    /// Do the two orders come to the same, as far as people care?
    pub fn is_harmless(&self) -> bool {
        self.class != RaceClass::Different
    }
}

/// What makes the verdict a violation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WebFailure {
    /// `exception`, `assertion` or `race`.
    pub kind: String,
    /// What is wrong, in words.
    pub message: String,
    /// `file:line:column`, if it has a place.
    pub location: Option<String>,
    /// The events that lead there, by name.
    pub schedule: Vec<String>,
}

/// Why not everything was explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incomplete {
    /// The word that JSON uses: `bound`, `timeout`, `max-executions`, `interrupt`, `new-events`, `cut`, `lost`, …
    pub because: String,
    /// The reason in words.
    pub words: String,
}
