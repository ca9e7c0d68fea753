//! Starting threads.

use super::handle::{JoinHandle, Joinable, Thread};
use super::packet::Packet;
use crate::runtime::context::{Presence, announce, presence, with};
use crate::runtime::coroutine::Body;
use crate::runtime::state::Source;
use mazurka_engine::{Operation, TaskId};
use std::io;
use std::panic::Location;
use std::sync::Arc;

/// Starts a thread. Stands in for [`std::thread::spawn`].
///
/// # Panics
///
/// Outside of an exploration, when the system refuses a thread.
#[track_caller]
pub fn spawn<F, T>(code: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_at(None, None, code, Location::caller()).expect("failed to spawn thread")
}

/// Stands in for [`std::thread::Builder`].
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// A builder without a name.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Names the thread; reports show the name.
    #[must_use]
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// The size of the stack. Without it, in an exploration, [`crate::Builder::stack_size`].
    #[must_use]
    pub fn stack_size(mut self, size: usize) -> Self {
        self.stack_size = Some(size);
        self
    }

    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// Outside of an exploration, when the system refuses a thread.
    #[track_caller]
    pub fn spawn<F, T>(self, code: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_at(self.name, self.stack_size, code, Location::caller())
    }

    /// The builder of `std` that does the same.
    pub(super) fn into_real(self) -> std::thread::Builder {
        let mut builder = std::thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        builder
    }

    pub(super) fn into_parts(self) -> (Option<String>, Option<usize>) {
        (self.name, self.stack_size)
    }
}

fn spawn_at<F, T>(
    name: Option<String>,
    stack_size: Option<usize>,
    code: F,
    source: Source,
) -> io::Result<JoinHandle<T>>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match presence() {
        Presence::Outside => {
            Builder { name, stack_size }.into_real().spawn(code).map(JoinHandle::real)
        }
        Presence::Task => Ok(spawn_task(name, stack_size, code, source)),
    }
}

/// Starts a thread of an exploration, which runs on this OS thread.
fn spawn_task<F, T>(
    name: Option<String>,
    stack_size: Option<usize>,
    code: F,
    source: Source,
) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    let packet = Packet::new();
    let inside = packet.clone();
    let name: Option<Arc<str>> = name.map(Arc::from);
    let body = Box::new(move || inside.run_thread(code, source));
    let task = fork(name.clone(), stack_size, body, source);
    let thread = Thread::of_task(task, name);
    JoinHandle::checked(Joinable { task, packet, thread })
}

/// Starts a thread of an exploration; what it runs need not be `Send`.
///
/// # Panics
///
/// Outside of an exploration.
#[doc(hidden)]
#[track_caller]
pub fn spawn_here<F, T>(code: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    assert!(presence() == Presence::Task, "a thread is started outside of every exploration");
    spawn_task(None, None, code, Location::caller())
}

/// Starts a task as an event of the running one.
pub(crate) fn fork(
    name: Option<Arc<str>>,
    stack_size: Option<usize>,
    body: Body,
    source: Source,
) -> TaskId {
    announce(Operation::Fork, source);
    with(|state| {
        let task = state.fork(name, body, source);
        state.task(task).stack_size = stack_size;
        task
    })
}
