//! [`Builder`]: what to explore, how, for how long, and what counts as a failure.

use crate::again;
use crate::explained;
use crate::outcome::{Failure, Outcome};
use crate::page;
use crate::reachable::{self, Owner};
use crate::replay::Recorded;
use crate::report;
use crate::runtime::context::{Presence, presence};
use crate::runtime::knowledge::{Fact, Knowledge, Restart};
use crate::runtime::memory::allocator::EngineMemory;
use crate::runtime::memory::search;
use crate::runtime::panics;
use crate::runtime::program::RustProgram;
use crate::runtime::run::Divergence;
use crate::runtime::state::Source;
use crate::runtime::trials::MOST_ROUNDS;
use crate::settings::{Memory, Settings};
use mazurka_engine::explain::Explanation;
use mazurka_engine::{
    Algorithm, Bound, Config, Ending, FailureKind, Interference, Observer, Schedule, Statistics,
};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Configures an exploration.
///
/// ```
/// use mazurka::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};
///
/// let outcome = mazurka::Builder::new().max_executions(1000).explore(|| {
///     let x = Arc::new(AtomicU32::new(0));
///     let y = Arc::clone(&x);
///     let writer = mazurka::thread::spawn(move || y.store(1, SeqCst));
///     assert!(x.load(SeqCst) < 2);
///     writer.join().unwrap();
/// });
/// assert_eq!(outcome.executions, 2);
/// assert!(outcome.is_complete() && outcome.failures.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) config: Config,
    pub(crate) settings: Settings,
    pub(crate) keep_going: Option<bool>,
    pub(crate) deadlocks_fail: bool,
    pub(crate) endless_fails: bool,
    pub(crate) allow_incomplete: bool,
    pub(crate) replay: Option<Recorded>,
    pub(crate) shorten: bool,
    pub(crate) name: Option<String>,
    pub(crate) log: bool,
    /// The folder for pages and objects, if somebody wants some.
    pub(crate) pages: Option<PathBuf>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// Explores everything with Event-DPOR; any panic, deadlock, data race, leak or endless task is a failure.
    pub fn new() -> Self {
        Builder {
            config: Config::new(Algorithm::Event),
            settings: Settings::default(),
            keep_going: None,
            deadlocks_fail: true,
            endless_fails: true,
            allow_incomplete: false,
            replay: None,
            shorten: true,
            name: None,
            log: false,
            pages: None,
        }
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.config.algorithm = algorithm;
        self
    }

    /// Which executions of atomics to explore: [`Memory::Weak`] unless told. The algorithms with observers, EM-DPOR, R4 and those with bounds know
    /// only [`Memory::Sequential`]: unless that is asked for, a test that uses a weaker ordering is not explored completely by them.
    #[must_use]
    pub fn memory(mut self, memory: Memory) -> Self {
        self.settings.memory = memory;
        self
    }

    /// Stops after so many executions.
    #[must_use]
    pub fn max_executions(mut self, executions: u64) -> Self {
        self.config.limits.max_executions = Some(executions);
        self
    }

    /// Stops after so much time.
    #[must_use]
    pub fn max_duration(mut self, duration: Duration) -> Self {
        self.config.limits.timeout = Some(duration);
        self
    }

    /// Cuts a task that performs more operations than this in one execution. 20,000 unless told.
    #[must_use]
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.settings.max_steps = steps;
        self
    }

    /// Cuts an execution after so many operations of all its tasks, and goes on with the others. 250,000 unless told. A
    /// message that posts itself for ever has such executions.
    #[must_use]
    pub fn max_events(mut self, events: u64) -> Self {
        self.config.limits.max_events = Some(events.max(1));
        self
    }

    /// Stops when the process (all tests that run in it together) takes so many bytes. 4 GiB unless told. An execution that
    /// takes a 64th of it alone is cut.
    #[must_use]
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.config.limits.max_memory = Some(bytes);
        self
    }

    /// How many identical rounds of a waiting loop to explore: see [`crate::hint::spin_loop`].
    #[must_use]
    pub fn spin_bound(mut self, rounds: u32) -> Self {
        self.settings.spin_bound = rounds;
        self
    }

    /// How often the waits of one task that have a time-out may time out in one execution. A wait that may not
    /// time out any more waits without a time-out, so that a loop around it ends. 2 unless told.
    #[must_use]
    pub fn timeout_bound(mut self, timeouts: u32) -> Self {
        self.settings.timeout_bound = timeouts;
        self
    }

    /// How many workers poll asynchronous tasks ([`crate::task`]). With one, tasks take turns only where they
    /// await. Unless told, there are workers enough for all tasks.
    #[must_use]
    pub fn workers(mut self, workers: u32) -> Self {
        self.settings.workers = Some(workers);
        self
    }

    /// The size of the stack of each thread and message, in bytes.
    #[must_use]
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.settings.stack_size = bytes;
        self
    }

    /// Also counts the distinct equivalence classes among the executions: [`Outcome::classes`].
    #[must_use]
    pub fn count_classes(mut self, count: bool) -> Self {
        self.config.classes = count;
        self
    }

    /// The seed of the sampling algorithms.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.seed = seed;
        self
    }

    /// The bug depth that PCT aims at.
    #[must_use]
    pub fn pct_depth(mut self, depth: u32) -> Self {
        self.config.pct_depth = depth;
        self
    }

    /// Explores only schedules with at most so many preemptions: moves of another task while the last one could go on. Those
    /// with fewer come first, so the first failure is one with the fewest. What is beyond the bound is not explored, which
    /// fails no test: it is what was asked for, and `MAZURKA_LOG=1` says it.
    ///
    /// ```
    /// use mazurka::{Builder, sync::atomic::{AtomicU32, Ordering::SeqCst}, sync::Arc, thread};
    ///
    /// let lost_update = || {
    ///     let x = Arc::new(AtomicU32::new(0));
    ///     let y = Arc::clone(&x);
    ///     let other = thread::spawn(move || y.store(y.load(SeqCst) + 1, SeqCst));
    ///     x.store(x.load(SeqCst) + 1, SeqCst);
    ///     other.join().unwrap();
    ///     assert_eq!(x.load(SeqCst), 2);
    /// };
    /// assert!(Builder::new().max_preemptions(0).explore(lost_update).failures.is_empty());
    /// assert!(!Builder::new().max_preemptions(1).explore(lost_update).failures.is_empty());
    /// ```
    #[must_use]
    pub fn max_preemptions(self, preemptions: u32) -> Self {
        self.bounded(Interference::Preemptions, Some(preemptions))
    }

    /// Explores only schedules with at most so many delays, fewer first. A delay passes over a task whose turn it is: the last one
    /// goes on, and when it cannot, the next one in a circle. Cheaper than preemptions where there are many tasks.
    #[must_use]
    pub fn max_delays(self, delays: u32) -> Self {
        self.bounded(Interference::Delays, Some(delays))
    }

    /// Explores everything, in the order of the preemptions that it takes: first all that needs none, then all that needs
    /// one, and so on. Takes memory for all that has been explored.
    #[must_use]
    pub fn iterate_bounds(self) -> Self {
        self.bounded(Interference::Preemptions, None)
    }

    fn bounded(mut self, interference: Interference, bound: Option<u32>) -> Self {
        self.config.algorithm = Algorithm::Bounded;
        self.config.interference = interference;
        self.config.bound = bound;
        self
    }

    /// Treats FIFO handlers as unordered ones: every order of the waiting messages is explored.
    #[must_use]
    pub fn unordered_mailboxes(mut self, unordered: bool) -> Self {
        self.settings.unordered_mailboxes = unordered;
        self
    }

    /// Goes on after a failure. [`Builder::explore`] does, [`Builder::check`] does not unless told.
    #[must_use]
    pub fn keep_going(mut self, keep_going: bool) -> Self {
        self.keep_going = Some(keep_going);
        self
    }

    /// Is a panic that ends a thread or message a failure, or only an `Err` for whoever joins it?
    #[must_use]
    pub fn panics_fail(mut self, fail: bool) -> Self {
        self.settings.panics_fail = fail;
        self
    }

    /// Is an object of a stand-in that is still alive at the end of an execution, because an `Arc` or `Rc` around it is
    /// never dropped, a failure? It is unless told. A `Box` that is leaked is taken to be leaked on purpose.
    #[must_use]
    pub fn leaks_fail(mut self, fail: bool) -> Self {
        self.settings.leaks_fail = fail;
        self
    }

    /// Is a deadlock a failure?
    #[must_use]
    pub fn deadlocks_fail(mut self, fail: bool) -> Self {
        self.deadlocks_fail = fail;
        self
    }

    /// Is it a failure if a task is cut at [`Builder::max_steps`], an execution at [`Builder::max_events`], or everything at
    /// [`Builder::max_memory`]? It is unless told. Otherwise [`Outcome::is_complete`] says that not everything was explored,
    /// and [`Outcome::not_explored`] why.
    #[must_use]
    pub fn endless_tasks_fail(mut self, fail: bool) -> Self {
        self.endless_fails = fail;
        self
    }

    /// May [`Builder::check`] pass although the exploration was cut short, by [`Builder::max_duration`],
    /// [`Builder::max_executions`] or another bound? Unless told it fails then, and says how far it came. (The sampling
    /// algorithms are never complete, and pass.)
    #[must_use]
    pub fn allow_incomplete(mut self, allow: bool) -> Self {
        self.allow_incomplete = allow;
        self
    }

    /// Runs only this schedule, as [`Failure::schedule`] gives it. Of a test that has changed since, it is followed as far as it
    /// goes.
    #[must_use]
    pub fn replay(mut self, schedule: Schedule) -> Self {
        self.replay = Some(schedule.into());
        self
    }

    /// Does [`Builder::check`] show a simpler execution with the same failure, where it finds one? It does unless told. The effort
    /// is bounded, and the report says where not everything was tried.
    #[must_use]
    pub fn shorten(mut self, shorten: bool) -> Self {
        self.shorten = shorten;
        self
    }

    /// Says on standard error how much was explored.
    #[must_use]
    pub fn log(mut self, log: bool) -> Self {
        self.log = log;
        self
    }

    /// The test's name in the command that replays a failure. Without it, the name of the OS thread, which is
    /// the test's under `cargo test`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Explores `code` and panics at the first failure, with the message of the user's own panic.
    ///
    /// # Panics
    ///
    /// If something is wrong with the checked code.
    #[track_caller]
    pub fn check<F: Fn() + 'static>(&self, code: F) {
        let builder = self.with_environment();
        let code: Rc<dyn Fn()> = Rc::new(code);
        let owner = Owner { path: std::any::type_name::<F>(), call: Location::caller() };
        let mut outcome = builder.run(Rc::clone(&code), owner, builder.keep_going.unwrap_or(false));
        if let Some(failure) = outcome.failures.first() {
            let mut program = builder.program(Rc::clone(&code), outcome.knowledge);
            program.settings.spin_bound = program.settings.spin_bound.max(MOST_ROUNDS);
            let explained = builder.explained(&program, failure, &outcome);
            let replay = Some(explained.failure.schedule.clone().into());
            let again = Builder { replay, ..builder.clone() }.run(code, owner, true);
            outcome.untold = (again.knowledge != outcome.knowledge).then_some(outcome.knowledge);
            report::show(&builder.test_name(), &explained, &outcome);
            builder.write_files(&program, &outcome, Some(&explained));
            resume_unwind(Box::new(explained.failure.message));
        }
        if let Some(replayed) = &outcome.replayed {
            report::passed(&builder.test_name(), replayed);
        }
        builder.write_files(&builder.program(code, outcome.knowledge), &outcome, None);
        if builder.log {
            report::log(&builder.test_name(), &outcome);
        }
        let may_be_cut = builder.allow_incomplete
            || !builder.endless_fails
            || builder.replay.is_some()
            || builder.config.bound.is_some()
            || builder.config.algorithm.samples();
        assert!(outcome.is_complete() || may_be_cut, "{}", cut_short(&outcome));
    }

    /// A failure as it is shown. A replay shows what was asked for.
    pub(crate) fn explained(
        &self,
        program: &RustProgram,
        failure: &Failure,
        outcome: &Outcome,
    ) -> Explanation {
        match &outcome.replayed {
            Some(replayed) => explained::plain(failure, replayed.again.recording.clone()),
            None => explained::explained(program, failure, self.shorten),
        }
    }

    /// Explores `code` and tells what was found. Goes on after failures.
    #[track_caller]
    pub fn explore<F: Fn() + 'static>(&self, code: F) -> Outcome {
        let builder = self.with_environment();
        let owner = Owner { path: std::any::type_name::<F>(), call: Location::caller() };
        builder.run(Rc::new(code), owner, builder.keep_going.unwrap_or(true))
    }

    pub(crate) fn program(&self, body: Rc<dyn Fn()>, knowledge: Knowledge) -> RustProgram {
        let mut settings = self.settings.clone();
        settings.weak_is_explored = self.config.algorithm.knows_alternatives_of_accesses();
        RustProgram { body, settings, knowledge, name: self.test_name(), findings: Rc::default() }
    }

    /// An algorithm without weak memory has not explored everything of a program that uses it.
    fn note_unexplored_memory(&self, outcome: &mut Outcome) {
        let algorithm = self.config.algorithm;
        let uses_it = outcome.knowledge.knows(Fact::WeakAtomics);
        if uses_it && !algorithm.knows_alternatives_of_accesses() {
            outcome.complete = false;
            outcome.not_explored.push(format!(
                "`{}` does not explore weak memory, which orderings weaker than SeqCst allow (Builder::memory(Memory::Sequential) \
                 says that it should not)",
                algorithm.name()
            ));
        }
    }

    pub(crate) fn test_name(&self) -> String {
        let of_thread = || std::thread::current().name().unwrap_or("test").to_owned();
        self.name.clone().unwrap_or_else(of_thread)
    }

    /// In a frame of its own, below that of the caller, who holds this builder.
    #[track_caller]
    #[inline(never)]
    fn run(&self, body: Rc<dyn Fn()>, owner: Owner<'_>, keep_going: bool) -> Outcome {
        assert!(
            presence() == Presence::Outside,
            "mazurka::check inside of mazurka::check: an exploration cannot contain another"
        );
        assert!(
            !self.config.algorithm.compares_states(),
            "`{}` compares states, which is not possible for Rust programs; use `event`, `optimal`, `event-observers` or `optimal-observers`",
            self.config.algorithm.name()
        );
        panics::install_hook();
        search::begins_below(std::ptr::from_ref(self) as usize);
        let _engine = EngineMemory::new();
        let mut config = self.config.clone();
        // What does not count as a failure must not stop the exploration.
        config.keep_going = keep_going || !self.deadlocks_fail;
        let mut knowledge = self.replay.as_ref().map(|it| it.knowledge).unwrap_or_default();
        let mut spin_bound = self.settings.spin_bound;
        if self.replay.is_some() {
            // It may be of an exploration that came to allow more rounds.
            spin_bound = spin_bound.max(MOST_ROUNDS);
        }
        loop {
            let mut program = self.program(Rc::clone(&body), knowledge);
            program.settings.spin_bound = spin_bound;
            let kept = if self.pages.is_some() { page::MOST_PASSING } else { 0 };
            let mut witness =
                Witness { stop: Arc::clone(&program.findings.stop), kept, ..Witness::default() };
            witness.endless_fails = self.endless_fails;
            if !config.keep_going {
                config.limits.cancel = Some(Arc::clone(&witness.stop));
            }
            let explored = catch_unwind(AssertUnwindSafe(|| match &self.replay {
                None => {
                    let outcome = mazurka_engine::explore(&program, &config, &mut witness);
                    let classes = outcome.classes;
                    let not_explored = not_explored(&outcome);
                    Outcome {
                        classes,
                        not_explored,
                        ..Outcome::new(outcome.statistics, outcome.complete, outcome.failures)
                    }
                }
                Some(recorded) => again::run(&program, recorded),
            }));
            match explored {
                Ok(outcome) => {
                    let passing = std::mem::take(&mut witness.passing);
                    let mut outcome =
                        self.judge(Outcome { knowledge, passing, ..outcome }, &witness);
                    let found = program.findings.failures.take().into_iter();
                    let counts = |failure: &Failure| {
                        self.deadlocks_fail || failure.kind != FailureKind::Deadlock
                    };
                    outcome.failures.extend(found.filter(counts));
                    // This was asked for.
                    outcome.not_explored.extend(config.bounded());
                    self.note_unexplored_memory(&mut outcome);
                    if let Some(place) = waits_for_ever(&program, &outcome)
                        && self.replay.is_none()
                    {
                        if spin_bound < MOST_ROUNDS {
                            spin_bound = spin_bound.saturating_mul(4).clamp(4, MOST_ROUNDS);
                            continue;
                        }
                        outcome.failures.push(endless_wait(place));
                    }
                    reachable::judge(owner, &program.findings.reached.borrow(), &mut outcome);
                    return outcome;
                }
                Err(payload) => match payload.downcast::<Restart>() {
                    Ok(restart) => knowledge = restart.0,
                    Err(payload) => {
                        let outcome = diverged(payload, &witness);
                        return self.judge(Outcome { knowledge, ..outcome }, &witness);
                    }
                },
            }
        }
    }

    /// Applies what counts as a failure.
    fn judge(&self, mut outcome: Outcome, witness: &Witness) -> Outcome {
        if !self.deadlocks_fail {
            outcome.failures.retain(|failure| failure.kind != FailureKind::Deadlock);
        }
        if self.endless_fails {
            outcome.failures.extend(outcome.not_explored.clone().into_iter().map(endless));
        }
        if let (true, true, Some(schedule)) =
            (self.endless_fails, outcome.not_explored.is_empty(), &witness.endless)
        {
            outcome.failures.push(Failure {
                kind: FailureKind::Fault,
                message: format!(
                    "a task performed {} operations and does not end (see Builder::max_steps)",
                    self.settings.max_steps
                ),
                location: None,
                schedule: schedule.clone(),
            });
        }
        outcome
    }
}

/// What was cut although nobody asked for it, a sentence each.
fn not_explored(outcome: &mazurka_engine::Outcome) -> Vec<String> {
    let cut = outcome.cut.as_ref().map(|cut| {
        let what = cut.repeating.as_deref().unwrap_or("its tasks go on");
        let (too_large, advice) = match cut.bound {
            Bound::Events => ("", "Builder::max_events"),
            Bound::Memory => (", which take too much memory", "Builder::max_memory"),
        };
        let events = cut.events;
        format!(
            "an execution does not end: {what}; it was cut after {events} operations{too_large} (see {advice})"
        )
    });
    let memory = outcome.out_of_memory.then(|| {
        "the exploration was given up: the process takes more memory than it may (see Builder::max_memory)"
            .to_owned()
    });
    cut.into_iter().chain(memory).chain(outcome.given_up.iter().cloned()).collect()
}

/// An execution, or an exploration, that was cut because it would have taken the machine. It is shown by no schedule: that
/// would be as long.
fn endless(message: String) -> Failure {
    let schedule = Schedule::default();
    Failure { kind: FailureKind::Fault, message, location: None, schedule }
}

/// Why a test fails whose exploration was cut short.
fn cut_short(outcome: &Outcome) -> String {
    let why = match outcome.not_explored.as_slice() {
        [] => "a bound of time or executions was reached".to_owned(),
        sentences => sentences.join("; "),
    };
    format!(
        "not everything was explored: {why} after {} executions in {:.1} s. Give it more (Builder::max_duration, \
         MAZURKA_MAX_DURATION), or allow it (Builder::allow_incomplete, MAZURKA_ALLOW_INCOMPLETE=1)",
        outcome.statistics.ended(),
        outcome.statistics.elapsed.as_secs_f64()
    )
}

/// Was every execution held back in a waiting loop? Then where?
fn waits_for_ever(program: &RustProgram, outcome: &Outcome) -> Option<Source> {
    let nothing_else = outcome.executions == 0 && outcome.failures.is_empty();
    program.findings.held_back.get().filter(|_| nothing_else && outcome.is_complete())
}

fn endless_wait(place: Source) -> Failure {
    Failure {
        kind: FailureKind::Fault,
        message: format!(
            "no execution ends: a loop waits at {place} for something that never changes (see Builder::spin_bound)"
        ),
        location: Some(place.to_string()),
        schedule: Schedule::default(),
    }
}

/// Keeps what the engine's outcome does not tell, or cannot tell because the exploration was cut short.
#[derive(Default)]
struct Witness {
    statistics: Statistics,
    endless: Option<Schedule>,
    /// Set at the first task that does not end, if that counts as a failure.
    stop: Arc<AtomicBool>,
    /// So many schedules of complete executions are kept.
    kept: usize,
    passing: Vec<Schedule>,
    endless_fails: bool,
}

impl Observer for Witness {
    fn execution(&mut self, ending: Ending, schedule: &dyn Fn() -> Schedule) {
        let count = match ending {
            Ending::Complete => &mut self.statistics.executions,
            Ending::Blocked => &mut self.statistics.blocked,
            Ending::Deadlocked => &mut self.statistics.deadlocks,
            Ending::Truncated => &mut self.statistics.truncated,
        };
        *count += 1;
        if ending == Ending::Complete && self.passing.len() < self.kept {
            self.passing.push(schedule());
        }
        if ending == Ending::Truncated && self.endless.is_none() {
            self.endless = Some(schedule());
            self.stop.store(self.endless_fails, Relaxed);
        }
    }
}

/// The outcome of an exploration that was cut short because the test is not a function of the schedule.
fn diverged(payload: Box<dyn std::any::Any + Send>, witness: &Witness) -> Outcome {
    let divergence = match payload.downcast::<Divergence>() {
        Ok(divergence) => *divergence,
        Err(payload) => resume_unwind(payload),
    };
    let failure = Failure {
        kind: divergence.fault.kind,
        message: divergence.fault.message,
        location: divergence.fault.location,
        schedule: divergence.schedule,
    };
    Outcome::new(witness.statistics, false, vec![failure])
}
