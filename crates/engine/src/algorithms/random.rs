//! Uniform random walks: in every state each enabled task is as likely as any other.
//!
//! **Explores** `max_executions` executions (100 where no limit is given), the same for the same seed on
//! every machine. **Guarantee**: none but that what it finds is real. **Cost**: one execution each.

use crate::config::Config;
use crate::driver::Driver;
use crate::ids::TaskId;
use crate::outcome::{Observer, Outcome};
use crate::program::{Program, Run};
use crate::rng::Rng;
use crate::touch::Dependence;

/// Executions of a sampling algorithm that is given no limit.
pub const DEFAULT_SAMPLES: u64 = 100;

/// Walks at random.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    sample(program, config, observer, |_, rng, enabled| rng.below(enabled.len() as u64) as usize)
}

/// Walks as often as asked for; `pick` says which enabled task moves, given the depth.
pub fn sample<P: Program>(
    program: &P,
    config: &Config,
    observer: &mut dyn Observer,
    mut pick: impl FnMut(usize, &mut Rng, &[TaskId]) -> usize,
) -> Outcome {
    let mut driver = Driver::<P>::new(program, config, observer, Dependence::Conflicts);
    let mut rng = Rng::new(config.seed);
    let mut enabled = Vec::new();
    let samples = config.limits.max_executions.unwrap_or(DEFAULT_SAMPLES);
    for _ in 0..samples {
        driver.rewind(0);
        loop {
            driver.enabled(&mut enabled);
            if enabled.is_empty() {
                driver.finish();
                break;
            }
            let task = enabled[pick(driver.depth(), &mut rng, &enabled)];
            let choice = match driver.walk.run.alternatives(task) {
                1 => 0,
                count => rng.below(u64::from(count)) as u32,
            };
            driver.step(task, choice);
            if driver.stopped() {
                return driver.outcome(false);
            }
        }
        if driver.stopped() {
            break;
        }
    }
    driver.outcome(false)
}
