//! Published bugs of published packages, fetched by name.

use crate::common::packages::{autocomplete, lightbox};
use crate::common::{ends, run};
use mazurka_report::web::{Difference, Severity, folder};

/// Its issues 297 and 457: an old answer replaces a newer one.
#[test]
fn autocomplete_shows_an_old_answer() {
    let (_folder, options) = autocomplete();
    let report = run(&options);
    let race = report.races.iter().find(|race| {
        ends(&report, race) == ("fetch a.json".to_owned(), "fetch ab.json".to_owned())
    });
    let race = race.expect("the answers race");
    assert_eq!(
        (race.severity, race.differences.contains(&Difference::Dom)),
        (Severity::High, true)
    );
}

/// Its issue 629: a picture that comes after another gallery was opened is looked up there.
#[test]
fn lightbox_2_11_4_looks_up_an_old_picture() {
    let (_folder, options) = lightbox("2.11.4");
    let report = run(&options);
    let failure = report.failures.iter().find(|failure| failure.kind == "exception");
    let failure = failure.expect("an exception");
    assert!(failure.message.contains("reading 'alt'"), "{}", failure.message);
    let race = report.races.iter().find(|race| race.severity == Severity::High);
    let race = race.expect("a race of high severity");
    assert_eq!(ends(&report, race), ("load a3.svg".to_owned(), "click #b1".to_owned()));
    assert!(race.differences.contains(&Difference::Exception), "{:?}", race.differences);
    let page = folder(&report, "report").into_iter().find(|file| file.path == "index.html");
    let page = String::from_utf8(page.expect("a page").bytes).expect("text");
    for part in ["reading &#39;alt&#39;", "click #b1", "load a3.svg", "this.album"] {
        assert!(page.contains(part), "the report shows {part}");
    }
}

/// The same page with the version that cancels what is still loading.
#[test]
fn lightbox_2_12_0_has_no_race_of_high_severity() {
    let (_folder, options) = lightbox("2.12.0");
    let report = run(&options);
    let high: Vec<_> = report.races.iter().filter(|race| race.severity == Severity::High).collect();
    assert!(high.is_empty() && report.failures.is_empty(), "{high:?} {:?}", report.failures);
    assert!(report.sequences.len() > 1, "something was reversed");
}
