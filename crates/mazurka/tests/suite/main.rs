//! The tests of the crate's behaviour, in one binary.

mod asynchronous;
mod channels;
mod common;
mod counts;
mod failures;
mod handlers;
mod locks;
mod races;
mod reports;
mod twice;
