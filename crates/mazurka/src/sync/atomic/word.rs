//! What all atomics share: one operation is one event.
//!
//! All but the operation itself is compiled once, not for each type and each method.

use crate::runtime::context::{
    self, Presence, announce_weak, has_weak_memory, performed_atomic, presence, with,
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
    fn kind(&self) -> &'static str;

    /// Do values hold across executions? Addresses do not.
    fn is_comparable(&self) -> bool;

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
    /// An operation in this mode.
    pub(crate) fn event<R>(
        &self,
        mode: Mode,
        order: Ordering,
        source: Source,
        operate: impl FnOnce(&W) -> R,
    ) -> R {
        let kind = match mode {
            Mode::Read => Kind::Load,
            Mode::Write => Kind::Store,
            _ => Kind::Update,
        };
        let orders = (order, order);
        let begun = begin(&self.identity, &self.word, Intent { kind, mode, orders, source });
        let result = operate(&self.word);
        if let Some(begun) = begun {
            begun.end(&self.word, mode, order);
        }
        result
    }

    /// An update that may fail, and is a mere read then: it succeeds if the bits are as expected.
    pub(crate) fn attempt<T, E>(
        &self,
        expected: i64,
        orders: (Ordering, Ordering),
        source: Source,
        operate: impl FnOnce(&W) -> Result<T, E>,
    ) -> Result<T, E> {
        let intent =
            Intent { kind: Kind::Exchange(key(expected)), mode: Mode::Update, orders, source };
        let begun = begin(&self.identity, &self.word, intent);
        let result = operate(&self.word);
        if let Some(begun) = begun {
            context::data_dependent();
            let (mode, order) =
                if result.is_ok() { (Mode::Update, orders.0) } else { (Mode::Read, orders.1) };
            begun.end(&self.word, mode, order);
        }
        result
    }
}

/// What a task would do to an atomic. The second ordering is that of a failure.
struct Intent {
    kind: Kind,
    mode: Mode,
    orders: (Ordering, Ordering),
    source: Source,
}

/// An operation that the engine has let happen, and that the real atomic is ready for.
struct Begun {
    object: ObjectId,
    /// The value that the operation finds.
    read: i64,
    /// With weak memory: the value that is newest, and the store that the exploration has chosen.
    weak: Option<(i64, Chosen)>,
}

/// Announces an operation, and returns when it may happen. Nothing outside of an exploration.
fn begin(identity: &Identity, word: &dyn Word, intent: Intent) -> Option<Begun> {
    if presence() == Presence::Outside {
        if intent.mode != Mode::Read {
            identity.forget();
        }
        return None;
    }
    let Intent { kind, mode, orders: (order, failure), source } = intent;
    let is_weak = has_weak_memory(order) || has_weak_memory(failure);
    let object = find(identity, word);
    let access = is_weak.then(|| {
        with(|state| state.weak.iter_mut().for_each(|live| live.finds(object, word.peek())));
        WeakOperation::Access(Announced { object, kind, order, failure })
    });
    announce_weak(Operation::Access(object, mode), access, source);
    let newest = word.peek();
    if !is_weak {
        return Some(Begun { object, read: newest, weak: None });
    }
    let Some(chosen) = with(|state| state.weak.as_mut().map(|live| live.chosen(object))) else {
        unreachable!("an execution has weak memory from its beginning to its end");
    };
    if chosen.bits != newest {
        word.restore(chosen.bits);
    }
    Some(Begun { object, read: chosen.bits, weak: Some((newest, chosen)) })
}

/// The number of the atomic in this execution, which begins with its initial value.
fn find(identity: &Identity, word: &dyn Word) -> ObjectId {
    let found = identity.find(word.kind(), || word.peek());
    if let Some(bits) = found.reset {
        word.restore(bits);
    }
    found.id
}

impl Begun {
    /// Tells what has happened, and leaves the newest value behind.
    fn end(self, word: &dyn Word, mode: Mode, order: Ordering) {
        let Begun { object, read, weak } = self;
        let written = word.peek();
        let (reads, writes) = (mode != Mode::Write, mode != Mode::Read);
        if let Some((newest, Chosen { appends, exclusive, .. })) = weak {
            if !(writes && appends) && written != newest {
                word.restore(newest);
            }
            note_weak(object, writes.then_some(written));
            if exclusive && !writes {
                let outcome = Outcome { order, reads: true, written: None };
                let access = Access { object, mode: Mode::Update, read, written: read };
                return performed_atomic(access, read, outcome, word.is_comparable());
            }
        }
        let outcome = Outcome { order, reads, written: writes.then(|| key(written)) };
        let (found, left) = (if reads { read } else { 0 }, if writes { written } else { 0 });
        let access = Access { object, mode, read: found, written: left };
        performed_atomic(access, read, outcome, word.is_comparable());
    }
}

/// Weak memory learns what was written, and the engine which store was chosen.
fn note_weak(object: ObjectId, written: Option<i64>) {
    with(|state| {
        if let Some((live, written)) = state.weak.as_mut().zip(written) {
            live.wrote(object, written);
        }
        if state.choice > 0 {
            state.performed.effect = Effect::Choose(state.choice);
        }
    });
}
