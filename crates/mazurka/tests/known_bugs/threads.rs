//! Threads of std.

use crate::found_and_fixed;
use mazurka::cell::UnsafeCell;
use mazurka::sync::Arc;
use mazurka::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use mazurka::{FailureKind, thread};

/// std, "Data race in thread::scope": the last scoped thread says that it has ended and then reads the handle of the
/// main thread from the scope, which may be gone. <https://github.com/rust-lang/rust/issues/98498>.
#[test]
fn rust_98498_scope_used_after_its_end() {
    struct ScopeData {
        running: AtomicUsize,
        main: thread::Thread,
        /// Stands for the memory being valid.
        alive: AtomicBool,
    }
    fn program(fixed: bool) {
        let scope = Arc::new(ScopeData {
            running: AtomicUsize::new(1),
            main: thread::current(),
            alive: AtomicBool::new(true),
        });
        let inside = Arc::clone(&scope);
        let read_main = |scope: &ScopeData| {
            assert!(scope.alive.load(Ordering::SeqCst), "use after free");
            scope.main.clone()
        };
        thread::spawn(move || {
            let early = fixed.then(|| read_main(&inside));
            if inside.running.fetch_sub(1, Ordering::SeqCst) == 1 {
                early.unwrap_or_else(|| read_main(&inside)).unpark();
            }
        });
        while scope.running.load(Ordering::SeqCst) != 0 {
            thread::park();
        }
        scope.alive.store(false, Ordering::SeqCst);
    }
    found_and_fixed(program, FailureKind::Assertion, "use after free");
}

/// std, "Invalid memory ordering in thread park / unpark": `park` takes a notification by a plain store, and does not
/// synchronise with an `unpark` that came just before. <https://github.com/rust-lang/rust/issues/53366>, fixed by
/// <https://github.com/rust-lang/rust/pull/54174>.
#[test]
fn rust_53366_park_does_not_synchronise_with_the_last_unpark() {
    const EMPTY: usize = 0;
    const PARKED: usize = 1;
    const NOTIFIED: usize = 2;
    struct Parker {
        state: AtomicUsize,
        data: UnsafeCell<u32>,
        unparked: AtomicBool,
    }
    // SAFETY: that is what the test is about.
    #[expect(unsafe_code, reason = "plain memory is shared on purpose")]
    unsafe impl Sync for Parker {}
    impl Parker {
        /// Takes a notification; says whether the second `unpark` had come before.
        fn park(&self, fixed: bool) -> bool {
            if self
                .state
                .compare_exchange(EMPTY, PARKED, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
            {
                // Really waiting is not what the bug is about.
                mazurka::assume(false);
            }
            let unparked = self.unparked.load(Ordering::Relaxed);
            if fixed {
                self.state.swap(EMPTY, Ordering::SeqCst);
            } else {
                self.state.store(EMPTY, Ordering::SeqCst);
            }
            unparked
        }
    }
    #[expect(unsafe_code, reason = "plain memory is shared on purpose")]
    fn program(fixed: bool) {
        let parker = Arc::new(Parker {
            state: AtomicUsize::new(NOTIFIED),
            data: UnsafeCell::new(0),
            unparked: AtomicBool::new(false),
        });
        let other = Arc::clone(&parker);
        thread::spawn(move || {
            // SAFETY: tasks of an exploration never run at the same time.
            other.data.with_mut(|data| unsafe { *data = 1 });
            other.state.swap(NOTIFIED, Ordering::SeqCst);
            other.unparked.store(true, Ordering::Relaxed);
        });
        if parker.park(fixed) {
            // SAFETY: as above.
            assert_eq!(parker.data.with(|data| unsafe { *data }), 1);
        }
    }
    found_and_fixed(program, FailureKind::DataRace, "data race");
}
