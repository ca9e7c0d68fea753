//! The numbers of executions are exact: one for each equivalence class.

use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Algorithm, Builder, Outcome, handler::Handler, thread};

fn optimal() -> Builder {
    Builder::new().algorithm(Algorithm::Optimal)
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

#[track_caller]
fn assert_exact(outcome: &Outcome, executions: u64) {
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    assert_eq!(outcome.executions, executions, "{outcome:?}");
    assert_eq!((outcome.blocked, outcome.redundant, outcome.deadlocks), (0, 0, 0));
}

fn writers(n: u32) {
    let x = Arc::new(AtomicU32::new(0));
    let threads: Vec<_> = (1..=n)
        .map(|value| {
            let x = Arc::clone(&x);
            thread::spawn(move || x.store(value, SeqCst))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!((1..=n).contains(&x.load(SeqCst)));
}

#[test]
fn writers_of_distinct_values() {
    for n in 1..=6 {
        let outcome = optimal().explore(move || writers(n));
        assert_exact(&outcome, factorial(n.into()));
    }
}

#[test]
fn increments_under_a_mutex() {
    for (threads, executions) in [(2, 6), (3, 90), (4, 2520)] {
        let outcome = optimal().explore(move || {
            let counter = Arc::new(Mutex::new(0));
            let handles: Vec<_> = (0..threads)
                .map(|_| {
                    let counter = Arc::clone(&counter);
                    thread::spawn(move || {
                        for _ in 0..2 {
                            *counter.lock().unwrap() += 1;
                        }
                    })
                })
                .collect();
            handles.into_iter().for_each(|handle| handle.join().unwrap());
            assert_eq!(*counter.lock().unwrap(), 2 * threads);
        });
        assert_exact(&outcome, executions);
    }
}

fn lastzero(n: usize) {
    let array: Arc<Vec<AtomicU32>> = Arc::new((0..=n).map(|_| AtomicU32::new(0)).collect());
    let reader = Arc::clone(&array);
    thread::spawn(move || {
        let mut i = n;
        while reader[i].load(SeqCst) != 0 {
            i -= 1;
        }
    });
    for i in 1..=n {
        let array = Arc::clone(&array);
        thread::spawn(move || {
            let before = array[i - 1].load(SeqCst);
            array[i].store(before + 1, SeqCst);
        });
    }
}

#[test]
fn last_zero() {
    let outcome = optimal().explore(|| lastzero(10));
    assert_exact(&outcome, 3328);
}

#[test]
fn a_message_and_a_thread() {
    let outcome = Builder::new().explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        let ui = Handler::spawn("ui");
        let y = Arc::clone(&x);
        ui.post(move || y.store(1, SeqCst));
        let t = thread::spawn(move || x.load(SeqCst));
        t.join().unwrap();
    });
    assert_exact(&outcome, 2);
}

#[test]
fn messages_that_share_nothing() {
    for n in 2..=20 {
        let outcome = Builder::new().explore(move || {
            let handler = Handler::spawn_unordered("h");
            for _ in 0..n {
                let own = AtomicU32::new(0);
                handler.post(move || own.store(1, SeqCst));
            }
        });
        assert_exact(&outcome, 1);
    }
}

#[test]
fn messages_that_write_one_atomic() {
    for n in 1..=6 {
        let outcome = Builder::new().explore(move || {
            let x = Arc::new(AtomicU32::new(0));
            let handler = Handler::spawn_unordered("h");
            for value in 0..n {
                let x = Arc::clone(&x);
                handler.post(move || x.store(value, SeqCst));
            }
        });
        assert_exact(&outcome, factorial(n.into()));
    }
}

/// Who wrote last is all that the reader sees: n classes with observers.
#[test]
fn writes_that_nobody_reads_are_not_ordered_for_observers() {
    for algorithm in [Algorithm::OptimalObservers, Algorithm::EventObservers] {
        for n in 1..=5 {
            let outcome = Builder::new().algorithm(algorithm).explore(move || writers(n));
            assert_exact(&outcome, n.into());
        }
    }
}

/// States of Rust programs cannot be compared.
#[test]
#[should_panic(
    expected = "`optimal-cs` compares states, which is not possible for Rust programs; use `event`, `optimal`, `event-observers` or `optimal-observers`"
)]
fn algorithms_that_compare_states_are_refused() {
    Builder::new().algorithm(Algorithm::OptimalCs).explore(|| writers(2));
}
