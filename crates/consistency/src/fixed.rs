//! The fixed edges of a trace, and the trace as an order problem.
//!
//! po (neighbours inside a message), the end of a handler's initial message before each of its gets, rf, co (neighbours),
//! fr (a read before the co-successor of its source), pb, and the further edges of the file. What pending messages add is
//! the order problem's business. Time and memory: linear.

use crate::order::{self, OrderProblem, Pending};
use crate::policy::Policy;
use crate::trace::{Event, EventId, MessageId, Trace};
use rustc_hash::FxHashMap;
use std::fmt;

/// Why one event comes before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Program order inside a message.
    ProgramOrder,
    /// The initial message of a handler comes before all others.
    InitialFirst,
    /// A read comes after the write it reads from.
    ReadsFrom,
    /// Coherence order.
    Coherence,
    /// A read comes before the next write of its variable.
    FromRead,
    /// A message is posted before it is executed.
    PostedBy,
    /// A further order edge of the file.
    Given,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ProgramOrder => "program order",
            Self::InitialFirst => "the initial message comes first",
            Self::ReadsFrom => "reads-from",
            Self::Coherence => "coherence order",
            Self::FromRead => "read before the next write",
            Self::PostedBy => "posted-by",
            Self::Given => "given order",
        })
    }
}

/// Calls `edge` for every fixed edge.
pub(crate) fn for_each_edge(trace: &Trace, mut edge: impl FnMut(EventId, EventId, Relation)) {
    inside_messages(trace, &mut edge);
    across_messages(trace, &mut edge);
    accesses(trace, &mut edge);
    for &(first, second) in trace.order_edges() {
        edge(first, second, Relation::Given);
    }
}

fn inside_messages(trace: &Trace, edge: &mut impl FnMut(EventId, EventId, Relation)) {
    for message in trace.messages() {
        for event in message.start + 1..message.end {
            edge(event - 1, event, Relation::ProgramOrder);
        }
    }
}

fn across_messages(trace: &Trace, edge: &mut impl FnMut(EventId, EventId, Relation)) {
    let initial = trace.messages().iter().filter(|message| message.initial);
    let ends: FxHashMap<u32, EventId> =
        initial.filter_map(|m| Some((m.handler, m.last()?))).collect();
    for (id, message) in (0..).zip(trace.messages()) {
        if message.initial || message.pending {
            continue;
        }
        if let Some(post) = trace.post_of(id) {
            edge(post, message.start, Relation::PostedBy);
        }
        if let Some(&end) = ends.get(&message.handler) {
            edge(end, message.start, Relation::InitialFirst);
        }
    }
}

fn accesses(trace: &Trace, edge: &mut impl FnMut(EventId, EventId, Relation)) {
    const NONE: EventId = EventId::MAX;
    // The write after each write; one past the end stands for the initial value of the variable at hand.
    let mut next = vec![NONE; trace.events().len()];
    for variable in 0..trace.variables() {
        for pair in trace.coherence(variable).windows(2) {
            next[pair[0] as usize] = pair[1];
            edge(pair[0], pair[1], Relation::Coherence);
        }
    }
    for (event, kind) in (0..).zip(trace.events()) {
        let Event::Read { variable, from } = *kind else {
            continue;
        };
        let overwrite = match from {
            Some(write) => {
                edge(write, event, Relation::ReadsFrom);
                next[write as usize]
            }
            None => trace.coherence(variable).first().copied().unwrap_or(NONE),
        };
        if overwrite != NONE {
            edge(event, overwrite, Relation::FromRead);
        }
    }
}

/// A trace as an order problem: its nodes are the events.
#[derive(Debug, Default)]
pub(crate) struct Encoding {
    pub(crate) problem: OrderProblem,
    /// The trace's message for each message of the problem.
    pub(crate) messages: Vec<MessageId>,
}

impl Encoding {
    pub(crate) fn new(trace: &Trace, policy: Policy) -> Self {
        Self::restricted(trace, policy, |_| true)
    }

    /// Only the messages that `ordered` picks have to be ordered; the events of the others are still there.
    pub(crate) fn restricted(
        trace: &Trace,
        policy: Policy,
        ordered: impl Fn(MessageId) -> bool,
    ) -> Self {
        let mut encoding = Self::default();
        let problem = &mut encoding.problem;
        problem.reset(trace.events().len());
        for_each_edge(trace, |from, to, _| problem.edge(from, to));
        let mut groups = FxHashMap::default();
        for (id, message) in (0..).zip(trace.messages()) {
            let (Some(post), Some(sender)) = (trace.post_of(id), trace.sender_of(id)) else {
                continue;
            };
            let group = *groups.entry(message.handler).or_insert_with(|| problem.group(policy));
            if let Some(last) = message.last() {
                if !ordered(id) {
                    continue;
                }
                let complete = order::Message::complete(group, message.start, last);
                problem.message(order::Message { post: Some(post), sender, ..complete });
                encoding.messages.push(id);
            } else {
                problem.pending(Pending { group, post, sender });
            }
        }
        encoding
    }

    /// The trace's messages of a literal: the first before the second.
    pub(crate) fn pair(&self, lit: crate::proof::Lit) -> (MessageId, MessageId) {
        let (a, b) = self.problem.sat.theory.messages(lit);
        (self.messages[a as usize], self.messages[b as usize])
    }
}
