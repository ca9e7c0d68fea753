//! An algorithm against the oracle, on one program.
//!
//! An algorithm runs real executions only, so the classes it counts are a subset of the oracle's: equal
//! numbers mean equal sets. Where an algorithm may pass over classes of executions that stop, numbers do not tell
//! whether it passed over those, and the sets themselves are compared.

use crate::description::Description;
use crate::interpret::Interpreted;
use crate::panics::catching;
use crate::promise::{Promise, Traits, promise};
use mazurka_engine::{
    Algorithm, ClassCounts, Config, Ending, Observer, Outcome, Program, Schedule, Statistics,
    explore, not_shown,
};
use std::fmt;
use std::time::Duration;

/// An algorithm may run so many times the oracle's interleavings before it counts as running away.
const PATIENCE: u64 = 20;

/// The same in time; the oracle needs milliseconds.
const PATIENCE_TIME: Duration = Duration::from_secs(20);

/// Sampling algorithms run this many executions.
const SAMPLES: u64 = 20;

/// What the oracle says of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truth {
    /// The classes.
    pub classes: ClassCounts,
    /// The interleavings, of any ending.
    pub interleavings: u64,
}

/// How an algorithm and the oracle disagree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A class was not explored.
    Missing,
    /// A class was counted that the oracle does not know.
    Invented,
    /// A class was explored twice against the promise.
    Twice,
    /// Something was begun in vain against the promise.
    Vain,
    /// The engine panicked.
    Panic,
    /// It does not come to an end.
    Runaway,
}

/// What an algorithm did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// What it should have found.
    pub truth: Truth,
    /// The classes it found.
    pub found: ClassCounts,
    /// Its numbers.
    pub statistics: Statistics,
    /// How many executions were of a class explored before.
    pub twice: u64,
}

/// A broken promise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// In what way.
    pub kind: Kind,
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// What it should have found.
    pub truth: Truth,
    /// What it did, unless it panicked.
    pub report: Option<Box<Report>>,
    /// More words: the panic's message.
    pub details: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {:?}", self.algorithm.name(), self.kind)?;
        let counts = |f: &mut fmt::Formatter<'_>, who: &str, c: &ClassCounts| {
            writeln!(
                f,
                "{who:>10}: {} complete, {} ordered, {} deadlocked, {} blocked classes",
                c.complete, c.ordered, c.deadlocked, c.blocked
            )
        };
        counts(f, "oracle", &self.truth.classes)?;
        if let Some(report) = &self.report {
            counts(f, self.algorithm.name(), &report.found)?;
            let s = &report.statistics;
            writeln!(
                f,
                "{:>10}  {} executions, {} deadlocks, {} blocked, {} redundant",
                "", s.executions, s.deadlocks, s.blocked, s.redundant
            )?;
        }
        write!(f, "{}", self.details)
    }
}

/// A program that algorithms are compared on.
#[derive(Debug)]
pub struct Subject<'p, P> {
    /// What the algorithms explore.
    pub explored: &'p P,
    /// What the oracle enumerates: the same, or a form of it with the same classes.
    pub enumerated: &'p P,
    /// A schedule of the first as one of the second.
    pub translate: fn(&P, Schedule) -> Schedule,
}

impl<P> Clone for Subject<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Subject<'_, P> {}

impl<'p, P> Subject<'p, P> {
    /// A program that the oracle enumerates as it is.
    pub fn new(program: &'p P) -> Self {
        Subject { explored: program, enumerated: program, translate: |_, schedule| schedule }
    }
}

/// Asks the oracle. `None`: there are more interleavings than `limit`.
pub fn ask_oracle<P: Program>(program: &P, limit: u64) -> Option<Truth> {
    let config = config(Algorithm::Naive, limit + 1);
    let outcome = explore(program, &config, &mut ());
    let interleavings = outcome.statistics.ended();
    (outcome.complete && interleavings <= limit)
        .then(|| Truth { classes: outcome.classes.unwrap_or_default(), interleavings })
}

/// Compares on a description, run by the interpreter. `Ok(None)`: more interleavings than `limit`.
pub fn compare(
    description: &Description,
    algorithm: Algorithm,
    limit: u64,
) -> Result<Option<Report>, Disagreement> {
    let program = Interpreted::new(description);
    let Some(truth) = ask_oracle(&program, limit) else {
        return Ok(None);
    };
    let promise = promise(algorithm, Traits::of(description));
    compare_with(Subject::new(&program), truth, algorithm, promise).map(Some)
}

/// Compares on any program with what the oracle said of it.
pub fn compare_with<P: Program>(
    subject: Subject<'_, P>,
    truth: Truth,
    algorithm: Algorithm,
    promise: Promise,
) -> Result<Report, Disagreement> {
    let disagreement =
        |kind, report, details| Disagreement { kind, algorithm, truth, report, details };
    let limit = if algorithm.samples() { SAMPLES } else { truth.interleavings * PATIENCE };
    let config = config(algorithm, limit);
    let outcome = catching(|| explore(subject.explored, &config, &mut ()))
        .map_err(|message| disagreement(Kind::Panic, None, message))?;
    let report = report(truth, &outcome, promise);
    let passes_over = || passes_over(subject, &config);
    match broken(&report, &outcome, algorithm, promise, &passes_over) {
        Some(kind) => {
            let failures = outcome.failures.iter().map(|failure| &failure.message);
            let said: Vec<&String> = outcome.given_up.iter().chain(failures).collect();
            let details = said.iter().map(|line| format!("{line}\n")).collect();
            Err(disagreement(kind, Some(Box::new(report)), details))
        }
        None => Ok(report),
    }
}

/// Does the algorithm pass over an execution that stops and is part of no other?
fn passes_over<P: Program>(subject: Subject<'_, P>, config: &Config) -> bool {
    let mut stopped = Stopped::default();
    explore(subject.explored, config, &mut stopped);
    let translate = |schedule| (subject.translate)(subject.explored, schedule);
    let schedules: Vec<_> = stopped.schedules.into_iter().map(translate).collect();
    not_shown(subject.enumerated, &schedules) > 0
}

/// Keeps the schedules of executions that stopped before they were complete.
#[derive(Default)]
struct Stopped {
    schedules: Vec<Schedule>,
}

impl Observer for Stopped {
    fn execution(&mut self, ending: Ending, schedule: &dyn Fn() -> Schedule) {
        if ending != Ending::Complete {
            self.schedules.push(schedule());
        }
    }
}

fn config(algorithm: Algorithm, max_executions: u64) -> Config {
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.classes = true;
    // What gets lost then points to the rule that lost it. Others have no sequences that they drop.
    config.check = algorithm == Algorithm::Event;
    config.limits.max_executions = Some(max_executions);
    config.limits.timeout = Some(PATIENCE_TIME);
    config
}

fn report(truth: Truth, outcome: &Outcome, promise: Promise) -> Report {
    let found = outcome.classes.unwrap_or_default();
    let statistics = outcome.statistics;
    let complete = if promise.ordered { found.ordered } else { found.complete };
    // An algorithm that orders messages tells apart endings that are not complete too, but how many of
    // those there are is not counted.
    let unfinished = if promise.ordered {
        0
    } else {
        (statistics.deadlocks.saturating_sub(found.deadlocked))
            + (statistics.blocked + statistics.truncated).saturating_sub(found.blocked)
    };
    Report {
        truth,
        found,
        statistics,
        twice: statistics.executions.saturating_sub(complete) + unfinished,
    }
}

fn broken(
    report: &Report,
    outcome: &Outcome,
    algorithm: Algorithm,
    promise: Promise,
    passes_over: &dyn Fn() -> bool,
) -> Option<Kind> {
    let (found, truth) = (report.found, report.truth.classes);
    let counts = |c: ClassCounts| [c.complete, c.deadlocked, c.blocked, c.ordered];
    let judged = if promise.ordered { 4 } else { 3 };
    let pairs = || counts(found).into_iter().zip(counts(truth)).take(judged);
    if pairs().any(|(found, truth)| found > truth) {
        return Some(Kind::Invented);
    }
    if algorithm.samples() {
        return None;
    }
    if !outcome.complete && outcome.statistics.truncated == 0 {
        return Some(Kind::Runaway);
    }
    if found.complete < truth.complete || (promise.ordered && found.ordered < truth.ordered) {
        return Some(Kind::Missing);
    }
    // Where handlers do not order, an execution that stops although another one goes on from the same
    // events need not be explored.
    let stopped = |classes: ClassCounts| classes.deadlocked + classes.blocked;
    if stopped(found) < stopped(truth) && (promise.ordered || passes_over()) {
        return Some(Kind::Missing);
    }
    // That there is a deadlock must be seen, wherever else its events happen too.
    if promise.deadlocks && found.deadlocked == 0 && truth.deadlocked > 0 {
        return Some(Kind::Missing);
    }
    if promise.once && report.twice > 0 {
        return Some(Kind::Twice);
    }
    (promise.nothing_in_vain && outcome.statistics.redundant > 0).then_some(Kind::Vain)
}
