//! Optimal-DPOR with context-sensitive independence: what leads to the same state is explored in one order.
//!
//! **Explores** executions to every final state. Where both orders of a race lead to the same state, the other order
//! becomes a *don't-do sequence*: it is passed on from prefix to prefix until one event is left of it, which sleeps.
//! Messages of one handler conflict as in [`super::optimal`], and mailboxes are part of the state. **Source**: Albert,
//! Garcia de la Banda, Gómez-Zamalloa, Isabel, Stuckey, "Optimal dynamic partial order reduction with context-sensitive
//! independence and observers", JSS 2023, Algorithm 1. The algorithm as printed loses executions; this is a repaired one.
//! **Guarantee**, for programs whose states can be compared: every final state is reached, complete, blocked or deadlocked, and with
//! it every failure; explorations, those that are given up included (`redundant`), are no more than the executions of
//! [`super::optimal`]. That rests on tests with tens of thousands of random programs, not on a proof: Theorem 1 of the paper is false. **Cost**: as
//! [`super::optimal_observers`]; for each race that has not been considered, twice the events that happen before its second one are executed.
//!
//! **Deviations**; for each but D6, which loses nothing, `fuzz/tests/fuzz/coarse.rs` shows with the program named here what is lost without it while the others hold
//!
//! * D1: states are compared directly behind the race (`past.e.e'` with `past.e'.e`), whole, not behind all that happens
//!   after `e`, which may cover the difference (line 28; `programs/context/overwritten.ed`).
//! * D2: where a branch sleeps, its races count, and what it was to cover is explored without it and what happens after it. Lines 15
//!   and 16 give up there, and with it races that are hidden in every other execution (`programs/context/passed-over.ed`).
//! * D3: what sleeps is not put into the set of explored events, and covers only sequences that begin with it
//!   (`programs/context/sleepers.ed`).
//! * D4: wakeup sequences contain all that does not happen after `e`. Section 3.3 shortens them, and then more is called
//!   redundant than is (`programs/context/shortened.ed`). Only don't-do sequences are short.
//! * D5: see [`super::optimal_cs_observers`].
//! * D6: an event may be taken out of the middle of a don't-do sequence if it commutes with what stands before it, or if both
//!   write what is overwritten behind them before it is read (line 62, with whole states sound here too). Without, less is pruned.
//! * D7: those who wait for a lock take part in races also where an exploration is given up
//!   (`programs/context/assume-with-lock.ed`).
//! * Acquisitions of a lock are not compared: only one order is possible. Otherwise as [`super::optimal`].

use crate::algorithms::frames::Frames;
use crate::algorithms::sequences::Sequences;
use crate::config::Config;
use crate::driver::Driver;
use crate::outcome::{Observer, Outcome};
use crate::program::Program;
use crate::relation::Order;
use crate::touch::Dependence;

/// Explores executions to every final state.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let mut driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    driver.expect_tables(1);
    Frames::new(driver, Sequences::new(Order::Conflicts, true, config)).explore()
}
