//! Futures.

mod atomic_waker;

pub use atomic_waker::AtomicWaker;
pub use mazurka::future::block_on;
