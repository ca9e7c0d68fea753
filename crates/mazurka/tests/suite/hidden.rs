//! State that the checker does not see: every algorithm says so, with both operations and their places.

use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::{Algorithm, Builder, FailureKind, handler::Handler};
use std::sync::atomic::AtomicU32 as HiddenU32;

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::Naive,
    Algorithm::Dpor,
    Algorithm::Source,
    Algorithm::Optimal,
    Algorithm::Event,
    Algorithm::EmDpor,
];

#[track_caller]
fn notices(words: &[&str], program: fn()) {
    for algorithm in ALGORITHMS {
        let outcome = Builder::new().algorithm(algorithm).leaks_fail(false).explore(program);
        let name = algorithm.name();
        let failure = outcome.failures.last().unwrap_or_else(|| panic!("{name}: {outcome:?}"));
        assert_eq!(failure.kind, FailureKind::Nondeterminism, "{name}: {outcome:?}");
        assert!(!outcome.is_complete(), "{name}: {outcome:?}");
        for word in words {
            assert!(failure.message.contains(word), "{name}: {word} in {}", failure.message);
        }
    }
}

/// The first message to come takes one way and the second the other.
fn messages_take_turns() {
    let turn = Arc::new(HiddenU32::new(0));
    let [x, y] = [(), ()].map(|()| Arc::new(AtomicU32::new(0)));
    let handler = Handler::spawn("looper");
    for _ in 0..2 {
        let (turn, x, y, handler) =
            (Arc::clone(&turn), Arc::clone(&x), Arc::clone(&y), handler.clone());
        mazurka::thread::spawn(move || {
            handler.post(move || {
                if turn.fetch_add(1, SeqCst) == 0 {
                    x.store(1, SeqCst);
                    y.fetch_add(1, SeqCst);
                } else {
                    y.load(SeqCst);
                    x.load(SeqCst);
                }
            });
        });
    }
}

#[test]
fn messages_that_branch_on_a_plain_atomic() {
    notices(&["write of AtomicU32", "read of AtomicU32", "hidden.rs:"], messages_take_turns);
}

#[test]
fn messages_that_write_what_a_plain_atomic_says() {
    notices(&["write of x", " = 0 at ", " = 1 at ", "hidden.rs:"], || {
        let next = Arc::new(HiddenU32::new(0));
        let x = Arc::new(AtomicU32::new(0));
        let handler = Handler::spawn_unordered("looper");
        for _ in 0..2 {
            let (next, x) = (Arc::clone(&next), Arc::clone(&x));
            handler.post(move || x.store(next.fetch_add(1, SeqCst), SeqCst));
        }
    });
}

/// The first message to come does more than the second: an operation that was predicted is not there.
#[test]
fn a_message_that_leaves_something_out() {
    notices(&["write of AtomicU32", "update of AtomicU32", "hidden.rs:"], || {
        let late = Arc::new(HiddenU32::new(0));
        let [extra, last] = [(), ()].map(|()| Arc::new(AtomicU32::new(0)));
        let handler = Handler::spawn_unordered("looper");
        for _ in 0..2 {
            let own = AtomicU32::new(0);
            let late = Arc::clone(&late);
            let [extra, last] = [&extra, &last].map(Arc::clone);
            handler.post(move || {
                own.store(1, SeqCst);
                if late.swap(1, SeqCst) == 0 {
                    extra.store(7, SeqCst);
                }
                last.fetch_add(1, SeqCst);
            });
        }
    });
}
