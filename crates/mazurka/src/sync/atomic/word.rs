//! What all atomics share: one operation is one event.

use crate::runtime::context::{
    self, Presence, announce, announce_weak, has_weak_memory, performed_atomic, presence, with,
};
use crate::runtime::identity::Identity;
use crate::runtime::state::Source;
use crate::runtime::weak::access::{Announced, Kind, Operation as WeakOperation, Outcome};
use crate::runtime::weak::live::{Chosen, key};
use mazurka_engine::{Access, Effect, Mode, ObjectId, Operation};
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
            Presence::Task if has_weak_memory(order) => {
                let kind = match mode {
                    Mode::Read => Kind::Load,
                    Mode::Write => Kind::Store,
                    _ => Kind::Update,
                };
                let object = self.announce_weak(kind, mode, (order, order), source);
                self.perform_weak(object, |word| (operate(word), mode, order))
            }
            Presence::Task => {
                let object = self.object();
                announce(Operation::Access(object, mode), source);
                let read = self.word.peek();
                let result = operate(&self.word);
                let written = self.word.peek();
                done::<W>(object, mode, order, read, written);
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

    /// An update that may fail, and is a mere read then: it succeeds if the bits are as expected.
    pub(crate) fn attempt<T, E>(
        &self,
        expected: i64,
        orders: (Ordering, Ordering),
        source: Source,
        operate: impl FnOnce(&W) -> Result<T, E>,
    ) -> Result<T, E> {
        let outcome = |result: &Result<T, E>| {
            if result.is_ok() { (Mode::Update, orders.0) } else { (Mode::Read, orders.1) }
        };
        match presence() {
            Presence::Task if has_weak_memory(orders.0) || has_weak_memory(orders.1) => {
                let kind = Kind::Exchange(key(expected));
                let object = self.announce_weak(kind, Mode::Update, orders, source);
                self.perform_weak(object, |word| {
                    let result = operate(word);
                    context::data_dependent();
                    let (mode, order) = outcome(&result);
                    (result, mode, order)
                })
            }
            Presence::Task => {
                let object = self.object();
                announce(Operation::Access(object, Mode::Update), source);
                let read = self.word.peek();
                let result = operate(&self.word);
                context::data_dependent();
                let (mode, order) = outcome(&result);
                done::<W>(object, mode, order, read, self.word.peek());
                result
            }
            Presence::Outside => {
                self.identity.forget();
                operate(&self.word)
            }
        }
    }

    /// Says what the task would do, with weak memory.
    fn announce_weak(
        &self,
        kind: Kind,
        mode: Mode,
        (order, failure): (Ordering, Ordering),
        source: Source,
    ) -> ObjectId {
        let object = self.object();
        with(|state| state.weak.iter_mut().for_each(|live| live.finds(object, self.word.peek())));
        let access = Announced { object, kind, order, failure };
        let operation = Operation::Access(object, mode);
        announce_weak(operation, Some(WeakOperation::Access(access)), source);
        object
    }

    /// Operates on the store that the exploration has chosen, and leaves the newest value behind.
    fn perform_weak<R>(
        &self,
        object: ObjectId,
        operate: impl FnOnce(&W) -> (R, Mode, Ordering),
    ) -> R {
        let chosen = with(|state| state.weak.as_mut().map(|live| live.chosen(object)));
        let newest = self.word.peek();
        let Some(Chosen { bits: read, appends, exclusive }) = chosen else {
            unreachable!("an execution has weak memory from its beginning to its end");
        };
        if read != newest {
            self.word.restore(read);
        }
        let (result, mode, order) = operate(&self.word);
        let written = self.word.peek();
        let writes = mode != Mode::Read;
        if !(writes && appends) && written != newest {
            self.word.restore(newest);
        }
        with(|state| {
            if let Some(live) = state.weak.as_mut().filter(|_| writes) {
                live.wrote(object, written);
            }
            if state.choice > 0 {
                state.performed.effect = Effect::Choose(state.choice);
            }
        });
        if exclusive && !writes {
            let outcome = Outcome { order, reads: true, written: None };
            let access = Access { object, mode: Mode::Update, read, written: read };
            performed_atomic(access, read, outcome, W::COMPARABLE);
        } else {
            done::<W>(object, mode, order, read, written);
        }
        result
    }
}

/// Tells of an access that found these bits and left those.
fn done<W: Word>(object: ObjectId, mode: Mode, order: Ordering, before: i64, after: i64) {
    let (reads, writes) = (mode != Mode::Write, mode != Mode::Read);
    let outcome = Outcome { order, reads, written: writes.then(|| key(after)) };
    let (read, written) = (if reads { before } else { 0 }, if writes { after } else { 0 });
    performed_atomic(Access { object, mode, read, written }, before, outcome, W::COMPARABLE);
}
