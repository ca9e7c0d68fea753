//! Published bugs of published packages, fetched by name.

mod common;

use common::{ends, options, run, site};
use mazurka_report::web::{Difference, Severity, folder};
use mazurka_web::{Options, actions};
use std::path::Path;
use std::process::Command;

/// Unpacks a package into a folder. Its own address is asked, so that nothing of it has to be kept here.
fn fetch(package: &str, into: &Path) {
    let packed = Command::new("npm").args(["pack", "--silent", package]).current_dir(into).output();
    let packed = packed.unwrap_or_else(|error| panic!("npm is needed to fetch {package}: {error}"));
    let name = String::from_utf8_lossy(&packed.stdout).trim().to_owned();
    assert!(
        packed.status.success(),
        "npm cannot fetch {package}: {}",
        String::from_utf8_lossy(&packed.stderr)
    );
    let unpacked = Command::new("tar").args(["xzf", &name]).current_dir(into).status();
    assert!(unpacked.is_ok_and(|status| status.success()), "tar cannot unpack {name}");
}

/// Its issues 297 and 457: an old answer replaces a newer one.
#[test]
fn autocomplete_shows_an_old_answer() {
    let html = "<!DOCTYPE html><html><body><input id=q>
        <script src=package/dist/autoComplete.js></script><script>
        new autoComplete({ selector: '#q', threshold: 1, data: { cache: false, src: async (query) => (await fetch(query + '.json')).json() } });
        </script></body></html>";
    let folder =
        site(&[("index.html", html), ("a.json", r#"["apple"]"#), ("ab.json", r#"["abacus"]"#)]);
    fetch("@tarekraafat/autocomplete.js@10.2.10", folder.path());
    let user = actions::read(r##"[{"type": ["#q", "ab"]}]"##).expect("actions");
    let report = run(&Options { actions: Some(user), ..options(folder.path()) });
    let race = report.races.iter().find(|race| {
        ends(&report, race) == ("fetch a.json".to_owned(), "fetch ab.json".to_owned())
    });
    let race = race.expect("the answers race");
    assert_eq!(
        (race.severity, race.differences.contains(&Difference::Dom)),
        (Severity::High, true)
    );
}

/// A gallery around a version of lightbox2; the user opens its third picture and at once a picture of another gallery.
fn lightbox(version: &str) -> (tempfile::TempDir, Options) {
    let html = "<!DOCTYPE html><html><head><link rel=stylesheet href=package/dist/css/lightbox.css></head><body>
        <a href=a1.svg data-lightbox=a>a1</a> <a href=a2.svg data-lightbox=a>a2</a> <a id=a3 href=a3.svg data-lightbox=a>a3</a>
        <a id=b1 href=b1.svg data-lightbox=b>b1</a>
        <script src=package/dist/js/lightbox-plus-jquery.js></script>
        <script>lightbox.option({ fadeDuration: 0, imageFadeDuration: 0, resizeDuration: 0 });</script></body></html>";
    let picture = |colour: &str, size: u32| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='{size}' height='{size}'><rect width='99' height='99' fill='{colour}'/></svg>"
        )
    };
    let (red, green) = (picture("red", 40), picture("green", 60));
    let files = [
        ("index.html", html),
        ("a1.svg", &red),
        ("a2.svg", &red),
        ("a3.svg", &red),
        ("b1.svg", &green),
    ];
    let folder = site(&files);
    fetch(&format!("lightbox2@{version}"), folder.path());
    let user = actions::read(r##"[{"click": "#a3"}, {"click": "#b1"}]"##).expect("actions");
    let options = Options { actions: Some(user), ..options(folder.path()) };
    (folder, options)
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
