//! Lazily made values.

use crate::found_and_fixed;
use mazurka::FailureKind;
use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex, OnceLock};
use mazurka::thread;

/// syntect with lazycell, "Fix crash on lazy initialization": a thread whose `fill` is refused because another one is
/// filling takes the value for granted. <https://github.com/trishume/syntect/pull/391>.
#[test]
fn syntect_391_lazy_cell_borrowed_before_it_is_full() {
    const EMPTY: usize = 0;
    const LOCKED: usize = 1;
    const FULL: usize = 2;
    #[derive(Default)]
    struct AtomicLazyCell {
        state: AtomicUsize,
        value: Mutex<Option<u32>>,
    }
    impl AtomicLazyCell {
        fn fill(&self, value: u32) -> Result<(), u32> {
            if self.state.compare_exchange(EMPTY, LOCKED, SeqCst, SeqCst).is_err() {
                return Err(value);
            }
            *self.value.lock().unwrap() = Some(value);
            self.state.store(FULL, SeqCst);
            Ok(())
        }

        fn borrow(&self) -> Option<u32> {
            if self.state.load(SeqCst) == FULL { *self.value.lock().unwrap() } else { None }
        }
    }
    #[derive(Default)]
    struct Regex {
        lazy: AtomicLazyCell,
        once: OnceLock<u32>,
    }
    impl Regex {
        fn compiled(&self, fixed: bool) -> u32 {
            if fixed {
                return *self.once.get_or_init(|| 7);
            }
            if self.lazy.borrow().is_none() {
                self.lazy.fill(7).ok();
            }
            self.lazy.borrow().expect("it has been filled")
        }
    }
    fn program(fixed: bool) {
        let regex = Arc::new(Regex::default());
        let other = Arc::clone(&regex);
        let thread = thread::spawn(move || other.compiled(fixed));
        assert_eq!(regex.compiled(fixed), 7);
        assert_eq!(thread.join().unwrap(), 7);
    }
    found_and_fixed(program, FailureKind::Assertion, "it has been filled");
}
