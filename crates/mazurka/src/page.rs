//! `MAZURKA_REPORT=folder`: a page for each test, with its failures and some executions that pass.

use crate::outcome::Outcome;
use crate::replay::line_of;
use crate::report::command;
use crate::runtime::program::RustProgram;
use crate::source_file;
use mazurka_engine::explain::Explanation;
use mazurka_engine::replay;
use mazurka_report::page::{PageBuilder, Shown};
use mazurka_report::{count, headline};
use std::path::Path;

/// A page shows so many executions that pass, and so many that fail.
pub(crate) const MOST_PASSING: usize = 3;
pub(crate) const MOST_FAILURES: usize = 50;

/// Writes the page of a test. What goes wrong with that is said, and is no failure of the test.
#[expect(clippy::print_stderr, reason = "asked for by MAZURKA_REPORT")]
pub(crate) fn write(
    folder: &Path,
    program: &RustProgram,
    name: &str,
    outcome: &Outcome,
    failures: &[Explanation],
) {
    let path = folder.join(format!("{}.html", file_name(name)));
    let html = page(program, name, outcome, failures).html(source_file::text);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, html));
    match written {
        Ok(()) => eprintln!("mazurka: {name}: its executions are in {}", path.display()),
        Err(error) => eprintln!("mazurka: {name}: cannot write {}: {error}", path.display()),
    }
}

fn page(
    program: &RustProgram,
    name: &str,
    outcome: &Outcome,
    failures: &[Explanation],
) -> PageBuilder {
    let title = |it: &Explanation| headline(it.failure.kind.name(), &it.failure.message);
    let mut page = PageBuilder::new(failures.first().map_or_else(|| name.to_owned(), title), name);
    let whole = if outcome.is_complete() { "everything" } else { "not everything" };
    let executions = count(outcome.executions, "complete execution");
    page.fact(format!("{executions}; {whole} was explored"));
    let left_out = outcome.failures.len().saturating_sub(failures.len());
    if left_out > 0 {
        page.fact(format!("{} not shown here", count(left_out as u64, "failure")));
    }
    for it in failures {
        // Some failures belong to no execution.
        if it.recording.events.is_empty() {
            page.fact(title(it));
        } else {
            page.show_failure(it, Some(command(name, it, outcome.untold)));
        }
    }
    for (at, schedule) in outcome.passing.iter().enumerate() {
        // What was complete may have failed at its end.
        let recording = replay(program, schedule).unwrap_or_default();
        if !recording.events.is_empty() && recording.faults().next().is_none() {
            let shown = Shown::new(format!("passing execution {}", at + 1), &recording);
            let line = line_of(schedule, None, Some(outcome.knowledge));
            let again = format!("MAZURKA_REPLAY='{line}' cargo test {name}");
            page.show(Shown { replay: Some(again), ..shown });
        }
    }
    page
}

/// The name of a test as that of a file.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    name.replace("::", ".").chars().map(plain).collect()
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
