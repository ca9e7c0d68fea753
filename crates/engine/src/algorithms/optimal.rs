//! Optimal-DPOR: one execution for each Mazurkiewicz trace, and none begun in vain.
//!
//! **Explores** one execution of each trace, where the messages of one handler conflict (a handler is
//! like a lock that each message holds) and so do posts to one FIFO mailbox. **Source**: Abdulla, Aronis,
//! Jonsson, Sagonas, "Optimal dynamic partial order reduction", POPL 2014 and JACM 2017, Algorithm 2, as
//! reviewed in section 3.1 of the Event-DPOR paper. **Guarantee**: sound, complete and optimal for every
//! program; no exploration is begun in vain. **Cost**: for each execution, every race is considered anew:
//! O(races × events / 64) word operations plus the insertion into a wakeup tree. Memory: the wakeup
//! trees along the current execution.
//!
//! **Deviations**
//! 1. Sleep sets are kept along the current execution, so that a new sequence is compared only with the
//!    explored events that nothing since conflicts with.
//! 2. A sequence that a branch covers without sharing an event with it is dropped instead of inserted
//!    below the branch (line 6 of Algorithm 3 in the Event-DPOR paper): the race is found again there.
//! 3. Locks: taking a lock races with the last time it was taken, not with the release in between,
//!    which cannot be overtaken. A task that waits for ever at the end of an execution takes part in
//!    races with the operation that it waits to perform; otherwise a deadlock would hide the executions
//!    in which it came first.
//! 4. The alternatives of a choice are branches from the point where it is first made.

use crate::algorithms::frames::Frames;
use crate::algorithms::sleep_sets::{Explorations, SleepSets, Wakeups};
use crate::config::Config;
use crate::driver::Driver;
use crate::outcome::{Observer, Outcome};
use crate::program::Program;
use crate::reversal::Reversal;
use crate::touch::Dependence;
use crate::wakeup::WakeupTree;

/// Explores one execution of each trace.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    Frames::new(driver, SleepSets::new(Optimal)).explore()
}

/// A reversed race becomes a wakeup sequence.
struct Optimal;

impl Wakeups for Optimal {
    fn keep(
        &self,
        explored: Explorations<'_>,
        pending: &mut WakeupTree,
        sequence: Reversal<'_>,
    ) -> bool {
        !explored.cover(&sequence) && pending.insert(sequence)
    }
}
