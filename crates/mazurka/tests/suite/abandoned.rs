//! Executions that do not come to their end, loops that give up, and `static`s of tests in parallel.

use mazurka::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Builder, thread};

struct Strict;

impl Drop for Strict {
    fn drop(&mut self) {
        panic!("dropped too early");
    }
}

struct Polite;

impl Drop for Polite {
    fn drop(&mut self) {
        assert!(thread::panicking(), "dropped without a reason");
    }
}

#[test]
fn a_destructor_that_panics_in_an_abandoned_execution_is_reported() {
    let outcome = Builder::new().explore(|| {
        let _strict = Strict;
        mazurka::assume(false);
    });
    assert_eq!((outcome.blocked, outcome.failures.len()), (1, 1), "{outcome:?}");
    let failure = &outcome.failures[0];
    assert!(failure.message.contains("a destructor panicked"), "{}", failure.message);
    assert!(failure.message.ends_with("dropped too early"), "{}", failure.message);
    assert!(failure.location.as_deref().is_some_and(|place| place.contains("abandoned.rs")));
    assert!(!std::thread::panicking());
    // The OS thread is as before: panics are caught, and reported.
    let caught = std::panic::catch_unwind(|| mazurka::check(|| panic!("another test")));
    assert!(caught.is_err_and(|payload| payload.is::<String>()));
    assert!(!std::thread::panicking());
}

#[test]
fn a_destructor_may_ask_whether_it_is_unwound() {
    let outcome = Builder::new().explore(|| {
        let _polite = Polite;
        mazurka::assume(false);
    });
    assert_eq!((outcome.blocked, outcome.failures.len()), (1, 0), "{outcome:?}");
}

#[test]
fn a_second_panic_of_one_task_is_reported() {
    let outcome = Builder::new().explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        let thread = thread::spawn(|| {
            let _strict = Strict;
            panic!("the first");
        });
        x.store(1, SeqCst);
        drop(thread);
    });
    let words: Vec<_> = outcome.failures.iter().map(|failure| &failure.message).collect();
    assert!(
        words.iter().any(|words| words.contains("for which Rust ends the process")),
        "{words:?}"
    );
}

#[test]
fn a_loop_that_gives_up_is_explored_to_its_end() {
    let give_up = |rounds: u32| {
        move || {
            let flag = Arc::new(AtomicBool::new(false));
            for _ in 0..rounds {
                if flag.load(SeqCst) {
                    return;
                }
                thread::yield_now();
            }
            panic!("gave up");
        }
    };
    for rounds in [3, 100] {
        let outcome = Builder::new().explore(give_up(rounds));
        assert_eq!(outcome.failures.len(), 1, "{outcome:?}");
        assert_eq!(outcome.failures[0].message, "gave up");
    }
}

#[test]
fn a_bounded_retry_of_a_lock_is_no_endless_loop() {
    let outcome = Builder::new().explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let holder = thread::spawn(move || *other.lock().unwrap() += 1);
        for _ in 0..100 {
            if let Ok(mut value) = lock.try_lock() {
                *value += 1;
                break;
            }
            thread::yield_now();
        }
        holder.join().unwrap();
    });
    assert!(outcome.executions >= 2 && outcome.failures.is_empty(), "{outcome:?}");
}

#[test]
#[should_panic(expected = "no execution ends: a loop waits at")]
fn a_loop_that_waits_for_nothing_is_reported() {
    mazurka::check(|| {
        let flag = AtomicBool::new(false);
        while !flag.load(SeqCst) {
            mazurka::hint::spin_loop();
        }
    });
}

static COUNT: AtomicU32 = AtomicU32::new(0);
static LOCK: Mutex<()> = Mutex::new(());

#[test]
fn tests_in_parallel_share_a_static() {
    let explore = || {
        for _ in 0..20 {
            let outcome = Builder::new().explore(|| {
                let other = thread::spawn(|| {
                    let _guard = LOCK.lock().unwrap();
                    COUNT.fetch_add(1, SeqCst);
                });
                COUNT.fetch_add(1, SeqCst);
                other.join().unwrap();
                assert_eq!(COUNT.load(SeqCst), 2);
            });
            assert!(outcome.failures.is_empty() && outcome.executions == 2, "{outcome:?}");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(explore);
        }
    });
}
