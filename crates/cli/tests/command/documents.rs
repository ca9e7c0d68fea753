//! What the README shows is what the command prints.

use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `mazurka` at the root of the project.
fn mazurka(arguments: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(arguments.split_whitespace())
        .current_dir(root())
        .output()
        .expect("the command can be started");
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn the_readme_shows_what_is_printed() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let shown = readme.split_once("```console\n$ mazurka ").expect("an example").1;
    let (arguments, rest) = shown.split_once('\n').expect("a line");
    let output = rest.split_once("```").expect("the end of the example").0;
    let (status, printed) = mazurka(arguments);
    assert_eq!(status, Some(1));
    assert_eq!(account(output), account(&printed));
}

/// The failure and its account, without the numbers of the exploration above it.
fn account(report: &str) -> &str {
    report.split_once("\n\n").expect("a summary, then the failure").1
}

#[test]
fn the_examples_are_as_safe_as_they_say() {
    let examples = [("posters", 0), ("closed_screen", 1), ("lost_update", 1), ("lock_order", 1)];
    for (name, expected) in examples {
        let (status, printed) = mazurka(&format!("check programs/examples/{name}.ed"));
        assert_eq!(status, Some(expected), "{name}: {printed}");
    }
}
