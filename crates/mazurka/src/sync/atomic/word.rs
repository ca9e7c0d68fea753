//! What all atomics share: one operation is one event.

use crate::runtime::context::{self, Presence, announce, performed_atomic, presence};
use crate::runtime::identity::Identity;
use crate::runtime::state::Source;
use mazurka_engine::{Access, Mode, ObjectId, Operation};
use std::sync::atomic::Ordering;

/// What the event of an atomic needs to know of the real one inside.
pub(crate) trait Word {
    /// The name of the stand-in.
    const KIND: &'static str;
    /// Do values hold across executions? Addresses do not.
    const COMPARABLE: bool;

    /// The value as bits, without an event.
    fn peek(&self) -> i64;

    /// Puts bits back that [`Word::peek`] gave.
    fn restore(&self, bits: i64);
}

/// An atomic's identity and its real atomic.
#[derive(Debug)]
pub(crate) struct Tracked<W> {
    identity: Identity,
    pub(crate) word: W,
}

impl<W> Tracked<W> {
    #[track_caller]
    pub(crate) const fn new(word: W) -> Self {
        Tracked { identity: Identity::new(), word }
    }
}

impl<W: Word> Tracked<W> {
    fn object(&self) -> ObjectId {
        let found = self.identity.find(W::KIND, || self.word.peek());
        if let Some(bits) = found.reset {
            self.word.restore(bits);
        }
        found.id
    }

    /// An operation in this mode.
    #[inline]
    pub(crate) fn event<R>(
        &self,
        mode: Mode,
        order: Ordering,
        source: Source,
        operate: impl FnOnce(&W) -> R,
    ) -> R {
        match presence() {
            Presence::Task => {
                let object = self.object();
                announce(Operation::Access(object, mode), source);
                let read = self.word.peek();
                let result = operate(&self.word);
                self.done(object, mode, order, read);
                result
            }
            Presence::Outside => {
                if mode != Mode::Read {
                    self.identity.forget();
                }
                operate(&self.word)
            }
        }
    }

    /// An update that may fail, and is a mere read then.
    pub(crate) fn attempt<T, E>(
        &self,
        orders: (Ordering, Ordering),
        source: Source,
        operate: impl FnOnce(&W) -> Result<T, E>,
    ) -> Result<T, E> {
        match presence() {
            Presence::Task => {}
            Presence::Outside => {
                self.identity.forget();
                return operate(&self.word);
            }
        }
        let object = self.object();
        announce(Operation::Access(object, Mode::Update), source);
        let read = self.word.peek();
        let result = operate(&self.word);
        context::data_dependent();
        let (mode, order) =
            if result.is_ok() { (Mode::Update, orders.0) } else { (Mode::Read, orders.1) };
        self.done(object, mode, order, read);
        result
    }

    fn done(&self, object: ObjectId, mode: Mode, order: Ordering, read: i64) {
        let written = if mode == Mode::Read { 0 } else { self.word.peek() };
        let before = read;
        let read = if mode == Mode::Write { 0 } else { before };
        performed_atomic(Access { object, mode, read, written }, before, order, W::COMPARABLE);
    }
}
