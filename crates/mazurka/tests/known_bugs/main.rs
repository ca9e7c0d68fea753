//! Published concurrency bugs of real Rust crates, reduced to the operations that matter. Each is found, and its
//! fixed version passes.

mod channels;
mod lazy;
mod locks;
mod notify;
mod oneshot;
mod threads;

use mazurka::{Builder, FailureKind};

/// The buggy version fails in this way, with these words; the fixed one does not fail.
#[track_caller]
fn found_and_fixed(program: fn(fixed: bool), kind: FailureKind, words: &str) {
    found_and_fixed_with(&Builder::new(), program, kind, words);
}

#[track_caller]
fn found_and_fixed_with(
    builder: &Builder,
    program: fn(fixed: bool),
    kind: FailureKind,
    words: &str,
) {
    let buggy = builder.explore(move || program(false));
    let found = buggy
        .failures
        .iter()
        .any(|failure| failure.kind == kind && failure.message.contains(words));
    assert!(found, "the bug is not found: {buggy:?}");
    let fixed = builder.explore(move || program(true));
    assert!(fixed.is_complete() && fixed.executions > 1, "{fixed:?}");
    assert_eq!(fixed.failures, []);
}
