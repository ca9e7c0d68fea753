//! The solvers against brute force, the checkers, and the papers.

mod checkers;
mod common;
mod explain;
mod instances;
mod limits;
mod malformed;
mod order_random;
mod overlaps;
mod paper;
mod reduction;
mod trace_random;
