//! The tests of the crate's behaviour, in one binary.

mod channels;
mod common;
mod counts;
mod failures;
mod locks;
mod races;
