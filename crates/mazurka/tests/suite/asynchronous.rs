//! Futures, tasks, and the primitives in tokio's shape.

use crate::common::{agree, agree_with};
use mazurka::future::block_on;
use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::tokio::sync::{Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use mazurka::tokio::{select, spawn, task, time};
use mazurka::{Builder, FailureKind};
use std::time::Duration;

#[test]
fn tasks_have_results() {
    let outcome = agree(|| {
        block_on(async {
            let one = spawn(async { 1 });
            let two = spawn(async { 2 });
            assert_eq!(one.await.unwrap() + two.await.unwrap(), 3);
        });
    });
    assert_eq!((outcome.deadlocks, outcome.failures.len()), (0, 0), "{outcome:?}");
}

fn increment_with_a_gap() {
    block_on(async {
        let x = Arc::new(AtomicU32::new(0));
        let tasks: Vec<_> = (0..2)
            .map(|_| {
                let x = Arc::clone(&x);
                spawn(async move {
                    let value = x.load(SeqCst);
                    x.store(value + 1, SeqCst);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(x.load(SeqCst), 2, "lost");
    });
}

#[test]
fn workers_decide_whether_polls_overlap() {
    let many = Builder::new().explore(increment_with_a_gap);
    assert_eq!(many.failures.len(), 1, "{many:?}");
    let one = Builder::new().workers(1).explore(increment_with_a_gap);
    assert_eq!((one.failures.len(), one.is_complete()), (0, true), "{one:?}");
}

#[test]
fn one_worker_takes_turns_at_awaits() {
    let outcome = agree_with(Builder::new().workers(1), || {
        block_on(async {
            let x = Arc::new(AtomicU32::new(0));
            let y = Arc::clone(&x);
            let one = spawn(async move {
                let value = y.load(SeqCst);
                task::yield_now().await;
                y.store(value + 1, SeqCst);
            });
            let y = Arc::clone(&x);
            let two = spawn(async move { y.fetch_add(1, SeqCst) });
            one.await.unwrap();
            two.await.unwrap();
            assert_eq!(x.load(SeqCst), 2, "lost");
        });
    });
    assert_eq!(outcome.failures.len(), 1, "{outcome:?}");
}

#[test]
fn an_async_mutex_excludes() {
    let outcome = Builder::new().explore(|| {
        block_on(async {
            let x = Arc::new(Mutex::new(0));
            let y = Arc::clone(&x);
            let other = spawn(async move {
                let mut value = y.lock().await;
                let before = *value;
                task::yield_now().await;
                *value = before + 1;
            });
            *x.lock().await += 1;
            other.await.unwrap();
            assert_eq!(*x.lock().await, 2);
        });
    });
    assert_eq!(
        (outcome.failures.len(), outcome.deadlocks, outcome.is_complete()),
        (0, 0, true),
        "{outcome:?}"
    );
}

#[test]
fn async_read_write_lock() {
    let outcome = Builder::new().explore(|| {
        block_on(async {
            let x = Arc::new(RwLock::new((0, 0)));
            let y = Arc::clone(&x);
            let writer = spawn(async move {
                let mut pair = y.write().await;
                pair.0 = 1;
                task::yield_now().await;
                pair.1 = 1;
            });
            let pair = x.read().await;
            assert_eq!(pair.0, pair.1);
            drop(pair);
            writer.await.unwrap();
        });
    });
    assert_eq!(
        (outcome.failures.len(), outcome.deadlocks, outcome.is_complete()),
        (0, 0, true),
        "{outcome:?}"
    );
}

#[test]
fn channels_deliver() {
    let outcome = Builder::new().explore(|| {
        block_on(async {
            let (sender, mut receiver) = mpsc::channel(1);
            let producer = spawn(async move {
                for value in 0..2 {
                    sender.send(value).await.unwrap();
                }
            });
            assert_eq!(
                (receiver.recv().await, receiver.recv().await, receiver.recv().await),
                (Some(0), Some(1), None)
            );
            producer.await.unwrap();
        });
    });
    assert_eq!(
        (outcome.failures.len(), outcome.deadlocks, outcome.is_complete()),
        (0, 0, true),
        "{outcome:?}"
    );
}

#[test]
fn a_dropped_oneshot_sender_is_heard() {
    let outcome = agree(|| {
        block_on(async {
            let (sender, receiver) = oneshot::channel::<u32>();
            spawn(async move { drop(sender) });
            assert!(receiver.await.is_err());
        });
    });
    assert_eq!((outcome.failures.len(), outcome.deadlocks), (0, 0), "{outcome:?}");
}

#[test]
fn a_forgotten_waker_is_a_deadlock() {
    let outcome = Builder::new().explore(|| block_on(std::future::pending::<()>()));
    assert_eq!(outcome.failures[0].kind, FailureKind::Deadlock);
}

#[test]
fn notifications_are_kept_for_one() {
    let outcome = agree(|| {
        block_on(async {
            let notify = Arc::new(Notify::new());
            let other = Arc::clone(&notify);
            let waiting = spawn(async move { other.notified().await });
            notify.notify_one();
            waiting.await.unwrap();
        });
    });
    assert_eq!((outcome.failures.len(), outcome.deadlocks), (0, 0), "{outcome:?}");
}

#[test]
fn notify_waiters_is_not_kept() {
    let outcome = agree(|| {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        spawn(async move { other.notify_waiters() });
        block_on(async { notify.notified().await });
    });
    assert!(outcome.deadlocks > 0 && outcome.executions > 0, "{outcome:?}");
}

#[test]
fn semaphores_broadcasts_and_watches() {
    let outcome = Builder::new().explore(|| {
        block_on(async {
            let semaphore = Arc::new(Semaphore::new(1));
            let permit = Arc::clone(&semaphore).acquire_owned().await.unwrap();
            let (values, mut seen) = watch::channel(0);
            let (sender, mut receiver) = broadcast::channel(1);
            let inside = Arc::clone(&semaphore);
            let task = spawn(async move {
                let _permit = inside.acquire().await.unwrap();
                values.send(1).unwrap();
                sender.send(7).unwrap();
            });
            assert!(semaphore.try_acquire().is_err());
            drop(permit);
            seen.changed().await.unwrap();
            assert_eq!(*seen.borrow(), 1);
            assert_eq!(receiver.recv().await, Ok(7));
            task.await.unwrap();
            assert_eq!(receiver.recv().await, Err(broadcast::RecvError::Closed));
        });
    });
    assert_eq!(
        (outcome.failures.len(), outcome.deadlocks, outcome.is_complete()),
        (0, 0, true),
        "{outcome:?}"
    );
}

#[test]
fn a_timeout_may_come_first() {
    let outcome = Builder::new().explore(|| {
        block_on(async {
            let (sender, receiver) = oneshot::channel();
            let task = spawn(async move { sender.send(1).is_ok() });
            let received = time::timeout(Duration::from_secs(1), receiver).await;
            let sent = task.await.unwrap();
            assert!(sent || received.is_err(), "what was received was sent");
        });
    });
    assert_eq!(
        (outcome.failures.len(), outcome.deadlocks, outcome.is_complete()),
        (0, 0, true),
        "{outcome:?}"
    );
    assert!(outcome.executions >= 3, "{outcome:?}");
}

#[test]
fn an_aborted_task_drops_its_future() {
    let outcome = agree(|| {
        let token = Arc::new(());
        let inside = Arc::clone(&token);
        block_on(async {
            let task = spawn(async move {
                let _inside = inside;
                std::future::pending::<()>().await;
            });
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
        });
        assert_eq!(Arc::strong_count(&token), 1);
    });
    assert_eq!((outcome.failures.len(), outcome.deadlocks), (0, 0), "{outcome:?}");
}

#[test]
fn select_explores_every_ready_branch() {
    let outcome = agree(|| {
        let (one, first) = oneshot::channel();
        let (two, second) = oneshot::channel();
        one.send(1).unwrap();
        two.send(2).unwrap();
        let got = block_on(async {
            select! {
                value = first => value.unwrap(),
                value = second => value.unwrap(),
            }
        });
        assert!(got == 1 || got == 2);
    });
    assert_eq!((outcome.executions, outcome.failures.len()), (2, 0));
    let biased = agree(|| {
        let (one, first) = oneshot::channel();
        one.send(1).unwrap();
        let got = block_on(async {
            select! {
                biased;
                value = first => value.unwrap(),
                _ = std::future::ready(()) => 0,
            }
        });
        assert_eq!(got, 1);
    });
    assert_eq!((biased.executions, biased.failures.len()), (1, 0));
}

#[test]
fn outside_of_explorations_tasks_are_threads() {
    let (sender, receiver) = oneshot::channel();
    let task = spawn(async move { sender.send(5).is_ok() });
    assert_eq!(block_on(receiver), Ok(5));
    assert!(block_on(task).unwrap());
}

#[test]
fn a_branch_whose_condition_is_false_is_left_out() {
    let outcome = Builder::new().explore(|| {
        let got = block_on(async {
            mazurka::select! {
                value = std::future::ready(1), if false => value,
                value = std::future::ready(2), if 1 + 1 == 2 => { value }
                else => 3,
            }
        });
        assert_eq!(got, 2);
        let nothing = block_on(async {
            mazurka::select! {
                _ = std::future::pending::<()>(), if false => 1,
                else => 3,
            }
        });
        assert_eq!(nothing, 3);
    });
    assert!(outcome.failures.is_empty() && outcome.executions > 0, "{outcome:?}");
}

#[test]
fn a_value_that_does_not_match_leaves_its_branch_out() {
    let outcome = Builder::new().explore(|| {
        let (sender, mut receiver) = mazurka::tokio::sync::mpsc::unbounded_channel::<u32>();
        sender.send(1).unwrap();
        drop(sender);
        let mut sum = 0;
        block_on(async {
            loop {
                mazurka::select! {
                    Some(value) = receiver.recv() => {
                        sum += value;
                        continue;
                    }
                    Some(_) = std::future::ready(None::<u32>) => unreachable!(),
                    else => break,
                }
            }
        });
        assert_eq!(sum, 1);
    });
    assert!(outcome.failures.is_empty() && outcome.is_complete(), "{outcome:?}");
}
