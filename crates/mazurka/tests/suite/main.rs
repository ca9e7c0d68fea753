//! The tests of the crate's behaviour, in one binary.

mod abandoned;
mod asynchronous;
mod book;
mod channels;
mod common;
mod counts;
mod endless;
mod failures;
mod handlers;
mod hidden;
mod leaks;
mod locks;
mod outside;
mod races;
mod reports;
mod twice;
