//! Explores a test: [`model()`] and [`Builder`].

use std::path::PathBuf;
use std::time::Duration;

/// Configures an exploration. The fields are loom's; the crate's documentation says which of them are used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builder {
    /// Not used: there may be any number of threads.
    pub max_threads: usize,
    /// A thread may perform so many operations in one execution, but never fewer than 20,000 (`LOOM_MAX_BRANCHES`).
    pub max_branches: usize,
    /// Stops after so many executions, and fails then (`LOOM_MAX_PERMUTATIONS`).
    pub max_permutations: Option<usize>,
    /// Stops after so much time, and fails then (`LOOM_MAX_DURATION`, in seconds).
    pub max_duration: Option<Duration>,
    /// Explores only what so many preemptions reach (`LOOM_MAX_PREEMPTIONS`).
    pub preemption_bound: Option<usize>,
    /// Not used: reports have a schedule.
    pub checkpoint_file: Option<PathBuf>,
    /// Not used.
    pub checkpoint_interval: usize,
    /// Not used: everything is explored.
    pub expect_explicit_explore: bool,
    /// Not used: reports always have places.
    pub location: bool,
    /// Says how much was explored (`LOOM_LOG`).
    pub log: bool,
}

/// A thread may always perform so many operations in one execution: more than any test needs that does not say so.
const FEWEST_OPERATIONS: u64 = 20_000;

/// What a variable says, if it is there.
fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    let value = text.parse().ok();
    Some(value.unwrap_or_else(|| panic!("invalid value for `{name}`: {text:?}")))
}

impl Builder {
    /// The defaults, and what the `LOOM_*` variables say.
    ///
    /// # Panics
    ///
    /// If a variable cannot be understood.
    pub fn new() -> Self {
        Builder {
            max_threads: crate::MAX_THREADS,
            max_branches: variable("LOOM_MAX_BRANCHES").unwrap_or(1000),
            max_permutations: variable("LOOM_MAX_PERMUTATIONS"),
            max_duration: variable("LOOM_MAX_DURATION").map(Duration::from_secs),
            preemption_bound: variable("LOOM_MAX_PREEMPTIONS"),
            checkpoint_file: None,
            checkpoint_interval: variable("LOOM_CHECKPOINT_INTERVAL").unwrap_or(20_000),
            expect_explicit_explore: false,
            location: std::env::var_os("LOOM_LOCATION").is_some(),
            log: std::env::var_os("LOOM_LOG").is_some(),
        }
    }

    /// Not used: reports have a schedule.
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// Explores `code`.
    ///
    /// # Panics
    ///
    /// If something is wrong with it.
    #[track_caller]
    pub fn check<F: Fn() + Sync + Send + 'static>(&self, code: F) {
        let mut builder = mazurka::__private::counted_leaks_only(mazurka::Builder::new());
        if let Some(executions) = self.max_permutations {
            builder = builder.max_executions(executions as u64);
        }
        if let Some(duration) = self.max_duration {
            builder = builder.max_duration(duration);
        }
        if let Some(preemptions) = self.preemption_bound {
            builder = builder.max_preemptions(u32::try_from(preemptions).unwrap_or(u32::MAX));
        }
        let operations = FEWEST_OPERATIONS.max(self.max_branches as u64);
        // As in loom, who yields waits for the others.
        builder.max_steps(operations).spin_bound(0).log(self.log).check(code);
    }
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

/// Explores `code` with the defaults.
///
/// # Panics
///
/// If something is wrong with it.
///
/// ```
/// use loom::sync::{Arc, atomic::{AtomicUsize, Ordering::SeqCst}};
///
/// loom::model(|| {
///     let count = Arc::new(AtomicUsize::new(0));
///     let other = count.clone();
///     let thread = loom::thread::spawn(move || other.fetch_add(1, SeqCst));
///     count.fetch_add(1, SeqCst);
///     thread.join().unwrap();
///     assert_eq!(count.load(SeqCst), 2);
/// });
/// ```
#[track_caller]
pub fn model<F: Fn() + Sync + Send + 'static>(code: F) {
    Builder::new().check(code);
}
