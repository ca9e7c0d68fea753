//! Executions that do not end: a message that posts itself must not take the machine.

use mazurka::handler::Handler;
use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::{Algorithm, Builder, FailureKind, thread};

fn beat(handler: Handler, count: Arc<AtomicU32>) {
    count.fetch_add(1, SeqCst);
    let next = handler.clone();
    handler.post(move || beat(next, count));
}

fn heart() {
    let handler = Handler::spawn("heart");
    let again = handler.clone();
    handler.post(move || beat(again, Arc::new(AtomicU32::new(0))));
}

/// With the default bounds: this test ends, and the others of this binary report.
#[test]
#[should_panic(expected = "an execution does not end: `beat` posts itself")]
fn a_message_that_posts_itself_fails() {
    mazurka::check(heart);
}

#[test]
fn it_counts_as_truncated() {
    let outcome = Builder::new().max_events(300).endless_tasks_fail(false).explore(heart);
    assert_eq!((outcome.truncated, outcome.executions, outcome.failures.len()), (1, 0, 0));
    assert!(!outcome.is_complete(), "{outcome:?}");
    assert_eq!(outcome.not_explored.len(), 1);
    assert!(outcome.not_explored[0].contains("cut after 300 operations"), "{outcome:?}");
    let outcome = Builder::new().max_events(300).explore(heart);
    assert_eq!(outcome.failures[0].kind, FailureKind::Fault, "{outcome:?}");
}

fn beat_until(handler: Handler, stop: Arc<AtomicU32>) {
    if stop.load(SeqCst) == 0 {
        let next = handler.clone();
        handler.post(move || beat_until(next, stop));
    }
}

/// A program that can stop is shown to stop.
#[test]
fn the_others_are_explored() {
    for algorithm in [Algorithm::Optimal, Algorithm::Event] {
        let builder = Builder::new().algorithm(algorithm).max_events(60).endless_tasks_fail(false);
        let outcome = builder.explore(|| {
            let handler = Handler::spawn("heart");
            let stop = Arc::new(AtomicU32::new(0));
            let (again, stopper) = (handler.clone(), Arc::clone(&stop));
            handler.post(move || beat_until(again, stop));
            thread::spawn(move || stopper.store(1, SeqCst));
        });
        assert!(outcome.executions > 10 && outcome.truncated > 0, "{outcome:?}");
        assert!(outcome.not_explored[0].contains("`beat_until` posts itself"), "{outcome:?}");
    }
}

/// The memory is that of the process, with all tests in it.
#[test]
fn memory_is_bounded() {
    let outcome = Builder::new().max_memory(1 << 20).endless_tasks_fail(false).explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        for _ in 0..7 {
            let x = Arc::clone(&x);
            thread::spawn(move || x.fetch_add(1, SeqCst));
        }
    });
    assert!(!outcome.is_complete(), "{outcome:?}");
    assert!(outcome.not_explored[0].contains("more memory than it may"), "{outcome:?}");
}
