//! Scoped threads.
#![expect(unsafe_code, reason = "a scoped thread borrows from its scope")]

use super::builder::{Builder, fork};
use super::handle::{Joinable, Thread};
use super::packet::Packet;
use crate::runtime::context::{Presence, presence};
use crate::runtime::coroutine::Body;
use crate::runtime::state::Source;
use mazurka_engine::TaskId;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};
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
    /// Outside of an exploration.
    real: RealScope<'scope, 'env>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// The scope of `std` that does the work outside of an exploration; null in one.
#[derive(Debug)]
struct RealScope<'scope, 'env: 'scope>(AtomicPtr<std::thread::Scope<'scope, 'env>>);

impl<'scope, 'env> RealScope<'scope, 'env> {
    fn none() -> Self {
        RealScope(AtomicPtr::default())
    }

    fn get(&self) -> Option<&'scope std::thread::Scope<'scope, 'env>> {
        // SAFETY: `scope_really` sets the pointer to a scope that lives for `'scope`.
        unsafe { self.0.load(Relaxed).as_ref() }
    }
}

/// Stands in for [`std::thread::scope`]: the threads started in it have ended when it returns. Outside of an
/// exploration it is that of `std`.
///
/// # Panics
///
/// When a thread panicked that was not joined by hand, as in `std`.
#[track_caller]
pub fn scope<'env, F, T>(code: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    if presence() == Presence::Outside {
        return scope_really(code);
    }
    let source = Location::caller();
    let scope = Scope::new();
    let result = catch_unwind(AssertUnwindSafe(|| code(&scope)));
    loop {
        let Some(task) = scope.ledger.open().pop() else { break };
        Joinable::<()>::wait_for(task, source);
    }
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if scope.ledger.panicked.load(Relaxed) > 0 => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

fn scope_really<'env, F, T>(code: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    // Threads may use it until the scope of `std` is over, so it lies outside of that.
    let scope = Scope::new();
    std::thread::scope(|real| {
        scope.real.0.store(std::ptr::from_ref(real).cast_mut().cast(), Relaxed);
        // SAFETY: the lifetimes are those of the scope of `std`, which ends before `scope` does.
        let scope: &Scope<'_, 'env> = unsafe { &*std::ptr::from_ref(&scope).cast() };
        code(scope)
    })
}

impl Scope<'_, '_> {
    fn new() -> Self {
        Scope {
            ledger: Arc::default(),
            real: RealScope::none(),
            scope: PhantomData,
            env: PhantomData,
        }
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
        self.spawn_at(Builder::new(), code, Location::caller()).expect("failed to spawn thread")
    }

    fn spawn_at<F, T>(
        &'scope self,
        builder: Builder,
        code: F,
        source: Source,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        if let Some(real) = self.real.get() {
            let handle = builder.into_real().spawn_scoped(real, code)?;
            let thread = Thread::of_std(handle.thread().clone());
            return Ok(ScopedJoinHandle(Inner::Real(handle, thread)));
        }
        let (name, stack_size) = builder.into_parts();
        let name: Option<Arc<str>> = name.map(Arc::from);
        let packet = Packet::new();
        let inside = packet.clone();
        let ledger = Arc::clone(&self.ledger);
        let body: Box<dyn FnOnce() + 'scope> = Box::new(move || {
            inside.run_thread(code, source);
            if inside.holds_panic() {
                ledger.panicked.fetch_add(1, Relaxed);
            }
        });
        // SAFETY: `scope` does not return before the thread has ended, and in an execution that is abandoned neither
        // runs again. So what the code borrows outlives every use of it.
        let body: Body = unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'scope>, Body>(body) };
        let task = fork(name.clone(), stack_size, body, source);
        self.ledger.open().push(task);
        let thread = Thread::of_task(task, name);
        Ok(self.handle(Joinable { task, packet, thread }))
    }

    fn handle<T>(&self, joinable: Joinable<T>) -> ScopedJoinHandle<'scope, T> {
        ScopedJoinHandle(Inner::Checked(joinable, Arc::clone(&self.ledger)))
    }
}

impl Builder {
    /// Starts a scoped thread.
    ///
    /// # Errors
    ///
    /// Outside of an exploration, when the system refuses a thread.
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
        scope.spawn_at(self, code, Location::caller())
    }
}

/// Stands in for [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T>(Inner<'scope, T>);

enum Inner<'scope, T> {
    Real(std::thread::ScopedJoinHandle<'scope, T>, Thread),
    Checked(Joinable<T>, Arc<Ledger>),
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits until the thread has ended.
    ///
    /// # Errors
    ///
    /// What it panicked with.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        let (joinable, ledger) = match self.0 {
            Inner::Real(handle, _) => return handle.join(),
            Inner::Checked(joinable, ledger) => (joinable, ledger),
        };
        ledger.open().retain(|open| *open != joinable.task);
        let result = joinable.join(Location::caller());
        if result.is_err() {
            ledger.panicked.fetch_sub(1, Relaxed);
        }
        result
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Inner::Real(_, thread) => thread,
            Inner::Checked(joinable, _) => &joinable.thread,
        }
    }

    /// Has the thread ended? See [`super::JoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Inner::Real(handle, _) => handle.is_finished(),
            Inner::Checked(joinable, _) => joinable.is_finished(Location::caller()),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
