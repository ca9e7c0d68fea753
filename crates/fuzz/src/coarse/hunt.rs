//! Hunting for debts that are not paid: many programs, in several orders of exploration.

use super::check::{Disagreement, Obligation, check, obligation};
use super::generate::{CoarseShape, generate};
use super::program::{Program, shrink};
use mazurka_engine::Algorithm;
use std::time::{Duration, Instant};

/// What to hunt.
#[derive(Clone, Debug)]
pub struct CoarseHunt {
    /// The algorithms that every program is explored with.
    pub algorithms: Vec<Algorithm>,
    /// The shapes, in turn.
    pub shapes: Vec<CoarseShape>,
    /// The first seed.
    pub first_seed: u64,
    /// Stop after so many judged programs.
    pub programs: Option<u64>,
    /// Stop after so much time.
    pub time: Option<Duration>,
    /// Random orders of exploration for each program and algorithm, beside the oldest task first.
    pub orders: u64,
    /// Programs with more interleavings are passed over.
    pub limit: u64,
}

/// Numbers about a hunt.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CoarseTally {
    /// Programs judged.
    pub judged: u64,
    /// Programs passed over because they have too many interleavings.
    pub passed_over: u64,
}

/// A debt that was not paid, and where it came from.
#[derive(Clone, Debug)]
pub struct CoarseCatch {
    /// The shape of the program.
    pub shape: &'static str,
    /// Its seed.
    pub seed: u64,
    /// The smallest program found that shows it.
    pub shrunk: Program,
    /// What is wrong.
    pub disagreement: Box<Disagreement>,
}

/// The algorithms that are judged here: those whose classes are coarser than traces.
pub fn judged_algorithms() -> Vec<Algorithm> {
    let owes =
        |&algorithm: &Algorithm| obligation(algorithm).filter(|it| *it != Obligation::Traces);
    Algorithm::ALL.into_iter().filter(|it| owes(it).is_some()).collect()
}

impl CoarseHunt {
    /// Hunts until something is caught, enough programs are judged, or the time is up.
    pub fn run(&self) -> (CoarseTally, Option<CoarseCatch>) {
        let started = Instant::now();
        let mut tally = CoarseTally::default();
        let seeds = (self.first_seed..).flat_map(|seed| self.shapes.iter().map(move |s| (s, seed)));
        for (&shape, seed) in seeds {
            let is_enough = self.programs.is_some_and(|programs| tally.judged >= programs);
            if is_enough || self.time.is_some_and(|time| started.elapsed() >= time) {
                break;
            }
            match self.judge(shape, seed) {
                Ok(true) => tally.judged += 1,
                Ok(false) => tally.passed_over += 1,
                Err(disagreement) => {
                    return (tally, Some(self.caught(shape, seed, disagreement)));
                }
            }
        }
        (tally, None)
    }

    fn judge(&self, shape: CoarseShape, seed: u64) -> Result<bool, Box<Disagreement>> {
        let orders = (0..self.orders).map(|order| Some(seed.wrapping_add(order << 32)));
        let orders: Vec<Option<u64>> = std::iter::once(None).chain(orders).collect();
        let of = |&algorithm: &Algorithm| orders.iter().map(move |&order| (algorithm, order));
        let runs: Vec<_> = self.algorithms.iter().flat_map(of).collect();
        check(&generate(seed, shape), &runs, self.limit)
    }

    fn caught(
        &self,
        shape: CoarseShape,
        seed: u64,
        disagreement: Box<Disagreement>,
    ) -> CoarseCatch {
        let run = [(disagreement.algorithm, disagreement.shuffle)];
        let is_wrong = |program: &Program| check(program, &run, self.limit).is_err();
        let shrunk = shrink(&generate(seed, shape), is_wrong);
        let disagreement = check(&shrunk, &run, self.limit).err().unwrap_or(disagreement);
        CoarseCatch { shape: shape.name, seed, shrunk, disagreement }
    }
}
