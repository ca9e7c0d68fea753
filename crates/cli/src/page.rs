//! `--report FILE.html`: the page with the executions that are worth looking at.

use crate::error::Error;
use crate::input;
use crate::output;
use mazurka_engine::explain::Explanation;
use mazurka_engine::{Ending, Failure, Observer, Recording, Schedule, Statistics};
use mazurka_report::page::{PageBuilder, Shown};
use mazurka_report::{Exploration, Palette, Subject, count, headline, summary};
use std::path::Path;

/// A page shows so many failures, and so many executions that pass.
pub const MOST_FAILURES: usize = 50;
pub const MOST_PASSING: usize = 3;
/// So many times as many complete executions are kept as are shown, since some of them may turn out to fail.
const KEPT: usize = 4;

/// Hears of an exploration, and keeps the schedules of its first complete executions.
pub struct Keeper<'a> {
    inner: &'a mut dyn Observer,
    most: usize,
    pub schedules: Vec<Schedule>,
}

impl<'a> Keeper<'a> {
    /// Keeps enough to show so many that pass, and tells another one everything.
    pub fn new(inner: &'a mut dyn Observer, passing: usize) -> Self {
        Keeper { inner, most: passing.saturating_mul(KEPT), schedules: Vec::new() }
    }
}

impl Observer for Keeper<'_> {
    fn execution(&mut self, ending: Ending, schedule: &dyn Fn() -> Schedule) {
        if ending == Ending::Complete && self.schedules.len() < self.most {
            self.schedules.push(schedule());
        }
        self.inner.execution(ending, schedule);
    }

    fn failure(&mut self, failure: &Failure) {
        self.inner.failure(failure);
    }

    fn progress(&mut self, statistics: &Statistics) {
        self.inner.progress(statistics);
    }
}

/// The executions of an exploration that its page shows.
#[derive(Default)]
pub struct Pictures {
    /// Those of the first failures, as far as there was time for them.
    pub failures: Vec<Explanation>,
    /// Some in which nothing goes wrong.
    pub passing: Vec<Recording>,
}

/// Writes the page of an exploration of a file.
pub fn write_exploration(
    path: &Path,
    file: &Path,
    exploration: &Exploration<'_>,
    pictures: &Pictures,
) -> Result<(), Error> {
    let failures = &exploration.outcome.failures;
    let title = match failures.first() {
        Some(failure) => headline(failure.kind.name(), &failure.message),
        None => exploration.subject.describe(),
    };
    let mut page = PageBuilder::new(title, exploration.subject.describe());
    summary(exploration, Palette::PLAIN).lines().for_each(|line| page.fact(line.trim()));
    let left_out = failures.len().saturating_sub(pictures.failures.len());
    if left_out > 0 {
        page.fact(format!("{} not shown here", count(left_out as u64, "failure")));
    }
    for it in &pictures.failures {
        page.show_failure(it, None);
    }
    for (number, recording) in pictures.passing.iter().enumerate() {
        page.show(Shown::new(format!("passing execution {}", number + 1), recording));
    }
    write(path, file, page)
}

/// Writes the page of one execution of a file.
pub fn write_execution(
    path: &Path,
    file: &Path,
    subject: &Subject,
    recording: &Recording,
) -> Result<(), Error> {
    let fault = recording.faults().next();
    let name = fault.map_or_else(
        || "this execution".to_owned(),
        |fault| headline(fault.kind.name(), &fault.message),
    );
    let mut page = PageBuilder::new(name.clone(), subject.describe());
    page.show(Shown::new(name, recording));
    write(path, file, page)
}

/// Writes a page whose places are in a file.
pub fn write(path: &Path, file: &Path, page: PageBuilder) -> Result<(), Error> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Reports call the file by its name alone. A file that is gone by now is a page without source.
    let text_of = |wanted: &str| {
        let bytes = (wanted == name).then(|| input::read_bytes(file).ok()).flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    output::write(path, &page.html(text_of))
}
