//! A spinning read-write lock: spin 0.5.1, <https://github.com/zesterer/spin-rs/issues/65>, RUSTSEC-2019-0013.

use crate::found_and_fixed;
use mazurka::FailureKind;
use mazurka::cell::UnsafeCell;
use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicUsize, Ordering};
use mazurka::{hint, thread};

const WRITER: usize = 1 << 31;

struct RwLock {
    state: AtomicUsize,
    data: UnsafeCell<u32>,
}

// SAFETY: the lock is there to guard the data, and the test is to see whether it does.
#[expect(unsafe_code, reason = "a lock shares what it guards")]
unsafe impl Sync for RwLock {}

impl RwLock {
    fn new() -> Arc<Self> {
        Arc::new(RwLock { state: AtomicUsize::new(0), data: UnsafeCell::new(0) })
    }

    #[expect(unsafe_code, reason = "a lock hands out what it guards")]
    fn write(&self, value: u32, unlock: Ordering) {
        while self.state.compare_exchange(0, WRITER, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            hint::spin_loop();
        }
        // SAFETY: tasks of an exploration never run at the same time.
        self.data.with_mut(|data| unsafe { *data = value });
        self.state.store(0, unlock);
    }

    /// Takes the lock for reading unless a writer holds it.
    fn try_read(&self, fixed: bool) -> bool {
        if fixed {
            let add = |state: usize| (state & WRITER == 0).then_some(state + 1);
            return self.state.fetch_update(Ordering::SeqCst, Ordering::Relaxed, add).is_ok();
        }
        let readers = self.state.load(Ordering::Relaxed) & !WRITER;
        self.state
            .compare_exchange(readers, readers + 1, Ordering::SeqCst, Ordering::Relaxed)
            .is_ok()
    }
}

/// A writer gives the lock back with a relaxed store, which publishes nothing.
#[test]
fn spin_65_relaxed_unlock() {
    fn program(fixed: bool) {
        let unlock = if fixed { Ordering::Release } else { Ordering::Relaxed };
        let lock = RwLock::new();
        let other = Arc::clone(&lock);
        thread::spawn(move || other.write(1, unlock));
        lock.write(2, unlock);
    }
    found_and_fixed(program, FailureKind::DataRace, "data race");
}

/// `try_read` fails because another reader came, although no writer holds the lock.
#[test]
fn spin_65_try_read_fails_without_a_writer() {
    fn program(fixed: bool) {
        let lock = RwLock::new();
        let other = Arc::clone(&lock);
        thread::spawn(move || other.try_read(fixed));
        assert!(lock.try_read(fixed), "there is no writer");
    }
    found_and_fixed(program, FailureKind::Assertion, "there is no writer");
}
