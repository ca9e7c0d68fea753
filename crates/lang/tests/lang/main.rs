//! The `.ed` language as its users see it: what programs do, and what is said when something is wrong.

mod conditions;
mod errors;
mod examples;
mod expressions;
mod faults;
mod format;
mod generate;
mod guards;
mod invariants;
mod names;
mod options;
mod print;
mod rewind;
mod robustness;
mod statements;
mod support;
