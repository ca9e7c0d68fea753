//! Outside of an exploration the stand-ins behave as `std`.

use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Condvar, Mutex, mpsc};
use mazurka::thread;
use mazurka::tokio::time;
use std::time::{Duration, Instant};

#[test]
fn scoped_threads_borrow() {
    let (count, mut list) = (AtomicU32::new(0), vec![1, 2]);
    let total = thread::scope(|scope| {
        scope.spawn(|| {
            count.fetch_add(1, SeqCst);
            // A thread of the scope may start another one.
            scope.spawn(|| count.fetch_add(1, SeqCst));
        });
        let named = thread::Builder::new()
            .name("summer".into())
            .spawn_scoped(scope, || {
                list.push(3);
                (thread::current().name().map(str::to_owned), list.iter().sum::<i32>())
            })
            .unwrap();
        assert_eq!(named.thread().name(), Some("summer"));
        let (name, sum) = named.join().unwrap();
        assert_eq!(name.as_deref(), Some("summer"));
        sum
    });
    assert_eq!((total, count.load(SeqCst), list.len()), (6, 2, 3));
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_scoped_panic_comes_out() {
    thread::scope(|scope| {
        scope.spawn(|| panic!("inside"));
    });
}

#[test]
fn time_is_real() {
    let begin = Instant::now();
    mazurka::future::block_on(time::sleep(Duration::from_millis(20)));
    assert!(begin.elapsed() >= Duration::from_millis(20));
    let never = time::timeout(Duration::from_millis(20), std::future::pending::<()>());
    assert!(mazurka::future::block_on(never).is_err());
    let quick = time::timeout(Duration::from_secs(1000), async { 5 });
    assert_eq!(mazurka::future::block_on(quick), Ok(5));
}

#[test]
fn locks_and_channels_work() {
    let shared = std::sync::Arc::new((Mutex::new(false), Condvar::new()));
    let other = std::sync::Arc::clone(&shared);
    let (sender, receiver) = mpsc::sync_channel(1);
    let setter = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_all();
        sender.send(1).unwrap();
    });
    let guard = shared.1.wait_while(shared.0.lock().unwrap(), |set| !*set).unwrap();
    assert!(*guard);
    drop(guard);
    assert_eq!(receiver.recv(), Ok(1));
    setter.join().unwrap();
}
