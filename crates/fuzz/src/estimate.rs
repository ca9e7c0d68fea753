//! How many interleavings a program has, roughly, from a few random walks.
//!
//! Knuth's estimator (Mathematics of Computation 29, 1975): along a random walk the product of the numbers of
//! moves to choose from is, in the mean, the number of leaves of the tree. A few walks are enough to keep
//! programs small; the oracle's own limit catches the rest.

use mazurka_engine::rng::Rng;
use mazurka_engine::state::State;
use mazurka_engine::{Next, Operation, Program, Run, Step};

/// The number of walks: enough to see most of a tree of some hundred leaves.
const WALKS: u32 = 24;

/// Executions longer than this need no walking: there are too many of them, or they are dull.
const LONGEST: usize = 24;

/// An estimate of the number of interleavings; infinite if executions are long.
pub fn interleavings<P: Program>(program: &P, rng: &mut Rng) -> f64 {
    let mut run = program.start();
    let mut state = State::new(&run);
    let mut sum = 0.0;
    for _ in 0..WALKS {
        sum += walk(&mut run, &mut state, rng);
        if sum.is_infinite() {
            return sum;
        }
    }
    sum / f64::from(WALKS)
}

fn walk(run: &mut impl Run, state: &mut State, rng: &mut Rng) -> f64 {
    let mut leaves = 1.0;
    let mut enabled = Vec::new();
    let mut step = Step::default();
    loop {
        enabled.clear();
        state.enabled(run, &mut enabled);
        if enabled.is_empty() {
            break;
        }
        if run.depth() == LONGEST {
            leaves = f64::INFINITY;
            break;
        }
        leaves *= enabled.len() as f64;
        let task = enabled[rng.below(enabled.len() as u64) as usize];
        let alternatives = match run.next(task) {
            Next::Operation(Operation::Choose(alternatives)) => alternatives,
            _ => 1,
        };
        // A task that chooses stands for as many moves as it has alternatives.
        leaves *= f64::from(alternatives);
        step.clear();
        run.step(task, rng.below(u64::from(alternatives)) as u32, &mut step);
        state.apply(run, task, step.effect, &step.accesses);
    }
    while run.depth() > 0 {
        state.undo(run);
        run.rewind(run.depth() - 1);
    }
    leaves
}
