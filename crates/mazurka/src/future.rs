//! Running futures on a thread: [`block_on`].

use crate::runtime::context::{Presence, presence, with};
use crate::runtime::state::Source;
use crate::sync::semaphore::{access, attempt, new_object};
use mazurka_engine::{Mode, ObjectId, TaskId};
use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};

/// Polls a future on this thread until it is ready; between two polls the thread waits to be woken. Outside of
/// an exploration it does the same, parking the thread.
///
/// ```
/// mazurka::check(|| {
///     assert_eq!(mazurka::future::block_on(async { 6 * 7 }), 42);
/// });
/// ```
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let source = Location::caller();
    match presence() {
        Presence::Outside => block_really(future),
        Presence::Task => block_checked(future, source),
    }
}

fn block_checked<F: Future>(future: F, source: Source) -> F::Output {
    let alarm = Arc::new(Alarm {
        bell: new_object("waker", source),
        rung: AtomicBool::new(false),
        by_itself: AtomicBool::new(false),
        owner: with(|state| state.current),
        source,
    });
    let waker = Waker::from(Arc::clone(&alarm));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        let by_itself = alarm.by_itself.swap(false, Relaxed);
        access(alarm.bell, Mode::Wait, source, || alarm.rung.store(false, Relaxed));
        if by_itself {
            // A future that wakes itself waits by looking again.
            crate::hint::spins(source);
        }
    }
}

/// Wakes a thread that is in [`block_on`]. Ringing twice is ringing once.
struct Alarm {
    bell: ObjectId,
    rung: AtomicBool,
    /// Was it rung by the task that waits for it?
    by_itself: AtomicBool,
    owner: TaskId,
    source: Source,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if presence() == Presence::Task {
            if with(|state| state.current) == self.owner {
                self.by_itself.store(true, Relaxed);
            }
            attempt(self.bell, Mode::Signal, self.source, || {
                let rung = self.rung.swap(true, Relaxed);
                ((), if rung { Mode::Read } else { Mode::Signal })
            });
        }
    }
}

fn block_really<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// One of several branches of a `select`, as a choice of the exploration; the first outside of one.
#[doc(hidden)]
#[track_caller]
pub fn first_branch(branches: u32) -> u32 {
    match presence() {
        Presence::Task => crate::choice::choose_at(branches, Location::caller()),
        Presence::Outside => 0,
    }
}

/// Is a timed wait of the running task over before what it waits for? A choice of the exploration.
pub(crate) fn time_is_over(source: Source) -> bool {
    if presence() != Presence::Task || !crate::sync::semaphore::may_time_out() {
        return false;
    }
    let over = crate::choice::choose_at(2, source) == 1;
    if over {
        with(|state| state.current_task().timeouts += 1);
    }
    over
}
