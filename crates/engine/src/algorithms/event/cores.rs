//! Contradictions that can be seen at once: messages of one handler run one after the other, and one that is cut short must be
//! the last.
//!
//! They come before the question to [`super::realise`], whose cores say the same of messages of several handlers whose orders
//! depend on each other. Beside what must go they say for which prefixes that holds.

use super::redundancy::Kind;
use super::reverse_race::Reduction;
use crate::bits::{self, Bits};
use crate::ids::{HandlerId, TaskId};
use crate::operation::Mode;
use crate::program::Mailbox;
use smallvec::{SmallVec, smallvec};

/// All events of one of these sets must go, with all that happens after them. If there is none, nothing helps.
pub type WaysOut = SmallVec<[Bits; 1]>;

/// What is to start on a handler.
struct Turns<'m> {
    handler: HandlerId,
    members: &'m [u64],
    /// The starts of messages among the members.
    starting: Bits,
    /// Those of messages that are cut short.
    cut: Bits,
    /// The message that the second event of the race starts.
    last: Option<TaskId>,
}

impl Reduction<'_, '_> {
    /// What must go so that each handler can run its messages, and the second event need not wait?
    pub fn contradiction(&self, members: &[u64]) -> Option<WaysOut> {
        let mut handlers = (0..self.point.execution.handler_count()).map(HandlerId::from);
        self.waits_for_lock(members)
            .or_else(|| handlers.find_map(|handler| self.contradiction_on(handler, members)))
    }

    /// If the second event waits for a lock that somebody takes and does not give back, that must go.
    fn waits_for_lock(&self, members: &[u64]) -> Option<WaysOut> {
        let execution = self.point.execution;
        let (object, mode) = self.last.waits_on()?;
        let mut held: Vec<usize> = Vec::new();
        let mut permits = 0;
        for event in (0..execution.len()).filter(|&event| {
            bits::contains(members, event) || bits::contains(&self.point.happened, event)
        }) {
            for access in execution.accesses(event).iter().filter(|access| access.object == object)
            {
                let task = execution.events()[event].task;
                match access.mode {
                    Mode::Lock => held.push(event),
                    Mode::LockShared if mode == Mode::Lock => held.push(event),
                    Mode::Unlock | Mode::UnlockShared => {
                        held.retain(|&holder| execution.events()[holder].task != task);
                    }
                    Mode::Signal => permits += 1,
                    Mode::Wait => permits -= 1,
                    _ => {}
                }
            }
        }
        if mode == Mode::Wait {
            return (self.last.permits + permits <= 0).then(WaysOut::new);
        }
        let mut holder = bits::empty(members.len());
        bits::insert(&mut holder, *held.first()?);
        Some(smallvec![holder])
    }

    fn contradiction_on(&self, handler: HandlerId, members: &[u64]) -> Option<WaysOut> {
        let execution = self.point.execution;
        let starting = bits::common(members, execution.starts_on(handler));
        let last = Some(self.last).filter(|last| last.starts).map(|last| last.task);
        let last = last.filter(|&message| execution.handler(message) == Some(handler));
        if bits::is_empty(&starting) && last.is_none() {
            return None;
        }
        let mut cut = starting.clone();
        for start in bits::iter(&starting) {
            if self.completes(members, self.message(start)) {
                bits::remove(&mut cut, start);
            }
        }
        let turns = Turns { handler, members, starting, cut, last };
        self.behind_what_stops(&turns)
            .or_else(|| self.behind_lead(&turns))
            .or_else(|| self.cut_short(&turns))
    }

    /// The message that an event starts.
    fn message(&self, start: usize) -> TaskId {
        self.point.execution.events()[start].task
    }

    /// Nothing can start behind a message that does not complete: one that the handler is running, or one that is surely before it
    /// in the queue. (Leaving out a post that always comes before another one would leave out that one too.)
    fn behind_what_stops(&self, turns: &Turns<'_>) -> Option<WaysOut> {
        let execution = self.point.execution;
        let is_stopped = |message: &TaskId| !self.completes(turns.members, *message);
        let is_fifo = execution.mailbox(turns.handler) == Mailbox::Fifo;
        if let Some(active) = self.active[turns.handler.index()].filter(is_stopped) {
            // In a queue the post decides: behind it the message is in front of all that start here.
            let takes_place =
                if is_fifo { execution.creator(active) } else { execution.start_of(active) };
            self.differs_at_most(takes_place.unwrap_or(usize::MAX));
            return turns.without_those(self, |_| true);
        }
        if !is_fifo {
            return None;
        }
        let happened = |event: usize| bits::contains(&self.point.happened, event);
        let mut posts = bits::empty(turns.members.len());
        let mut queued: Option<TaskId> = None;
        for &message in execution.posted(turns.handler) {
            let Some(post) = execution.creator(message) else { continue };
            let is_posted = happened(post) || bits::contains(turns.members, post);
            if !is_posted
                || execution.start_of(message).is_some_and(happened)
                || !is_stopped(&message)
            {
                continue;
            }
            bits::insert(&mut posts, post);
            let time = |message: TaskId| self.point.post_time(message);
            if happened(post) && queued.is_none_or(|first| time(message) < time(first)) {
                queued = Some(message);
            }
        }
        if let Some(first) = queued {
            let time = self.point.post_time(first);
            let ways = turns.without_those(self, |message| self.point.post_time(message) > time);
            if ways.is_some() {
                self.differs_at_most(execution.creator(first).unwrap_or(usize::MAX));
                return ways;
            }
        }
        turns.without_those(self, |message| {
            let post = execution.creator(message);
            post.is_some_and(|post| bits::intersects(&execution.before(post), &posts))
        })
    }

    /// Nothing can start behind a message that must come first and does not complete, and nothing of that one can
    /// happen after the start of one behind it.
    fn behind_lead(&self, turns: &Turns<'_>) -> Option<WaysOut> {
        let execution = self.point.execution;
        let (lead, kind) =
            self.lead.filter(|&(lead, _)| execution.handler(lead) == Some(turns.handler))?;
        let is_behind = |message: TaskId| match kind {
            Kind::Post(..) => {
                let post = execution.creator(message);
                post.is_some_and(|post| bits::contains(turns.members, post))
            }
            _ => true,
        };
        let is_rival = |message: TaskId| {
            message != lead && (turns.last == Some(message) || is_behind(message))
        };
        if !self.completes(turns.members, lead) {
            return turns.without_those(self, is_rival);
        }
        let mut rivals = turns.starting.clone();
        for start in bits::iter(&turns.starting).filter(|&start| !is_rival(self.message(start))) {
            bits::remove(&mut rivals, start);
        }
        let mut own = execution.events_of(lead).iter().map(|&event| event as usize);
        let impossible = own.find(|&event| {
            bits::contains(turns.members, event)
                && bits::intersects(&execution.before(event), &rivals)
        })?;
        let mut rest = bits::empty(turns.members.len());
        bits::insert(&mut rest, impossible);
        Some(smallvec![rest])
    }

    /// Of messages that are cut short only one can stay.
    fn cut_short(&self, turns: &Turns<'_>) -> Option<WaysOut> {
        let cut = &turns.cut;
        if bits::count(cut) + u32::from(turns.last.is_some()) <= 1 {
            return None;
        }
        if turns.last.is_some() {
            return Some(smallvec![cut.clone()]);
        }
        let without = |stays: usize| {
            let mut others = cut.clone();
            bits::remove(&mut others, stays);
            others
        };
        let must_stay = bits::common(cut, self.needed);
        Some(match bits::count(&must_stay) {
            0 => bits::iter(cut).map(without).collect(),
            1 => bits::iter(&must_stay).map(without).collect(),
            _ => WaysOut::new(),
        })
    }
}

impl Turns<'_> {
    /// Those that want to start and cannot must go; that is impossible if the second event of the race is among them.
    fn without_those(
        &self,
        reduction: &Reduction<'_, '_>,
        is_stopped: impl Fn(TaskId) -> bool,
    ) -> Option<WaysOut> {
        if self.last.is_some_and(&is_stopped) {
            return Some(WaysOut::new());
        }
        let mut stopped = self.starting.clone();
        for start in bits::iter(&self.starting) {
            if !is_stopped(reduction.message(start)) {
                bits::remove(&mut stopped, start);
            }
        }
        (!bits::is_empty(&stopped)).then(|| smallvec![stopped])
    }
}
