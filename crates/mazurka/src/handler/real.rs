//! The event loop outside of explorations: a thread of `std` with a queue and timers.

use super::message::MessageError;
use std::collections::{BinaryHeap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

type Job = Box<dyn FnOnce() + Send>;

/// A message that waits for its time. Ordered so that the earliest is the greatest.
struct Timed {
    due: Instant,
    number: u64,
    job: Job,
}

impl PartialEq for Timed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Timed {}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.due, other.number).cmp(&(self.due, self.number))
    }
}

#[derive(Default)]
struct Queue {
    ready: VecDeque<Job>,
    timed: BinaryHeap<Timed>,
    posted: u64,
    quit: bool,
}

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sending side. The loop ends when the last one is gone and everything posted has run, or at `quit`.
struct Owner {
    name: String,
    shared: Arc<Shared>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.changed.notify_all();
    }
}

#[derive(Clone)]
pub(super) struct RealHandler(Arc<Owner>);

pub(super) struct RealMessage<R> {
    result: mpsc::Receiver<std::thread::Result<R>>,
    awaits: Awaits,
}

/// Who awaits a message.
type Awaits = Arc<Mutex<Option<Waker>>>;

fn lock(awaits: &Awaits) -> MutexGuard<'_, Option<Waker>> {
    awaits.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves the result of a message, and wakes who awaits it, also when the message is dropped.
struct Reply<R> {
    sender: Option<mpsc::Sender<std::thread::Result<R>>>,
    awaits: Awaits,
}

impl<R> Drop for Reply<R> {
    fn drop(&mut self) {
        // Gone before anybody is woken, so that it is seen.
        self.sender = None;
        let waker = lock(&self.awaits).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<R> RealMessage<R> {
    pub(super) fn join(self) -> Result<R, MessageError> {
        match self.result.recv() {
            Ok(result) => result.map_err(MessageError::Panicked),
            Err(mpsc::RecvError) => Err(MessageError::Dropped),
        }
    }
}

impl<R> RealMessage<R> {
    /// The result, or a waker for when there is one.
    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Result<R, MessageError>> {
        *lock(&self.awaits) = Some(context.waker().clone());
        match self.result.try_recv() {
            Ok(result) => Poll::Ready(result.map_err(MessageError::Panicked)),
            Err(mpsc::TryRecvError::Empty) => Poll::Pending,
            Err(mpsc::TryRecvError::Disconnected) => Poll::Ready(Err(MessageError::Dropped)),
        }
    }
}

impl RealHandler {
    pub(super) fn spawn(name: String) -> Self {
        let shared = Arc::new(Shared { queue: Mutex::default(), changed: Condvar::new() });
        let owner = Arc::new(Owner { name, shared: Arc::clone(&shared) });
        let alive = Arc::downgrade(&owner);
        std::thread::Builder::new()
            .name(owner.name.clone())
            .spawn(move || run(&shared, &alive))
            .expect("failed to spawn the handler's thread");
        RealHandler(owner)
    }

    pub(super) fn name(&self) -> &str {
        &self.0.name
    }

    pub(super) fn post<F, R>(&self, code: F) -> RealMessage<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.enqueue(code, |queue, job| queue.ready.push_back(job))
    }

    pub(super) fn post_front<F, R>(&self, code: F) -> RealMessage<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.enqueue(code, |queue, job| queue.ready.push_front(job))
    }

    pub(super) fn post_delayed<F, R>(&self, delay: Duration, code: F) -> RealMessage<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let due = Instant::now() + delay;
        self.enqueue(code, move |queue, job| {
            let number = queue.posted;
            queue.timed.push(Timed { due, number, job });
        })
    }

    pub(super) fn quit(&self) {
        let mut queue = self.0.shared.lock();
        queue.quit = true;
        let dropped = (std::mem::take(&mut queue.ready), std::mem::take(&mut queue.timed));
        drop(queue);
        self.0.shared.changed.notify_all();
        drop(dropped);
    }

    fn enqueue<F, R>(&self, code: F, insert: impl FnOnce(&mut Queue, Job)) -> RealMessage<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let (sender, result) = mpsc::channel();
        let awaits = Awaits::default();
        let reply = Reply { sender: Some(sender), awaits: Arc::clone(&awaits) };
        let job = Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(code));
            if let Some(sender) = &reply.sender {
                // Nobody may be waiting for the result.
                let _ = sender.send(result);
            }
            drop(reply);
        });
        let mut queue = self.0.shared.lock();
        if !queue.quit {
            queue.posted += 1;
            insert(&mut queue, job);
            self.0.shared.changed.notify_one();
        }
        RealMessage { result, awaits }
    }
}

/// The event loop.
fn run(shared: &Shared, alive: &Weak<Owner>) {
    while let Some(job) = next_job(shared, alive) {
        job();
    }
}

fn next_job(shared: &Shared, alive: &Weak<Owner>) -> Option<Job> {
    let mut queue = shared.lock();
    loop {
        let now = Instant::now();
        while queue.timed.peek().is_some_and(|timed| timed.due <= now) {
            let job = queue.timed.pop().map(|timed| timed.job);
            queue.ready.extend(job);
        }
        if queue.quit {
            return None;
        }
        if let Some(job) = queue.ready.pop_front() {
            return Some(job);
        }
        queue = match queue.timed.peek().map(|timed| timed.due.saturating_duration_since(now)) {
            None if alive.strong_count() == 0 => return None,
            None => shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            Some(rest) => {
                shared.changed.wait_timeout(queue, rest).unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}
