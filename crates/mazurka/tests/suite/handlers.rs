//! Handlers, checked and real.

use crate::common::{agree, agree_with};
use mazurka::handler::{Handler, MessageError};
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Builder, FailureKind, thread};
use std::time::Duration;

/// Two messages that write different values; returns nothing, the classes tell.
fn two_writes(handler: &Handler) {
    let x = Arc::new(AtomicU32::new(0));
    for value in 1..=2 {
        let x = Arc::clone(&x);
        handler.post(move || x.store(value, SeqCst));
    }
}

#[test]
fn mailboxes_keep_the_order_of_the_posts_or_not() {
    assert_eq!(agree(|| two_writes(&Handler::spawn("h"))).executions, 1);
    assert_eq!(agree(|| two_writes(&Handler::spawn_unordered("h"))).executions, 2);
    let unordered = Builder::new().unordered_mailboxes(true);
    assert_eq!(agree_with(unordered, || two_writes(&Handler::spawn("h"))).executions, 2);
}

#[test]
fn messages_have_results() {
    let outcome = agree(|| {
        let handler = Handler::spawn("h");
        let one = handler.post(|| 1);
        let two = handler.post(|| 2);
        assert_eq!((two.join().unwrap(), one.join().unwrap()), (2, 1));
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (1, 0));
}

#[test]
fn messages_run_to_completion() {
    let outcome = agree(|| {
        let x = Arc::new(AtomicU32::new(0));
        let handler = Handler::spawn_unordered("h");
        for value in 1..=2 {
            let x = Arc::clone(&x);
            handler.post(move || {
                x.store(value, SeqCst);
                assert_eq!(x.load(SeqCst), value);
            });
        }
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn a_message_that_waits_for_its_own_handler() {
    let outcome = agree(|| {
        let handler = Handler::spawn("h");
        let inner = handler.clone();
        handler.post(move || inner.post(|| ()).join().is_ok());
    });
    assert_eq!(outcome.deadlocks, 1);
    assert_eq!(outcome.failures[0].kind, FailureKind::Deadlock);
}

#[test]
fn a_delayed_message_comes_at_any_time() {
    let outcome = agree(|| {
        let x = Arc::new(AtomicU32::new(0));
        let handler = Handler::spawn("h");
        let (late, now) = (Arc::clone(&x), Arc::clone(&x));
        let message = handler.post_delayed(Duration::from_secs(1), move || late.store(1, SeqCst));
        handler.post(move || now.store(2, SeqCst));
        message.join().unwrap();
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn a_front_post_overtakes_what_waits() {
    let outcome = agree(|| {
        let order = Arc::new(Mutex::new(Vec::new()));
        let handler = Handler::spawn("h");
        let push = |name: &'static str| {
            let order = Arc::clone(&order);
            move || order.lock().unwrap().push(name)
        };
        let first = handler.post(push("first"));
        let second = handler.post(push("second"));
        let front = handler.post_front(push("front"));
        first.join().unwrap();
        second.join().unwrap();
        front.join().unwrap();
        let order = order.lock().unwrap();
        let place = |name| order.iter().position(|other| *other == name);
        assert!(place("first") < place("second"), "{order:?}");
    });
    assert_eq!(outcome.failures, []);
    // The front message comes before both, between them, or after both.
    assert!(outcome.executions >= 3, "{outcome:?}");
}

#[test]
fn a_handler_that_quits_drops_its_messages() {
    let outcome = agree(|| {
        let x = Arc::new(AtomicU32::new(0));
        let handler = Handler::spawn("h");
        let y = Arc::clone(&x);
        let message = handler.post(move || y.store(1, SeqCst));
        handler.quit();
        match message.join() {
            Ok(()) => assert_eq!(x.load(SeqCst), 1),
            Err(MessageError::Dropped) => assert_eq!(x.load(SeqCst), 0),
            Err(error) => panic!("{error}"),
        }
        assert!(matches!(handler.post(|| ()).join(), Err(MessageError::Dropped)));
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn two_handlers_run_at_the_same_time() {
    let outcome = agree(|| {
        let x = Arc::new(AtomicU32::new(0));
        for name in ["one", "two"] {
            let x = Arc::clone(&x);
            Handler::spawn(name).post(move || {
                let value = x.load(SeqCst);
                x.store(value + 1, SeqCst);
            });
        }
    });
    // Two read-modify-writes in two tasks: 3 lost updates or not, by the order of 4 accesses.
    assert_eq!((outcome.executions, outcome.failures.len()), (4, 0));
}

#[test]
fn posters_of_the_papers() {
    // posters(n) of the Event-DPOR paper: 2, 6, 90 is the number of classes for 1, 2, 3 posters.
    for (n, classes) in [(1, 1), (2, 6), (3, 90)] {
        let outcome = Builder::new().explore(move || {
            let x = Arc::new(AtomicU32::new(u32::MAX));
            let handler = Handler::spawn_unordered("h");
            for i in 0..n {
                let (x, handler) = (Arc::clone(&x), handler.clone());
                thread::spawn(move || {
                    let inner = handler.clone();
                    handler.post(move || {
                        x.store(2 * i, SeqCst);
                        let y = Arc::clone(&x);
                        inner.post(move || {
                            y.store(2 * i + 1, SeqCst);
                            assert_eq!(y.load(SeqCst), 2 * i + 1);
                        });
                        assert_eq!(x.load(SeqCst), 2 * i);
                    });
                });
            }
        });
        assert_eq!((outcome.executions, outcome.failures.len()), (classes, 0), "posters({n})");
    }
}

#[test]
fn a_real_event_loop() {
    let handler = Handler::spawn("real");
    assert_eq!(handler.name(), "real");
    let log = Arc::new(std::sync::Mutex::new(Vec::new()));
    let push = |value: u32| {
        let log = Arc::clone(&log);
        move || log.lock().unwrap().push(value)
    };
    // Hold the loop until everything is posted.
    let gate = Arc::new(std::sync::Barrier::new(2));
    let inside = Arc::clone(&gate);
    handler.post(move || inside.wait());
    let two = handler.post(push(2));
    handler.post_front(push(1));
    let late = handler.post_delayed(Duration::from_millis(5), push(3));
    gate.wait();
    two.join().unwrap();
    late.join().unwrap();
    assert_eq!(*log.lock().unwrap(), [1, 2, 3]);
    let name = handler.post(|| std::thread::current().name().map(str::to_owned));
    assert_eq!(name.join().unwrap().as_deref(), Some("real"));
    assert!(matches!(handler.post(|| panic!("inside")).join(), Err(MessageError::Panicked(_))));
    handler.quit();
    assert!(matches!(handler.post(|| ()).join(), Err(MessageError::Dropped)));
}

#[test]
fn a_message_can_be_awaited() {
    let outcome = Builder::new().explore(|| {
        let handler = Handler::spawn("h");
        let x = Arc::new(AtomicU32::new(0));
        let y = Arc::clone(&x);
        let first = handler.post(move || y.fetch_add(1, SeqCst));
        let second = handler.post_delayed(std::time::Duration::from_millis(1), || "late");
        let (one, two) = mazurka::future::block_on(async { (first.await, second.await) });
        assert_eq!((one.unwrap(), two.unwrap(), x.load(SeqCst)), (0, "late", 1));
    });
    assert!(outcome.failures.is_empty() && outcome.executions > 0, "{outcome:?}");
    let outcome = Builder::new().explore(|| {
        let handler = Handler::spawn("h");
        handler.quit();
        let dropped = handler.post(|| 1);
        assert!(mazurka::future::block_on(dropped).is_err());
    });
    assert!(outcome.failures.is_empty() && outcome.executions > 0, "{outcome:?}");
    let handler = Handler::spawn("real");
    let slow = handler.post(|| std::thread::sleep(std::time::Duration::from_millis(10)));
    mazurka::future::block_on(slow).unwrap();
    handler.quit();
    assert!(mazurka::future::block_on(handler.post(|| 1)).is_err());
}

/// One message waits for the other, which may come behind it; and there is more to explore than the limit allows.
#[test]
fn deadlocks_are_told_although_a_limit_ends_the_exploration() {
    let outcome = Builder::new().max_executions(2).explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        let handler = Handler::spawn_unordered("looper");
        let awaited = handler.post(|| {});
        handler.post(move || awaited.join());
        for _ in 0..3 {
            let x = Arc::clone(&x);
            thread::spawn(move || x.fetch_add(1, SeqCst));
        }
    });
    assert!(!outcome.is_complete(), "{outcome:?}");
    let kinds: Vec<_> = outcome.failures.iter().map(|failure| failure.kind).collect();
    assert_eq!(kinds, [FailureKind::Deadlock], "{outcome:?}");
    assert_eq!(outcome.deadlocks, 1, "{outcome:?}");
}
