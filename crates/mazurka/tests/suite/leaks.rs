//! Objects that nobody drops.

use mazurka::sync::atomic::{AtomicPtr, AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Condvar, LazyLock, Mutex, OnceLock};
use mazurka::{Builder, FailureKind, Outcome, thread};

struct Node {
    next: Mutex<Option<Arc<Node>>>,
}

fn cycle() {
    let node = Arc::new(Node { next: Mutex::new(None) });
    *node.next.lock().unwrap() = Some(Arc::clone(&node));
}

#[track_caller]
fn assert_leaks(outcome: &Outcome) {
    let failure = outcome.failures.first().expect("the leak is a failure");
    assert_eq!((failure.kind, outcome.failures.len()), (FailureKind::Fault, 1));
    assert!(failure.message.contains("leak: the "), "{}", failure.message);
    let place = failure.location.as_deref().expect("the object was made somewhere");
    assert!(place.contains("leaks.rs"), "{place}");
}

#[test]
fn a_cycle_is_a_leak() {
    assert_leaks(&Builder::new().explore(cycle));
    let outcome = Builder::new().leaks_fail(false).explore(cycle);
    assert!(outcome.failures.is_empty() && outcome.executions == 1, "{outcome:?}");
}

#[test]
#[should_panic(expected = "leak: the AtomicU32 made at")]
fn what_is_forgotten_is_a_leak() {
    mazurka::check(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(1, SeqCst)).join().unwrap();
        std::mem::forget(x);
    });
}

#[test]
fn only_some_executions_leak() {
    let outcome = Builder::new().explore(|| {
        let node = Arc::new(Node { next: Mutex::new(None) });
        let ready = Arc::new(AtomicU32::new(0));
        let (other, flag) = (Arc::clone(&node), Arc::clone(&ready));
        let thread = thread::spawn(move || {
            if flag.load(SeqCst) == 1 {
                let next = Some(Arc::clone(&other));
                *other.next.lock().unwrap() = next;
            }
        });
        ready.store(1, SeqCst);
        thread.join().unwrap();
    });
    assert_eq!(outcome.executions, 2);
    assert_leaks(&outcome);
}

static TABLE: OnceLock<Arc<Mutex<u32>>> = OnceLock::new();
static LAZY: LazyLock<Arc<Mutex<u32>>> = LazyLock::new(|| Arc::new(Mutex::new(7)));

#[test]
fn what_a_static_owns_is_no_leak() {
    mazurka::check(|| {
        *TABLE.get_or_init(|| Arc::new(Mutex::new(1))).lock().unwrap() += 1;
    });
    mazurka::check(|| assert_eq!(*LAZY.lock().unwrap(), 7));
}

mazurka::thread_local! {
    static LOCAL: Arc<Mutex<u32>> = Arc::new(Mutex::new(3));
}

#[test]
fn thread_locals_are_no_leak() {
    mazurka::check(|| {
        let other = thread::spawn(|| LOCAL.with(|local| *local.lock().unwrap()));
        assert_eq!(LOCAL.with(|local| *local.lock().unwrap()), 3);
        other.join().unwrap();
        let handler = mazurka::handler::Handler::spawn("h");
        handler.post(|| LOCAL.with(|local| *local.lock().unwrap() += 1));
    });
}

#[test]
fn a_forgotten_box_is_a_leak() {
    let outcome = Builder::new().explore(|| {
        let x: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(0)));
        thread::spawn(move || x.store(1, SeqCst)).join().unwrap();
        assert_eq!(x.load(SeqCst), 1);
    });
    assert_leaks(&outcome);
    let outcome =
        Builder::new().explore(|| std::mem::forget(std::hint::black_box(vec![1_u64; 20])));
    assert_leaks_bytes(
        &outcome,
        "leak: the 160 bytes that main, before its first operation, allocated",
    );
}

#[test]
fn an_arc_that_nobody_touched_is_a_leak() {
    let outcome = Builder::new().explore(|| {
        let value = std::hint::black_box(Arc::new(7_u32));
        std::mem::forget(Arc::clone(&value));
    });
    assert_leaks_bytes(&outcome, "leak: the 24 bytes that main");
}

#[track_caller]
fn assert_leaks_bytes(outcome: &Outcome, words: &str) {
    assert_eq!(outcome.failures.len(), 1, "{outcome:?}");
    assert!(outcome.failures[0].message.starts_with(words), "{}", outcome.failures[0].message);
}

static CACHE: OnceLock<AtomicPtr<Vec<u32>>> = OnceLock::new();

/// Its value is made anew in every execution, and dropped in none: a `static` never is.
#[test]
fn the_value_of_a_static_is_reset_between_executions() {
    struct Loud(AtomicU32);
    impl Drop for Loud {
        fn drop(&mut self) {
            panic!("a static is not dropped");
        }
    }
    static LOUD: OnceLock<Loud> = OnceLock::new();
    let outcome = Builder::new().explore(|| {
        let other = thread::spawn(|| {
            CACHE.get_or_init(|| AtomicPtr::new(Box::into_raw(Box::new(vec![1]))));
            LOUD.get_or_init(|| Loud(AtomicU32::new(0))).0.fetch_add(1, SeqCst);
        });
        LOUD.get_or_init(|| Loud(AtomicU32::new(0))).0.fetch_add(1, SeqCst);
        CACHE.get_or_init(|| AtomicPtr::new(Box::into_raw(Box::new(vec![1]))));
        other.join().unwrap();
        assert_eq!(LOUD.get().unwrap().0.load(SeqCst), 2);
        let cached = CACHE.get().unwrap().load(SeqCst);
        assert_eq!(unsafe { &*cached }[..], [1]);
    });
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    assert!(outcome.executions > 1, "{outcome:?}");
}

#[test]
fn executions_that_do_not_end_leak_nothing() {
    let outcome = Builder::new().deadlocks_fail(false).explore(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let guard = pair.0.lock().unwrap();
        drop(pair.1.wait(guard).unwrap());
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (1, 0), "{outcome:?}");
    let outcome = Builder::new().explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        mazurka::assume(x.load(SeqCst) == 1);
    });
    assert_eq!((outcome.blocked, outcome.failures.len()), (1, 0), "{outcome:?}");
    let outcome = Builder::new().explore(|| {
        let x = Arc::new(Mutex::new(0));
        let _guard = x.lock().unwrap();
        panic!("only this");
    });
    assert_eq!(outcome.failures.len(), 1, "{outcome:?}");
    assert_eq!(outcome.failures[0].message, "only this");
}

#[test]
fn a_task_that_is_never_woken_leaks_nothing() {
    mazurka::check(|| {
        let notify = Arc::new(mazurka::tokio::sync::Notify::new());
        let inside = Arc::clone(&notify);
        mazurka::task::spawn(async move { inside.notified().await });
    });
}
