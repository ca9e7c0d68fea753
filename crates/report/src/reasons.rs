//! Why an exploration did not see everything.

use crate::subject::Exploration;
use crate::text::{count, seconds};
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
    /// There are executions with more reversals than the bound allows.
    Bound(u32),
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
            Reason::Bound(_) => "bound",
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
    if statistics.truncated > 0 {
        reasons.push(Reason::LoopBound { executions: statistics.truncated });
    }
    if let Some(bound) = config.bound.filter(|_| statistics.beyond_bound) {
        reasons.push(Reason::Bound(bound));
    }
    if config.algorithm.samples() {
        reasons.push(Reason::Sampled { algorithm: config.algorithm.name() });
    }
    reasons
}
