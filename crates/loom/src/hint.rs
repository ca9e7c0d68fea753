//! Stands in for [`std::hint`].

pub use mazurka::hint::{black_box, spin_loop};
pub use std::hint::unreachable_unchecked;
