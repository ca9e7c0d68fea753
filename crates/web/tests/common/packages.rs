//! Pages around published packages, which are fetched by name when a test runs.

use super::{options, site, user};
use mazurka_web::Options;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Unpacks a package into a folder. Its own address is asked, so that nothing of it has to be kept here.
pub fn fetch(package: &str, into: &Path) {
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

/// A field that asks a server for each character.
pub fn autocomplete() -> (TempDir, Options) {
    let html = "<!DOCTYPE html><html><body><input id=q>
        <script src=package/dist/autoComplete.js></script><script>
        new autoComplete({ selector: '#q', threshold: 1, data: { cache: false, src: async (query) => (await fetch(query + '.json')).json() } });
        </script></body></html>";
    let folder =
        site(&[("index.html", html), ("a.json", r#"["apple"]"#), ("ab.json", r#"["abacus"]"#)]);
    fetch("@tarekraafat/autocomplete.js@10.2.10", folder.path());
    let actions = user(r##"[{"type": ["#q", "ab"]}]"##);
    let options = Options { actions, ..options(folder.path()) };
    (folder, options)
}

/// A gallery around a version of lightbox2; the user opens its third picture and at once a picture of another gallery.
pub fn lightbox(version: &str) -> (TempDir, Options) {
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
    let actions = user(r##"[{"click": "#a3"}, {"click": "#b1"}]"##);
    let options = Options { actions, ..options(folder.path()) };
    (folder, options)
}
