//! Random programs and recorded traces, and all algorithms on them. One binary: each one compiles every algorithm again.

mod bounded;
mod coarse;
mod context;
mod explain;
mod front_ends;
mod invariants;
mod larger;
mod oracle;
mod partial_traces;
mod parts;
mod recordings;
mod regressions;
mod reversals;
mod reversals_in_queues;
mod traces;
