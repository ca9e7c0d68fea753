//! Why an exploration did not see everything.

use crate::subject::Exploration;
use crate::text::{count, seconds, size};
use mazurka_engine::{Bound, Cut};
use std::sync::atomic::Ordering;

/// One reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The algorithm only samples.
    Sampled {
        /// Its name.
        algorithm: &'static str,
    },
    /// Loops were cut at their bound.
    LoopBound {
        /// In so many executions.
        executions: u64,
    },
    /// Executions that do not end were cut at the bound of their events, or of their memory.
    Endless(Cut),
    /// The process took more memory than it may.
    MaxMemory(u64),
    /// Something else was not looked at.
    GivenUp(String),
    /// There are executions with more reversals than the bound allows.
    Bound(u32),
    /// Schedules beyond a bound were not explored: what was, in words.
    Schedules(String),
    /// The number of executions asked for was reached.
    MaxExecutions(u64),
    /// The time was up.
    Timeout(std::time::Duration),
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// It stopped at the first failure, as it should.
    FirstFailure,
}

impl Reason {
    /// The word that JSON uses.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Sampled { .. } => "sampling",
            Reason::LoopBound { .. } => "unroll",
            Reason::Endless(Cut { bound: Bound::Events, .. }) => "max-events",
            Reason::Endless(Cut { bound: Bound::Memory, .. }) | Reason::MaxMemory(_) => {
                "max-memory"
            }
            Reason::GivenUp(_) => "given-up",
            Reason::Bound(_) | Reason::Schedules(_) => "bound",
            Reason::MaxExecutions(_) => "max-executions",
            Reason::Timeout(_) => "timeout",
            Reason::Interrupted => "interrupt",
            Reason::FirstFailure => "failure",
        }
    }

    /// The reason in words.
    pub fn words(&self) -> String {
        match self {
            Reason::Sampled { algorithm } => {
                format!("{algorithm} only samples: finding nothing proves nothing")
            }
            Reason::LoopBound { executions } => format!(
                "a loop was cut at its bound in {}; --unroll raises the bound",
                count(*executions, "execution")
            ),
            Reason::Endless(cut) => endless(cut),
            Reason::MaxMemory(limit) => {
                format!("the memory limit of {} was reached; --max-memory raises it", size(*limit))
            }
            Reason::GivenUp(what) | Reason::Schedules(what) => what.clone(),
            Reason::Bound(bound) => format!(
                "there are executions with more than {}; --bound raises the bound",
                count(u64::from(*bound), "reversal")
            ),
            Reason::MaxExecutions(limit) => {
                format!("the limit of {} was reached", count(*limit, "execution"))
            }
            Reason::Timeout(limit) => format!("the time limit of {} was reached", seconds(*limit)),
            Reason::Interrupted => "it was interrupted".to_owned(),
            Reason::FirstFailure => {
                "it stopped at the first failure; --keep-going explores everything".to_owned()
            }
        }
    }
}

fn endless(cut: &Cut) -> String {
    let number = count(cut.executions, "execution");
    let verb = if cut.executions == 1 { "was" } else { "were" };
    let events = count(cut.events, "event");
    let why = cut.repeating.as_ref().map_or_else(String::new, |what| format!(": {what}"));
    match cut.bound {
        Bound::Events => format!(
            "{number} did not end and {verb} cut after {events}{why}; --max-events raises the bound"
        ),
        Bound::Memory => format!(
            "{number} did not end and {verb} cut after {events}, which take too much memory{why}; \
             --max-memory raises the bound"
        ),
    }
}

/// All reasons that apply; empty if everything was explored.
pub fn reasons(exploration: &Exploration<'_>) -> Vec<Reason> {
    let Exploration { config, outcome, .. } = exploration;
    if outcome.complete {
        return Vec::new();
    }
    let (limits, statistics) = (&config.limits, &outcome.statistics);
    let mut reasons = Vec::new();
    if !outcome.failures.is_empty() && !config.keep_going {
        reasons.push(Reason::FirstFailure);
    }
    let cancelled = limits.cancel.as_ref();
    if cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        reasons.push(Reason::Interrupted);
    }
    if let Some(timeout) = limits.timeout.filter(|&time| statistics.elapsed >= time) {
        reasons.push(Reason::Timeout(timeout));
    }
    if let Some(limit) = limits.max_executions.filter(|&n| statistics.ended() >= n) {
        reasons.push(Reason::MaxExecutions(limit));
    }
    if outcome.out_of_memory {
        reasons.push(Reason::MaxMemory(limits.max_memory.unwrap_or(u64::MAX)));
    }
    reasons.extend(outcome.cut.clone().map(Reason::Endless));
    let endless = outcome.cut.as_ref().map_or(0, |cut| cut.executions);
    if statistics.truncated > endless {
        reasons.push(Reason::LoopBound { executions: statistics.truncated - endless });
    }
    reasons.extend(outcome.given_up.iter().cloned().map(Reason::GivenUp));
    if let Some(bound) = config.bound.filter(|_| statistics.beyond_bound) {
        reasons.push(Reason::Bound(bound));
    }
    reasons.extend(config.bounded().map(Reason::Schedules));
    if config.algorithm.samples() {
        reasons.push(Reason::Sampled { algorithm: config.algorithm.name() });
    }
    reasons
}
