//! The entry points in one call each.

use crate::builder::Builder;
use mazurka_engine::Algorithm;

/// Explores every execution of `code`, one for each equivalence class, and panics at the first failure with the
/// message of the user's own panic.
///
/// # Panics
///
/// If something is wrong with the checked code.
///
/// ```should_panic
/// use mazurka::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};
///
/// mazurka::check(|| {
///     let x = Arc::new(AtomicU32::new(0));
///     let y = Arc::clone(&x);
///     let thread = mazurka::thread::spawn(move || {
///         let value = y.load(SeqCst);
///         y.store(value + 1, SeqCst);
///     });
///     let value = x.load(SeqCst);
///     x.store(value + 1, SeqCst);
///     thread.join().unwrap();
///     assert_eq!(x.load(SeqCst), 2, "an update was lost");
/// });
/// ```
#[track_caller]
pub fn check<F: Fn() + 'static>(code: F) {
    Builder::new().check(code);
}

/// Runs `code` under `executions` random schedules.
///
/// # Panics
///
/// If something is wrong with the checked code.
#[track_caller]
pub fn check_random<F: Fn() + 'static>(code: F, executions: u64) {
    Builder::new().algorithm(Algorithm::Random).max_executions(executions).check(code);
}

/// Runs `code` under `executions` schedules with random priorities that change at `depth - 1` points (Burckhardt
/// et al., "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
///
/// # Panics
///
/// If something is wrong with the checked code.
#[track_caller]
pub fn check_pct<F: Fn() + 'static>(code: F, executions: u64, depth: u32) {
    Builder::new()
        .algorithm(Algorithm::Pct)
        .pct_depth(depth)
        .max_executions(executions)
        .check(code);
}
