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
    expect_file!["../help/replay.txt"].assert_eq(&help("replay --help"));
    expect_file!["../help/trace.txt"].assert_eq(&help("trace --help"));
    expect_file!["../help/trace-explore.txt"].assert_eq(&help("trace explore --help"));
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
