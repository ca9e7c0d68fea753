//! Locks: what can happen, and that the oracle agrees.

use crate::common::agree;
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use mazurka::{Builder, FailureKind, thread};
use std::time::Duration;

#[test]
fn try_lock_succeeds_or_fails() {
    let outcome = agree(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        let mine = match lock.try_lock() {
            Ok(mut guard) => {
                *guard += 1;
                1
            }
            Err(_) => 0,
        };
        thread.join().unwrap();
        assert_eq!(*lock.lock().unwrap(), 1 + mine);
    });
    // Before, after, and in the middle.
    assert_eq!(outcome.executions, 3);
    assert_eq!(outcome.failures, []);
}

#[test]
fn two_try_locks() {
    let outcome = agree(|| {
        let lock = Arc::new(Mutex::new(()));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || other.try_lock().is_ok());
        let mine = lock.try_lock().is_ok();
        let theirs = thread.join().unwrap();
        assert!(mine || theirs);
    });
    assert_eq!(outcome.failures, []);
}

#[test]
fn readers_do_not_exclude_each_other() {
    let outcome = agree(|| {
        let lock = Arc::new(RwLock::new(0));
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let lock = Arc::clone(&lock);
                thread::spawn(move || assert_eq!(*lock.read().unwrap(), 0))
            })
            .collect();
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (1, 0));
}

#[test]
fn a_writer_excludes_readers() {
    let outcome = agree(|| {
        let lock = Arc::new(RwLock::new((0, 0)));
        let other = Arc::clone(&lock);
        let writer = thread::spawn(move || {
            let mut pair = other.write().unwrap();
            pair.0 = 1;
            pair.1 = 1;
        });
        let seen = *lock.read().unwrap();
        assert_eq!(seen.0, seen.1);
        writer.join().unwrap();
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn try_read_and_try_write() {
    let outcome = agree(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let reader = thread::spawn(move || other.try_read().map(|value| *value).ok());
        let wrote = lock.try_write().map(|mut value| *value = 1).is_ok();
        let read = reader.join().unwrap();
        assert!(wrote || read == Some(0));
    });
    assert_eq!(outcome.failures, []);
}

fn signalled(always_check: bool) {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&pair);
    thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut ready = pair.0.lock().unwrap();
    if always_check {
        while !*ready {
            ready = pair.1.wait(ready).unwrap();
        }
    } else {
        ready = pair.1.wait(ready).unwrap();
    }
    assert!(*ready);
}

#[test]
fn a_condition_variable() {
    let outcome = agree(|| signalled(true));
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
}

#[test]
fn a_lost_wakeup_is_a_deadlock() {
    let outcome = agree(|| signalled(false));
    assert!(outcome.deadlocks > 0);
    assert_eq!(outcome.failures[0].kind, FailureKind::Deadlock);
}

#[test]
fn notify_one_may_wake_either() {
    let outcome = agree(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let waiters: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let mut tickets = shared.0.lock().unwrap();
                    while *tickets == 0 {
                        tickets = shared.1.wait(tickets).unwrap();
                    }
                    *tickets -= 1;
                })
            })
            .collect();
        *shared.0.lock().unwrap() = 2;
        shared.1.notify_all();
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
}

#[test]
fn a_wait_with_a_timeout_may_time_out_or_not() {
    let outcome = agree(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = shared.0.lock().unwrap();
        let (ready, result) = shared.1.wait_timeout(guard, Duration::from_secs(1)).unwrap();
        assert!(*ready || result.timed_out());
        drop(ready);
        thread.join().unwrap();
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
    assert!(outcome.executions > 2);
}

#[test]
fn once_runs_once() {
    let outcome = agree(|| {
        let shared = Arc::new((Once::new(), AtomicU32::new(0)));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    shared.0.call_once(|| {
                        shared.1.fetch_add(1, SeqCst);
                    });
                    assert_eq!(shared.1.load(SeqCst), 1);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
}

static COUNTER: AtomicU32 = AtomicU32::new(7);
static CELL: OnceLock<u32> = OnceLock::new();
static LAZY: LazyLock<AtomicU32> = LazyLock::new(|| AtomicU32::new(1));
static LOCK: Mutex<()> = Mutex::new(());

#[test]
fn statics_are_as_new_in_every_execution() {
    let outcome = Builder::new().explore(|| {
        assert_eq!(COUNTER.load(SeqCst), 7);
        assert_eq!(CELL.get(), None);
        assert_eq!(LAZY.load(SeqCst), 1);
        let guard = LOCK.lock().unwrap();
        let thread = thread::spawn(|| {
            COUNTER.fetch_add(1, SeqCst);
            LAZY.fetch_add(1, SeqCst);
            *CELL.get_or_init(|| 1)
        });
        COUNTER.fetch_add(1, SeqCst);
        LAZY.fetch_add(1, SeqCst);
        let mine = *CELL.get_or_init(|| 2);
        assert_eq!(mine, thread.join().unwrap());
        assert_eq!((COUNTER.load(SeqCst), LAZY.load(SeqCst)), (9, 3));
        drop(guard);
    });
    assert_eq!(outcome.failures, []);
    assert!(outcome.is_complete() && outcome.executions > 2, "{outcome:?}");
}

#[test]
fn a_barrier_has_one_leader() {
    let outcome = agree(|| {
        let barrier = Arc::new(Barrier::new(2));
        let other = Arc::clone(&barrier);
        let thread = thread::spawn(move || other.wait().is_leader());
        let mine = barrier.wait().is_leader();
        assert!(mine != thread.join().unwrap());
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn locks_work_outside_of_explorations() {
    let lock = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || (0..100).for_each(|_| *lock.lock().unwrap() += 1))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*lock.lock().unwrap(), 400);
    let rw = RwLock::new(1);
    *rw.write().unwrap() += 1;
    assert_eq!(*rw.read().unwrap(), 2);
    let condvar = Condvar::new();
    let (_guard, result) =
        condvar.wait_timeout(lock.lock().unwrap(), Duration::from_millis(1)).unwrap();
    assert!(result.timed_out());
}
