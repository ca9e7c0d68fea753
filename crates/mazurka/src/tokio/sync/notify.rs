//! [`Notify`].

use super::shared::{Done, Shared};
use crate::runtime::state::Source;
use std::collections::VecDeque;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Stands in for `tokio::sync::Notify`.
#[derive(Debug)]
pub struct Notify {
    shared: Shared<State>,
}

#[derive(Debug)]
struct State {
    /// A notification that came when nobody waited.
    permit: bool,
    /// How often all have been notified.
    rounds: u64,
    next: u64,
    waiting: VecDeque<(u64, Option<Waker>)>,
    notified: Vec<u64>,
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Self {
        Notify::new()
    }
}

impl Notify {
    /// One without a notification.
    #[track_caller]
    pub const fn new() -> Self {
        let state = State {
            permit: false,
            rounds: 0,
            next: 0,
            waiting: VecDeque::new(),
            notified: Vec::new(),
        };
        Notify { shared: Shared::new("Notify", state) }
    }

    /// The same as [`Notify::new`].
    #[track_caller]
    pub const fn const_new() -> Self {
        Notify::new()
    }

    /// Notifies the one who waits longest, or the next one who waits.
    #[track_caller]
    pub fn notify_one(&self) {
        self.shared.operate(|state| match state.waiting.pop_front() {
            Some((number, waker)) => {
                state.notified.push(number);
                Done::waking((), waker)
            }
            None => {
                state.permit = true;
                Done::changed(())
            }
        });
    }

    /// Notifies all who wait now, and keeps nothing for later.
    #[track_caller]
    pub fn notify_waiters(&self) {
        self.shared.operate(|state| {
            state.rounds += 1;
            let (numbers, wakers): (Vec<u64>, Vec<Option<Waker>>) = state.waiting.drain(..).unzip();
            state.notified.extend(numbers);
            Done::waking((), wakers.into_iter().flatten())
        });
    }

    /// Waits for a notification. It hears of [`Notify::notify_waiters`] from the time of this call on, and is in
    /// the queue for [`Notify::notify_one`] when it is first polled.
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        let rounds = self.shared.look(|state| state.rounds);
        Notified { notify: self, rounds, number: None, done: false, source: Location::caller() }
    }
}

/// The future of [`Notify::notified`].
#[derive(Debug)]
pub struct Notified<'a> {
    notify: &'a Notify,
    rounds: u64,
    number: Option<u64>,
    done: bool,
    source: Source,
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.done {
            return Poll::Ready(());
        }
        let (rounds, number) = (self.rounds, self.number);
        let waker = context.waker().clone();
        let (polled, number) = self.notify.shared.operate_at(self.source, |state| match number {
            Some(number) => {
                if let Some(at) = state.notified.iter().position(|notified| *notified == number) {
                    state.notified.swap_remove(at);
                    return Done::changed((Poll::Ready(()), None));
                }
                if let Some(waiting) = state.waiting.iter_mut().find(|waiting| waiting.0 == number)
                {
                    waiting.1 = Some(waker);
                }
                Done::changed((Poll::Pending, Some(number)))
            }
            None if state.rounds != rounds => Done::looked((Poll::Ready(()), None)),
            None if state.permit => {
                state.permit = false;
                Done::changed((Poll::Ready(()), None))
            }
            None => {
                let number = state.next;
                state.next += 1;
                state.waiting.push_back((number, Some(waker)));
                Done::changed((Poll::Pending, Some(number)))
            }
        });
        self.number = number;
        self.done = polled.is_ready();
        polled
    }
}

impl Drop for Notified<'_> {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        self.notify.shared.operate_at(self.source, |state| {
            state.waiting.retain(|waiting| waiting.0 != number);
            let Some(at) = state.notified.iter().position(|notified| *notified == number) else {
                return Done::changed(());
            };
            // A notification that nobody took goes to the next one.
            state.notified.swap_remove(at);
            match state.waiting.pop_front() {
                Some((next, waker)) => {
                    state.notified.push(next);
                    Done::waking((), waker)
                }
                None => {
                    state.permit = true;
                    Done::changed(())
                }
            }
        });
    }
}
