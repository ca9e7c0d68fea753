//! Optimal-DPOR with context-sensitive independence and observers.
//!
//! **Explores** executions with every behaviour: which assertions fail, how executions end and who is stuck where, what
//! `finally` finds. [`super::optimal_cs`] with the relation of [`super::optimal_observers`]; for a race of writes that is observed,
//! states are compared behind the observers. **Source**: Albert, Garcia de la Banda, Gómez-Zamalloa, Isabel, Stuckey,
//! JSS 2023, Algorithm 2, repaired. **Guarantee**, for programs whose states can be compared: no proof. What tests with tens of thousands of random
//! programs in several orders, and thousands shaped like those that once lost something in 61 orders each, have seen it keep is: every combination of failed assertions,
//! every end in which somebody is stuck, and every result of `finally`. Who needs certainty takes [`super::optimal_observers`]. Explorations, those that are given up included (`redundant`), are no more than the executions of [`super::optimal_observers`]. **Cost**: as
//! [`super::optimal_cs`]; where an event is about to sleep that may hide an open write (D8), one execution to its end beside.
//!
//! **Deviations**: those of [`super::optimal_cs`], and
//!
//! * D5: behind the observers whole states are compared, apart from the values of variables that no code that can still run may read. The
//!   paper compares only what the observers themselves write (section 4.3), and loses failures of whoever reads the
//!   variable later (`programs/context/twice.ed`).
//! * D8: an event does not sleep as long as the order of two writes is open that is hidden where the same state is explored. There the two events of the
//!   race come in the other order, and all that happens before the first one comes before all that happens after the second one; of two writes
//!   that is a race only once somebody reads, which may be behind the event that sleeps (`programs/context/hidden-writes.ed`). Who writes may sleep as well,
//!   so what comes behind is tried (`programs/context/observers-open.ed`, `last-writers.ed`). How far that is argued, and where it is not, stands in
//!   [`super::sequences`], `hidden.rs`.
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
    let mut driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    driver.expect_tables(1);
    Frames::new(driver, Sequences::new(Order::Observers, true, config)).explore()
}
