//! The model: a partial event-driven trace. What is given is here (po, rf, co, pb, further order edges); what a checker has
//! to find is not (eo and mo).
//!
//! After Abdulla, Atig, Govind, Grahn and Thinniyam, "Checking Consistency of Event-driven Traces", section 2.3. Beyond the
//! paper: reads of the initial value, pending messages, further fixed edges. A [`Trace`] is always well-formed: the only
//! ways to one are [`Builder::finish`] and the reader, which uses it.

use crate::well_formed::{self, Malformed};

/// Number of an event: its place in the concatenation of all messages.
pub type EventId = u32;
/// Number of a message.
pub type MessageId = u32;

/// What an event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Takes its message out of the mailbox: the first event of every message that was posted.
    Get,
    /// Reads a variable.
    Read {
        /// The variable.
        variable: u32,
        /// The write it reads from; `None` is the initial value.
        from: Option<EventId>,
    },
    /// Writes a variable.
    Write {
        /// The variable.
        variable: u32,
    },
    /// Posts a message to that message's handler.
    Post {
        /// The message.
        message: MessageId,
    },
}

/// A message: a run of events on one handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The handler that executes it.
    pub handler: u32,
    /// Is it the initial message of its handler? Then nobody posts it.
    pub initial: bool,
    /// Was it posted and never executed? Then it has no events.
    pub pending: bool,
    /// Its first event.
    pub start: EventId,
    /// One past its last event.
    pub end: EventId,
}

impl Message {
    /// Its events.
    #[must_use]
    pub fn events(&self) -> std::ops::Range<EventId> {
        self.start..self.end
    }

    /// Its last event, if it has any.
    #[must_use]
    pub fn last(&self) -> Option<EventId> {
        (self.start < self.end).then(|| self.end - 1)
    }
}

/// A well-formed partial trace.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    pub(crate) name: String,
    pub(crate) handlers: u32,
    pub(crate) variables: u32,
    pub(crate) messages: Vec<Message>,
    pub(crate) events: Vec<Event>,
    /// The writes of all variables, one variable after the other.
    pub(crate) coherence: Vec<EventId>,
    /// Where each variable's writes end in `coherence`.
    pub(crate) coherence_end: Vec<u32>,
    pub(crate) order: Vec<(EventId, EventId)>,
    /// The message of each event.
    pub(crate) message_of: Vec<MessageId>,
    /// The post of each message; `None` for initial ones.
    pub(crate) posts: Vec<Option<EventId>>,
}

impl Trace {
    /// The name the file gives it; may be empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of handlers.
    #[must_use]
    pub fn handlers(&self) -> u32 {
        self.handlers
    }

    /// Number of variables.
    #[must_use]
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// All messages.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// All events, message after message.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The writes of a variable, in coherence order.
    #[must_use]
    pub fn coherence(&self, variable: u32) -> &[EventId] {
        let variable = variable as usize;
        let start = if variable == 0 { 0 } else { self.coherence_end[variable - 1] };
        &self.coherence[start as usize..self.coherence_end[variable] as usize]
    }

    /// Further fixed order edges.
    #[must_use]
    pub fn order_edges(&self) -> &[(EventId, EventId)] {
        &self.order
    }

    /// The message an event belongs to.
    #[must_use]
    pub fn message_of(&self, event: EventId) -> MessageId {
        self.message_of[event as usize]
    }

    /// The event that posts a message; `None` for an initial message.
    #[must_use]
    pub fn post_of(&self, message: MessageId) -> Option<EventId> {
        self.posts[message as usize]
    }

    /// The handler from which a message was posted; `None` for an initial message.
    #[must_use]
    pub fn sender_of(&self, message: MessageId) -> Option<u32> {
        let post = self.post_of(message)?;
        Some(self.messages[self.message_of(post) as usize].handler)
    }
}

/// Collects a trace; [`Builder::finish`] checks it.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    trace: Trace,
}

impl Builder {
    /// A trace without messages; writes of the variables `0..variables` are ordered by [`Builder::coherence`].
    #[must_use]
    pub fn new(handlers: u32, variables: u32) -> Self {
        Self { trace: Trace { handlers, variables, ..Trace::default() } }
    }

    /// Names the trace.
    pub fn name(&mut self, name: impl Into<String>) {
        self.trace.name = name.into();
    }

    /// Adds a message; the events given to [`Builder::event`] from now on are its events.
    pub fn message(&mut self, handler: u32, initial: bool, pending: bool) -> MessageId {
        let start = self.trace.events.len() as EventId;
        self.trace.messages.push(Message { handler, initial, pending, start, end: start });
        self.trace.messages.len() as MessageId - 1
    }

    /// Adds an event to the latest message.
    ///
    /// # Panics
    /// If there is no message yet.
    pub fn event(&mut self, event: Event) -> EventId {
        let message = self.trace.messages.last_mut().expect("an event needs a message");
        message.end += 1;
        self.trace.events.push(event);
        self.trace.events.len() as EventId - 1
    }

    /// Sets all writes of the next variable, in coherence order.
    pub fn coherence(&mut self, writes: &[EventId]) {
        self.trace.coherence.extend_from_slice(writes);
        self.trace.coherence_end.push(self.trace.coherence.len() as u32);
    }

    /// Adds a fixed order edge.
    pub fn order(&mut self, first: EventId, second: EventId) {
        self.trace.order.push((first, second));
    }

    /// The trace, if it is well-formed.
    pub fn finish(mut self) -> Result<Trace, Malformed> {
        well_formed::check(&mut self.trace)?;
        Ok(self.trace)
    }

    /// Reading needs to fill in a file's parts in any order.
    pub(crate) fn parts(&mut self) -> &mut Trace {
        &mut self.trace
    }
}
