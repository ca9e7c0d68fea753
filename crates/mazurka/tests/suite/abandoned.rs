//! Executions that do not come to their end, loops that give up, and `static`s of tests in parallel.

use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Builder, FailureKind, thread};
use std::pin::Pin;
use std::task::{Context, Poll};

struct Strict;

impl Drop for Strict {
    fn drop(&mut self) {
        panic!("dropped too early");
    }
}

/// What lies on a stack that is forgotten is not dropped: lock-free code must not be unwound in the middle.
#[test]
fn no_destructor_runs_in_an_abandoned_execution() {
    let outcome = Builder::new().explore(|| {
        let _strict = Strict;
        let other = thread::spawn(|| {
            let _strict = Strict;
            mazurka::assume(false);
        });
        other.join().unwrap();
    });
    assert_eq!((outcome.blocked, outcome.failures.len()), (1, 0), "{outcome:?}");
}

/// A list whose destructor frees what it finds, which is wrong in the middle of an exchange.
#[test]
fn a_task_that_is_abandoned_in_the_middle_of_an_exchange_frees_nothing() {
    struct Slot(AtomicPtr<u32>);
    impl Drop for Slot {
        fn drop(&mut self) {
            let value = self.0.load(SeqCst);
            if !value.is_null() {
                drop(unsafe { Box::from_raw(value) });
            }
        }
    }
    let outcome = Builder::new().explore(|| {
        let slot = Arc::new(Slot(AtomicPtr::new(Box::into_raw(Box::new(1)))));
        let flag = Arc::new(AtomicBool::new(false));
        let (other, up) = (Arc::clone(&slot), Arc::clone(&flag));
        let thread = thread::spawn(move || {
            let value = unsafe { Box::from_raw(other.0.load(SeqCst)) };
            // Until here the value has two owners.
            while !up.load(SeqCst) {
                thread::yield_now();
            }
            other.0.store(std::ptr::null_mut(), SeqCst);
            *value
        });
        flag.store(true, SeqCst);
        assert_eq!(thread.join().unwrap(), 1);
    });
    assert!(outcome.blocked > 0 && outcome.failures.is_empty(), "{outcome:?}");
}

#[test]
fn a_panic_on_a_stack_that_is_forgotten_is_not_counted_for_ever() {
    struct Waits(Arc<Mutex<u32>>);
    impl Drop for Waits {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let outcome = Builder::new().panics_fail(false).deadlocks_fail(false).explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let guard = lock.lock().unwrap();
        let waits = Waits(Arc::clone(&lock));
        let thread = thread::spawn(move || {
            let _waits = waits;
            panic!("unwinds, and waits in a destructor");
        });
        drop(thread.join());
        drop(guard);
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (1, 0), "{outcome:?}");
    assert!(!std::thread::panicking());
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
#[should_panic(expected = "main goes round the loop at")]
fn a_loop_that_waits_for_nothing_is_reported() {
    mazurka::check(|| {
        let flag = AtomicBool::new(false);
        while !flag.load(SeqCst) {
            mazurka::hint::spin_loop();
        }
    });
}

/// A lock that one of two orders leaves closed: the other order must not hide it.
#[test]
fn a_loop_that_waits_for_nothing_in_some_executions_is_reported() {
    let outcome = Builder::new().explore(|| {
        let closed = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&closed);
        let thread = thread::spawn(move || other.store(true, SeqCst));
        // Where the thread came first, nobody opens it again.
        while closed.swap(true, SeqCst) {
            thread::yield_now();
        }
        thread.join().unwrap();
    });
    assert_eq!(outcome.executions, 1, "{outcome:?}");
    assert_eq!(outcome.failures.len(), 1, "{outcome:?}");
    assert_eq!(outcome.failures[0].kind, FailureKind::Deadlock);
    assert!(outcome.failures[0].message.starts_with("main goes round the loop at"), "{outcome:?}");
}

#[test]
fn rounds_that_leave_everything_as_it_was_wait() {
    // Updates that keep the value, and values that are put back.
    let outcome = Builder::new().explore(|| {
        let (bits, flag) = (Arc::new(AtomicU32::new(1)), Arc::new(AtomicBool::new(false)));
        let up = Arc::clone(&flag);
        let thread = thread::spawn(move || up.store(true, SeqCst));
        while !flag.load(SeqCst) {
            bits.fetch_or(1, SeqCst);
            bits.store(1, SeqCst);
            bits.fetch_add(1, SeqCst);
            bits.fetch_sub(1, SeqCst);
            thread::yield_now();
        }
        thread.join().unwrap();
    });
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    // Rounds of taking a lock, looking, and giving it back.
    let outcome = Builder::new().explore(|| {
        let lock = Arc::new(Mutex::new(Vec::new()));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || other.lock().unwrap().push(1));
        loop {
            if let Ok(mut values) = lock.try_lock()
                && let Some(value) = values.pop()
            {
                assert_eq!(value, 1);
                break;
            }
            thread::yield_now();
        }
        thread.join().unwrap();
    });
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    assert!(outcome.executions > 1, "{outcome:?}");
}

/// Plain memory behind a flag: a round takes the flag, finds nothing, and gives it back.
#[test]
fn rounds_that_write_plain_memory_as_it_was_wait() {
    struct Slot(AtomicBool, UnsafeCell<Option<Box<u32>>>);
    unsafe impl Sync for Slot {}
    impl Slot {
        fn change<R>(&self, code: impl FnOnce(&mut Option<Box<u32>>) -> R) -> Option<R> {
            self.0.compare_exchange(false, true, SeqCst, SeqCst).ok()?;
            let result = self.1.with_mut(|value| code(unsafe { &mut *value }));
            self.0.store(false, SeqCst);
            Some(result)
        }
    }
    let outcome = Builder::new().explore(|| {
        let slot = Arc::new(Slot(AtomicBool::new(false), UnsafeCell::new(None)));
        let other = Arc::clone(&slot);
        let thread = thread::spawn(move || {
            while other.change(|value| *value = Some(Box::new(7))).is_none() {
                thread::yield_now();
            }
        });
        let found = loop {
            if let Some(Some(value)) = slot.change(Option::take) {
                break value;
            }
            thread::yield_now();
        };
        assert_eq!(*found, 7);
        thread.join().unwrap();
    });
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    assert!(outcome.executions > 1, "{outcome:?}");
}

/// A loop that changes plain memory in every round does not wait.
#[test]
fn a_loop_that_counts_in_a_cell_is_no_waiting() {
    mazurka::check(|| {
        let count = UnsafeCell::new(0);
        while count.with(|count| unsafe { *count }) < 20 {
            count.with_mut(|count| unsafe { *count += 1 });
            thread::yield_now();
        }
    });
}

#[test]
fn a_loop_that_waits_longer_and_longer_waits() {
    let outcome = Builder::new().explore(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let up = Arc::clone(&flag);
        let thread = thread::spawn(move || up.store(true, SeqCst));
        let mut pauses = 1;
        while !flag.load(SeqCst) {
            (0..pauses).for_each(|_| mazurka::hint::spin_loop());
            pauses = 64.min(pauses * 2);
        }
        thread.join().unwrap();
    });
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    assert!(outcome.executions > 1 && outcome.transitions < 60, "{outcome:?}");
}

/// Threads that a loop starts are no waiting.
#[test]
fn a_loop_that_starts_threads_is_no_waiting() {
    mazurka::check(|| {
        let flag = Arc::new(AtomicBool::new(false));
        for round in 0..4 {
            let up = Arc::clone(&flag);
            thread::spawn(move || {
                if round == 3 {
                    up.store(true, SeqCst)
                }
            });
            if !flag.load(SeqCst) {
                thread::yield_now();
            }
        }
    });
}

/// Behind a lock something changes in every round: that is no waiting, and the loop ends.
#[test]
fn a_loop_that_counts_behind_a_lock_is_no_waiting() {
    mazurka::check(|| {
        let count = Mutex::new(Box::new(0));
        while **count.lock().unwrap() < 20 {
            **count.lock().unwrap() += 1;
            thread::yield_now();
        }
    });
}

#[test]
fn a_future_that_wakes_itself_waits() {
    struct UntilUp(Arc<AtomicBool>);
    impl Future for UntilUp {
        type Output = ();

        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            if self.0.load(SeqCst) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }
    }
    let outcome = Builder::new().explore(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let up = Arc::clone(&flag);
        let thread = thread::spawn(move || up.store(true, SeqCst));
        mazurka::future::block_on(UntilUp(flag));
        thread.join().unwrap();
    });
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    assert!(outcome.executions > 1, "{outcome:?}");
}

/// As `AtomicWaker` has it: who cannot register wakes itself, and spins.
#[test]
fn a_loop_may_say_at_two_places_that_it_waits() {
    let outcome = Builder::new().explore(|| {
        let (locked, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let (lock, counter) = (Arc::clone(&locked), Arc::clone(&count));
        let thread = thread::spawn(move || {
            lock.store(true, SeqCst);
            counter.fetch_add(1, SeqCst);
            lock.store(false, SeqCst);
        });
        mazurka::future::block_on(std::future::poll_fn(|context| {
            if locked.load(SeqCst) {
                context.waker().wake_by_ref();
                mazurka::hint::spin_loop();
            } else if count.load(SeqCst) == 0 {
                context.waker().wake_by_ref();
            }
            if count.load(SeqCst) == 1 { Poll::Ready(()) } else { Poll::Pending }
        }));
        thread.join().unwrap();
    });
    assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
    assert!((2..100).contains(&outcome.executions), "{outcome:?}");
}

/// One is held back, and has not seen what the other did since. So the other does not wait for nothing.
#[test]
fn loops_that_wait_for_each_other_come_to_an_end() {
    for spin_bound in [0, 1] {
        let outcome = Builder::new().spin_bound(spin_bound).explore(|| {
            let (asked, answered) =
                (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
            let (question, answer) = (Arc::clone(&asked), Arc::clone(&answered));
            let thread = thread::spawn(move || {
                while !question.load(SeqCst) {
                    thread::yield_now();
                }
                answer.store(true, SeqCst);
            });
            asked.store(true, SeqCst);
            while !answered.load(SeqCst) {
                thread::yield_now();
            }
            thread.join().unwrap();
        });
        assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
        assert!(outcome.executions > 0 && outcome.blocked > 0, "{outcome:?}");
    }
}

#[test]
#[should_panic(expected = "not everything was explored: a bound of time or executions was reached")]
fn what_is_cut_short_fails() {
    Builder::new().max_executions(2).check(increments);
}

#[test]
fn what_is_cut_short_may_be_allowed() {
    Builder::new().max_executions(2).allow_incomplete(true).check(increments);
}

fn increments() {
    let count = Arc::new(AtomicU32::new(0));
    for _ in 0..3 {
        let count = Arc::clone(&count);
        thread::spawn(move || count.fetch_add(1, SeqCst));
    }
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
