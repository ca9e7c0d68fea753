//! Probabilistic concurrency testing: always run the task of highest priority, and lower the running
//! task's priority at a few random points.
//!
//! **Explores** `max_executions` executions, the same for the same seed on every machine. **Source**:
//! Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic guarantees of
//! finding bugs", ASPLOS 2010. **Guarantee**: a bug of depth d in a program of n tasks and k events is
//! found by one execution with probability at least 1 / (n · k^(d-1)). **Cost**: one execution each.
//! **Deviations**: (1) k is not known beforehand; the length of the longest execution so far stands for
//! it. (2) Messages are tasks like threads and get their priority when they are first seen.

use crate::algorithms::random;
use crate::config::Config;
use crate::ids::TaskId;
use crate::outcome::{Observer, Outcome};
use crate::program::Program;
use crate::rng::Rng;
use rustc_hash::FxHashMap;

/// The length that an execution is assumed to have before one has been seen.
const FIRST_GUESS_OF_LENGTH: u64 = 32;

#[derive(Default)]
struct Priorities {
    /// Higher runs first. Initial ones are above `low` many low ones.
    of: FxHashMap<TaskId, u64>,
    low: u64,
    /// Steps at which the running task gets the low priority that goes with them.
    change_points: FxHashMap<u64, u64>,
    longest: u64,
}

impl Priorities {
    fn begin(&mut self, rng: &mut Rng, depth: u32) {
        self.of.clear();
        let length = self.longest.max(FIRST_GUESS_OF_LENGTH);
        // More points than steps change nothing.
        let points = u64::from(depth.saturating_sub(1)).min(length);
        self.change_points.clear();
        for priority in 0..points {
            self.change_points.entry(rng.below(length)).or_insert(priority);
        }
        self.low = points;
    }

    fn pick(&mut self, step: u64, rng: &mut Rng, enabled: &[TaskId]) -> usize {
        let low = self.low;
        for &task in enabled {
            self.of.entry(task).or_insert_with(|| low + 1 + rng.below(u64::MAX >> 1));
        }
        let best = |of: &FxHashMap<TaskId, u64>| {
            (0..enabled.len()).max_by_key(|&at| of[&enabled[at]]).expect("somebody is enabled")
        };
        if let Some(&priority) = self.change_points.get(&step) {
            let task = enabled[best(&self.of)];
            self.of.insert(task, priority);
        }
        self.longest = self.longest.max(step + 1);
        best(&self.of)
    }
}

/// Samples with random priorities.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let mut priorities = Priorities::default();
    random::sample(program, config, observer, |depth, rng, enabled| {
        if depth == 0 {
            priorities.begin(rng, config.pct_depth);
        }
        priorities.pick(depth as u64, rng, enabled)
    })
}
