//! [`Condvar`]: a queue of waiting tasks, each with a semaphore of its own.
//!
//! There are no spurious wake-ups. Which of several waiting tasks `notify_one` wakes is explored. A wait with
//! a time-out never blocks: the task may be delayed for as long as one likes, and finds then whether it was
//! notified or not. It times out only [`crate::Builder::timeout_bound`] times in one execution, and waits
//! without a time-out then.

use super::mutex::MutexGuard;
use super::semaphore::{access, attempt, may_time_out, new_waiting, say, timed_out};
use crate::choice::choose_at;
use crate::runtime::context::{Presence, presence};
use crate::runtime::identity::Identity;
use crate::runtime::state::Source;
use mazurka_engine::{Mode, ObjectId};
use std::fmt;
use std::panic::Location;
use std::sync::{LockResult, Mutex, PoisonError};
use std::time::Duration;

/// Stands in for [`std::sync::Condvar`]. Outside of an exploration it is a working one.
pub struct Condvar {
    identity: Identity,
    queue: Mutex<Queue>,
    real: std::sync::Condvar,
}

/// The semaphores of the tasks that wait, in the order in which they came.
#[derive(Default)]
struct Queue {
    waiting: Vec<ObjectId>,
    /// Notifications that have claimed one of the waiting tasks and not yet picked it.
    claims: usize,
}

/// Stands in for [`std::sync::WaitTimeoutResult`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Did the wait end because its time was over?
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Condvar::new()
    }
}

impl Condvar {
    /// A condition variable on which nobody waits.
    #[track_caller]
    pub const fn new() -> Self {
        Condvar {
            identity: Identity::new(),
            queue: Mutex::new(Queue { waiting: Vec::new(), claims: 0 }),
            real: std::sync::Condvar::new(),
        }
    }

    fn object(&self) -> ObjectId {
        let found = self.identity.find("Condvar", || 0);
        if found.reset.is_some() {
            *self.queue() = Queue::default();
        }
        found.id
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the mutex back, waits for a notification, and takes the mutex again.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let source = Location::caller();
        match presence() {
            Presence::Outside => {
                guard.wait_really(&self.real, None).map(|(guard, _)| guard).map_err(only_guard)
            }
            Presence::Task => {
                let (mutex, own) = (guard.mutex(), self.enqueue(source));
                drop(guard);
                self.wake_up(own, source);
                mutex.lock_at(source)
            }
        }
    }

    /// Waits until the condition is false.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned.
    #[track_caller]
    pub fn wait_while<'a, T, F: FnMut(&mut T) -> bool>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`Condvar::wait`], but not for longer than this.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        duration: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let source = Location::caller();
        match presence() {
            Presence::Outside => guard
                .wait_really(&self.real, Some(duration))
                .map(|(guard, timed_out)| (guard, WaitTimeoutResult(timed_out)))
                .map_err(|error| {
                    let (guard, timed_out) = error.into_inner();
                    PoisonError::new((guard, WaitTimeoutResult(timed_out)))
                }),
            Presence::Task => {
                let (mutex, own) = (guard.mutex(), self.enqueue(source));
                drop(guard);
                let timed_out = self.wait_or_leave(own, source);
                mutex.lock_at(source).map(|guard| (guard, WaitTimeoutResult(timed_out))).map_err(
                    |error| PoisonError::new((error.into_inner(), WaitTimeoutResult(timed_out))),
                )
            }
        }
    }

    /// Waits until the condition is false, but not for longer than this.
    ///
    /// # Errors
    ///
    /// If the mutex is poisoned.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F: FnMut(&mut T) -> bool>(
        &self,
        mut guard: MutexGuard<'a, T>,
        duration: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let (again, result) = self.wait_timeout(guard, duration)?;
            guard = again;
            if result.timed_out() {
                let timed_out = condition(&mut *guard);
                return Ok((guard, WaitTimeoutResult(timed_out)));
            }
        }
    }

    /// Wakes one of the waiting tasks, if there is one.
    #[track_caller]
    pub fn notify_one(&self) {
        let source = Location::caller();
        match presence() {
            Presence::Outside => self.real.notify_one(),
            Presence::Task => {
                if let Some(woken) = self.pick(source) {
                    self.wake(woken, source);
                }
            }
        }
    }

    /// Wakes all waiting tasks.
    #[track_caller]
    pub fn notify_all(&self) {
        let source = Location::caller();
        match presence() {
            Presence::Outside => self.real.notify_all(),
            Presence::Task => {
                let object = self.object();
                let woken = attempt(object, Mode::Update, source, || {
                    say("notify all of", object);
                    let mut queue = self.queue();
                    // Those that a notification has claimed are woken by it.
                    let claims = queue.claims.min(queue.waiting.len());
                    let free = queue.waiting.len() - claims;
                    let woken: Vec<ObjectId> = queue.waiting.drain(..free).collect();
                    let mode = if woken.is_empty() { Mode::Read } else { Mode::Update };
                    (woken, mode)
                });
                woken.into_iter().for_each(|woken| self.wake(woken, source));
            }
        }
    }

    /// The running task waits from now on.
    fn enqueue(&self, source: Source) -> ObjectId {
        let object = self.object();
        let own = new_waiting(object, source);
        access(object, Mode::Update, source, || {
            say("wait for", object);
            self.queue().waiting.push(own);
        });
        own
    }

    /// The running task goes on when it has been notified.
    fn wake_up(&self, own: ObjectId, source: Source) {
        let object = self.object();
        access(own, Mode::Wait, source, || say("wake up by", object));
    }

    /// Lets a task go on that waits.
    fn wake(&self, woken: ObjectId, source: Source) {
        access(woken, Mode::Signal, source, || say("wake one of", self.object()));
    }

    /// Takes one of the waiting tasks out of the queue; which one is a choice.
    fn pick(&self, source: Source) -> Option<ObjectId> {
        let object = self.object();
        let alternatives = attempt(object, Mode::Update, source, || {
            say("notify one of", object);
            let mut queue = self.queue();
            match queue.waiting.len() - queue.claims.min(queue.waiting.len()) {
                0 => ((0, None), Mode::Read),
                1 if queue.claims == 0 => ((1, Some(queue.waiting.remove(0))), Mode::Update),
                alternatives => {
                    queue.claims += 1;
                    ((alternatives, None), Mode::Update)
                }
            }
        });
        match alternatives {
            (0, _) => None,
            (_, Some(only)) => Some(only),
            (alternatives, None) => {
                let choice = choose_at(alternatives as u32, source) as usize;
                Some(access(object, Mode::Update, source, || {
                    say("pick one of", object);
                    let mut queue = self.queue();
                    queue.claims -= 1;
                    let at = choice.min(queue.waiting.len() - 1);
                    queue.waiting.remove(at)
                }))
            }
        }
    }

    /// The end of a wait with a time-out: says whether it timed out.
    fn wait_or_leave(&self, own: ObjectId, source: Source) -> bool {
        if !may_time_out() {
            self.wake_up(own, source);
            return false;
        }
        let object = self.object();
        let left = attempt(object, Mode::Update, source, || {
            say("look whether the time is over for", object);
            let mut queue = self.queue();
            // A claimed task may not leave if that would leave a claim without one.
            let at = queue.waiting.iter().position(|waiting| *waiting == own);
            match at.filter(|_| queue.waiting.len() > queue.claims) {
                Some(at) => {
                    queue.waiting.remove(at);
                    (true, Mode::Update)
                }
                None => (false, Mode::Read),
            }
        });
        if left {
            timed_out();
        } else {
            self.wake_up(own, source);
        }
        left
    }
}

fn only_guard<G>(error: PoisonError<(G, bool)>) -> PoisonError<G> {
    PoisonError::new(error.into_inner().0)
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
