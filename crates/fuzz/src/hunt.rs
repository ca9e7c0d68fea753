//! Hunting for disagreements: many seeds, many algorithms, several threads.

use crate::compare::{Disagreement, Subject, Truth, ask_oracle, compare, compare_with};
use crate::description::Description;
use crate::generate::generate;
use crate::interpret::Interpreted;
use crate::promise::{Promise, Traits, applies, promise};
use crate::shape::Shape;
use crate::shrink::shrink;
use mazurka_engine::{Algorithm, Program};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What to hunt.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The algorithms that every program is explored with.
    pub algorithms: Vec<Algorithm>,
    /// The shapes, in turn.
    pub shapes: Vec<Shape>,
    /// The first seed.
    pub first_seed: u64,
    /// Stop after so many programs.
    pub programs: Option<u64>,
    /// Stop after so much time.
    pub time: Option<Duration>,
    /// Threads.
    pub jobs: usize,
    /// Programs with more interleavings are passed over.
    pub limit: u64,
}

/// Numbers about a hunt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Programs compared.
    pub programs: u64,
    /// Programs passed over because they have too many interleavings.
    pub passed_over: u64,
    /// The oracle's classes in them, of any ending.
    pub classes: u64,
    /// The oracle's interleavings in them.
    pub interleavings: u64,
    /// Programs in which an algorithm that does not promise otherwise explored a class twice.
    pub programs_with_twice: u64,
    /// How many executions were of a class explored before, in all.
    pub twice: u64,
    /// Explorations begun and abandoned, in all.
    pub redundant: u64,
    /// Executions of the algorithms, in all.
    pub executions: u64,
}

/// A disagreement and where it came from.
#[derive(Clone, Debug)]
pub struct Catch {
    /// The shape of the program.
    pub shape: &'static str,
    /// Its seed.
    pub seed: u64,
    /// The program as it was drawn.
    pub drawn: Description,
    /// The program after shrinking.
    pub shrunk: Description,
    /// The disagreement on the shrunk program.
    pub disagreement: Disagreement,
}

/// What the workers share.
struct Shared<'h> {
    hunt: &'h Hunt,
    next: AtomicU64,
    stop: AtomicBool,
    started: Instant,
    /// For each shape.
    tallies: Mutex<Vec<Tally>>,
    catch: Mutex<Option<Box<Catch>>>,
}

impl Hunt {
    /// Hunts until something is caught or the time is up. `at_work` hears, from the worker's thread, which
    /// program a worker (a number) begins. Gives the numbers of each shape.
    pub fn run(
        &self,
        at_work: &(dyn Fn(usize, &Shape, u64) + Sync),
    ) -> (Vec<Tally>, Option<Box<Catch>>) {
        let shared = Shared {
            hunt: self,
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            started: Instant::now(),
            tallies: Mutex::new(vec![Tally::default(); self.shapes.len()]),
            catch: Mutex::default(),
        };
        std::thread::scope(|scope| {
            for worker in 0..self.jobs {
                let shared = &shared;
                scope.spawn(move || shared.work(worker, at_work));
            }
        });
        let tallies = shared.tallies.into_inner().unwrap_or_default();
        (tallies, shared.catch.into_inner().unwrap_or_default())
    }
}

impl Shared<'_> {
    fn work(&self, worker: usize, at_work: &(dyn Fn(usize, &Shape, u64) + Sync)) {
        let hunt = self.hunt;
        let mut tallies = vec![Tally::default(); hunt.shapes.len()];
        while !self.is_over() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if hunt.programs.is_some_and(|programs| number >= programs) {
                break;
            }
            let shapes = hunt.shapes.len() as u64;
            let which = (number % shapes) as usize;
            let shape = &hunt.shapes[which];
            let seed = hunt.first_seed + number / shapes;
            at_work(worker, shape, seed);
            if let Err(disagreement) = self.program(shape, seed, &mut tallies[which]) {
                self.caught(shape, seed, disagreement);
            }
        }
        if let Ok(mut all) = self.tallies.lock() {
            all.iter_mut().zip(&tallies).for_each(|(total, tally)| total.add(tally));
        }
    }

    fn is_over(&self) -> bool {
        let out_of_time = |time| self.started.elapsed() >= time;
        self.stop.load(Ordering::Relaxed) || self.hunt.time.is_some_and(out_of_time)
    }

    fn program(&self, shape: &Shape, seed: u64, tally: &mut Tally) -> Result<(), Disagreement> {
        let hunt = self.hunt;
        let description = generate(seed, shape);
        let program = Interpreted::new(&description);
        let Some(truth) = ask_oracle(&program, hunt.limit) else {
            tally.passed_over += 1;
            return Ok(());
        };
        let traits = Traits::of(&description);
        let fitting = hunt.algorithms.iter().copied().filter(|&other| applies(other, traits));
        tally.judge(Subject::new(&program), truth, fitting, |algorithm| promise(algorithm, traits))
    }

    /// Shrinks what was caught; only the first worker that comes here does.
    fn caught(&self, shape: &Shape, seed: u64, first: Disagreement) {
        if self.stop.swap(true, Ordering::Relaxed) {
            return;
        }
        let hunt = self.hunt;
        let drawn = generate(seed, shape);
        let mut last = first.clone();
        let shrunk = shrink(&drawn, |candidate| {
            if !applies(first.algorithm, Traits::of(candidate)) {
                return false;
            }
            match compare(candidate, first.algorithm, hunt.limit) {
                Err(disagreement) if disagreement.kind == first.kind => {
                    last = disagreement;
                    true
                }
                _ => false,
            }
        });
        if let Ok(mut catch) = self.catch.lock() {
            *catch = Some(Box::new(Catch {
                shape: shape.name,
                seed,
                drawn,
                shrunk,
                disagreement: last,
            }));
        }
    }
}

impl Tally {
    /// Compares algorithms with what the oracle says of a program, and counts that.
    pub fn judge<P: Program>(
        &mut self,
        subject: Subject<'_, P>,
        truth: Truth,
        algorithms: impl Iterator<Item = Algorithm>,
        promise: impl Fn(Algorithm) -> Promise,
    ) -> Result<(), Disagreement> {
        let classes = truth.classes;
        self.programs += 1;
        self.interleavings += truth.interleavings;
        self.classes += classes.complete + classes.deadlocked + classes.blocked;
        for algorithm in algorithms {
            let report = compare_with(subject, truth, algorithm, promise(algorithm))?;
            self.executions += report.statistics.ended();
            self.redundant += report.statistics.redundant;
            if !algorithm.samples() {
                self.twice += report.twice;
                self.programs_with_twice += u64::from(report.twice > 0);
            }
        }
        Ok(())
    }

    /// All of them together.
    pub fn total(tallies: &[Tally]) -> Tally {
        let mut total = Tally::default();
        tallies.iter().for_each(|tally| total.add(tally));
        total
    }

    fn add(&mut self, other: &Tally) {
        self.programs += other.programs;
        self.passed_over += other.passed_over;
        self.classes += other.classes;
        self.interleavings += other.interleavings;
        self.programs_with_twice += other.programs_with_twice;
        self.twice += other.twice;
        self.redundant += other.redundant;
        self.executions += other.executions;
    }
}
