//! `MAZURKA_REPORT=folder`: a page for each test, with its failures and some executions that pass.

use crate::outcome::Outcome;
use crate::runtime::program::RustProgram;
use mazurka_engine::{Schedule, replay};
use mazurka_report::headline;
use mazurka_report::page::{PageBuilder, Shown};
use std::path::{Path, PathBuf};

/// A page shows so many executions that pass.
pub(crate) const MOST_PASSING: usize = 3;

/// Writes the page of a test. What goes wrong with that is said, and is no failure of the test.
#[expect(clippy::print_stderr, reason = "asked for by MAZURKA_REPORT")]
pub(crate) fn write(folder: &Path, program: &RustProgram, name: &str, outcome: &Outcome) {
    let path = folder.join(format!("{}.html", file_name(name)));
    let html = page(program, name, outcome).html(source);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, html));
    match written {
        Ok(()) => eprintln!("mazurka: {name}: its executions are in {}", path.display()),
        Err(error) => eprintln!("mazurka: {name}: cannot write {}: {error}", path.display()),
    }
}

fn page(program: &RustProgram, name: &str, outcome: &Outcome) -> PageBuilder {
    let failure = outcome.failures.first();
    let title = failure.map_or_else(|| name.to_owned(), |it| headline(it.kind.name(), &it.message));
    let mut page = PageBuilder::new(title, name);
    let whole = if outcome.is_complete() { "everything" } else { "not everything" };
    page.fact(format!("{} complete executions; {whole} was explored", outcome.executions));
    let failing = outcome.failures.iter();
    let failing = failing.map(|it| (headline(it.kind.name(), &it.message), &it.schedule, true));
    let passing = outcome.passing.iter().enumerate();
    let passing = passing.map(|(at, it)| (format!("passing execution {}", at + 1), it, false));
    for (name, schedule, fails) in failing.chain(passing) {
        // Some failures belong to no execution; and what was complete may have failed at its end.
        let recording = replay(program, schedule).unwrap_or_default();
        if recording.events.is_empty() {
            page.fact(name);
        } else if fails || recording.faults().next().is_none() {
            let shown = Shown::new(name, &recording);
            page.show(Shown { replay: Some(command(program, schedule)), ..shown });
        }
    }
    page
}

fn command(program: &RustProgram, schedule: &Schedule) -> String {
    let moves = crate::replay::encode(schedule);
    format!("MAZURKA_REPLAY='{moves}' cargo test {}", program.name)
}

/// The name of a test as that of a file.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    name.replace("::", ".").chars().map(plain).collect()
}

/// The text of a source file. Its name counts from the folder of the workspace, and tests run in that of their package.
fn source(file: &str) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let candidates = here.ancestors().map(|folder| folder.join(file));
    let found: PathBuf = candidates.into_iter().find(|path| path.is_file())?;
    std::fs::read_to_string(found).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_leaves_a_page() {
        use crate::sync::Arc;
        use crate::sync::atomic::{AtomicU32, Ordering::SeqCst};
        let folder = std::env::temp_dir().join(format!("mazurka-page-{}", std::process::id()));
        let mut builder = crate::Builder::new().name("tests::lost");
        builder.pages = Some(folder.clone());
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            builder.check(|| {
                let x = Arc::new(AtomicU32::new(0));
                let y = Arc::clone(&x);
                let other = crate::thread::spawn(move || y.store(y.load(SeqCst) + 1, SeqCst));
                x.store(x.load(SeqCst) + 1, SeqCst);
                other.join().expect("it ends");
                assert_eq!(x.load(SeqCst), 2, "an update is lost");
            });
        }));
        let page = std::fs::read_to_string(folder.join("tests.lost.html"));
        std::fs::remove_dir_all(&folder).expect("the folder was made");
        assert!(failed.is_err());
        let page = page.expect("the page");
        assert!(page.contains("an update is lost") && page.contains("MAZURKA_REPLAY="));
        assert!(page.contains("let other = crate::thread::spawn"), "with its source");
    }

    #[test]
    fn names_of_tests_are_names_of_files() {
        assert_eq!(file_name("book::a picture/arrives"), "book.a-picture-arrives");
    }
}
