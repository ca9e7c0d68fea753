//! The tests of the crate's behaviour, in one binary.
#![expect(unsafe_code, reason = "lock-free code is checked, and code that is wrong")]

mod abandoned;
mod asynchronous;
mod book;
mod channels;
mod common;
mod counts;
mod dependencies;
mod endless;
mod failures;
mod handlers;
mod hidden;
mod leaks;
mod locks;
mod memory;
mod outside;
mod overflow;
mod races;
mod reports;
mod twice;
