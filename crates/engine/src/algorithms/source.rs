//! Source-DPOR: source sets instead of persistent sets, with sleep sets.
//!
//! **Explores** each trace at least once, where the messages of one handler conflict as in
//! [`super::optimal`]. **Source**: Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order
//! reduction", POPL 2014 and JACM 2017, Algorithm 1. **Guarantee**: sound and complete; no trace is
//! explored to its end twice, but explorations may be begun that sleep sets stop (`redundant`).
//! **Cost**: as [`super::optimal`], with less memory: a reversed race leaves one step, not a sequence.
//!
//! **Deviations**
//! 1. Races are reversed at the end of an execution, or where sleep sets stop it, instead of at each step.
//! 2. Locks, deadlocks and choices as in [`super::optimal`].

use crate::algorithms::frames::Frames;
use crate::algorithms::sleep_sets::{Explorations, SleepSets, Wakeups};
use crate::config::Config;
use crate::driver::Driver;
use crate::outcome::{Observer, Outcome};
use crate::program::Program;
use crate::reversal::Reversal;
use crate::touch::Dependence;
use crate::wakeup::WakeupTree;

/// Explores each trace at least once.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    Frames::new(driver, SleepSets::new(Source)).explore()
}

/// A reversed race leaves its first step, unless the source set has a weak initial of it already.
struct Source;

impl Wakeups for Source {
    fn keep(
        &self,
        explored: Explorations<'_>,
        pending: &mut WakeupTree,
        sequence: Reversal<'_>,
    ) -> bool {
        let waits = pending.branches.iter().any(|branch| branch.event.is_initial(&sequence));
        if waits || explored.include_initial(&sequence) {
            return false;
        }
        pending.append_first(&sequence);
        true
    }
}
