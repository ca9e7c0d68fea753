//! Flanagan and Godefroid's dynamic partial order reduction, with sleep sets: the classical baseline.
//!
//! **Explores** each trace at least once, where the messages of one handler conflict as in
//! [`super::optimal`]. **Source**: Flanagan, Godefroid, "Dynamic partial-order reduction for model checking
//! software", POPL 2005, figure 3. **Guarantee**: sound and complete; no trace is explored to its end
//! twice, but many explorations may be begun that sleep sets stop (`redundant`). **Cost**: as
//! [`super::source`].
//!
//! **Deviations**
//! 1. Races are taken from maximal executions instead of from the next operations of every state.
//! 2. Of the tasks that lead to the second event of a race, the first is added to the backtrack set; the
//!    paper leaves the choice open. What other explored tasks cover is not considered: that is what
//!    [`super::source`] adds.
//! 3. Locks, deadlocks and choices as in [`super::optimal`].

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
    Frames::new(driver, SleepSets::new(Dpor)).explore()
}

/// A reversed race adds the first task on the way to its second event to the backtrack set.
struct Dpor;

impl Wakeups for Dpor {
    fn keep(
        &self,
        explored: Explorations<'_>,
        pending: &mut WakeupTree,
        mut sequence: Reversal<'_>,
    ) -> bool {
        sequence.keep_past_of_last();
        let first = sequence.sequence().next().map(|(task, choice, _)| (task, choice));
        // Another alternative of the same task is another event.
        let waits = |next| pending.branches.iter().any(|b| (b.event.task, b.event.choice) == next);
        let known = |next| explored.include(next) || waits(next);
        if first.is_none_or(known) {
            return false;
        }
        pending.append_first(&sequence);
        true
    }
}
