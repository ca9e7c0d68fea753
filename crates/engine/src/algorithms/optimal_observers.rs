//! Optimal-DPOR with observers: one execution for each class of executions that differ only in writes nobody reads.
//!
//! **Explores** one execution for each class of happens-before with observers ([`crate::relation`]): two writes are
//! ordered only if what the second one wrote is read. Coarser than Mazurkiewicz traces, finer than reads-from.
//! Messages of one handler conflict as in [`super::optimal`]. **Source**: Aronis, Jonsson, Lång, Sagonas, "Optimal
//! dynamic partial order reduction with observers", TACAS 2018, as recalled in section 4.1 of Albert, Garcia de la
//! Banda, Gómez-Zamalloa, Isabel, Stuckey, "Optimal dynamic partial order reduction with context-sensitive
//! independence and observers", JSS 2023. **Guarantee**: sound, complete and optimal for every program; no exploration
//! is begun in vain. **Cost**: for each execution its relation is computed anew, and for each race that has not been considered
//! that of its wakeup sequence: O(events × conflicting accesses) each.
//!
//! **Deviations**
//! 1. What `finally` reads counts as read behind everything in a complete execution; otherwise it would say something of values
//!    that were never explored. A race that is observed only there is reversed with the whole rest of the execution.
//! 2. A sequence is considered once at each prefix.
//! 3. Locks, deadlocks and choices as in [`super::optimal`].

use crate::algorithms::frames::Frames;
use crate::algorithms::sequences::Sequences;
use crate::config::Config;
use crate::driver::Driver;
use crate::outcome::{Observer, Outcome};
use crate::program::Program;
use crate::relation::Order;
use crate::touch::Dependence;

/// Explores one execution of each class.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let mut driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    driver.expect_tables(1);
    Frames::new(driver, Sequences::new(Order::Observers, false, config)).explore()
}
