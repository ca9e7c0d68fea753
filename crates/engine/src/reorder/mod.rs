//! R4: the orders of a recorded sequence of events, by the number of conflicts that they reverse.
//!
//! **Explores** sequences that come from a recorded one by reversing races one at a time: those with one reversal first,
//! then those with two, up to a bound. **Source**: Jensen, Møller, Raychev, Dimitrov, Vechev, "Stateless model checking of
//! event-driven applications", OOPSLA 2015, Algorithms 1 to 4. **Guarantee**: without a bound, and where what was planned
//! can be performed, every trace; with the bound k, the traces that k reversals lead to and no others. **Cost**: one
//! execution for each trace where replay is exact; memory for every explored sequence.
//!
//! Nothing here executes anything. An [`Explorer`] hands out [`Plan`]s, a front-end performs them as far as it can (several at once,
//! if it likes) and gives back what happened as a [`Sequence`]: from a [`crate::Run`], see `algorithms/r4/`, or from a web
//! page, where an event has hundreds of accesses that are known only afterwards and a replay may go
//! another way ([`Recorded`]).
//!
//! **Deviations**
//! 1. Sequences with fewer reversals come first, where the paper goes depth first. So the depth of a sequence is the smallest
//!    number of reversals that lead to it, and the tree of explored sequences is kept whole (`tree.rs`).
//! 2. The corner case of section 4.2 is solved by following a planned sequence through that tree: it is explored from
//!    where it leaves it, and not at all if it never does.
//! 3. A plan that predicts a trace that has been performed is dropped; this stands in for sleep sets. If another plan
//!    with the same prediction is still to be performed, it waits, and is taken up if that one comes out differently. Where only
//!    recorded events are reversed, a plan is known by the pairs that it has in another order than the recorded sequence: what events
//!    access changes with their order, and with it the prediction.
//! 4. An event that is not possible when its turn comes is tried again behind every later one. What never becomes possible has
//!    been skipped.
//! 5. Races with operations that wait at the end of an execution are reversed like others: deadlocks.

mod classes;
mod explorer;
mod recorded;
mod replay;
mod sequence;
mod tree;

#[cfg(test)]
mod tests;

pub use explorer::{
    Accepted, AcceptedKind, Explorer, GivenUp, NewEvents, Plan, Progress, Reversed, Settings,
    Ticket,
};
pub use recorded::{Happened, Recorded};
pub use replay::Replay;
pub use sequence::{Race, Second, Sequence};

pub use crate::ids::EventId;
