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

    /// The size of the stack. In an exploration the checker's builder says it for all.
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

    pub(super) fn into_name(self) -> Option<String> {
        self.name
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
        // A destructor of an abandoned execution: nothing starts any more.
        Presence::Inert => Ok(JoinHandle::checked(Joinable::never())),
        Presence::Task => {
            let packet = Packet::new();
            let inside = packet.clone();
            let name: Option<Arc<str>> = name.map(Arc::from);
            let task =
                fork(name.clone(), Box::new(move || inside.run_thread(code, source)), source);
            Ok(JoinHandle::checked(Joinable {
                task: Some(task),
                packet,
                thread: Thread::of_task(task, name),
            }))
        }
    }
}

/// Starts a task as an event of the running one.
pub(crate) fn fork(name: Option<Arc<str>>, body: Body, source: Source) -> TaskId {
    announce(Operation::Fork, source);
    with(|state| state.fork(name, body, source))
}
