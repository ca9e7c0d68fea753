//! `mazurka-loom` under the name of loom.

pub use inner::*;
