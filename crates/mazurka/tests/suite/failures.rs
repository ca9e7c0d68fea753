//! Failures: each kind is found, told in the user's words, and can be run again.

use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Builder, FailureKind, handler::Handler, thread};

fn lost_update() {
    let x = Arc::new(AtomicU32::new(0));
    let y = Arc::clone(&x);
    let thread = thread::Builder::new()
        .name("incrementer".to_owned())
        .spawn(move || {
            let value = y.load(SeqCst);
            y.store(value + 1, SeqCst);
        })
        .unwrap();
    let value = x.load(SeqCst);
    x.store(value + 1, SeqCst);
    thread.join().unwrap();
    assert_eq!(x.load(SeqCst), 2, "an update was lost");
}

#[test]
#[should_panic(expected = "an update was lost")]
fn the_users_message_comes_through() {
    mazurka::check(lost_update);
}

#[test]
#[should_panic(expected = "an update was lost")]
fn random_schedules_find_it() {
    mazurka::check_random(lost_update, 1000);
}

#[test]
#[should_panic(expected = "an update was lost")]
fn random_priorities_find_it() {
    mazurka::check_pct(lost_update, 1000, 3);
}

#[test]
fn a_failure_can_be_replayed() {
    let outcome = Builder::new().explore(lost_update);
    let [failure] = &outcome.failures[..] else { panic!("one failure: {outcome:?}") };
    assert_eq!(failure.kind, FailureKind::Assertion);
    assert!(failure.location.as_ref().unwrap().contains("failures.rs:"), "{failure:?}");
    let again = Builder::new().replay(failure.schedule.clone()).explore(lost_update);
    assert_eq!(again.failures.len(), 1);
    assert_eq!(again.failures[0].message, failure.message);
}

#[test]
fn a_lock_order_deadlock() {
    let outcome = Builder::new().explore(|| {
        let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let (c, d) = (Arc::clone(&a), Arc::clone(&b));
        thread::spawn(move || {
            let _d = d.lock().unwrap();
            let _c = c.lock().unwrap();
        });
        let _a = a.lock().unwrap();
        let _b = b.lock().unwrap();
    });
    assert_eq!((outcome.executions, outcome.deadlocks), (2, 1), "{outcome:?}");
    assert_eq!(outcome.failures[0].kind, FailureKind::Deadlock);
}

#[test]
fn deadlocks_need_not_be_failures() {
    let outcome = Builder::new().deadlocks_fail(false).explore(|| {
        let lock = Mutex::new(());
        let _first = lock.lock().unwrap();
        let _second = lock.lock().unwrap();
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (1, 0));
}

#[test]
#[should_panic(expected = "before any operation")]
fn a_panic_before_the_first_operation() {
    mazurka::check(|| panic!("before any operation"));
}

#[test]
#[should_panic(expected = "in a message")]
fn a_panic_in_a_message() {
    mazurka::check(|| {
        Handler::spawn("h").post(|| panic!("in a message"));
    });
}

struct PanicsInDrop(Arc<AtomicU32>);

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        assert!(self.0.load(SeqCst) != 1, "dropped too early");
    }
}

#[test]
#[should_panic(expected = "dropped too early")]
fn a_panic_in_a_drop() {
    mazurka::check(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            y.store(1, SeqCst);
            y.store(2, SeqCst);
        });
        drop(PanicsInDrop(x));
    });
}

#[test]
#[should_panic(expected = "does not end")]
fn a_task_that_never_ends() {
    Builder::new().max_steps(50).check(|| {
        let x = AtomicU32::new(0);
        loop {
            x.store(1, SeqCst);
        }
    });
}

#[test]
fn a_joined_panic_is_an_error_where_panics_do_not_fail() {
    let outcome = Builder::new().panics_fail(false).explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let inside = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let _guard = inside.lock().unwrap();
            panic!("poison");
        });
        assert!(thread.join().is_err());
        assert!(lock.is_poisoned());
        assert!(lock.lock().is_err());
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (1, 0), "{outcome:?}");
}

#[test]
fn a_test_that_is_not_a_function_of_the_schedule() {
    static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let outcome = Builder::new().explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(2, SeqCst));
        if RUNS.fetch_add(1, SeqCst).is_multiple_of(2) {
            x.store(1, SeqCst);
        } else {
            x.load(SeqCst);
        }
    });
    let failure = outcome.failures.last().expect("a failure");
    assert_eq!(failure.kind, FailureKind::Nondeterminism);
    for word in ["write of x", "read of x", "failures.rs:"] {
        assert!(failure.message.contains(word), "{word} in {}", failure.message);
    }
}

#[test]
#[should_panic(expected = "cannot contain another")]
fn explorations_do_not_nest() {
    mazurka::check(|| mazurka::check(|| {}));
}

#[test]
fn abandoned_tasks_are_forgotten() {
    use std::sync::atomic::AtomicUsize;
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Counted(Arc<AtomicU32>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.store(7, SeqCst);
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let outcome = Builder::new().explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || {
            let _counted = Counted(Arc::clone(&y));
            mazurka::assume(y.load(SeqCst) == 1);
        });
        x.store(1, SeqCst);
    });
    assert_eq!((outcome.executions, outcome.blocked), (1, 1));
    assert_eq!(DROPPED.load(SeqCst), 1, "in the execution that is complete");
}

#[test]
fn every_reachable_place_is_reached() {
    let outcome = Builder::new().explore(|| {
        if mazurka::choose(0..2) == 1 {
            mazurka::assert_reachable!("the second alternative");
        }
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn a_place_that_no_execution_reaches() {
    let outcome = Builder::new().explore(|| {
        if mazurka::choose(0..2) == 2 {
            mazurka::assert_reachable!("the third alternative");
        }
    });
    assert_eq!(outcome.failures[0].message, "no execution reaches the third alternative");
}

#[test]
fn each_exploration_of_a_function_has_its_own_places() {
    let first = Builder::new().explore(|| {
        if mazurka::choose(0..2) == 1 {
            mazurka::assert_reachable!("one");
        }
    });
    let second = Builder::new().explore(|| {
        if mazurka::choose(0..2) == 2 {
            mazurka::assert_reachable!("two");
        }
    });
    assert!(first.failures.is_empty(), "{first:?}");
    assert_eq!(second.failures.len(), 1, "{second:?}");
    assert_eq!(second.failures[0].message, "no execution reaches two");
}
