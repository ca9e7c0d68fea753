//! The tractable fragment: traces without nested posts.
//!
//! After Abdulla et al., "Checking Consistency of Event-driven Traces", section 4, Theorem 3: when only initial messages
//! post, consistency is polynomial for a fixed number of handlers. In that fragment program order settles every two messages
//! from one sender, so the solvers find those orders before any search; only messages of different senders stay open.
//!
//! The fragment is recognised and reported, and nothing more is built on the theorem: the configurations of its proof
//! (appendix D) do not record in which order messages of different senders wait in a mailbox, which a queue depends on.

use crate::trace::{Event, EventId, Trace};

/// The first post made by a message that was itself posted, if there is one; `None`: the trace has no nested posts.
#[must_use]
pub fn nested_post(trace: &Trace) -> Option<EventId> {
    let nested = trace
        .messages()
        .iter()
        .filter(|message| !message.initial)
        .flat_map(|message| message.events());
    nested.into_iter().find(|&event| matches!(trace.events()[event as usize], Event::Post { .. }))
}
