//! The papers' programs and what is known of them: the table of expected counts, a class counter that can
//! judge programs too large for the oracle, measurements, and how they are printed.

pub mod compare;
pub mod counter;
pub mod estimate;
pub mod expected;
pub mod measure;
pub mod programs;
pub mod scaling;
pub mod table;
