//! Facts about the checked program that an exploration learns on its way, and that change which events
//! it has. An exploration that learns one begins anew.

use super::state::Source;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Something rare that a program does, and that costs events or time when it may happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    /// A handler is quit.
    HandlersQuit,
    /// A FIFO handler is posted to at the front.
    FrontPosts,
    /// Somebody asks whether a thread has ended.
    EndsObserved,
    /// Plain memory is watched for data races.
    PlainMemory,
    /// The result of a message is awaited.
    MessagesAwaited,
    /// Somebody asks how many owners a counted value has.
    CountsObserved,
    /// An atomic is used with an ordering that is weaker than `SeqCst`.
    WeakAtomics,
}

/// The facts learned so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Knowledge {
    facts: u8,
    /// Where counted values are made whose last owner does something that others see, when it drops them.
    drops: Places,
}

impl Knowledge {
    pub(crate) fn knows(self, fact: Fact) -> bool {
        self.facts & 1 << fact as u8 != 0
    }

    #[must_use]
    pub(crate) fn with(self, fact: Fact) -> Self {
        Knowledge { facts: self.facts | 1 << fact as u8, ..self }
    }

    /// As a word, for a schedule that is to be performed again.
    pub(crate) fn word(self) -> String {
        format!("{:x}.{:x}", self.facts, self.drops.0)
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        let (facts, drops) = word.split_once('.')?;
        let facts = u8::from_str_radix(facts, 16).ok()?;
        Some(Knowledge { facts, drops: Places(u64::from_str_radix(drops, 16).ok()?) })
    }

    /// Do all of these drops matter?
    pub(crate) fn knows_drops(self, places: Places) -> bool {
        places.0 & !self.drops.0 == 0
    }

    #[must_use]
    pub(crate) fn with_drops(self, places: Places) -> Self {
        Knowledge { drops: self.drops.and(places), ..self }
    }
}

/// Places in the source. Some share a number, so there may be more of them than were put in; that costs events, and nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Places(u64);

impl Places {
    pub(crate) fn of(place: Source) -> Self {
        let mut hasher = FxHasher::default();
        place.hash(&mut hasher);
        Places(1 << (hasher.finish() >> 58))
    }

    #[must_use]
    pub(crate) fn and(self, others: Places) -> Self {
        Places(self.0 | others.0)
    }
}

/// Raised through the engine: begin anew, knowing this.
#[derive(Debug)]
pub(crate) struct Restart(pub Knowledge);
