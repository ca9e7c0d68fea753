//! Scoped threads.
#![expect(unsafe_code, reason = "a scoped thread borrows from its scope")]

use super::builder::{Builder, fork};
use super::handle::{Joinable, Thread};
use super::packet::Packet;
use crate::runtime::context::{Cancelled, Presence, presence};
use crate::runtime::coroutine::Body;
use crate::runtime::state::Source;
use mazurka_engine::TaskId;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The threads of a scope.
#[derive(Debug, Default)]
struct Ledger {
    /// Those that nobody has joined yet.
    open: Mutex<Vec<TaskId>>,
    /// How many panicked and were not joined by hand.
    panicked: AtomicUsize,
}

impl Ledger {
    fn open(&self) -> MutexGuard<'_, Vec<TaskId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stands in for [`std::thread::Scope`].
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    ledger: Arc<Ledger>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Stands in for [`std::thread::scope`]: the threads started in it have ended when it returns.
///
/// # Panics
///
/// When a thread panicked that was not joined by hand, as in `std`; outside of an exploration, where
/// [`std::thread::scope`] itself serves.
#[track_caller]
pub fn scope<'env, F, T>(code: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    assert!(
        presence() != Presence::Outside,
        "mazurka::thread::scope works inside of mazurka::check only; use std::thread::scope elsewhere"
    );
    let source = Location::caller();
    let scope = Scope { ledger: Arc::default(), scope: PhantomData, env: PhantomData };
    let result = catch_unwind(AssertUnwindSafe(|| code(&scope)));
    if let Err(payload) = &result
        && payload.is::<Cancelled>()
    {
        // The younger threads have been unwound before this one.
        resume_unwind(result.err().expect("it is an error"));
    }
    loop {
        let Some(task) = scope.ledger.open().pop() else { break };
        let joinable = Joinable::<()> {
            task: Some(task),
            packet: Packet::new(),
            thread: Thread::of_task(task, None),
        };
        joinable.wait(source);
    }
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if scope.ledger.panicked.load(Relaxed) > 0 => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread that may borrow from outside of the scope.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, code: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.spawn_at(None, code, Location::caller())
    }

    fn spawn_at<F, T>(
        &'scope self,
        name: Option<Arc<str>>,
        code: F,
        source: Source,
    ) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        if presence() != Presence::Task {
            return ScopedJoinHandle {
                joinable: Joinable::never(),
                ledger: Arc::clone(&self.ledger),
                scope: PhantomData,
            };
        }
        let packet = Packet::new();
        let inside = packet.clone();
        let ledger = Arc::clone(&self.ledger);
        let body: Box<dyn FnOnce() + 'scope> = Box::new(move || {
            inside.run_thread(code, source);
            if inside.holds_panic() {
                ledger.panicked.fetch_add(1, Relaxed);
            }
        });
        // SAFETY: `scope` does not return before the thread has ended; an abandoned execution unwinds
        // younger tasks before older ones, and a task that it cannot unwind never runs again. So what
        // the code borrows outlives every use of it.
        let body: Body = unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'scope>, Body>(body) };
        let task = fork(name.clone(), body, source);
        self.ledger.open().push(task);
        let thread = Thread::of_task(task, name);
        ScopedJoinHandle {
            joinable: Joinable { task: Some(task), packet, thread },
            ledger: Arc::clone(&self.ledger),
            scope: PhantomData,
        }
    }
}

impl Builder {
    /// Starts a scoped thread.
    ///
    /// # Errors
    ///
    /// Never in an exploration.
    #[track_caller]
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: &'scope Scope<'scope, '_>,
        code: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Ok(scope.spawn_at(self.into_name().map(Arc::from), code, Location::caller()))
    }
}

/// Stands in for [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T> {
    joinable: Joinable<T>,
    ledger: Arc<Ledger>,
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits until the thread has ended.
    ///
    /// # Errors
    ///
    /// What it panicked with.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        let task = self.joinable.task;
        self.ledger.open().retain(|open| Some(*open) != task);
        let result = self.joinable.join(Location::caller());
        if result.is_err() {
            self.ledger.panicked.fetch_sub(1, Relaxed);
        }
        result
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        &self.joinable.thread
    }

    /// Has the thread ended? See [`super::JoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.joinable.is_finished(Location::caller())
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
