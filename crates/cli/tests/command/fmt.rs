//! `mazurka fmt`.

use crate::support::Folder;
use std::io::Write;
use std::process::Stdio;

const UGLY: &str = "var x;thread t{x=1;}";
const PRETTY: &str = "var x;\nthread t { x = 1; }\n";

#[test]
fn files_and_folders_are_rewritten() {
    let folder = Folder::with("a.ed", UGLY);
    std::fs::create_dir(folder.path("more")).expect("a folder");
    folder.write("more/b.ed", UGLY);
    folder.write("more/c.txt", UGLY);
    let run = folder.mazurka("fmt a.ed more");
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    assert_eq!(folder.read("a.ed"), PRETTY);
    assert_eq!(folder.read("more/b.ed"), PRETTY);
    assert_eq!(folder.read("more/c.txt"), UGLY);
    assert_eq!(folder.mazurka("fmt --check .").status, 0);
}

#[test]
fn check_lists_and_changes_nothing() {
    let folder = Folder::with("a.ed", UGLY);
    folder.write("b.ed", PRETTY);
    let run = folder.mazurka("fmt --check .");
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (1, "./a.ed\n", ""));
    assert_eq!(folder.read("a.ed"), UGLY);
}

#[test]
fn a_bad_program_is_reported_and_left_alone() {
    let folder = Folder::with("bad.ed", "thread t { x = ; }");
    folder.write("good.ed", UGLY);
    let run = folder.mazurka("fmt bad.ed good.ed");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("bad.ed:1:16"), "{}", run.stderr);
    assert_eq!(folder.read("bad.ed"), "thread t { x = ; }");
    assert_eq!(folder.read("good.ed"), PRETTY);
}

fn with_input(arguments: &str, input: &str) -> (Option<i32>, String, String) {
    let mut child =
        Folder::new().command(arguments).stdin(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn standard_input_goes_to_standard_output() {
    let pretty = (Some(0), PRETTY.to_owned(), String::new());
    assert_eq!(with_input("fmt", UGLY), pretty);
    assert_eq!(with_input("fmt -", UGLY), pretty);
    assert_eq!(with_input("fmt --check", PRETTY).0, Some(0));
    assert_eq!(with_input("fmt --check", UGLY).0, Some(1));
    let (status, out, err) = with_input("fmt", "var");
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(err.contains("standard input:1:4"), "{err}");
}
