//! Stand-ins in the shape of tokio's, so that `#[cfg(mazurka)] use mazurka::tokio;` can take its place.
//!
//! What is here: [`spawn`], [`task`], [`sync`] (`mpsc`, `oneshot`, `broadcast`, `watch`, `Notify`, `Semaphore`, `Mutex`,
//! `RwLock`), [`time`] (a timer may be over at any point) and [`select!`](crate::select). Locks and semaphores are
//! fair, as tokio's. There is no I/O.

pub mod sync;
pub mod task;
pub mod time;

mod select;

pub use crate::select;
pub use crate::task::spawn;
