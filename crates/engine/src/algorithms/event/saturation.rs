//! What follows from handlers taking turns (Definition 6): a message that begins before another one ends must
//! be through before that one starts, and a queue hands out in the order of the posts.
//!
//! The order is held as a row of bits for each event, as happens-before is. Rules are applied until nothing new
//! follows, or until an event would have to come before itself.

use super::point::Point;
use super::scenario::Scenario;
use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use crate::program::Mailbox;
use crate::reversal::{Last, Member};
use smallvec::SmallVec;

/// Saturation is tried on scenarios of at most this many events: its tables grow with the square.
pub const MOST_EVENTS: u32 = 512;

/// An order of the events of a scenario, closed under the rules.
#[derive(Debug)]
pub struct Saturation {
    /// The events; the second event of the race is behind all of them.
    nodes: Bits,
    /// How many events the explored execution has: the node of the second event of the race.
    last: usize,
    words: usize,
    rows: Vec<u64>,
    /// Has something followed since this was last asked?
    has_grown: bool,
}

/// A message that starts in the scenario.
#[derive(Clone, Copy)]
struct Turn {
    /// Its post, if that is a member.
    post: Option<usize>,
    start: usize,
    /// The last that it does here.
    tail: usize,
    completes: bool,
    /// Its place in the queue at the point.
    queued: Option<usize>,
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

    /// What must be in any order of events that begin an execution, whatever else happens, if messages that are cut short
    /// may run on. Nothing if there is none, or if there are too many of them.
    pub fn of_prefix(execution: &Execution, events: &[u64], last: &Last) -> Option<Self> {
        let point = Point::at_depth(execution, 0);
        let scenario = Scenario {
            point: &point,
            members: events,
            last: Some(last),
            last_at_end: false,
            lead: None,
            all_end: true,
        };
        if bits::count(events) > MOST_EVENTS {
            return None;
        }
        let mut saturation = Saturation::happens_before(scenario);
        saturation.let_strangers_through(scenario);
        saturation.saturate(scenario).is_ok().then_some(saturation)
    }

    /// Messages in queues that do nothing here may run through, behind whatever they conflict with, as far as is known
    /// what they do. The start of such a message stands for all of it.
    fn let_strangers_through(&mut self, scenario: Scenario<'_>) {
        let execution = scenario.execution();
        let handlers = (0..execution.handler_count()).map(HandlerId::from);
        let queues = handlers.filter(|&id| execution.mailbox(id) == Mailbox::Fifo);
        for &message in queues.flat_map(|id| execution.posted(id)) {
            let Some(start) = execution.start_of(message) else { continue };
            let is_last = scenario.last.is_some_and(|last| last.task == message);
            if is_last || bits::contains(&self.nodes, start) {
                continue;
            }
            let Some(post) = scenario.post_of(message) else { continue };
            let mut before: SmallVec<[usize; 8]> = SmallVec::from_slice(&[post]);
            for &event in execution.events_of(message) {
                for &touch in execution.touches(event as usize) {
                    let others = execution.conflicting_with(touch);
                    before.extend(others.filter(|&other| bits::contains(scenario.members, other)));
                    let conflicts = |last: &&Last| last.touches.iter().any(|t| t.conflicts(touch));
                    before.extend(scenario.last.filter(conflicts).map(|_| self.last));
                }
            }
            let mut row = bits::empty(self.words);
            for &event in &before {
                bits::union(&mut row, self.row(event));
                bits::insert(&mut row, event);
            }
            self.rows[start * self.words..(start + 1) * self.words].copy_from_slice(&row);
            bits::insert(&mut self.nodes, start);
        }
    }

    /// What must come before a member.
    pub fn before(&self, member: Member) -> &[u64] {
        match member {
            Member::Event(event) => self.row(event),
            Member::Last => self.row(self.last),
        }
    }

    fn row(&self, node: usize) -> &[u64] {
        &self.rows[node * self.words..(node + 1) * self.words]
    }

    /// The event of a node.
    fn member(&self, node: usize) -> Member {
        if node == self.last { Member::Last } else { Member::Event(node) }
    }

    fn happens_before(scenario: Scenario<'_>) -> Self {
        let execution = scenario.execution();
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
        if let Some(it) = scenario.last {
            let before = if scenario.last_at_end { scenario.members } else { &it.before };
            let row = &mut rows[last * words..];
            row[..common].copy_from_slice(&before[..common]);
            bits::intersect(row, &nodes);
            bits::insert(&mut nodes, last);
        }
        Saturation { nodes, last, words, rows, has_grown: false }
    }

    /// Adds an edge, and all that follows from it.
    fn order(&mut self, first: usize, second: usize) -> Result {
        if bits::contains(self.row(second), first) {
            return Ok(());
        }
        if first == second || bits::contains(self.row(first), second) {
            return Err(Contradiction);
        }
        self.has_grown = true;
        let mut new = Bits::from_slice(self.row(first));
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
        let handlers = (0..scenario.execution().handler_count()).map(HandlerId::from);
        let turns: SmallVec<[(Mailbox, SmallVec<[Turn; 8]>); 4]> = handlers
            .map(|id| (scenario.execution().mailbox(id), self.turns(scenario, id)))
            .collect();
        for (at, (_, turns)) in turns.iter().enumerate() {
            self.begin(scenario, HandlerId::from(at), turns)?;
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
        let execution = scenario.execution();
        let queue = match execution.mailbox(id) {
            Mailbox::Fifo => scenario.point.queue(id),
            Mailbox::Multiset => Vec::new(),
        };
        let turn = |message: TaskId, start: usize| {
            let own_last = scenario.last.filter(|last| last.task == message).map(|_| self.last);
            Turn {
                post: scenario.post_of(message),
                start,
                tail: own_last.or(scenario.events_of(message).next_back()).unwrap_or(start),
                completes: scenario.all_end || start != self.last && scenario.completes(message),
                queued: queue.iter().position(|&queued| queued == message),
            }
        };
        let starts = bits::common(&self.nodes, execution.starts_on(id));
        let starts = bits::iter(&starts).map(|start| turn(execution.events()[start].task, start));
        let last = scenario.last.filter(|_| scenario.last_starts_on(id));
        starts.chain(last.map(|last| turn(last.task, self.last))).collect()
    }

    /// What is there from the beginning: a message that is running, the queue, a message that goes first, messages
    /// that never start.
    fn begin(&mut self, scenario: Scenario<'_>, id: HandlerId, turns: &[Turn]) -> Result {
        let execution = scenario.execution();
        if turns.is_empty() {
            return self.post_lead_first(scenario, id);
        }
        self.follow_active(scenario, id, turns)?;
        self.follow_lead(scenario, id, turns)?;
        self.post_lead_first(scenario, id)?;
        if execution.mailbox(id) == Mailbox::Multiset || scenario.all_end {
            return Ok(());
        }
        let queue = scenario.point.queue(id);
        let leaving = queue.len().min(turns.iter().filter(|turn| turn.queued.is_some()).count());
        let in_front = |turn: &Turn| turn.queued.is_some_and(|place| place < leaving);
        // Nothing passes a message in the queue that does not start.
        if leaving < queue.len() && !turns.iter().all(in_front) {
            return Err(Contradiction);
        }
        for &message in execution.posted(id) {
            let starts = scenario.events_of(message).next().is_some()
                || scenario.last.is_some_and(|last| last.starts && last.task == message);
            let leads = scenario.lead.is_some_and(|lead| lead.message == message);
            let Some(post) = scenario.post_of(message).filter(|_| !starts && !leads) else {
                continue;
            };
            for earlier in turns.iter().filter_map(|turn| turn.post) {
                self.order(earlier, post)?;
            }
        }
        Ok(())
    }

    /// Others start when the message that is running has ended.
    fn follow_active(&mut self, scenario: Scenario<'_>, id: HandlerId, turns: &[Turn]) -> Result {
        let Some(active) = scenario.point.active(id) else { return Ok(()) };
        if !scenario.completes(active) {
            return Err(Contradiction);
        }
        let last = scenario.last.filter(|last| last.task == active).map(|_| self.last);
        let leads = scenario.lead.is_some_and(|lead| lead.message == active);
        let mut own = scenario.events_of(active).chain(last);
        // What a leading message has still to do is not seen; others wait for all that is.
        let release = if leads { own.next() } else { own.last() };
        let release = release.ok_or(Contradiction)?;
        turns.iter().try_for_each(|turn| self.order(release, turn.start))
    }

    /// What must be behind the leading message follows all that it needs.
    fn follow_lead(&mut self, scenario: Scenario<'_>, id: HandlerId, turns: &[Turn]) -> Result {
        let Some(lead) = scenario.lead_on(id) else { return Ok(()) };
        let last = scenario
            .last
            .filter(|last| lead.barrier_has_last || last.task == lead.message)
            .map(|_| self.last);
        let barrier = bits::common(&lead.barrier, scenario.members);
        let execution = scenario.execution();
        let message = |turn: &Turn| match self.member(turn.start) {
            Member::Event(event) => execution.events()[event].task,
            Member::Last => scenario.last.map_or(lead.message, |last| last.task),
        };
        let behind: SmallVec<[usize; 8]> = turns
            .iter()
            .filter(|turn| scenario.is_behind_lead(lead, message(turn)))
            .map(|turn| turn.start)
            .collect();
        for start in behind {
            let needed = scenario.events_of(lead.message).chain(bits::iter(&barrier)).chain(last);
            for event in needed {
                self.order(event, start)?;
            }
        }
        Ok(())
    }

    /// A leading message is the first to be posted to a queue.
    fn post_lead_first(&mut self, scenario: Scenario<'_>, id: HandlerId) -> Result {
        let execution = scenario.execution();
        let lead = scenario.lead_on(id).filter(|_| execution.mailbox(id) == Mailbox::Fifo);
        let Some(post) = lead.and_then(|lead| scenario.post_of(lead.message)) else {
            return Ok(());
        };
        let others = execution.posted(id).iter().filter_map(|&other| scenario.post_of(other));
        others.filter(|&other| other != post).try_for_each(|other| self.order(post, other))
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
            && bits::contains(self.row(second.start), first.tail)
            && (mailbox == Mailbox::Multiset
                || match (first.post, second.post) {
                    (Some(first), Some(second)) => bits::contains(self.row(second), first),
                    (Some(_), None) => false,
                    (None, _) => true,
                })
    }

    /// If the first must come before the second, it must be through by then.
    fn take_turn(&mut self, mailbox: Mailbox, first: Turn, second: Turn) -> Result {
        let is_fifo = mailbox == Mailbox::Fifo;
        let is_posted_first = || match (first.queued, second.queued) {
            (Some(first), Some(second)) => first < second,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => first
                .post
                .zip(second.post)
                .is_some_and(|(first, second)| bits::contains(self.row(second), first)),
        };
        let comes_first = !second.completes
            || first.start == second.tail
            || bits::contains(self.row(second.tail), first.start)
            || is_fifo && is_posted_first();
        if !comes_first {
            return Ok(());
        }
        if !first.completes {
            return Err(Contradiction);
        }
        self.order(first.tail, second.start)?;
        match (first.post, second.post) {
            (Some(first), Some(second)) if is_fifo => self.order(first, second),
            (Some(_), None) if is_fifo => Err(Contradiction),
            _ => Ok(()),
        }
    }
}
