//! What follows from handlers taking turns (Definition 6): a message that begins before another one ends must
//! be through before that one starts, and a queue hands out in the order of the posts.
//!
//! The order is held as a row of bits for each event, as happens-before is. Rules are applied until nothing new
//! follows, or until an event would have to come before itself.

use super::scenario::Scenario;
use crate::bits::{self, Bits};
use crate::ids::{HandlerId, TaskId};
use crate::program::Mailbox;
use smallvec::SmallVec;

/// Saturation is tried on scenarios of at most this many events: its tables grow with the square.
pub const MOST_EVENTS: u32 = 512;

/// An order of the events of a scenario, closed under the rules.
#[derive(Debug)]
pub struct Saturation {
    /// The events, by their positions; the second event of the race is behind all of them.
    nodes: Bits,
    /// The position of the second event of the race.
    last: usize,
    words: usize,
    rows: Vec<u64>,
    /// Has something followed since this was last asked?
    has_grown: bool,
}

/// A message that starts in the scenario.
#[derive(Clone, Copy)]
struct Turn {
    post: usize,
    start: usize,
    /// The last that it does here.
    tail: usize,
    completes: bool,
}

/// An event would have to come before itself.
struct Contradiction;

type Result = std::result::Result<(), Contradiction>;

impl Saturation {
    /// What must be in any order of the scenario; nothing if there is none.
    pub fn of(scenario: Scenario<'_>) -> Option<Self> {
        let mut saturation = Saturation::happens_before(scenario);
        saturation.saturate(scenario).is_ok().then_some(saturation)
    }

    /// What must come before an event.
    pub fn before(&self, event: usize) -> &[u64] {
        &self.rows[event * self.words..(event + 1) * self.words]
    }

    fn happens_before(scenario: Scenario<'_>) -> Self {
        let execution = scenario.execution;
        let last = execution.len();
        let words = last / 64 + 1;
        let mut nodes = bits::empty(words);
        let common = execution.words().min(words);
        nodes[..common].copy_from_slice(&scenario.members[..common]);
        let mut rows = vec![0; (last + 1) * words];
        for event in bits::iter(scenario.members) {
            let row = &mut rows[event * words..(event + 1) * words];
            row[..common].copy_from_slice(&execution.before(event)[..common]);
            bits::intersect(row, &nodes);
        }
        if scenario.last.is_some() {
            rows[last * words..].copy_from_slice(&nodes);
            bits::insert(&mut nodes, last);
        }
        Saturation { nodes, last, words, rows, has_grown: false }
    }

    /// Adds an edge, and all that follows from it.
    fn order(&mut self, first: usize, second: usize) -> Result {
        if bits::contains(self.before(second), first) {
            return Ok(());
        }
        if first == second || bits::contains(self.before(first), second) {
            return Err(Contradiction);
        }
        self.has_grown = true;
        let mut new = Bits::from_slice(self.before(first));
        bits::insert(&mut new, first);
        let Saturation { nodes, rows, words, .. } = self;
        for node in bits::iter(nodes) {
            let row = &mut rows[node * *words..(node + 1) * *words];
            if node == second || bits::contains(row, second) {
                bits::union(row, &new);
            }
        }
        Ok(())
    }

    fn saturate(&mut self, scenario: Scenario<'_>) -> Result {
        let execution = scenario.execution;
        let handlers = (0..execution.handler_count()).map(HandlerId::from);
        let turns: SmallVec<[(Mailbox, SmallVec<[Turn; 8]>); 4]> =
            handlers.map(|id| (execution.mailbox(id), self.turns(scenario, id))).collect();
        for (at, (mailbox, turns)) in turns.iter().enumerate() {
            if *mailbox == Mailbox::Fifo && !turns.is_empty() {
                self.leave_in_queue(scenario, HandlerId::from(at), turns)?;
            }
        }
        loop {
            self.has_grown = false;
            for (mailbox, turns) in &turns {
                self.take_turns(*mailbox, turns)?;
            }
            if !self.has_grown {
                return Ok(());
            }
        }
    }

    /// The messages that start on a handler.
    fn turns(&self, scenario: Scenario<'_>, id: HandlerId) -> SmallVec<[Turn; 8]> {
        let execution = scenario.execution;
        let turn = |message: TaskId, start: usize| {
            let own_last = scenario.last.filter(|last| last.task == message).map(|_| self.last);
            Turn {
                post: execution.creator(message).expect("messages are posted"),
                start,
                tail: own_last.or(scenario.events_of(message).next_back()).unwrap_or(start),
                completes: start != self.last && scenario.completes(message),
            }
        };
        let starts = bits::common(&self.nodes, execution.starts_on(id));
        let starts = bits::iter(&starts).map(|start| turn(execution.events()[start].task, start));
        let last = scenario.last.filter(|_| scenario.last_starts_on(id));
        starts.chain(last.map(|last| turn(last.task, self.last))).collect()
    }

    /// Messages that never start are posted behind those that do.
    fn leave_in_queue(&mut self, scenario: Scenario<'_>, id: HandlerId, turns: &[Turn]) -> Result {
        for &message in scenario.execution.posted(id) {
            let Some(post) = scenario.post_of(message) else { continue };
            if turns.iter().all(|turn| turn.post != post) {
                turns.iter().try_for_each(|turn| self.order(turn.post, post))?;
            }
        }
        Ok(())
    }

    /// Neighbours first: what holds for them mostly says the same of those further apart.
    fn take_turns(&mut self, mailbox: Mailbox, turns: &[Turn]) -> Result {
        for (at, &one) in turns.iter().enumerate() {
            for &other in turns[..at].iter().rev() {
                if !self.is_settled(mailbox, other, one) && !self.is_settled(mailbox, one, other) {
                    self.take_turn(mailbox, other, one)?;
                    self.take_turn(mailbox, one, other)?;
                }
            }
        }
        Ok(())
    }

    /// Is it known already that the first is through before the second starts, with all that follows from it? (The
    /// contrary would be a circle.)
    fn is_settled(&self, mailbox: Mailbox, first: Turn, second: Turn) -> bool {
        first.completes
            && bits::contains(self.before(second.start), first.tail)
            && (mailbox == Mailbox::Multiset
                || bits::contains(self.before(second.post), first.post))
    }

    /// If the first must come before the second, it must be through by then.
    fn take_turn(&mut self, mailbox: Mailbox, first: Turn, second: Turn) -> Result {
        let is_fifo = mailbox == Mailbox::Fifo;
        let comes_first = !second.completes
            || first.start == second.tail
            || bits::contains(self.before(second.tail), first.start)
            || is_fifo && bits::contains(self.before(second.post), first.post);
        if !comes_first {
            return Ok(());
        }
        if !first.completes {
            return Err(Contradiction);
        }
        self.order(first.tail, second.start)?;
        if is_fifo { self.order(first.post, second.post) } else { Ok(()) }
    }
}
