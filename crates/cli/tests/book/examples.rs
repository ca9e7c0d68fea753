//! The index of the examples, and what each of them says of itself.

use crate::root;
use std::collections::BTreeSet;

/// The names of the examples, without their ending.
fn examples() -> BTreeSet<String> {
    let folder = std::fs::read_dir(root().join("programs/examples")).expect("the examples");
    let names =
        folder.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter_map(|name| name.strip_suffix(".ed").map(str::to_owned)).collect()
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(format!("programs/examples/{name}.ed")))
        .expect("an example")
}

#[test]
fn the_index_lists_every_example_once() {
    let index =
        std::fs::read_to_string(root().join("programs/examples/README.md")).expect("the index");
    for name in examples() {
        assert_eq!(index.matches(&format!("({name}.ed)")).count(), 1, "{name}");
    }
}

#[test]
fn no_two_examples_differ_in_their_spelling_only() {
    let plain: BTreeSet<String> =
        examples().iter().map(|name| name.replace(['-', '_'], "")).collect();
    assert_eq!(plain.len(), examples().len());
}

#[test]
fn every_bug_has_a_repaired_version_and_every_example_an_expectation() {
    let names = examples();
    for name in &names {
        let text = text(name);
        let expected: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("// expect: ")).collect();
        assert!(!expected.is_empty(), "{name} says nothing of what is expected");
        let is_bug = expected
            .iter()
            .all(|line| line.starts_with("violation") || line.starts_with("deadlock"));
        if is_bug {
            assert!(names.contains(&format!("{name}-fixed")), "{name} has no repaired version");
        }
        if name.ends_with("-fixed") {
            assert!(expected.iter().all(|line| line.starts_with("safe")), "{name} is not safe");
        }
    }
    let published = names.iter().filter(|name| text(name).contains("\n// From: ")).count();
    assert!(published >= 20, "only {published} examples name what they come from");
}

#[test]
fn the_examples_do_what_they_say() {
    let (status, printed) =
        crate::session::Session::new().run("mazurka check --expect programs/examples");
    assert_eq!(status, 0, "{printed}");
}
