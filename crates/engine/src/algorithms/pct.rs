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
    /// Higher runs first. Initial ones are above [`Priorities::change_points`] many low ones.
    of: FxHashMap<TaskId, u64>,
    change_points: Vec<u64>,
    longest: u64,
}

impl Priorities {
    fn begin(&mut self, rng: &mut Rng, depth: u32) {
        self.of.clear();
        let length = self.longest.max(FIRST_GUESS_OF_LENGTH);
        self.change_points = (1..depth).map(|_| rng.below(length)).collect();
    }

    fn pick(&mut self, step: u64, rng: &mut Rng, enabled: &[TaskId]) -> usize {
        let low = self.change_points.len() as u64;
        for &task in enabled {
            self.of.entry(task).or_insert_with(|| low + 1 + rng.below(u64::MAX >> 1));
        }
        let best = |of: &FxHashMap<TaskId, u64>| {
            (0..enabled.len()).max_by_key(|&at| of[&enabled[at]]).expect("somebody is enabled")
        };
        if let Some(point) = self.change_points.iter().position(|&at| at == step) {
            let task = enabled[best(&self.of)];
            self.of.insert(task, point as u64);
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
