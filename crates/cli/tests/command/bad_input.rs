//! Bad input: a clear message, status 2, within a second, no panic, no file touched.

use crate::programs::*;
use crate::support::{Finished, Folder};
use expect_test::expect;

/// Must be refused in time, and leave output files alone.
fn refused(folder: &Folder, arguments: &str) -> Finished {
    folder.write("old.html", "old");
    folder.write("old.json", "old");
    let flags = "--report old.html --save-schedule old.json";
    let run = folder.mazurka_within_a_second(&format!("check {arguments} {flags}"));
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert_eq!(run.stdout, "");
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    assert_eq!(folder.read("old.html") + &folder.read("old.json"), "oldold");
    run
}

#[test]
fn a_missing_file() {
    let run = refused(&Folder::new(), "missing.ed");
    expect![[r#"
        error: cannot read missing.ed: No such file or directory (os error 2)
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn a_directory() {
    let run = refused(&Folder::new(), ".");
    expect![[r#"
        error: there are no `.ed` files in .
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn a_file_that_is_not_text() {
    let folder = Folder::with("latin.ed", b"var x; // \xe4\n");
    let run = refused(&folder, "latin.ed");
    expect![[r#"
        error: latin.ed is not UTF-8 text (the first bad byte is at offset 10)
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn a_malformed_program() {
    let folder = Folder::with("bad.ed", "var x;\nthread t { x = ; }\nthread u { y = 1; }\n");
    let run = refused(&folder, "bad.ed");
    expect![[r#"
        error: expected an expression, found `;`
         --> bad.ed:2:16
          |
        2 | thread t { x = ; }
          |                ^

    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn an_unknown_parameter() {
    let folder = Folder::with("posters.ed", POSTERS);
    let run = refused(&folder, "posters.ed --param m=3");
    expect![[r#"
        error: the program has no param `m`
          = help: its params are `n`

    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn ten_megabytes_of_nonsense() {
    let mut seed = 1_u64;
    let mut noise = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        b' ' + (seed >> 33) as u8 % 95
    };
    let nonsense: Vec<u8> = (0..10 << 20).map(|_| noise()).collect();
    let run = refused(&Folder::with("nonsense.ed", nonsense), "nonsense.ed");
    assert!(run.stderr.len() < 20_000, "{} bytes of errors", run.stderr.len());
    for pattern in ["(", "{", "x = ", "thread t { ", "1 + ", "a", "9", "\n", "\0"] {
        let nonsense = pattern.repeat((10 << 20) / pattern.len());
        let folder = Folder::with("nonsense.ed", nonsense + "(");
        let run = refused(&folder, "nonsense.ed");
        let errors = run.stderr.len();
        assert!(errors < 20_000, "{pattern}: {errors} bytes of errors");
    }
}

#[test]
fn bad_numbers() {
    let folder = Folder::with("posters.ed", POSTERS);
    let flags = [
        "--param n=many",
        "--param n",
        "--max-executions 0",
        "--max-executions -1",
        "--timeout soon",
        "--timeout 0",
        "--unroll x",
        "--seed 1.5",
        "--threads 0",
        "--pct-depth 0",
        "--mailbox lifo",
        "--format xml",
        "--no-such-flag",
    ];
    for flag in flags {
        let run = refused(&folder, &format!("posters.ed {flag}"));
        assert!(run.stderr.starts_with("error: "), "{flag}: {}", run.stderr);
    }
}

#[test]
fn an_unknown_algorithm() {
    let folder = Folder::with("posters.ed", POSTERS);
    let run = refused(&folder, "posters.ed --algorithm best");
    expect![[r#"
        error: invalid value 'best' for '--algorithm <NAME>': there is no such algorithm; available are naive, dpor, source, optimal, optimal-observers, dpor-cs, optimal-cs, optimal-cs-observers, event, event-observers, em-dpor, r4, bounded, random, pct

        For more information, try '--help'.
    "#]].assert_eq(&run.stderr);
}

#[test]
fn output_files_that_cannot_be() {
    let folder = Folder::with("lost.ed", LOST_UPDATE);
    let cases = [
        ("--report no/where.html", "no such directory"),
        ("--save-schedule .", "is a directory"),
        ("--save-schedule lost.ed", "would overwrite the input"),
    ];
    for (flag, message) in cases {
        let run = folder.mazurka(&format!("check lost.ed {flag}"));
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    assert_eq!(folder.read("lost.ed"), LOST_UPDATE);
}
