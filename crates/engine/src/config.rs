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
    /// Event-DPOR: optimal, and messages of one handler conflict only where their accesses do.
    Event,
    /// EM-DPOR, for FIFO mailboxes.
    EmDpor,
    /// R4: the first execution with races reversed one by one, those with few reversals first.
    R4,
    /// Uniform random walks.
    Random,
    /// Probabilistic concurrency testing: random priorities with a few change points.
    Pct,
}

impl Algorithm {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Algorithm; 9] = [
        Algorithm::Naive,
        Algorithm::Dpor,
        Algorithm::Source,
        Algorithm::Optimal,
        Algorithm::Event,
        Algorithm::EmDpor,
        Algorithm::R4,
        Algorithm::Random,
        Algorithm::Pct,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Naive => "naive",
            Algorithm::Dpor => "dpor",
            Algorithm::Source => "source",
            Algorithm::Optimal => "optimal",
            Algorithm::Event => "event",
            Algorithm::EmDpor => "em-dpor",
            Algorithm::R4 => "r4",
            Algorithm::Random => "random",
            Algorithm::Pct => "pct",
        }
    }

    /// Does it only sample, so that finding nothing proves nothing?
    pub fn samples(self) -> bool {
        matches!(self, Algorithm::Random | Algorithm::Pct)
    }
}

/// More events than this has no execution, unless told.
pub const DEFAULT_MAX_EVENTS: u64 = 250_000;
/// More memory than this takes no exploration, unless told: 4 GiB.
pub const DEFAULT_MAX_MEMORY: u64 = 4 << 30;

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
    /// Also count the distinct traces among the complete executions. Costs memory for each.
    pub classes: bool,
    /// When to stop early.
    pub limits: Limits,
    /// The seed of the sampling algorithms.
    pub seed: u64,
    /// The number of priority change points of [`Algorithm::Pct`], plus one.
    pub pct_depth: u32,
    /// The largest number of reversals of [`Algorithm::R4`]; `None` is no bound.
    pub bound: Option<u32>,
}

impl Config {
    /// The defaults, with this algorithm.
    pub fn new(algorithm: Algorithm) -> Self {
        Config {
            algorithm,
            keep_going: false,
            classes: false,
            limits: Limits::default(),
            seed: 0,
            pct_depth: 3,
            bound: None,
        }
    }
}
