//! Random programs: what Mazurka shows is what the axioms allow.

use crate::axioms;
use crate::program::{Line, Op, Threads};
use mazurka::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use mazurka::{Algorithm, Memory};
use mazurka_engine::rng::Rng;

/// So many combinations of a program are looked at, at most.
const MOST_EFFORT: f64 = 20_000.0;

struct Generator {
    rng: Rng,
    atomics: u64,
    next_value: u32,
    stored: Vec<(usize, u32)>,
    mostly_relaxed: bool,
}

impl Generator {
    /// One of these orderings; half of the programs take mostly the first.
    fn order(&mut self, from: &[Ordering]) -> Ordering {
        if self.mostly_relaxed && self.rng.below(3) > 0 { from[0] } else { self.pick(from) }
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.below(from.len() as u64) as usize]
    }

    fn value(&mut self, atomic: usize) -> u32 {
        self.next_value += 1;
        self.stored.push((atomic, self.next_value));
        self.next_value
    }

    fn stored_value(&mut self, atomic: usize) -> u32 {
        let mut values: Vec<u32> =
            self.stored.iter().filter(|(at, _)| *at == atomic).map(|(_, value)| *value).collect();
        values.push(0);
        self.pick(&values)
    }

    fn op(&mut self) -> Op {
        let at = self.rng.below(self.atomics) as usize;
        let updates: &[Ordering] = &[Relaxed, Acquire, Release, AcqRel, SeqCst];
        match self.rng.below(16) {
            0..6 => Op::Load(at, self.order(&[Relaxed, Acquire, SeqCst])),
            6..12 => {
                let order = self.order(&[Relaxed, Release, SeqCst]);
                Op::Store(at, self.value(at), order)
            }
            12 => {
                let order = self.order(updates);
                Op::Swap(at, self.value(at), order)
            }
            13 => {
                let expected = self.stored_value(at);
                let (success, failure) =
                    (self.order(updates), self.order(&[Relaxed, Acquire, SeqCst]));
                Op::Exchange(at, expected, self.value(at), success, failure)
            }
            _ => Op::Fence(self.pick(&[Acquire, Release, AcqRel, SeqCst])),
        }
    }

    fn line(&mut self, is_first: bool) -> Line {
        let op = self.op();
        let only_if = (!is_first && self.rng.below(8) == 0).then(|| {
            let mut values: Vec<u32> = self.stored.iter().map(|(_, value)| *value).collect();
            values.push(0);
            self.pick(&values)
        });
        Line { only_if, op }
    }

    fn threads(seed: u64) -> Threads {
        let mut rng = Rng::new(seed);
        // Most weak behaviour is between two or three threads and two atomics.
        let count = [2, 2, 2, 3, 3, 3, 4][rng.below(7) as usize];
        let atomics = [1, 2, 2, 2, 2, 3][rng.below(6) as usize];
        let mostly_relaxed = seed % 2 == 1;
        let mut generator =
            Generator { rng, atomics, next_value: 0, stored: Vec::new(), mostly_relaxed };
        let threads = (0..count).map(|_| {
            let length = match count {
                2 => 2 + generator.rng.below(4),
                3 => 1 + generator.rng.below(3),
                _ => 1 + generator.rng.below(2),
            };
            (0..length).map(|at| generator.line(at == 0)).collect()
        });
        Threads(threads.collect())
    }
}

/// What the judging of some programs came to.
#[derive(Default, Debug)]
struct Tally {
    programs: u64,
    weak_programs: u64,
    graphs: u64,
    sequential: u64,
    executions: u64,
    impossible: u64,
}

fn judge(threads: &Threads, algorithm: Algorithm, tally: &mut Tally) -> Result<(), String> {
    let (allowed, sequential) = axioms::graphs(threads);
    let (shown, outcome) = threads.explore(algorithm);
    let name = algorithm.name();
    if !outcome.is_complete() || !outcome.failures.is_empty() {
        return Err(format!("{name} says {outcome:?}"));
    }
    let is_once = algorithm != Algorithm::Naive;
    let (_, plain) = threads.explore_with(algorithm, Memory::Sequential);
    if is_once && plain.executions != sequential as u64 {
        return Err(format!("{name}: {} of {sequential} without weak memory", plain.executions));
    }
    if shown.is_empty() {
        // Nothing is weaker than SeqCst: it has nothing to say about orders.
        return match allowed.len() == sequential && outcome.executions == plain.executions {
            true => Ok(()),
            false => Err(format!("{name}: {} of {sequential} executions", outcome.executions)),
        };
    }
    if let Some(missing) = allowed.difference(&shown).next() {
        return Err(format!("{name} does not show {missing:?}"));
    }
    if let Some(wrong) = shown.difference(&allowed).next() {
        return Err(format!("{name} shows {wrong:?}, which is not allowed"));
    }
    let weak = allowed.len() - sequential;
    if weak == 0 && is_once && outcome.executions != sequential as u64 {
        return Err(format!("{name}: {} executions for {sequential} graphs", outcome.executions));
    }
    tally.programs += 1;
    tally.weak_programs += u64::from(weak > 0);
    tally.graphs += allowed.len() as u64;
    tally.sequential += sequential as u64;
    tally.executions += outcome.executions;
    tally.impossible += outcome.blocked;
    Ok(())
}

/// The same program with one line less, as long as it is wrong.
fn shrunk(mut threads: Threads, algorithm: Algorithm) -> (Threads, String) {
    let wrong = |threads: &Threads| judge(threads, algorithm, &mut Tally::default()).err();
    let mut message = wrong(&threads).unwrap_or_default();
    'again: loop {
        for thread in 0..threads.0.len() {
            for line in 0..threads.0[thread].len() {
                let mut less = threads.clone();
                less.0[thread].remove(line);
                less.0.retain(|lines| !lines.is_empty());
                if let Some(why) = wrong(&less) {
                    (threads, message) = (less, why);
                    continue 'again;
                }
            }
        }
        return (threads, message);
    }
}

fn judge_all(seeds: std::ops::Range<u64>, algorithm: Algorithm, most_effort: f64) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let threads = Generator::threads(seed);
        if axioms::effort(&threads) > most_effort {
            continue;
        }
        if judge(&threads, algorithm, &mut tally).is_err() {
            let (least, why) = shrunk(threads, algorithm);
            panic!("seed {seed}: {why}\n{least:?}");
        }
    }
    tally
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// How many programs are judged: `WEAK_PROGRAMS`.
fn programs() -> u64 {
    variable("WEAK_PROGRAMS").unwrap_or(2_000)
}

/// The seed of the first: `WEAK_SEED`.
fn first_seed() -> u64 {
    variable("WEAK_SEED").unwrap_or(0)
}

/// Two old values that do not contradict what is known to either, but each other by the order of the fences: the execution is not judged,
/// and counts as blocked.
#[test]
fn parts_that_contradict_each_other_are_not_shown() {
    let threads = Threads(vec![
        vec![Op::Store(1, 1, Relaxed).into(), Op::Fence(SeqCst).into(), Op::Load(0, SeqCst).into()],
        vec![
            Op::Load(0, Relaxed).into(),
            Op::Fence(SeqCst).into(),
            Op::Store(1, 2, Relaxed).into(),
        ],
        vec![
            Op::Load(0, Relaxed).into(),
            Op::Store(1, 3, Relaxed).into(),
            Op::Swap(0, 4, AcqRel).into(),
        ],
        vec![
            Op::Store(0, 5, Relaxed).into(),
            Op::Fence(SeqCst).into(),
            Op::Store(1, 6, Release).into(),
        ],
    ]);
    let mut tally = Tally::default();
    assert_eq!(judge(&threads, Algorithm::Event, &mut tally), Ok(()));
    assert_eq!(tally.impossible, 1, "{tally:?}");
}

/// Every graph that the axioms allow is shown, and no other; sequentially consistent ones once.
#[test]
#[expect(clippy::print_stdout, reason = "the figures of the manual")]
fn random_programs_show_what_the_axioms_allow() {
    let first = first_seed();
    let tally = judge_all(first..first + programs(), Algorithm::Event, MOST_EFFORT);
    println!("{tally:?}");
    // A single program that somebody asked for need not have weak behaviour.
    assert!(programs() < 100 || tally.weak_programs * 10 > tally.programs, "{tally:?}");
}

#[test]
fn other_algorithms_show_the_same() {
    let seeds = first_seed()..first_seed() + programs().div_ceil(8);
    for algorithm in [Algorithm::Optimal, Algorithm::Source, Algorithm::Dpor, Algorithm::Bounded] {
        judge_all(seeds.clone(), algorithm, MOST_EFFORT);
    }
    judge_all(seeds, Algorithm::Naive, 200.0);
}
