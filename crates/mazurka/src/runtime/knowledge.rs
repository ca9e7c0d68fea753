//! Facts about the checked program that an exploration learns on its way, and that change which events
//! it has. An exploration that learns one begins anew.

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
    /// What the last owner of a counted value does when it drops it is seen by others.
    DropsMatter,
    /// Somebody asks how many owners a counted value has.
    CountsObserved,
    /// An atomic is used with an ordering that is weaker than `SeqCst`.
    WeakAtomics,
}

/// The facts learned so far.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Knowledge(u8);

impl Knowledge {
    pub(crate) fn knows(self, fact: Fact) -> bool {
        self.0 & 1 << fact as u8 != 0
    }

    #[must_use]
    pub(crate) fn with(self, fact: Fact) -> Self {
        Knowledge(self.0 | 1 << fact as u8)
    }
}

/// Raised through the engine: begin anew, knowing this.
#[derive(Debug)]
pub(crate) struct Restart(pub Knowledge);
