//! Plain memory that is watched for data races.

mod unsafe_cell;

pub use mazurka::cell::Cell;
pub use unsafe_cell::{ConstPtr, MutPtr, UnsafeCell};
