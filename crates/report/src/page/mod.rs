//! The page: executions to look at, in one file that needs nothing else.
//!
//! | file | does |
//! |---|---|
//! | `model` | what a page shows, as it is written into the page |
//! | `execution` | a recording in that form |
//! | `lanes`, `objects`, `folds`, `sources` | its parts: threads and handlers, what is touched, what need not be read, texts |
//! | `document` | puts the page together from `assets/`, which draw it |

mod document;
mod execution;
mod folds;
mod lanes;
pub mod model;
mod objects;
mod sources;

pub use execution::Shown;
pub use sources::Sources;
pub(crate) use sources::parse;

use crate::account::{AccountOptions, Hints};
use crate::explanation::{because, explanation};
use crate::words::headline;
use mazurka_engine::explain::Explanation;
use model::{Execution, Page, Why};

/// Collects a page.
#[derive(Debug, Default)]
pub struct PageBuilder {
    page: Page,
    sources: Sources,
}

impl PageBuilder {
    /// A page without executions. `subject` is what was examined.
    pub fn new(title: impl Into<String>, subject: impl Into<String>) -> Self {
        let page = Page { title: title.into(), subject: subject.into(), ..Page::default() };
        PageBuilder { page, sources: Sources::default() }
    }

    /// Adds a sentence about the whole.
    pub fn fact(&mut self, sentence: impl Into<String>) {
        self.page.facts.push(sentence.into());
    }

    /// Adds the execution of a recording, and gives its number.
    pub fn show(&mut self, shown: Shown<'_>) -> usize {
        let execution = execution::execution(shown, &mut self.sources);
        self.add(execution)
    }

    /// Adds a failing execution, and behind it the nearest one that passes. `replay`: a line that shows it again.
    pub fn show_failure(&mut self, explained: &Explanation, replay: Option<String>) {
        let failure = &explained.failure;
        let name = headline(failure.kind.name(), &failure.message);
        let hints = Hints { as_found: None, ..Hints::COMMAND };
        let whole = AccountOptions { width: usize::MAX, hints, ..AccountOptions::default() };
        let text = explanation(explained, &whole);
        // Why it fails is said in a line of its own.
        let told = |line: &&str| !line.starts_with("because ");
        let notes = text.lines().map(str::trim).filter(told).map(str::to_owned).collect();
        let shown = Shown { notes, replay, ..Shown::new(name.clone(), &explained.recording) };
        let number = self.show(shown);
        let Some(nearest) = &explained.why else { return };
        let other = self.show(Shown::new(format!("nearest that passes: {name}"), &nearest.passing));
        let pair = nearest.decision.and_then(|it| Some((it.first, it.second?)));
        self.execution_mut(number).why = Some(Why {
            words: because(explained).map_or_else(
                || "the nearest execution that passes".to_owned(),
                |because| format!("fails because {because}"),
            ),
            pair,
            other: Some(other),
            parts: Some(nearest.parts_at),
        });
    }

    /// Adds an execution that was made otherwise, and gives its number. Its places are those of [`PageBuilder::sources`].
    pub fn add(&mut self, execution: Execution) -> usize {
        self.page.executions.push(execution);
        self.page.executions.len() - 1
    }

    /// An execution that was added.
    pub fn execution_mut(&mut self, number: usize) -> &mut Execution {
        &mut self.page.executions[number]
    }

    /// Whatever places are in.
    pub fn sources(&mut self) -> &mut Sources {
        &mut self.sources
    }

    /// The page as one file. `text_of` knows the text of a file that places name, or does not.
    pub fn html(mut self, text_of: impl Fn(&str) -> Option<String>) -> String {
        self.page.sources = self.sources.finish(text_of);
        document::html(&self.page)
    }
}
