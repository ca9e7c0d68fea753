//! What the command says of itself.

use crate::support::Folder;
use expect_test::expect_file;

fn help(arguments: &str) -> String {
    let run = Folder::new().mazurka(arguments);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    run.stdout
}

#[test]
fn the_help_texts() {
    expect_file!["../help/mazurka.txt"].assert_eq(&help("--help"));
    expect_file!["../help/check.txt"].assert_eq(&help("check --help"));
    expect_file!["../help/fmt.txt"].assert_eq(&help("fmt --help"));
    expect_file!["../help/completions.txt"].assert_eq(&help("completions --help"));
    expect_file!["../help/man.txt"].assert_eq(&help("man --help"));
    expect_file!["../help/help.txt"].assert_eq(&help("help --help"));
    expect_file!["../help/replay.txt"].assert_eq(&help("replay --help"));
    expect_file!["../help/trace.txt"].assert_eq(&help("trace --help"));
    expect_file!["../help/trace-explore.txt"].assert_eq(&help("trace explore --help"));
    expect_file!["../help/trace-races.txt"].assert_eq(&help("trace races --help"));
    expect_file!["../help/trace-consistency.txt"].assert_eq(&help("trace consistency --help"));
    expect_file!["../help/trace-convert.txt"].assert_eq(&help("trace convert --help"));
}

#[test]
fn the_version() {
    let version = concat!("mazurka ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(help("--version"), version);
}

#[test]
fn nothing_asked_for_is_bad_usage() {
    let run = Folder::new().mazurka("");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("Usage: mazurka"), "{}", run.stderr);
}

#[test]
fn help_of_commands_is_the_same_in_both_ways() {
    assert_eq!(help("help"), help("--help"));
    assert_eq!(help("help check"), help("check --help"));
    assert_eq!(help("help trace explore"), help("trace explore --help"));
}

#[test]
fn chapters_of_the_book_are_shown() {
    for (topic, title) in
        [("language", "The language"), ("algorithms", "Algorithms"), ("formats", "Formats")]
    {
        let page = help(&format!("help {topic}"));
        assert!(page.starts_with(&format!("{title}\n\n")), "{page}");
        assert!(
            page.lines().all(|line| !line.starts_with("```") && !line.starts_with("#")),
            "{page}"
        );
        assert!(!page.contains("{{#"), "an include of the book is not resolved: {page}");
    }
}

#[test]
fn a_topic_that_does_not_exist() {
    let run = Folder::new().mazurka("help languages");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("there is no `languages`; there are check,"), "{}", run.stderr);
    assert!(run.stderr.contains("language, algorithms, formats"), "{}", run.stderr);
}
