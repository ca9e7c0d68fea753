//! Published bugs of published packages, fetched by name.

mod common;

use common::{ends, options, run, site};
use mazurka_report::web::{Difference, Severity};
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
