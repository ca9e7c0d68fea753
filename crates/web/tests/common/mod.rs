//! One browser for all tests of a file, and pages that are written where they are used.

#![allow(dead_code, reason = "each file of tests uses a part of it")]

use mazurka_report::web::{WebEvent, WebRace, WebReport};
use mazurka_web::browser::{Browser, find};
use mazurka_web::{Options, actions, explore_in};
use std::path::Path;
use std::sync::{Arc, atomic::AtomicBool};
use std::sync::{Mutex, OnceLock, PoisonError, Weak};
use tempfile::TempDir;

/// The browser ends with the last test that uses it.
pub fn browser() -> Arc<Browser> {
    static BROWSER: OnceLock<Mutex<Weak<Browser>>> = OnceLock::new();
    let mut shared =
        BROWSER.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(browser) = shared.upgrade() {
        return browser;
    }
    let path = find(None).unwrap_or_else(|error| panic!("{error}"));
    let browser = Arc::new(Browser::start(&path, false).unwrap_or_else(|error| panic!("{error}")));
    *shared = Arc::downgrade(&browser);
    browser
}

/// A folder with these files.
pub fn site(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

/// A page with this body, and files beside it.
pub fn page(body: &str, files: &[(&str, &str)]) -> TempDir {
    let html =
        format!("<!DOCTYPE html><html><head><meta charset=utf-8></head><body>{body}</body></html>");
    let mut all = vec![("index.html", html.as_str())];
    all.extend_from_slice(files);
    site(&all)
}

/// The usual options for a folder, with no actions.
pub fn options(folder: &Path) -> Options {
    Options { actions: Some(Vec::new()), ..Options::new(&folder.to_string_lossy()) }
}

/// Explores with these options in the shared browser.
pub fn run(options: &Options) -> WebReport {
    try_run(options).unwrap_or_else(|error| panic!("{error}"))
}

/// The same where it may go wrong.
pub fn try_run(options: &Options) -> Result<WebReport, mazurka_web::Error> {
    let browser = browser();
    explore_in(&browser, options, options.shared()?, &AtomicBool::new(false), &mut |_| {})
}

/// A page with actions, explored.
pub fn explored(body: &str, files: &[(&str, &str)], user: &str, bound: Option<u32>) -> WebReport {
    let folder = page(body, files);
    let actions = Some(actions::read(user).expect("actions"));
    run(&Options { actions, bound, ..options(folder.path()) })
}

/// `kind name` of an event.
pub fn words(event: &WebEvent) -> String {
    format!("{} {}", event.kind, event.name)
}

/// The first event and the second event of a race.
pub fn ends(report: &WebReport, race: &WebRace) -> (String, String) {
    let event = |number: u32| words(&report.events[number as usize]);
    (event(race.first.event), event(race.second.event))
}

/// Each sequence in words.
pub fn sequences(report: &WebReport) -> Vec<Vec<String>> {
    let event = |&number: &u32| words(&report.events[number as usize]);
    report.sequences.iter().map(|sequence| sequence.events.iter().map(event).collect()).collect()
}
