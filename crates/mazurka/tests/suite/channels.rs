//! Channels, parking, thread-locals, waiting loops.

use crate::common::agree;
use mazurka::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, mpsc};
use mazurka::{Builder, FailureKind, thread};
use std::cell::Cell;
use std::time::Duration;

#[test]
fn messages_of_two_senders_come_in_either_order() {
    let outcome = agree(|| {
        let (sender, receiver) = mpsc::channel();
        for value in 0..2 {
            let sender = sender.clone();
            thread::spawn(move || sender.send(value).unwrap());
        }
        drop(sender);
        let mut got: Vec<u32> = receiver.iter().collect();
        got.sort_unstable();
        assert_eq!(got, [0, 1]);
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
}

#[test]
fn a_dropped_receiver_refuses() {
    let outcome = agree(|| {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(1).is_ok());
        drop(receiver);
        thread.join().unwrap();
    });
    // The receiver is gone before the message, after it, or after the sender.
    assert_eq!((outcome.executions, outcome.failures.len()), (3, 0));
}

#[test]
fn a_bounded_channel_makes_senders_wait() {
    let outcome = agree(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let thread = thread::spawn(move || {
            sender.send(1).unwrap();
            sender.send(2).unwrap();
        });
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(1), Ok(2)));
        thread.join().unwrap();
        assert_eq!(receiver.recv(), Err(mpsc::RecvError));
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
}

#[test]
fn a_rendezvous() {
    let outcome = agree(|| {
        let taken = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::sync_channel(0);
        let seen = Arc::clone(&taken);
        let thread = thread::spawn(move || {
            sender.send(1).unwrap();
            assert!(seen.load(SeqCst), "the send returns when the message is taken");
        });
        taken.store(true, SeqCst);
        assert_eq!(receiver.recv(), Ok(1));
        thread.join().unwrap();
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
}

#[test]
fn a_sender_that_waits_hears_that_the_receiver_is_gone() {
    let outcome = agree(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let thread = thread::spawn(move || while sender.send(0).is_ok() {});
        assert_eq!(receiver.recv(), Ok(0));
        drop(receiver);
        thread.join().unwrap();
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
}

#[test]
fn try_recv_and_recv_timeout() {
    let outcome = agree(|| {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(1).unwrap());
        let first = receiver.try_recv().ok();
        let second = receiver.recv_timeout(Duration::from_secs(1)).ok();
        thread.join().unwrap();
        let third = receiver.try_recv().ok();
        assert_eq!([first, second, third].iter().flatten().count(), 1);
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (6, 0));
}

#[test]
fn a_receiver_that_waits_for_ever() {
    let outcome = agree(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        receiver.recv().unwrap();
        drop(sender);
    });
    assert_eq!((outcome.executions, outcome.deadlocks), (0, 1));
    assert_eq!(outcome.failures[0].kind, FailureKind::Deadlock);
}

#[test]
fn parking_takes_one_token() {
    let outcome = agree(|| {
        let main = thread::current();
        let thread = thread::spawn(move || {
            main.unpark();
            main.unpark();
        });
        thread::park();
        thread.join().unwrap();
        thread::park_timeout(Duration::from_secs(1));
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0));
}

#[test]
fn parking_without_a_token_is_a_deadlock() {
    let outcome = agree(thread::park);
    assert_eq!(outcome.deadlocks, 1);
}

mazurka::thread_local! {
    static LOCAL: Cell<u32> = const { Cell::new(1) };
    static DROPPED: Dropped = Dropped(Cell::new(None));
}

struct Dropped(Cell<Option<Arc<AtomicU32>>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(counter) = self.0.take() {
            counter.fetch_add(1, SeqCst);
        }
    }
}

#[test]
fn thread_locals_belong_to_threads_and_end_with_them() {
    let outcome = agree(|| {
        let drops = Arc::new(AtomicU32::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let drops = Arc::clone(&drops);
                thread::spawn(move || {
                    LOCAL.set(LOCAL.get() + 1);
                    DROPPED.with(|dropped| dropped.0.set(Some(drops)));
                    LOCAL.get()
                })
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), 2);
        }
        assert_eq!((LOCAL.get(), drops.load(SeqCst)), (1, 2));
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn a_waiting_loop_ends() {
    let outcome = agree(|| {
        let ready = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&ready);
        thread::spawn(move || other.store(true, SeqCst));
        while !ready.load(SeqCst) {
            mazurka::hint::spin_loop();
        }
    });
    assert_eq!(outcome.failures, []);
    assert!(outcome.executions > 0 && outcome.blocked > 0, "{outcome:?}");
}

#[test]
fn scoped_threads_borrow() {
    let outcome = agree(|| {
        let x = AtomicU32::new(0);
        let sum = thread::scope(|scope| {
            let one = scope.spawn(|| x.fetch_add(1, SeqCst));
            scope.spawn(|| x.fetch_add(2, SeqCst));
            one.join().unwrap()
        });
        assert!(sum == 0 || sum == 2);
        assert_eq!(x.load(SeqCst), 3);
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn a_thread_that_is_finished_or_not() {
    let outcome = agree(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = Arc::clone(&x);
        let thread = thread::spawn(move || y.store(1, SeqCst));
        if thread.is_finished() {
            assert_eq!(x.load(SeqCst), 1);
        }
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
}

#[test]
fn sleeping_is_yielding() {
    let outcome = Builder::new().explore(|| {
        thread::sleep(Duration::from_secs(3600));
        thread::yield_now();
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (1, 0));
}
