//! Weak memory against its judge: all execution graphs of small programs, enumerated from the axioms.

mod axioms;
mod litmus;
mod program;
mod random;
