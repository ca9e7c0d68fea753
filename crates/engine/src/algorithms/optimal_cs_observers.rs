//! Optimal-DPOR with context-sensitive independence and observers.
//!
//! **Explores** executions with every behaviour: which assertions fail, how executions end and who is stuck where, what
//! `finally` finds. [`super::optimal_cs`] with the relation of [`super::optimal_observers`]; for a race of writes that is observed,
//! states are compared behind the observers. **Source**: Albert, Garcia de la Banda, Gómez-Zamalloa, Isabel, Stuckey,
//! JSS 2023, Algorithm 2, repaired. **Guarantee**, for programs whose states can be compared: every failure is shown, as far as tests
//! with tens of thousands of random programs in several orders have seen; there is no proof. **Not** every combination of failures: of the random
//! program with the seed 500521 of the shape `finally`, 41 of 301 orders of exploration lose one of four combinations of what `finally` finds of two
//! variables (each failure is shown). What is pruned relies on an execution that leads to the same state; with observers that one may be found later and itself be
//! pruned. Whoever needs every combination takes [`super::optimal_observers`] or [`super::optimal_cs`]. Executions are no more than
//! those of [`super::optimal_observers`]; what is given up (`redundant`) comes on top, because of D8. **Cost**: as [`super::optimal_cs`].
//!
//! **Deviations**: those of [`super::optimal_cs`], and
//!
//! * D5: behind the observers whole states are compared, apart from the values of variables that no code that can still run may read. The
//!   paper compares only what the observers themselves write (section 4.3), and loses failures of whoever reads the
//!   variable later (`programs/context/twice.ed`).
//! * D8: where an exploration is given up because everybody sleeps, every variable that was written blindly and may still be read counts as read
//!   by what would have come. Otherwise the order of two writes that somebody who sleeps would have observed is lost: it may be hidden by happens-before where
//!   the same state is explored (`programs/context/hidden-writes.ed`).
//! * D9, which does not settle that: no sequence becomes a don't-do sequence behind which it is open who wrote last what may still be read: a variable that was written
//!   blindly in it or before it, and is written behind it by somebody who is in no order with that. What is explored from the same state elsewhere has settled that in its own way,
//!   and the other way may be found only from an execution that is not explored either.
//! * Races that only `finally` observes are not compared.

use crate::algorithms::frames::Frames;
use crate::algorithms::sequences::Sequences;
use crate::config::Config;
use crate::driver::Driver;
use crate::outcome::{Observer, Outcome};
use crate::program::Program;
use crate::relation::Order;
use crate::touch::Dependence;

/// Explores executions with every behaviour.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    Frames::new(driver, Sequences::new(Order::Observers, true, config)).explore()
}
