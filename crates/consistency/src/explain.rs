//! An inconsistency in words: the shortest cycle of the fixed edges, or a small set of messages that cannot be ordered, with
//! the cycles that forbid their orders.
//!
//! The set starts from the messages of the proof and shrinks by leaving out one at a time, as long as time allows; then the
//! proof of what is left is told, one cycle for each of its lemmas.

mod cycles;

use crate::fixed::{Encoding, Relation};
use crate::limits::Limits;
use crate::order::{Contradiction, Status};
use crate::policy::Policy;
use crate::proof::Kind;
use crate::trace::{Event, EventId, MessageId, Trace};
use cycles::Cycles;
use std::fmt;
use std::time::{Duration, Instant};

/// Time spent on making the set of messages smaller.
const SHRINKING: Duration = Duration::from_millis(500);
/// Conflicts allowed for each attempt.
const ATTEMPT: u64 = 2000;
/// Cycles told before the rest is only counted.
const TOLD: usize = 12;

/// Why one event comes before the next on a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// By a fixed edge.
    Fixed(Relation),
    /// Because the first message is executed before the second.
    Executed(MessageId, MessageId),
    /// Because the first message is executed before the second and the mailbox keeps the order of their posts.
    Posted(MessageId, MessageId),
    /// Because an executed message is posted before one that is still waiting.
    Pending,
}

/// One step of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The event that comes first.
    pub from: EventId,
    /// The event that comes after it.
    pub to: EventId,
    /// Why.
    pub because: Because,
}

/// Orders that cannot hold together, and the cycle they close. A single order is simply impossible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impossible {
    /// "The first message is executed before the second", for each pair.
    pub orders: Vec<(MessageId, MessageId)>,
    /// The cycle.
    pub cycle: Vec<Step>,
}

/// Why a trace is inconsistent.
#[derive(Debug, Clone)]
pub struct Explanation<'a> {
    trace: &'a Trace,
    /// Messages that cannot be ordered; empty if the fixed edges alone are cyclic.
    pub messages: Vec<MessageId>,
    /// What cannot hold; together these leave no order. With cyclic fixed edges one, without orders.
    pub impossible: Vec<Impossible>,
}

/// Explains why `trace` is inconsistent under `policy`; `None` if it is not, or if a limit came first.
#[must_use]
pub fn explain<'a>(
    trace: &'a Trace,
    policy: Policy,
    limits: &Limits<'_>,
) -> Option<Explanation<'a>> {
    let mut encoding = Encoding::new(trace, policy);
    if encoding.problem.solve(limits) != Status::Contradiction {
        return None;
    }
    let mut cycles = Cycles::new(trace, policy);
    if encoding.problem.contradiction() == Some(Contradiction::FixedCycle) {
        let edges = crate::cycle::shortest(&encoding.problem.graph);
        let impossible = vec![Impossible { orders: Vec::new(), cycle: cycles.label(&edges) }];
        return Some(Explanation { trace, messages: Vec::new(), impossible });
    }
    let encoding = shrink(trace, policy, encoding);
    let lemmas = encoding.problem.proof().kept().filter(|(kind, ..)| *kind == Kind::Theory);
    let impossible = lemmas.map(|(_, clause, _)| {
        let orders: Vec<_> = clause.iter().map(|&lit| encoding.pair(lit ^ 1)).collect();
        Impossible { cycle: cycles.shortest_with(&orders), orders }
    });
    Some(Explanation { trace, impossible: impossible.collect(), messages: involved(&encoding) })
}

/// Leaves out messages one by one while the rest still cannot be ordered.
fn shrink(trace: &Trace, policy: Policy, mut encoding: Encoding) -> Encoding {
    let deadline = Instant::now() + SHRINKING;
    let limits = Limits { deadline: Some(deadline), conflicts: Some(ATTEMPT), cancel: None };
    let mut needed: Vec<MessageId> = Vec::new();
    loop {
        let all = involved(&encoding);
        let Some(&candidate) = all.iter().find(|message| !needed.contains(message)) else {
            return encoding;
        };
        let mut smaller =
            Encoding::restricted(trace, policy, |m| m != candidate && all.contains(&m));
        if smaller.problem.solve(&limits) == Status::Contradiction {
            encoding = smaller;
        } else {
            needed.push(candidate);
        }
        if Instant::now() >= deadline {
            return encoding;
        }
    }
}

/// The messages that the proof talks about.
fn involved(encoding: &Encoding) -> Vec<MessageId> {
    let literals = encoding.problem.proof().kept().flat_map(|(_, clause, _)| clause);
    let mut messages: Vec<MessageId> =
        literals.flat_map(|&lit| <[_; 2]>::from(encoding.pair(lit))).collect();
    messages.sort_unstable();
    messages.dedup();
    messages
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.messages.is_empty() {
            writeln!(f, "No order of the messages can help: what is given is already cyclic.")?;
        } else {
            writeln!(f, "These {} messages cannot be ordered:", self.messages.len())?;
            for &message in &self.messages {
                let handler = self.trace.messages()[message as usize].handler;
                write!(f, "  message {message} on handler {handler}")?;
                match self.trace.post_of(message) {
                    Some(post) => writeln!(f, ", posted by event {post}")?,
                    None => writeln!(f)?,
                }
            }
        }
        for impossible in self.impossible.iter().take(TOLD) {
            self.tell(f, impossible)?;
        }
        if self.impossible.len() > TOLD {
            writeln!(
                f,
                "and {} more such cycles, which together leave no order.",
                self.impossible.len() - TOLD
            )?;
        }
        Ok(())
    }
}

impl Explanation<'_> {
    fn tell(&self, f: &mut fmt::Formatter<'_>, impossible: &Impossible) -> fmt::Result {
        let orders: Vec<String> =
            impossible.orders.iter().map(|(a, b)| format!("{a} before {b}")).collect();
        match orders.len() {
            0 => {}
            1 => writeln!(f, "Message {} is impossible:", orders[0])?,
            _ => writeln!(f, "Not all of these can hold: message {}:", orders.join(", message "))?,
        }
        for step in &impossible.cycle {
            writeln!(
                f,
                "  {} comes before {}: {}",
                self.event(step.from),
                self.event(step.to),
                step.because
            )?;
        }
        Ok(())
    }

    fn event(&self, event: EventId) -> String {
        let message = self.trace.message_of(event);
        let what = match self.trace.events()[event as usize] {
            Event::Get => "start".to_owned(),
            Event::Read { variable, .. } => format!("read of variable {variable}"),
            Event::Write { variable } => format!("write of variable {variable}"),
            Event::Post { message } => format!("post of message {message}"),
        };
        format!("event {event} ({what}, in message {message})")
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Because::Fixed(relation) => write!(f, "{relation}"),
            Because::Executed(a, b) => write!(f, "message {a} is executed before message {b}"),
            Because::Posted(a, b) => {
                write!(f, "message {a} is executed before message {b}, so it is posted before it")
            }
            Because::Pending => {
                write!(f, "a message that is executed is posted before one that still waits")
            }
        }
    }
}
