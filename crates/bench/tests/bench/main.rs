//! The programs of the papers: their counts, estimates, and failures.

mod counts;
mod estimates;
mod failures;
