//! The tests of recorded traces.

mod classes;
mod cleanup;
mod common;
mod convert;
mod driver;
mod explore;
mod generate;
mod malformed;
mod mutated;
mod races;
mod raw;
mod samples;
