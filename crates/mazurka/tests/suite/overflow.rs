//! Stacks that are too small.

use mazurka::{Builder, FailureKind, thread};
use std::hint::black_box;

fn deep(levels: usize) -> usize {
    let room = black_box([levels; 64]);
    if levels == 0 { room[0] } else { deep(levels - 1) + room[63] }
}

#[test]
fn a_stack_overflow_is_named() {
    let outcome = Builder::new().stack_size(128 * 1024).explore(|| {
        let thread = thread::Builder::new().name("deep one".into()).spawn(|| deep(1_000_000));
        drop(thread);
    });
    assert_eq!(outcome.failures.len(), 1, "{outcome:?}");
    let failure = &outcome.failures[0];
    assert_eq!(failure.kind, FailureKind::Fault);
    assert!(
        failure.message.starts_with("stack overflow: deep one needs more than the 131072 bytes")
    );
    // The OS thread is as before.
    mazurka::check(|| assert_eq!(thread::spawn(|| deep(3)).join().unwrap(), 6));
}

#[test]
fn the_size_of_a_stack_is_what_was_asked_for() {
    let levels = 2_000;
    mazurka::Builder::new().stack_size(4 << 20).check(move || assert!(deep(levels) > 0));
    mazurka::check(move || {
        let thread =
            thread::Builder::new().stack_size(4 << 20).spawn(move || deep(levels)).unwrap();
        assert!(thread.join().unwrap() > 0);
    });
    let outcome = Builder::new().explore(move || assert!(deep(levels) > 0));
    assert_eq!(outcome.failures.len(), 1, "256 KiB are too few: {outcome:?}");
}
