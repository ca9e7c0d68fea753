//! What an exploration found, and how it tells of it while it goes on.

use crate::estimate::Estimate;
use crate::operation::FailureKind;
use crate::schedule::Schedule;
use std::time::Duration;

/// The answer in one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Everything was explored and nothing is wrong.
    Safe,
    /// A failure was found.
    Violation,
    /// Nothing was found, but not everything was explored.
    Incomplete,
}

impl Verdict {
    /// The word that JSON uses.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Violation => "violation",
            Verdict::Incomplete => "incomplete",
        }
    }
}

/// How an execution came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// Every task has ended and every mailbox is empty.
    Complete,
    /// An `assume` was false.
    Blocked,
    /// Something waits for ever on a lock or a join.
    Deadlocked,
    /// A loop was cut at its bound, or the execution at the bound of its events or its memory.
    Truncated,
}

/// How Event-DPOR found out that a race leads to nothing new, and how often an order was too hard to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RedundancyChecks {
    /// By a name: the same was considered lately, or a known trace contains it.
    pub simple: u64,
    /// By happens-before: nothing that is new in the execution bears on the race.
    pub happens_before: u64,
    /// By a witness: its reversal was performed, and the trace is known. These are [`Statistics::redundant`].
    pub witness: u64,
    /// How often the complete decision procedure was asked for an order.
    pub decision: u64,
}

/// Numbers about an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Complete executions explored.
    pub executions: u64,
    /// Executions that an `assume`, or a loop that waits, blocked.
    pub blocked: u64,
    /// Explorations begun and abandoned as redundant.
    pub redundant: u64,
    /// Executions that ended in a deadlock.
    pub deadlocks: u64,
    /// Executions that a bound cut: of a loop, of their events, of their memory.
    pub truncated: u64,
    /// Events executed; what is executed again to go back is not counted.
    pub transitions: u64,
    /// Races found and considered for reversal.
    pub races: u64,
    /// Wakeup sequences inserted, or traces found that wait to be explored.
    pub wakeups: u64,
    /// Wakeup sequences parked until more was known.
    pub parked: u64,
    /// There are executions with more reversals than the bound of R4 allows.
    pub beyond_bound: bool,
    /// How often each redundancy check decided.
    pub redundancy_checks: RedundancyChecks,
    /// Time since the start.
    pub elapsed: Duration,
    /// How many executions there will be in the end, where the algorithm can say that and has not come to the end.
    pub estimate: Option<Estimate>,
}

impl Statistics {
    /// Executions that came to an end of any kind.
    pub fn ended(&self) -> u64 {
        self.executions + self.blocked + self.deadlocks + self.truncated
    }
}

/// Numbers of distinct traces (equivalence classes).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClassCounts {
    /// Among the complete executions.
    pub complete: u64,
    /// The same when the order of the messages on each handler counts too.
    pub ordered: u64,
    /// Among the deadlocked executions.
    pub deadlocked: u64,
    /// Among the blocked and the truncated executions.
    pub blocked: u64,
    /// Of the deadlocked, blocked and truncated ones: those contained in another trace, that is, whose
    /// events all happen in the same way in an execution that goes on. Only the oracle looks for these;
    /// algorithms may pass over them, since nothing goes wrong there that does not also elsewhere.
    pub contained: u64,
}

/// A failure that can be shown again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// What is wrong, in words.
    pub message: String,
    /// `file:line:column`, if it has a place.
    pub location: Option<String>,
    /// How to get there.
    pub schedule: Schedule,
}

/// What cut executions that did not end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// [`crate::Limits::max_events`].
    Events,
    /// The share of an execution in [`crate::Limits::max_memory`].
    Memory,
}

/// Executions that were cut because they did not end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// How many.
    pub executions: u64,
    /// What cut them.
    pub bound: Bound,
    /// After so many events.
    pub events: u64,
    /// What goes round in the first of them, such as "`beat` posts itself", if that can be said.
    pub repeating: Option<String>,
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The numbers.
    pub statistics: Statistics,
    /// Was everything explored that the algorithm promises to explore?
    pub complete: bool,
    /// What went wrong, first found first. Failures alike in kind, message and place are kept once.
    pub failures: Vec<Failure>,
    /// Distinct traces among the executions, where asked for.
    pub classes: Option<ClassCounts>,
    /// Executions that did not end, if there were any.
    pub cut: Option<Cut>,
    /// Did the process take more memory than it may?
    pub out_of_memory: bool,
    /// What else was given up, a sentence each.
    pub given_up: Vec<String>,
}

impl Outcome {
    /// The answer in one word.
    pub fn verdict(&self) -> Verdict {
        if !self.failures.is_empty() {
            Verdict::Violation
        } else if self.complete {
            Verdict::Safe
        } else {
            Verdict::Incomplete
        }
    }
}

/// Hears of an exploration while it goes on.
pub trait Observer {
    /// An execution came to its end.
    fn execution(&mut self, ending: Ending, schedule: &dyn Fn() -> Schedule) {
        let _ = (ending, schedule);
    }

    /// A failure was found.
    fn failure(&mut self, failure: &Failure) {
        let _ = failure;
    }

    /// Called a few times a second.
    fn progress(&mut self, statistics: &Statistics) {
        let _ = statistics;
    }
}

/// Hears of everything and says nothing.
impl Observer for () {}
