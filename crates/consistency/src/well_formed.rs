//! The rules a partial trace must keep before it makes sense to ask whether it is consistent.

use crate::trace::{Event, EventId, MessageId, Trace};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// The rule that a trace breaks, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it all; the fields are the numbers in them")]
pub enum Malformed {
    #[error("message {message}: handler {handler} does not exist (there are {handlers})")]
    NoSuchHandler { message: MessageId, handler: u32, handlers: u32 },
    #[error(
        "messages {first} and {second} are both initial on handler {handler}: at most one may be"
    )]
    TwoInitial { handler: u32, first: MessageId, second: MessageId },
    #[error("message {message} is initial and pending: an initial message is always executed")]
    InitialPending { message: MessageId },
    #[error("message {message} is pending but has events")]
    PendingWithEvents { message: MessageId },
    #[error("message {message} is neither initial nor pending, so its first event must be a get")]
    NoGet { message: MessageId },
    #[error(
        "event {event} (message {message}): a get may only be the first event of a message that was posted"
    )]
    MisplacedGet { event: EventId, message: MessageId },
    #[error("event {event}: posts message {message}, which does not exist (there are {messages})")]
    NoSuchMessage { event: EventId, message: MessageId, messages: usize },
    #[error("event {event}: posts message {message}, which is initial: nobody posts those")]
    PostOfInitial { event: EventId, message: MessageId },
    #[error("message {message} is posted twice: by event {first} and by event {second}")]
    PostedTwice { message: MessageId, first: EventId, second: EventId },
    #[error("message {message} is not initial, but no event posts it")]
    NeverPosted { message: MessageId },
    #[error("event {event}: variable {variable} does not exist (there are {variables})")]
    NoSuchVariable { event: EventId, variable: u32, variables: u32 },
    #[error(
        "event {event}: reads from event {source_event}, which does not exist (there are {events})"
    )]
    NoSuchSource { event: EventId, source_event: EventId, events: usize },
    #[error("event {event}: reads from event {source_event}, which is not a write")]
    SourceIsNoWrite { event: EventId, source_event: EventId },
    #[error(
        "event {event}: reads variable {variable} from event {source_event}, a write of variable {other}"
    )]
    SourceOfOtherVariable { event: EventId, variable: u32, source_event: EventId, other: u32 },
    #[error("co has {found} lists, but there are {variables} variables")]
    CoherenceLists { found: usize, variables: u32 },
    #[error("co of variable {variable}: event {event} is no write of it")]
    CoherenceOfNoWrite { variable: u32, event: EventId },
    #[error("co of variable {variable}: event {event} is listed twice")]
    CoherenceTwice { variable: u32, event: EventId },
    #[error("co of variable {variable}: the write {event} is missing")]
    CoherenceMisses { variable: u32, event: EventId },
    #[error("hb: event {event} does not exist (there are {events})")]
    OrderOfNoEvent { event: EventId, events: usize },
    #[error("too many events, messages or edges: at most {} of each", u32::MAX / 8)]
    TooLarge,
}

/// Checks every rule and fills in what follows: the message of each event, the post of each message.
pub(crate) fn check(trace: &mut Trace) -> Result<(), Malformed> {
    let most = u32::MAX as usize / 8;
    if trace.events.len().max(trace.messages.len()).max(trace.order.len()) > most {
        return Err(Malformed::TooLarge);
    }
    number_events(trace);
    check_messages(trace)?;
    check_posts(trace)?;
    check_accesses(trace)?;
    check_coherence(trace)?;
    check_order(trace)
}

fn number_events(trace: &mut Trace) {
    trace.message_of.clear();
    for (id, message) in trace.messages.iter().enumerate() {
        let length = (message.end - message.start) as usize;
        trace.message_of.extend(std::iter::repeat_n(id as MessageId, length));
    }
}

fn check_messages(trace: &Trace) -> Result<(), Malformed> {
    let mut initial = FxHashMap::default();
    for (id, message) in trace.messages.iter().enumerate() {
        let id = id as MessageId;
        if message.handler >= trace.handlers {
            let (handler, handlers) = (message.handler, trace.handlers);
            return Err(Malformed::NoSuchHandler { message: id, handler, handlers });
        }
        if message.initial && message.pending {
            return Err(Malformed::InitialPending { message: id });
        }
        if message.initial
            && let Some(first) = initial.insert(message.handler, id)
        {
            return Err(Malformed::TwoInitial { handler: message.handler, first, second: id });
        }
        check_gets(trace, id)?;
    }
    Ok(())
}

fn check_gets(trace: &Trace, id: MessageId) -> Result<(), Malformed> {
    let message = &trace.messages[id as usize];
    let executed = !message.initial && !message.pending;
    if message.pending && message.last().is_some() {
        return Err(Malformed::PendingWithEvents { message: id });
    }
    let starts_with_get =
        message.last().is_some() && trace.events[message.start as usize] == Event::Get;
    if executed && !starts_with_get {
        return Err(Malformed::NoGet { message: id });
    }
    let rest = message.start + u32::from(executed)..message.end;
    match rest.clone().find(|&event| trace.events[event as usize] == Event::Get) {
        Some(event) => Err(Malformed::MisplacedGet { event, message: id }),
        None => Ok(()),
    }
}

fn check_posts(trace: &mut Trace) -> Result<(), Malformed> {
    trace.posts.clear();
    trace.posts.resize(trace.messages.len(), None);
    for (event, kind) in (0..).zip(&trace.events) {
        let Event::Post { message } = *kind else {
            continue;
        };
        let Some(posted) = trace.messages.get(message as usize) else {
            return Err(Malformed::NoSuchMessage {
                event,
                message,
                messages: trace.messages.len(),
            });
        };
        if posted.initial {
            return Err(Malformed::PostOfInitial { event, message });
        }
        if let Some(first) = trace.posts[message as usize].replace(event) {
            return Err(Malformed::PostedTwice { message, first, second: event });
        }
    }
    let mut unposted = (0..)
        .zip(trace.messages.iter().zip(&trace.posts))
        .filter(|(_, (m, p))| !m.initial && p.is_none());
    unposted.next().map_or(Ok(()), |(message, _)| Err(Malformed::NeverPosted { message }))
}

fn check_accesses(trace: &Trace) -> Result<(), Malformed> {
    let events = trace.events.len();
    for (event, kind) in (0..).zip(&trace.events) {
        let (Event::Read { variable, .. } | Event::Write { variable }) = *kind else {
            continue;
        };
        if variable >= trace.variables {
            return Err(Malformed::NoSuchVariable { event, variable, variables: trace.variables });
        }
        let Event::Read { from: Some(source_event), .. } = *kind else {
            continue;
        };
        match trace.events.get(source_event as usize) {
            None => {
                return Err(Malformed::NoSuchSource { event, source_event, events });
            }
            Some(&Event::Write { variable: other }) if other != variable => {
                return Err(Malformed::SourceOfOtherVariable {
                    event,
                    variable,
                    source_event,
                    other,
                });
            }
            Some(Event::Write { .. }) => {}
            Some(_) => {
                return Err(Malformed::SourceIsNoWrite { event, source_event });
            }
        }
    }
    Ok(())
}

fn check_coherence(trace: &Trace) -> Result<(), Malformed> {
    if trace.coherence_end.len() != trace.variables as usize {
        return Err(Malformed::CoherenceLists {
            found: trace.coherence_end.len(),
            variables: trace.variables,
        });
    }
    let mut listed = vec![false; trace.events.len()];
    for variable in 0..trace.variables {
        for &event in trace.coherence(variable) {
            if trace.events.get(event as usize) != Some(&Event::Write { variable }) {
                return Err(Malformed::CoherenceOfNoWrite { variable, event });
            }
            if std::mem::replace(&mut listed[event as usize], true) {
                return Err(Malformed::CoherenceTwice { variable, event });
            }
        }
    }
    for (event, kind) in (0..).zip(&trace.events) {
        if let Event::Write { variable } = *kind
            && !listed[event as usize]
        {
            return Err(Malformed::CoherenceMisses { variable, event });
        }
    }
    Ok(())
}

fn check_order(trace: &Trace) -> Result<(), Malformed> {
    let events = trace.events.len();
    let outside =
        trace.order.iter().map(|&(a, b)| a.max(b)).find(|&event| event as usize >= events);
    outside.map_or(Ok(()), |event| Err(Malformed::OrderOfNoEvent { event, events }))
}
