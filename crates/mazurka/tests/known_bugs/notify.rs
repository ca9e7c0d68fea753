//! Notifications: tokio's `Notify`, and a counter that is awaited.

use crate::{found_and_fixed, found_and_fixed_with};
use mazurka::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Arc, Condvar, Mutex};
use mazurka::{Builder, FailureKind, future, thread};
use std::collections::VecDeque;
use std::task::{Poll, Waker};

/// tokio, "sync: preserve permit state in notify_waiters": the number of calls is raised by a load and a store, which
/// overwrites a permit given between. <https://github.com/tokio-rs/tokio/pull/3660>.
#[test]
fn tokio_3660_permit_overwritten() {
    const NOTIFIED: usize = 1;
    const CALL: usize = 4;
    fn program(fixed: bool) {
        let state = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&state);
        let notify_one = thread::spawn(move || other.fetch_or(NOTIFIED, SeqCst));
        if fixed {
            state.fetch_add(CALL, SeqCst);
        } else {
            let before = state.load(SeqCst);
            state.store(before + CALL, SeqCst);
        }
        notify_one.join().unwrap();
        assert_eq!(state.load(SeqCst) & NOTIFIED, NOTIFIED, "the permit is lost");
    }
    found_and_fixed(program, FailureKind::Assertion, "the permit is lost");
}

/// tokio, "one call `notify_waiters()` can wake two sequential `notified().await`": waiters are woken in batches, and
/// one that comes between two batches is woken by the same call. <https://github.com/tokio-rs/tokio/issues/5396>.
#[test]
fn tokio_5396_one_call_wakes_one_task_twice() {
    #[derive(Default)]
    struct Waiter {
        woken: Mutex<bool>,
        condvar: Condvar,
    }
    /// The number of calls, and who waits, with the number of calls when each came.
    type Waiters = (usize, VecDeque<(usize, Arc<Waiter>)>);
    #[derive(Default)]
    struct Notify {
        waiters: Mutex<Waiters>,
    }
    impl Notify {
        fn register(&self) -> Arc<Waiter> {
            let waiter = Arc::new(Waiter::default());
            let mut waiters = self.waiters.lock().unwrap();
            let calls = waiters.0;
            waiters.1.push_back((calls, Arc::clone(&waiter)));
            waiter
        }

        fn notify_waiters(&self, fixed: bool) {
            let call = {
                let mut waiters = self.waiters.lock().unwrap();
                waiters.0 += 1;
                waiters.0
            };
            loop {
                // A batch of one.
                let next = {
                    let mut waiters = self.waiters.lock().unwrap();
                    let due = |waiter: &&(usize, Arc<Waiter>)| !fixed || waiter.0 < call;
                    if waiters.1.front().filter(due).is_none() {
                        return;
                    }
                    waiters.1.pop_front()
                };
                if let Some((_, waiter)) = next {
                    *waiter.woken.lock().unwrap() = true;
                    waiter.condvar.notify_one();
                }
            }
        }
    }
    fn wait(waiter: &Waiter) {
        let mut woken = waiter.woken.lock().unwrap();
        while !*woken {
            woken = waiter.condvar.wait(woken).unwrap();
        }
    }
    fn program(fixed: bool) {
        let notify = Arc::new(Notify::default());
        // Two wait already; the first one waits again as soon as it is woken.
        let (first, _second) = (notify.register(), notify.register());
        let other = Arc::clone(&notify);
        thread::spawn(move || {
            wait(&first);
            let again = other.register();
            wait(&again);
            panic!("woken twice by one call");
        });
        notify.notify_waiters(fixed);
    }
    // Fixed, the task waits for a second call that never comes.
    let builder = Builder::new().deadlocks_fail(false);
    let buggy = builder.explore(|| program(false));
    assert!(
        buggy.failures.iter().any(|failure| failure.message.contains("woken twice")),
        "{buggy:?}"
    );
    let fixed = builder.explore(|| program(true));
    assert!(fixed.is_complete() && fixed.failures.is_empty(), "{fixed:?}");
}

/// taskwait, "register waker before loading/checking counter value": a future that checks first and registers then
/// misses the wake-up between. <https://github.com/staticgc/taskwait/pull/1>.
#[test]
fn taskwait_1_waker_registered_too_late() {
    #[derive(Default)]
    struct Group {
        done: AtomicBool,
        waker: Mutex<Option<Waker>>,
    }
    fn program(fixed: bool) {
        let group = Arc::new(Group::default());
        let worker = Arc::clone(&group);
        thread::spawn(move || {
            worker.done.store(true, SeqCst);
            if let Some(waker) = worker.waker.lock().unwrap().take() {
                waker.wake();
            }
        });
        future::block_on(std::future::poll_fn(|context| {
            let register = || *group.waker.lock().unwrap() = Some(context.waker().clone());
            if fixed {
                register();
            }
            if group.done.load(SeqCst) {
                return Poll::Ready(());
            }
            if !fixed {
                register();
            }
            Poll::Pending
        }));
    }
    found_and_fixed_with(&Builder::new(), program, FailureKind::Deadlock, "main waits");
}
