//! Checks real concurrent and event-driven Rust code.
//!
//! [`check`] runs a closure under every schedule that can make a difference: one execution for each equivalence class
//! (two executions are equivalent if they differ only in the order of operations that do not conflict). At the first
//! panic, deadlock, data race or leak it shows the execution and panics with the user's own message, so `#[test]`,
//! `#[should_panic]`, `cargo test` and `cargo nextest` work as they are.
//!
//! # A first test
//!
//! ```should_panic
//! use mazurka::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};
//! use mazurka::thread;
//!
//! // #[test]
//! fn increments_are_not_lost() {
//!     mazurka::check(|| {
//!         let counter = Arc::new(AtomicU32::new(0));
//!         let other = Arc::clone(&counter);
//!         let thread = thread::spawn(move || {
//!             let value = other.load(SeqCst);
//!             other.store(value + 1, SeqCst);
//!         });
//!         let value = counter.load(SeqCst);
//!         counter.store(value + 1, SeqCst);
//!         thread.join().unwrap();
//!         assert_eq!(counter.load(SeqCst), 2);
//!     });
//! }
//! # increments_are_not_lost();
//! ```
//!
//! The report says what failed and where, the steps in columns by thread and handler with the place of each
//! operation, and the command that runs just this execution again: `MAZURKA_REPLAY='…' cargo test increments`.
//!
//! # Event-driven code
//!
//! [`handler`] has handler threads with mailboxes. Messages of one handler run one at a time, and are exchanged only
//! where what they touch says that their order matters: twenty messages that share nothing are one execution, not
//! 20!. Outside of an exploration the same module is a real event loop.
//!
//! # Porting a module
//!
//! The code under test must use the stand-ins instead of `std`. Either by a configuration flag, set by
//! `RUSTFLAGS="--cfg mazurka" cargo test`:
//!
//! ```text
//! #[cfg(mazurka)]
//! use mazurka::{sync::{Arc, Mutex}, thread};
//! #[cfg(not(mazurka))]
//! use std::{sync::{Arc, Mutex}, thread};
//! ```
//!
//! with these lines in `Cargo.toml`, so that the compiler knows the flag and the dependency comes with it:
//!
//! ```text
//! [lints.rust]
//! unexpected_cfgs = { level = "warn", check-cfg = ["cfg(mazurka)"] }
//!
//! [target.'cfg(mazurka)'.dependencies]
//! mazurka = "0.1"
//! ```
//!
//! or by a feature `check = ["dep:mazurka"]` of an optional dependency and `#[cfg(feature = "check")]`. Outside of an
//! exploration the stand-ins behave as `std`, so tests of both kinds can live in one binary.
//!
//! # What is explored, and what is not
//!
//! - Weak memory, where an ordering is weaker than `SeqCst`: a load may read an older store than the newest, as far as C11 without load
//!   buffering (RC11) allows it ([`Memory`]). A missing `Release` or `Acquire` shows as an old value, or as a data race of a [`cell`]:
//!
//!   ```
//!   use mazurka::sync::{Arc, atomic::{AtomicBool, Ordering::{self, Relaxed, SeqCst}}};
//!
//!   // Store buffering: does each thread miss the store of the other?
//!   fn both_miss(order: Ordering) -> bool {
//!       let outcome = mazurka::Builder::new().explore(move || {
//!           let flags = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
//!           let other = Arc::clone(&flags);
//!           let thread = mazurka::thread::spawn(move || {
//!               other.0.store(true, order);
//!               other.1.load(order)
//!           });
//!           flags.1.store(true, order);
//!           let seen = flags.0.load(order);
//!           assert!(seen || thread.join().unwrap());
//!       });
//!       !outcome.failures.is_empty()
//!   }
//!   assert!(both_miss(Relaxed) && !both_miss(SeqCst));
//!   ```
//! - Everything that the stand-ins do is an operation that can be reordered. What they do not see must be a function of the
//!   schedule: hash map order, time, random numbers and `static`s of `std` are not, and are reported with the
//!   first operation that differs when an execution is repeated.
//! - [`sync::Arc`] is `std`'s. Its counters are not explored: where the destructor of a shared value performs operations, the
//!   order of the drops is the schedule's and is not varied by itself.
//! - Spurious wake-ups and spurious failures of weak exchanges do not happen. Which of several waiting threads
//!   `notify_one` wakes is explored.
//! - Waits with a time-out may be over at any point, [`Builder::timeout_bound`] times for each task.
//! - A loop that waits by looking again must say so ([`hint::spin_loop`], [`thread::yield_now`], a future that wakes
//!   itself). When a round of it leaves everything as it was (values that are put back, locks that are given back with what they
//!   guard unchanged) and sees what the round before saw, it waits for a change: it is held back, and the execution counts as
//!   [`Outcome::blocked`]. Where nobody is left who could change anything, it is let on alone for 256 rounds: if it gives up,
//!   what comes then is checked for one order, and if it does not, it is reported. If no execution gets further, more
//!   rounds are explored; otherwise the giving up of a loop in the presence of others is explored only with a
//!   [`Builder::spin_bound`] at least that large.
//! - Use after free (of objects of the stand-ins), double free, and leaks of every allocation. What is given back stays
//!   in memory until the execution ends, so no address comes back in it. Where nothing orders a use and a free of another
//!   task, both orders are tried. A leak is a block that is still alive at the end of an execution in which everything has ended,
//!   and to which nothing outside leads ([`Builder::leaks_fail`]; on Linux). Nothing is said with asynchronous tasks
//!   that are not woken any more, and after a panic.
//! - What a bound cuts short fails the test, unless [`Builder::allow_incomplete`].
//! - [`choose`] explores data, [`assume`] leaves executions out, [`assert_reachable!`] asks that some execution gets
//!   somewhere.
//! - An execution is over when every thread has ended (also after the closure has returned), every handler is idle and
//!   every mailbox is empty.
//!
//! # Debugging
//!
//! | variable | what it does |
//! |---|---|
//! | `MAZURKA_REPLAY` | runs one schedule, as a report gives it |
//! | `MAZURKA_MAX_EXECUTIONS`, `MAZURKA_MAX_DURATION` (seconds) | stop early |
//! | `MAZURKA_MAX_STEPS`, `MAZURKA_MAX_EVENTS`, `MAZURKA_MAX_MEMORY` (bytes) | the bounds of [`Builder::max_steps`], [`Builder::max_events`], [`Builder::max_memory`] |
//! | `MAZURKA_MEMORY` | `sequential`: every ordering counts as `SeqCst` |
//! | `MAZURKA_ALGORITHM`, `MAZURKA_SEED` | another algorithm: `event`, `optimal`, `naive`, `random`, `pct`, … |
//! | `MAZURKA_REPORT=folder` | writes a page for each test (its failures and some passing executions, to step through in a browser), and the same as JSON for programs |
//! | `MAZURKA_ALLOW_INCOMPLETE=1` | a test passes though its exploration was cut short |
//! | `MAZURKA_LOG=1` | says how much was explored |
//!
//! They are read whenever an exploration begins. A replayed test can print, and stop in a debugger.
//!
//! # Limits
//!
//! - All tasks run on the OS thread of the test, each on a stack of [`Builder::stack_size`] bytes (or what
//!   [`thread::Builder::stack_size`] says); a thread-local of `std` is one for all of them ([`thread_local!`] is not). A stack
//!   that is too small is reported with its task (on Linux, on x86-64 and AArch64; elsewhere it ends the process).
//! - A lock of `std` that is held across an operation of a stand-in blocks everything.
//! - Objects are named by the memory they lie in; for that the crate brings a global allocator that gives checked code memory
//!   of its own, in which the address of a block depends only on what its task allocated before. A crate with an allocator of
//!   its own switches off the default feature `track-allocations` and wraps it in a [`TrackingAllocator`]; without that (and
//!   on systems other than 64-bit Unix), objects made on one source line are told apart by the order of their first use, which
//!   is not enough where several tasks may be first, and neither leaks nor uses after free are seen.
//! - A `static` is as new in every execution: atomics have their initial value, locks are free, `OnceLock`, `LazyLock` and
//!   thread-locals are empty; what a `static` `Mutex` or `RwLock` guards is left as it is. Tests in parallel may use one `static`
//!   (or another object that checked code did not make): one exploration waits for the other. Code outside of every
//!   exploration must not use it at the same time.
//! - When an execution is abandoned (an [`assume`] that is false, a loop that waits, a deadlock, a new order to try) its
//!   tasks are forgotten where they stand: no destructor runs, since lock-free code must not be unwound in the middle. Their memory
//!   dies with the execution. What lies outside of it stays as it was left: a file stays open, a lock of `std` stays locked,
//!   an `Arc` from outside keeps the owners that it had. Open files and take such locks outside of checked code, or between two
//!   operations.
//! - A destructor that panics while another panic unwinds its task is reported. (On Linux on x86-64 and AArch64. Elsewhere it
//!   ends the process, as such a panic does.)

// The programs in the book's pages on this crate are tests.
#[cfg(doctest)]
#[doc = include_str!("../manual/rust.md")]
mod book {}
#[cfg(doctest)]
#[doc = include_str!("../manual/weak-memory.md")]
mod book_on_weak_memory {}

mod again;
mod builder;
mod call_site;
pub mod cell;
mod choice;
mod entry;
mod environment;
mod explained;
mod files;
pub mod future;
pub mod handler;
pub mod hint;
mod outcome;
mod page;
mod reachable;
mod replay;
mod report;
mod runtime;
mod settings;
mod source_file;
pub mod sync;
pub mod task;
pub mod thread;
pub mod tokio;

pub use builder::Builder;
pub use choice::{Choice, assume, choose};
pub use entry::{check, check_pct, check_random};
pub use mazurka_engine::{Algorithm, Move, Schedule, Statistics};
pub use outcome::{ClassCounts, Failure, FailureKind, Outcome};
pub use runtime::memory::allocator::TrackingAllocator;
pub use settings::Memory;

/// What the macros need, and the package `mazurka-loom`.
#[doc(hidden)]
pub mod __private {
    pub use crate::reachable::{Known, Place};
    pub use crate::runtime::context::{aside, modification_orders};
    pub use crate::sync::bell::Bell;
    pub use crate::sync::counted::{
        Count, Tracked, counted_leaks_only, drop_last, excuse_counted, track, untrack,
    };
    pub use crate::thread::spawn_here;
    pub use inventory;
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExamples;
