//! What loom's tests use, and what they expect of it.
#![expect(unsafe_code, reason = "raw parts, and cells")]

use loom::cell::UnsafeCell;
use loom::future::{AtomicWaker, block_on};
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use loom::sync::{Arc, Mutex, Notify};
use loom::thread;
use std::panic::catch_unwind;
use std::sync::atomic::AtomicU8;
use std::task::Poll;

/// The words with which a test fails.
fn failure(code: impl Fn() + Send + Sync + std::panic::UnwindSafe + 'static) -> String {
    let payload = catch_unwind(|| loom::model(code)).expect_err("it fails");
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_counter() {
    loom::model(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let count = count.clone();
                thread::spawn(move || count.fetch_add(1, SeqCst))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(count.load(SeqCst), 2);
        assert_eq!(unsafe { count.unsync_load() }, 2);
    });
}

/// Which thread drops a value last, and what its destructor does then, is explored.
#[test]
fn the_last_owner_runs_the_destructor() {
    struct Tells(Arc<AtomicUsize>, u8);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.fetch_add(usize::from(self.1), SeqCst);
        }
    }
    let by = std::sync::Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let seen = std::sync::Arc::clone(&by);
    loom::model(move || {
        let told = Arc::new(AtomicUsize::new(0));
        let value = Arc::new(Tells(told.clone(), 1));
        let other = value.clone();
        let thread = thread::spawn(move || drop(other));
        drop(value);
        let mine = told.load(SeqCst);
        thread.join().unwrap();
        assert_eq!(told.load(SeqCst), 1);
        seen.lock().unwrap().insert(mine);
    });
    assert_eq!(by.lock().unwrap().len(), 2, "before and behind");
}

/// Says who drops it.
struct Tells(AtomicUsize, std::sync::Arc<AtomicU8>);

loom::thread_local!(
    static ME: std::cell::Cell<u8> = std::cell::Cell::new(0);
);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.store(1, SeqCst);
        self.1.fetch_or(1 << ME.with(std::cell::Cell::get), SeqCst);
    }
}

/// Who of these is the last to drop a value, as a set of bits? `share` makes the owners.
fn last_owners(share: impl Fn(Arc<Tells>) -> [Arc<Tells>; 3] + Send + Sync + 'static) -> u8 {
    let last = std::sync::Arc::new(AtomicU8::new(0));
    let seen = std::sync::Arc::clone(&last);
    loom::model(move || {
        let owners = share(Arc::new(Tells(AtomicUsize::new(0), std::sync::Arc::clone(&seen))));
        let mut threads = Vec::new();
        for (me, owner) in (1..).zip(owners) {
            threads.push(thread::spawn(move || {
                ME.with(|it| it.set(me));
                drop(owner);
            }));
        }
        threads.into_iter().for_each(|it| it.join().unwrap());
    });
    last.load(SeqCst)
}

#[test]
fn every_owner_may_be_the_last() {
    assert_eq!(last_owners(|first| [first.clone(), first.clone(), first]), 0b1110);
    assert_eq!(last_owners(|first| [first.clone(), first.clone(), first.clone()]), 0b1110);
    let raw = |first: Arc<Tells>| {
        let others = [first.clone(), first.clone()];
        let first = unsafe { Arc::from_raw(Arc::into_raw(first)) };
        let [one, two] = others;
        [first, one, two]
    };
    assert_eq!(last_owners(raw), 0b1110);
}

#[test]
fn raw_parts_and_owners() {
    loom::model(|| {
        let mut one = Arc::new(5);
        let raw = Arc::into_raw(one.clone());
        assert_eq!(Arc::strong_count(&one), 2);
        assert!(Arc::get_mut(&mut one).is_none());
        let two = unsafe { Arc::from_raw(raw) };
        assert!(Arc::ptr_eq(&one, &two));
        drop(two);
        assert_eq!(Arc::try_unwrap(one).unwrap(), 5);
        let object: Arc<dyn Fn() -> u32> = Arc::from_std(std::sync::Arc::new(|| 3));
        assert_eq!(object(), 3);
    });
}

#[test]
fn what_is_not_dropped_is_a_leak() {
    let words = failure(|| std::mem::forget(Arc::new(1)));
    assert!(words.starts_with("leak: what was made at"), "{words}");
    let words = failure(|| std::mem::forget(loom::alloc::Track::new(1)));
    assert!(words.starts_with("leak: what was made at"), "{words}");
    loom::model(|| {
        let layout = loom::alloc::Layout::new::<u64>();
        unsafe { loom::alloc::dealloc(loom::alloc::alloc(layout), layout) };
    });
}

#[test]
fn a_race_on_a_cell() {
    let words = failure(|| {
        let cell = Arc::new(UnsafeCell::new(0));
        let other = cell.clone();
        let thread = thread::spawn(move || other.with_mut(|value| unsafe { *value = 1 }));
        assert!(cell.with(|value| unsafe { *value }) < 2);
        thread.join().unwrap();
    });
    assert!(words.contains("data race"), "{words}");
}

#[test]
fn notifications_and_wakers() {
    loom::model(|| {
        let (notify, flag) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
        let waker = Arc::new(AtomicWaker::new());
        let (bell, up, wakes) = (notify.clone(), flag.clone(), waker.clone());
        let thread = thread::spawn(move || {
            bell.notify();
            up.store(true, SeqCst);
            wakes.wake();
        });
        notify.wait();
        block_on(std::future::poll_fn(|context| {
            waker.register_by_ref(context.waker());
            if flag.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        }));
        thread.join().unwrap();
    });
}

loom::lazy_static! {
    static ref SHARED: Mutex<u32> = Mutex::new(1);
}

loom::thread_local! {
    static OWN: std::cell::Cell<u32> = std::cell::Cell::new(7);
}

#[test]
fn statics_are_new_in_every_execution() {
    loom::model(|| {
        let thread = thread::spawn(|| {
            OWN.with(|own| own.set(8));
            *SHARED.lock().unwrap() += 1;
        });
        *SHARED.lock().unwrap() += 1;
        thread.join().unwrap();
        assert_eq!(*SHARED.lock().unwrap(), 3);
        assert_eq!(OWN.with(std::cell::Cell::get), 7);
    });
}

/// A load may read an older store than the newest, and `SeqCst` has its one order.
#[test]
fn weak_memory() {
    use loom::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
    fn both_miss(store: Ordering, load: Ordering) {
        let flags = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
        let other = flags.clone();
        let thread = thread::spawn(move || {
            other.0.store(true, store);
            other.1.load(load)
        });
        flags.1.store(true, store);
        let seen = flags.0.load(load);
        assert!(thread.join().unwrap() || seen, "both miss the store of the other");
    }
    assert!(failure(|| both_miss(Relaxed, Relaxed)).contains("both miss"));
    assert!(failure(|| both_miss(Release, Acquire)).contains("both miss"));
    loom::model(|| both_miss(SeqCst, SeqCst));
}

#[test]
fn preemptions_may_be_bounded() {
    fn lost_update() {
        let count = Arc::new(AtomicUsize::new(0));
        let other = count.clone();
        let thread = thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
        count.store(count.load(SeqCst) + 1, SeqCst);
        thread.join().unwrap();
        assert_eq!(count.load(SeqCst), 2);
    }
    let within = |preemptions| {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(preemptions);
        catch_unwind(move || builder.check(lost_update))
    };
    assert!(within(0).is_ok());
    assert!(within(1).is_err());
}
