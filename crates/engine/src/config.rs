//! What to explore, how, and for how long.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The exploration algorithms, by their papers' names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Algorithm {
    /// Every interleaving, one by one: the oracle.
    Naive,
    /// Flanagan and Godefroid's dynamic partial order reduction, with sleep sets.
    Dpor,
    /// Source-DPOR, with sleep sets.
    Source,
    /// Optimal-DPOR, with wakeup trees.
    Optimal,
    /// Optimal-DPOR with observers: writes that nobody reads are not ordered.
    OptimalObservers,
    /// Source-DPOR with context-sensitive independence: what leads to the same state is explored in one order.
    DporCs,
    /// Optimal-DPOR with context-sensitive independence: what leads to the same state is explored in one order.
    OptimalCs,
    /// Both.
    OptimalCsObservers,
    /// Event-DPOR: optimal, and messages of one handler conflict only where their accesses do.
    Event,
    /// Event-driven programs with observers: writes that nobody reads are not ordered, messages only where that is noticed.
    EventObservers,
    /// EM-DPOR, for FIFO mailboxes.
    EmDpor,
    /// R4: the first execution with races reversed one by one, those with few reversals first.
    R4,
    /// Schedules with few preemptions (or delays) first.
    Bounded,
    /// Uniform random walks.
    Random,
    /// Probabilistic concurrency testing: random priorities with a few change points.
    Pct,
}

impl Algorithm {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Algorithm; 15] = [
        Algorithm::Naive,
        Algorithm::Dpor,
        Algorithm::Source,
        Algorithm::Optimal,
        Algorithm::OptimalObservers,
        Algorithm::DporCs,
        Algorithm::OptimalCs,
        Algorithm::OptimalCsObservers,
        Algorithm::Event,
        Algorithm::EventObservers,
        Algorithm::EmDpor,
        Algorithm::R4,
        Algorithm::Bounded,
        Algorithm::Random,
        Algorithm::Pct,
    ];

    /// Does it explore the alternatives of accesses ([`crate::Run::alternatives`])? All do that rest on conflicts of accesses alone.
    pub fn knows_alternatives_of_accesses(self) -> bool {
        matches!(
            self,
            Algorithm::Naive
                | Algorithm::Dpor
                | Algorithm::Source
                | Algorithm::Optimal
                | Algorithm::Event
                | Algorithm::Bounded
                | Algorithm::Random
                | Algorithm::Pct
        )
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Naive => "naive",
            Algorithm::Dpor => "dpor",
            Algorithm::Source => "source",
            Algorithm::Optimal => "optimal",
            Algorithm::OptimalObservers => "optimal-observers",
            Algorithm::DporCs => "dpor-cs",
            Algorithm::OptimalCs => "optimal-cs",
            Algorithm::OptimalCsObservers => "optimal-cs-observers",
            Algorithm::Event => "event",
            Algorithm::EventObservers => "event-observers",
            Algorithm::EmDpor => "em-dpor",
            Algorithm::R4 => "r4",
            Algorithm::Bounded => "bounded",
            Algorithm::Random => "random",
            Algorithm::Pct => "pct",
        }
    }

    /// Does it compare states, so that it can only explore programs that offer that
    /// ([`crate::Program::compares_states`])?
    pub fn compares_states(self) -> bool {
        matches!(self, Algorithm::DporCs | Algorithm::OptimalCs | Algorithm::OptimalCsObservers)
    }

    /// What it takes for the same, and counts as classes.
    pub fn equivalence(self) -> Equivalence {
        match self {
            Algorithm::OptimalObservers | Algorithm::EventObservers => Equivalence::Observers,
            Algorithm::DporCs | Algorithm::OptimalCs => Equivalence::States,
            Algorithm::OptimalCsObservers => Equivalence::Behaviours,
            _ => Equivalence::Traces,
        }
    }

    /// Does it only sample, so that finding nothing proves nothing?
    pub fn samples(self) -> bool {
        matches!(self, Algorithm::Random | Algorithm::Pct)
    }
}

/// How a schedule interferes with tasks that could go on, which [`Algorithm::Bounded`] counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Interference {
    /// Another task moves although the last one could go on.
    #[default]
    Preemptions,
    /// A task is passed over. The last one goes on, and when it cannot, the next one in a circle.
    Delays,
}

impl Interference {
    /// What is explored within a bound, in words.
    pub fn within(self, bound: u32) -> String {
        let noun = match self {
            Interference::Preemptions => "preemption",
            Interference::Delays => "delay",
        };
        let ending = if bound == 1 { "" } else { "s" };
        format!("only schedules with at most {bound} {noun}{ending} were explored")
    }
}

/// When two executions count as the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equivalence {
    /// The same events in the same order wherever that matters to one of them.
    Traces,
    /// The same, where the order of writes that nobody reads does not matter.
    Observers,
    /// The same final state, and the same failures of each task.
    States,
    /// The same failures, and the same that `finally` finds.
    Behaviours,
}

impl Equivalence {
    /// What its classes are called, one of them.
    pub fn noun(self) -> &'static str {
        match self {
            Equivalence::Traces => "distinct trace",
            Equivalence::Observers => "distinct observed trace",
            Equivalence::States => "distinct final state",
            Equivalence::Behaviours => "distinct behaviour",
        }
    }
}

/// More events than this has no execution, unless told.
pub const DEFAULT_MAX_EVENTS: u64 = 250_000;
/// More memory than this takes no exploration, unless told: 4 GiB.
pub const DEFAULT_MAX_MEMORY: u64 = 4 << 30;

/// A decision in which the algorithms with observers and context-sensitive independence deviate from their paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// D1: the two orders of a race are compared directly behind it, not behind all that happens after its first event.
    CompareDirectly,
    /// D2: where a branch sleeps, the others go on.
    OthersGoOn,
    /// D3: what sleeps has not been explored, and covers nothing that does not begin with it.
    SleepersCoverNothing,
    /// D4: a wakeup sequence contains all that does not happen after the first event of its race.
    WholeSequences,
    /// D5: behind observers, whatever can still be read is compared, not only what the observers write.
    CompareWhatCanBeRead,
    /// D6: don't-do sequences are passed on where what differs is overwritten.
    RefinedInheritance,
    /// D7: those who wait for a lock take part in races also where everybody else sleeps.
    WaitersAtCuts,
    /// D8: what would hide the order of two writes that may still be read does not sleep.
    OpenWritesStayAwake,
}

/// When to stop although there is more to explore.
#[derive(Clone, Debug)]
pub struct Limits {
    /// After so many executions (complete, blocked, deadlocked and truncated ones together).
    pub max_executions: Option<u64>,
    /// After so much time.
    pub timeout: Option<Duration>,
    /// When somebody sets this flag.
    pub cancel: Option<Arc<AtomicBool>>,
    /// An execution is cut after so many events of all its tasks, and the exploration goes on with the others.
    pub max_events: Option<u64>,
    /// When the process takes so many bytes. An execution that takes a [`EXECUTION_SHARE`]th of it alone is cut.
    pub max_memory: Option<u64>,
}

/// See [`Limits::max_memory`].
pub const EXECUTION_SHARE: u64 = 64;

/// No limit but those that protect the machine.
impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_executions: None,
            timeout: None,
            cancel: None,
            max_events: Some(DEFAULT_MAX_EVENTS),
            max_memory: Some(DEFAULT_MAX_MEMORY),
        }
    }
}

/// Everything an exploration is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// Explore everything instead of stopping at the first failure.
    pub keep_going: bool,
    /// Also count the distinct classes among the complete executions ([`Algorithm::equivalence`]). Costs memory for each.
    pub classes: bool,
    /// Does the exploration check itself while it goes? What happens is compared with what happened where the same came before,
    /// also of programs that cannot differ, and `event` shows that every sequence it considered is in a trace that it
    /// explored.
    pub check: bool,
    /// When to stop early.
    pub limits: Limits,
    /// The seed of the sampling algorithms.
    pub seed: u64,
    /// The number of priority change points of [`Algorithm::Pct`], plus one.
    pub pct_depth: u32,
    /// Makes the choices that an algorithm is free to make at random, with this seed; otherwise the oldest task
    /// moves first. What an algorithm promises holds in every order, so tests try several.
    pub shuffle: Option<u64>,
    /// Follows the paper where we do not. For tests that show why.
    pub undone: &'static [Decision],
    /// The largest number of reversals of [`Algorithm::R4`], or of what [`Algorithm::Bounded`] counts; `None` is no bound.
    pub bound: Option<u32>,
    /// What [`Algorithm::Bounded`] counts.
    pub interference: Interference,
}

impl Config {
    /// The defaults, with this algorithm.
    pub fn new(algorithm: Algorithm) -> Self {
        Config {
            algorithm,
            keep_going: false,
            classes: false,
            check: false,
            limits: Limits::default(),
            seed: 0,
            pct_depth: 3,
            shuffle: None,
            undone: &[],
            bound: None,
            interference: Interference::default(),
        }
    }

    /// What a bound on schedules leaves to be explored, in words.
    pub fn bounded(&self) -> Option<String> {
        let bound = self.bound.filter(|_| self.algorithm == Algorithm::Bounded)?;
        Some(self.interference.within(bound))
    }
}
