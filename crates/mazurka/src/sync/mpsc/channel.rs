//! What the ends of a channel share.

use crate::runtime::context::{Presence, presence};
use crate::runtime::state::Source;
use crate::sync::semaphore::{
    access, attempt, may_time_out, new_part, say, signal, timed_out, wait,
};
use mazurka_engine::{Mode, ObjectId};
use std::collections::VecDeque;
use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) struct Channel<T> {
    state: Mutex<State<T>>,
    /// A permit for each message, and one when the last sender is gone.
    items: ObjectId,
    /// A permit for each free place, where places are bounded; when the receiver is gone, permits enough.
    places: Option<ObjectId>,
    /// In a channel without places: a permit for each message that was taken.
    taken: Option<ObjectId>,
    senders: ObjectId,
}

struct State<T> {
    queue: VecDeque<T>,
    /// Senders that were ever made, and those that are gone.
    created: usize,
    dropped: usize,
    /// Has the last sender said so?
    closed: bool,
    /// Is the receiver there, and has it not yet seen the end?
    receiver: bool,
    /// Free places, where they are bounded.
    free: usize,
}

impl<T> Channel<T> {
    pub(super) fn new(bound: Option<usize>, source: Source) -> Arc<Self> {
        let places = bound.map(|bound| u32::try_from(bound.max(1)).unwrap_or(u32::MAX));
        Arc::new(Channel {
            state: Mutex::new(State {
                queue: VecDeque::new(),
                created: 1,
                dropped: 0,
                closed: false,
                receiver: true,
                free: bound.map_or(0, |bound| bound.max(1)),
            }),
            items: new_part("channel", 0, source),
            places: places.map(|places| new_part("free places of channel", places, source)),
            taken: (bound == Some(0)).then(|| new_part("rendezvous of channel", 0, source)),
            senders: new_part("senders of channel", 0, source),
        })
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message into the queue; gives it back if the receiver is gone.
    fn put(&self, message: T, source: Source) -> Result<(), SendError<T>> {
        attempt(self.items, Mode::Signal, source, || {
            let mut state = self.state();
            if !state.receiver {
                return (Err(SendError(message)), Mode::Read);
            }
            say("send to", self.items);
            state.queue.push_back(message);
            (Ok(()), Mode::Signal)
        })
    }

    pub(super) fn send(&self, message: T, source: Source) -> Result<(), SendError<T>> {
        if presence() != Presence::Task {
            return Err(SendError(message));
        }
        if let Some(places) = self.places {
            access(places, Mode::Wait, source, || {
                say("wait for room in", self.items);
                self.take_place();
            });
        }
        let sent = self.put(message, source);
        match (&sent, self.places, self.taken) {
            // The receiver is gone: whoever else waits for a place must hear of it.
            (Err(_), Some(places), _) => self.give_place(places, source),
            (Ok(()), _, Some(taken)) => wait(taken, source),
            _ => {}
        }
        sent
    }

    pub(super) fn try_send(&self, message: T, source: Source) -> Result<(), TrySendError<T>> {
        if presence() != Presence::Task {
            return Err(TrySendError::Disconnected(message));
        }
        if let Some(places) = self.places {
            let got = attempt(places, Mode::Update, source, || {
                let got = self.state().free > 0;
                if got {
                    self.take_place();
                }
                (got, if got { Mode::Wait } else { Mode::Read })
            });
            if !got {
                return Err(TrySendError::Full(message));
            }
        }
        self.put(message, source).map_err(|SendError(message)| TrySendError::Disconnected(message))
    }

    fn take_place(&self) {
        let mut state = self.state();
        state.free = state.free.saturating_sub(1);
    }

    fn give_place(&self, places: ObjectId, source: Source) {
        access(places, Mode::Signal, source, || {
            say("make room in", self.items);
            self.state().free += 1;
        });
    }

    /// After a message has been taken.
    fn took(&self, source: Source) {
        if let Some(places) = self.places {
            self.give_place(places, source);
        }
        if let Some(taken) = self.taken {
            signal(taken, source);
        }
    }

    pub(super) fn recv(&self, source: Source) -> Result<T, RecvError> {
        if presence() != Presence::Task || self.closed_for_ever() {
            return Err(RecvError);
        }
        let message = access(self.items, Mode::Wait, source, || {
            say("receive from", self.items);
            self.state().queue.pop_front()
        });
        self.received(message, source).ok_or(RecvError)
    }

    fn received(&self, message: Option<T>, source: Source) -> Option<T> {
        match message {
            Some(_) => self.took(source),
            // The permit was the last sender's: the next one who asks needs no event to know.
            None => self.state().receiver = false,
        }
        message
    }

    /// Has the receiver seen that all senders are gone? (Nobody else asks then.)
    fn closed_for_ever(&self) -> bool {
        let state = self.state();
        state.queue.is_empty() && state.closed && !state.receiver
    }

    pub(super) fn try_recv(&self, source: Source) -> Result<T, TryRecvError> {
        if presence() != Presence::Task || self.closed_for_ever() {
            return Err(TryRecvError::Disconnected);
        }
        let (message, closed) = attempt(self.items, Mode::Update, source, || {
            let mut state = self.state();
            say("try to receive from", self.items);
            match state.queue.pop_front() {
                Some(message) => ((Some(message), false), Mode::Wait),
                None if state.closed => ((None, true), Mode::Wait),
                None => ((None, false), Mode::Read),
            }
        });
        if message.is_none() && !closed {
            return Err(TryRecvError::Empty);
        }
        self.received(message, source).ok_or(TryRecvError::Disconnected)
    }

    pub(super) fn recv_timeout(&self, source: Source) -> Result<T, RecvTimeoutError> {
        if presence() == Presence::Task && !may_time_out() {
            return self.recv(source).map_err(|RecvError| RecvTimeoutError::Disconnected);
        }
        match self.try_recv(source) {
            Ok(message) => Ok(message),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {
                timed_out();
                Err(RecvTimeoutError::Timeout)
            }
        }
    }

    /// One more sender. No event: it exists for others only by events that come later.
    pub(super) fn add_sender(&self) {
        self.state().created += 1;
    }

    pub(super) fn drop_sender(&self, source: Source) {
        if presence() != Presence::Task {
            return;
        }
        let last = access(self.senders, Mode::Update, source, || {
            say("drop a sender of", self.items);
            let mut state = self.state();
            state.dropped += 1;
            state.dropped == state.created
        });
        if last {
            access(self.items, Mode::Signal, source, || {
                say("close", self.items);
                self.state().closed = true;
            });
        }
    }

    pub(super) fn drop_receiver(&self, source: Source) {
        if presence() != Presence::Task {
            return;
        }
        let dropped = access(self.items, Mode::Write, source, || {
            say("drop the receiver of", self.items);
            let mut state = self.state();
            state.receiver = false;
            std::mem::take(&mut state.queue)
        });
        // A sender that waits for a place goes on, finds the receiver gone, and passes the place on.
        if let Some(places) = self.places {
            self.give_place(places, source);
        }
        if let Some(taken) = self.taken {
            dropped.iter().for_each(|_| signal(taken, source));
        }
    }
}
