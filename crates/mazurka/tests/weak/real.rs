//! Code as people write it, with the orderings that make it right and those that do not.

use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use mazurka::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Algorithm, Builder, FailureKind, Memory, Outcome, thread};

fn explore(code: impl Fn() + 'static) -> Outcome {
    let outcome = Builder::new().explore(code);
    assert!(outcome.is_complete(), "{:?}", outcome.not_explored);
    outcome
}

#[track_caller]
fn right(code: impl Fn() + 'static) -> Outcome {
    let outcome = explore(code);
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    outcome
}

/// Found with weak memory, and not without.
#[track_caller]
fn wrong(code: fn(), words: &str) {
    let outcome = explore(code);
    let messages = || outcome.failures.iter().map(|failure| &failure.message);
    assert!(messages().any(|message| message.contains(words)), "{:?}", outcome.failures);
    assert!(outcome.failures.iter().all(|it| it.kind == FailureKind::Assertion), "{outcome:?}");
    let without = Builder::new().memory(Memory::Sequential).explore(code);
    assert!(without.is_complete() && without.failures.is_empty(), "{:?}", without.failures);
}

/// Peterson's lock: do both enter?
fn peterson(store: Ordering, load: Ordering) {
    let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let (turn, inside) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let threads: Vec<_> = (0..2)
        .map(|me| {
            let (flags, turn, inside) =
                (Arc::clone(&flags), Arc::clone(&turn), Arc::clone(&inside));
            thread::spawn(move || {
                flags[me].store(true, store);
                turn.store(1 - me, store);
                if !(flags[1 - me].load(load) && turn.load(load) != me) {
                    assert_eq!(inside.fetch_add(1, SeqCst), 0, "both are inside");
                    inside.fetch_sub(1, SeqCst);
                    flags[me].store(false, store);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|it| it.join().unwrap());
}

#[test]
fn peterson_needs_sequential_consistency() {
    wrong(|| peterson(Release, Acquire), "both are inside");
    right(|| peterson(SeqCst, SeqCst));
}

/// Dekker's entry: at most one sees that the other has not come.
fn dekker(store: Ordering, load: Ordering, fenced: bool) {
    let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let threads: Vec<_> = (0..2)
        .map(|me| {
            let flags = Arc::clone(&flags);
            thread::spawn(move || {
                flags[me].store(true, store);
                if fenced {
                    fence(SeqCst);
                }
                !flags[1 - me].load(load)
            })
        })
        .collect();
    let alone = threads.into_iter().map(|it| it.join().unwrap());
    assert!(alone.filter(|alone| *alone).count() < 2, "both believe to be alone");
}

#[test]
fn dekker_needs_sequential_consistency() {
    wrong(|| dekker(Relaxed, Relaxed, false), "both believe");
    wrong(|| dekker(Release, Acquire, false), "both believe");
    right(|| dekker(SeqCst, SeqCst, false));
    right(|| dekker(Relaxed, Relaxed, true));
}

/// A sequence lock: a reader that saw the same even number twice has read a whole value.
fn seqlock(right: bool) {
    struct SeqLock {
        number: AtomicUsize,
        halves: [AtomicUsize; 2],
    }
    let lock = Arc::new(SeqLock {
        number: AtomicUsize::new(0),
        halves: [AtomicUsize::new(0), AtomicUsize::new(0)],
    });
    let shared = Arc::clone(&lock);
    let writer = thread::spawn(move || {
        shared.number.store(1, Relaxed);
        fence(Release);
        shared.halves.iter().for_each(|half| half.store(7, Relaxed));
        shared.number.store(2, Release);
    });
    let before = lock.number.load(Acquire);
    if before.is_multiple_of(2) {
        let seen = [lock.halves[0].load(Relaxed), lock.halves[1].load(Relaxed)];
        if right {
            fence(Acquire);
        }
        if lock.number.load(Relaxed) == before {
            assert_eq!(seen[0], seen[1], "half a value");
        }
    }
    writer.join().unwrap();
}

#[test]
fn a_seqlock_needs_its_fence() {
    wrong(|| seqlock(false), "half a value");
    right(|| seqlock(true));
}

struct Published {
    value: UnsafeCell<u32>,
}

// SAFETY: that is what these tests are about.
unsafe impl Send for Published {}
// SAFETY: as above.
unsafe impl Sync for Published {}

/// Publication of a node by a pointer.
fn publish(store: Ordering, load: Ordering) {
    let cell = Arc::new(AtomicPtr::new(std::ptr::null_mut::<Published>()));
    let shared = Arc::clone(&cell);
    let publisher = thread::spawn(move || {
        let node = Box::into_raw(Box::new(Published { value: UnsafeCell::new(0) }));
        // SAFETY: nobody else has it yet.
        unsafe { (*node).value.with_mut(|value| *value = 7) };
        shared.store(node, store);
    });
    let node = cell.load(load);
    if !node.is_null() {
        // SAFETY: it is freed below only.
        let value = unsafe { (*node).value.with(|value| *value) };
        assert_eq!(value, 7);
    }
    publisher.join().unwrap();
    let node = cell.load(Relaxed);
    assert!(!node.is_null(), "it has been published when the publisher has ended");
    // SAFETY: both have ended.
    drop(unsafe { Box::from_raw(node) });
}

#[test]
fn publication_needs_release_and_acquire() {
    right(|| publish(Release, Acquire));
    for (store, load) in [(Relaxed, Acquire), (Release, Relaxed), (Relaxed, Relaxed)] {
        let outcome = explore(move || publish(store, load));
        let kinds: Vec<_> = outcome.failures.iter().map(|failure| failure.kind).collect();
        assert!(kinds.contains(&FailureKind::DataRace), "{store:?}, {load:?}: {kinds:?}");
    }
}

/// Data behind a flag that is an atomic itself: no data race, but an old value.
#[test]
fn a_relaxed_flag_publishes_nothing() {
    fn code(store: Ordering) {
        let data = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
        let shared = Arc::clone(&data);
        let writer = thread::spawn(move || {
            shared.0.store(7, Relaxed);
            shared.1.store(true, store);
        });
        if data.1.load(Acquire) {
            assert_eq!(data.0.load(Relaxed), 7, "an old value");
        }
        writer.join().unwrap();
    }
    wrong(|| code(Relaxed), "an old value");
    let outcome = right(|| code(Release));
    assert_eq!(outcome.executions, 2, "the flag before and behind");
}

/// What mutexes, joins and spawns order is seen.
#[test]
fn locks_and_threads_order_atomics() {
    right(|| {
        let (lock, value) = (Arc::new(Mutex::new(false)), Arc::new(AtomicUsize::new(0)));
        value.store(1, Relaxed);
        let (other, shared) = (Arc::clone(&lock), Arc::clone(&value));
        let writer = thread::spawn(move || {
            assert_eq!(shared.load(Relaxed), 1, "spawning orders");
            shared.store(2, Relaxed);
            *other.lock().unwrap() = true;
        });
        if *lock.lock().unwrap() {
            assert_eq!(value.load(Relaxed), 2, "the lock orders");
        }
        writer.join().unwrap();
        assert_eq!(value.load(Relaxed), 2, "joining orders");
    });
}

/// A loop that waits sees the store in the end.
#[test]
fn a_loop_that_waits_does_not_read_what_is_old_for_ever() {
    let outcome = right(|| {
        let flags = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
        let shared = Arc::clone(&flags);
        let writer = thread::spawn(move || {
            shared.0.store(true, Relaxed);
            shared.1.store(true, Relaxed);
        });
        while !flags.1.load(Relaxed) {
            mazurka::hint::spin_loop();
        }
        // It may be old once, not for ever.
        while !flags.0.load(Relaxed) {
            mazurka::hint::spin_loop();
        }
        writer.join().unwrap();
    });
    assert!(outcome.executions > 0);
}

/// Updates read the newest store before them, whatever their ordering.
#[test]
fn relaxed_counters_count() {
    right(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let count = Arc::clone(&count);
                thread::spawn(move || {
                    count.fetch_update(Relaxed, Relaxed, |value| Some(value + 1)).unwrap();
                })
            })
            .collect();
        threads.into_iter().for_each(|it| it.join().unwrap());
        assert_eq!(count.load(Relaxed), 3);
    });
}

/// Reference counts as in `Arc`: the last owner sees what others did.
fn reference_count(down: Ordering, fenced: bool) {
    let shared = Arc::new((AtomicUsize::new(2), Published { value: UnsafeCell::new(0) }));
    let leave = move |shared: &(AtomicUsize, Published), value: u32| {
        // SAFETY: tasks of an exploration never run at the same time.
        if value > 0 {
            shared.1.value.with_mut(|it| unsafe { *it = value });
        }
        if shared.0.fetch_sub(1, down) == 1 {
            if fenced {
                fence(Acquire);
            }
            // SAFETY: as above.
            shared.1.value.with_mut(|it| unsafe { *it += 1 });
        }
    };
    let other = Arc::clone(&shared);
    let thread = thread::spawn(move || leave(&other, 5));
    leave(&shared, 0);
    thread.join().unwrap();
}

#[test]
fn reference_counts_need_release_and_acquire() {
    right(|| reference_count(Release, true));
    right(|| reference_count(AcqRel, false));
    for code in [|| reference_count(Release, false), || reference_count(Relaxed, true)] {
        let outcome = explore(code);
        assert!(outcome.failures.iter().any(|it| it.kind == FailureKind::DataRace), "{outcome:?}");
    }
}

/// A failure is found again by its schedule, which holds what was read.
#[test]
fn schedules_hold_what_was_read() {
    let code = || dekker(Relaxed, Relaxed, false);
    let found = explore(code);
    let schedule = found.failures[0].schedule.clone();
    assert!(schedule.moves.iter().any(|step| step.choice > 0), "{schedule:?}");
    let again = Builder::new().replay(schedule).explore(code);
    assert_eq!(again.failures[0].message, found.failures[0].message);
}

/// Random walks find it too.
#[test]
fn sampling_has_weak_memory() {
    let builder = Builder::new().algorithm(Algorithm::Random).max_executions(300).seed(1);
    let outcome = builder.explore(|| dekker(Relaxed, Relaxed, false));
    assert!(!outcome.failures.is_empty());
}

/// Messages of one handler are one thread: what one stored, the next one sees.
#[test]
fn messages_of_one_handler_see_what_came_before() {
    right(|| {
        let handler = mazurka::handler::Handler::spawn("ui");
        let value = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
        let (first, second, reader) = (Arc::clone(&value), Arc::clone(&value), Arc::clone(&value));
        handler.post(move || first.0.store(1, Relaxed));
        handler.post(move || {
            assert_eq!(second.0.load(Relaxed), 1);
            second.1.store(true, Release);
        });
        let reader = thread::spawn(move || {
            if reader.1.load(Acquire) {
                assert_eq!(reader.0.load(Relaxed), 1, "it came before on that handler");
            }
        });
        reader.join().unwrap();
    });
}

#[test]
fn algorithms_without_weak_memory_say_so() {
    let code = || {
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let x = Arc::clone(&x);
            move || x.store(1, Relaxed)
        });
        x.load(Relaxed);
        other.join().expect("it ends");
    };
    let observers = [Algorithm::OptimalObservers, Algorithm::EventObservers];
    for algorithm in [Algorithm::R4, Algorithm::EmDpor].into_iter().chain(observers) {
        let builder = Builder::new().algorithm(algorithm);
        let outcome = builder.clone().explore(code);
        assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
        assert!(!outcome.is_complete(), "{}", algorithm.name());
        assert!(outcome.not_explored[0].contains("does not explore weak memory"));
        let outcome = builder.memory(Memory::Sequential).explore(code);
        assert!(outcome.is_complete(), "{}: {:?}", algorithm.name(), outcome.not_explored);
    }
}

/// A task stores and then changes the value through `&mut`, before anybody else does anything.
#[test]
fn what_is_changed_behind_a_store_is_read() {
    mazurka::check(|| {
        let mut x = AtomicUsize::new(0);
        x.store(1, Relaxed);
        *x.get_mut() += 4;
        assert_eq!(x.load(Relaxed), 5);
    });
}
