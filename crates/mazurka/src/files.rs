//! `MAZURKA_REPORT=folder`: for each test a page to look at, and an object for programs.

use crate::builder::Builder;
use crate::outcome::Outcome;
use crate::page::{self, MOST_FAILURES};
use crate::report::command;
use crate::runtime::program::RustProgram;
use crate::source_file;
use mazurka_engine::Verdict;
use mazurka_engine::explain::Explanation;
use mazurka_report::rust_test::RustTest;
use std::path::Path;

impl Builder {
    /// Writes what was asked for. `first` is the first failure, which has been explained before.
    pub(crate) fn write_files(
        &self,
        program: &RustProgram,
        outcome: &Outcome,
        first: Option<&Explanation>,
    ) {
        let Some(folder) = &self.pages else { return };
        let others = outcome.failures.iter().skip(1).take(MOST_FAILURES - 1);
        let others = others.map(|it| self.explained(program, it, outcome));
        let failures: Vec<Explanation> = first.cloned().into_iter().chain(others).collect();
        let name = self.test_name();
        let page = page::page(program, &name, outcome, &failures).html(source_file::text);
        let object = self.object(&name, outcome, &failures);
        write(folder, &name, &[("html", page), ("json", object)]);
    }

    fn object(&self, name: &str, outcome: &Outcome, failures: &[Explanation]) -> String {
        let verdict = match (outcome.failures.is_empty(), outcome.is_complete()) {
            (false, _) => Verdict::Violation,
            (true, true) => Verdict::Safe,
            (true, false) => Verdict::Incomplete,
        };
        let again = |it| (it, command(name, it, outcome.untold));
        let failures: Vec<_> = failures.iter().map(again).collect();
        let test = RustTest {
            name,
            algorithm: self.config.algorithm.name(),
            verdict,
            statistics: &outcome.statistics,
            not_explored: &outcome.not_explored,
            failures: &failures,
        };
        test.json()
    }
}

/// Writes the files of a test. What goes wrong with that is said, and is no failure of the test.
#[expect(clippy::print_stderr, reason = "asked for by MAZURKA_REPORT")]
fn write(folder: &Path, name: &str, files: &[(&str, String)]) {
    for (kind, text) in files {
        let path = folder.join(format!("{}.{kind}", file_name(name)));
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        match written {
            Ok(()) => eprintln!("mazurka: {name}: its executions are in {}", path.display()),
            Err(error) => eprintln!("mazurka: {name}: cannot write {}: {error}", path.display()),
        }
    }
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
    fn a_test_leaves_a_page_and_an_object() {
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
        let [page, object] = ["html", "json"]
            .map(|kind| std::fs::read_to_string(folder.join(format!("tests.lost.{kind}"))));
        std::fs::remove_dir_all(&folder).expect("the folder was made");
        assert!(failed.is_err());
        let page = page.expect("the page");
        assert!(page.contains("an update is lost") && page.contains("MAZURKA_REPLAY="));
        assert!(page.contains("let other = crate::thread::spawn"), "with its source");
        let object: serde_json::Value =
            serde_json::from_str(&object.expect("the object")).expect("JSON");
        assert_eq!(object["test"], "tests::lost");
        assert_eq!(
            (&object["verdict"], &object["algorithm"]),
            (&"violation".into(), &"event".into())
        );
        let failure = &object["failures"][0];
        assert_eq!(
            (&failure["kind"], &failure["schedule"][0]),
            (&"assertion".into(), &"main".into())
        );
        assert!(failure["replay"].as_str().is_some_and(|line| line.contains("MAZURKA_REPLAY=")));
        let steps = failure["steps"].as_array().expect("steps");
        let stores = |step: &&serde_json::Value| {
            step["accesses"][0] == serde_json::json!({ "write": "x", "value": 1 })
        };
        assert_eq!(steps.iter().filter(stores).count(), 2, "{steps:#?}");
    }

    #[test]
    fn names_of_tests_are_names_of_files() {
        assert_eq!(file_name("book::a picture/arrives"), "book.a-picture-arrives");
    }
}
