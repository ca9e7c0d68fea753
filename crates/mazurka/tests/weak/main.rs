//! Weak memory against its judge: all execution graphs of small programs, enumerated from the axioms.
#![expect(unsafe_code, reason = "plain memory is shared on purpose")]

mod axioms;
mod litmus;
mod program;
mod random;
mod real;
