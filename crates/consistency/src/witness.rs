//! The independent checker of witnesses: executes the order given, event by event, on real mailboxes and variables.
//!
//! Shares nothing with the solvers but the trace: no edges, no closure. A witness that it accepts is an execution with the
//! trace's po, rf, co, pb and further order edges, whose messages do not overlap and whose mailboxes keep their policy.

use crate::policy::Policy;
use crate::trace::{Event, EventId, MessageId, Trace};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use thiserror::Error;

/// Where a witness fails.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it all; the fields are the numbers in them")]
pub enum BadWitness {
    #[error("the order has {found} events, the trace {expected}")]
    Length { found: usize, expected: usize },
    #[error("event {event} does not exist")]
    NoSuchEvent { event: EventId },
    #[error("event {event} is executed twice")]
    Twice { event: EventId },
    #[error(
        "event {event} of message {message} is executed before the events that precede it in program order"
    )]
    ProgramOrder { event: EventId, message: MessageId },
    #[error(
        "event {event} of message {message} is executed while handler {handler} is not executing that message"
    )]
    Overlap { event: EventId, message: MessageId, handler: u32 },
    #[error("event {event}: the mailbox of handler {handler} does not offer message {message} now")]
    Mailbox { event: EventId, message: MessageId, handler: u32 },
    #[error(
        "event {event}: reads {found:?}, the trace says {expected:?} (None: the initial value)"
    )]
    ReadsFrom { event: EventId, found: Option<EventId>, expected: Option<EventId> },
    #[error("event {event}: in coherence order event {expected:?} comes next")]
    Coherence { event: EventId, expected: Option<EventId> },
    #[error("event {second} is executed before event {first}, against the order given")]
    Given { first: EventId, second: EventId },
}

/// Replays `order` under `policy`.
pub fn replay(trace: &Trace, policy: Policy, order: &[EventId]) -> Result<(), BadWitness> {
    let mut replay = Replay::new(trace, policy);
    if order.len() != trace.events().len() {
        return Err(BadWitness::Length { found: order.len(), expected: trace.events().len() });
    }
    for (time, &event) in order.iter().enumerate() {
        replay.step(event, time)?;
    }
    // Everything was executed exactly once, so the times are all known.
    for &(first, second) in trace.order_edges() {
        if replay.time[first as usize] >= replay.time[second as usize] {
            return Err(BadWitness::Given { first, second });
        }
    }
    Ok(())
}

const NEVER: usize = usize::MAX;

/// The state of the machine.
struct Replay<'a> {
    trace: &'a Trace,
    policy: Policy,
    time: Vec<usize>,
    /// Per message: the next event to execute.
    next: Vec<EventId>,
    posted: Vec<bool>,
    /// Per handler: the message being executed.
    current: FxHashMap<u32, MessageId>,
    /// Per mailbox lane: messages posted and not taken. FIFO has one lane for each handler, p2p one for each sender.
    lanes: FxHashMap<(u32, u32), VecDeque<MessageId>>,
    /// Per variable: how many of its writes have been executed.
    written: Vec<usize>,
}

impl<'a> Replay<'a> {
    fn new(trace: &'a Trace, policy: Policy) -> Self {
        // A handler begins with its initial message, if that does anything.
        let initial = (0..).zip(trace.messages()).filter(|(_, m)| m.initial && m.last().is_some());
        Self {
            trace,
            policy,
            time: vec![NEVER; trace.events().len()],
            next: trace.messages().iter().map(|message| message.start).collect(),
            posted: vec![false; trace.messages().len()],
            current: initial.map(|(id, message)| (message.handler, id)).collect(),
            lanes: FxHashMap::default(),
            written: vec![0; trace.variables() as usize],
        }
    }

    fn step(&mut self, event: EventId, time: usize) -> Result<(), BadWitness> {
        match self.time.get_mut(event as usize) {
            None => return Err(BadWitness::NoSuchEvent { event }),
            Some(done) if *done != NEVER => return Err(BadWitness::Twice { event }),
            Some(done) => *done = time,
        }
        let message = self.trace.message_of(event);
        if self.next[message as usize] != event {
            return Err(BadWitness::ProgramOrder { event, message });
        }
        self.next[message as usize] += 1;
        let kind = self.trace.events()[event as usize];
        if kind == Event::Get {
            self.get(event, message)?;
        } else if self.current.get(&self.handler(message)) != Some(&message) {
            return Err(BadWitness::Overlap { event, message, handler: self.handler(message) });
        }
        match kind {
            Event::Get => {}
            Event::Read { variable, from } => self.read(event, variable, from)?,
            Event::Write { variable } => self.write(event, variable)?,
            Event::Post { message } => self.post(message),
        }
        if self.trace.messages()[message as usize].last() == Some(event) {
            self.current.remove(&self.handler(message));
        }
        Ok(())
    }

    fn handler(&self, message: MessageId) -> u32 {
        self.trace.messages()[message as usize].handler
    }

    fn lane(&self, message: MessageId) -> (u32, u32) {
        let sender =
            if self.policy == Policy::P2p { self.trace.sender_of(message).unwrap_or(0) } else { 0 };
        (self.handler(message), sender)
    }

    fn post(&mut self, message: MessageId) {
        self.posted[message as usize] = true;
        self.lanes.entry(self.lane(message)).or_default().push_back(message);
    }

    fn get(&mut self, event: EventId, message: MessageId) -> Result<(), BadWitness> {
        let handler = self.handler(message);
        if self.current.contains_key(&handler) {
            return Err(BadWitness::Overlap { event, message, handler });
        }
        let lane = self.lane(message);
        let offered = match self.policy {
            Policy::Multiset => self.posted[message as usize],
            Policy::Fifo | Policy::P2p => {
                self.lanes.get_mut(&lane).and_then(|lane| lane.pop_front()) == Some(message)
            }
        };
        if !offered {
            return Err(BadWitness::Mailbox { event, message, handler });
        }
        self.current.insert(handler, message);
        Ok(())
    }

    fn read(
        &self,
        event: EventId,
        variable: u32,
        expected: Option<EventId>,
    ) -> Result<(), BadWitness> {
        let done = self.written[variable as usize];
        let found = done.checked_sub(1).map(|last| self.trace.coherence(variable)[last]);
        if found == expected {
            Ok(())
        } else {
            Err(BadWitness::ReadsFrom { event, found, expected })
        }
    }

    fn write(&mut self, event: EventId, variable: u32) -> Result<(), BadWitness> {
        let done = &mut self.written[variable as usize];
        let expected = self.trace.coherence(variable).get(*done).copied();
        *done += 1;
        if expected == Some(event) {
            Ok(())
        } else {
            Err(BadWitness::Coherence { event, expected })
        }
    }
}
