//! What must go from a set of events before an order is looked for: messages of one handler run one after the
//! other, and one that is cut short must be the last.
//!
//! These are the reasons that can be seen at once. What goes beyond them (messages of several handlers whose
//! orders depend on each other) is left to the solver; see [`super::reverse_race`].

use super::redundancy::Kind;
use super::reverse_race::Reduction;
use crate::bits::{self, Bits};
use crate::ids::{HandlerId, TaskId};
use crate::operation::Mode;
use crate::program::Mailbox;
use smallvec::{SmallVec, smallvec};

/// All events of one of these sets must go, with all that happens after them.
pub struct Remedy {
    /// The sets; if there is none, nothing helps.
    pub alternatives: SmallVec<[Bits; 1]>,
}

/// What is to start on a handler.
struct Turns<'m> {
    handler: HandlerId,
    members: &'m [u64],
    /// The starts of messages among the members.
    starting: Bits,
    /// Those of messages that are cut short.
    cut: Bits,
    /// Does the second event of the race start one?
    last_starts: bool,
}

impl Reduction<'_, '_> {
    /// What must go so that each handler can run its messages, and the second event need not wait?
    pub fn remedy(&self, members: &[u64]) -> Option<Remedy> {
        let mut handlers = (0..self.point.execution.handler_count()).map(HandlerId::from);
        self.remedy_for_lock(members)
            .or_else(|| handlers.find_map(|handler| self.remedy_on(handler, members)))
    }

    /// If the second event waits for a lock that somebody takes and does not give back, that must go.
    fn remedy_for_lock(&self, members: &[u64]) -> Option<Remedy> {
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
            return (self.last.permits + permits <= 0).then(Remedy::impossible);
        }
        let mut holder = bits::empty(members.len());
        bits::insert(&mut holder, *held.first()?);
        Some(Remedy::without(holder))
    }

    fn remedy_on(&self, handler: HandlerId, members: &[u64]) -> Option<Remedy> {
        let execution = self.point.execution;
        let starting = bits::common(members, execution.starts_on(handler));
        let mut cut = starting.clone();
        for start in bits::iter(&starting) {
            if self.completes(members, self.message(start)) {
                bits::remove(&mut cut, start);
            }
        }
        let turns = Turns {
            handler,
            members,
            starting,
            cut,
            last_starts: self.last.starts && execution.handler(self.last.task) == Some(handler),
        };
        if self.is_fine(&turns) {
            return None;
        }
        self.remedy_behind_active(&turns)
            .or_else(|| self.remedy_behind_queue(&turns))
            .or_else(|| self.remedy_behind_posts(&turns))
            .or_else(|| self.remedy_behind_lead(&turns))
            .or_else(|| self.remedy_for_cut(&turns))
    }

    /// Does none of the messages of a multiset handler have to go? A quick look that decides most of the time.
    fn is_fine(&self, turns: &Turns<'_>) -> bool {
        let execution = self.point.execution;
        let on_handler = |message: TaskId| execution.handler(message) == Some(turns.handler);
        execution.mailbox(turns.handler) == Mailbox::Multiset
            && self.lead.is_none_or(|(lead, _)| !on_handler(lead))
            && (bits::is_empty(&turns.starting) && !turns.last_starts
                || self.active[turns.handler.index()]
                    .is_none_or(|message| self.completes(turns.members, message)))
            && bits::count(&turns.cut) + u32::from(turns.last_starts) <= 1
    }

    /// The message that an event starts.
    fn message(&self, start: usize) -> TaskId {
        self.point.execution.events()[start].task
    }

    /// Nothing can start behind a message that the handler is running and that does not complete.
    fn remedy_behind_active(&self, turns: &Turns<'_>) -> Option<Remedy> {
        let execution = self.point.execution;
        let active = self.active[turns.handler.index()]
            .filter(|&active| !self.completes(turns.members, active))?;
        if bits::is_empty(&turns.starting) && !turns.last_starts {
            return None;
        }
        // In a FIFO mailbox the post decides: behind it the message is in front of all that start here.
        let takes_place = match execution.mailbox(turns.handler) {
            Mailbox::Fifo => execution.creator(active),
            Mailbox::Multiset => execution.start_of(active),
        };
        self.differs_at_most(takes_place.unwrap_or(usize::MAX));
        Some(Remedy::without_all(turns.last_starts, turns.starting.clone()))
    }

    /// What waits in a FIFO mailbox at the point keeps its order: nothing can start behind a message that does
    /// not complete.
    fn remedy_behind_queue(&self, turns: &Turns<'_>) -> Option<Remedy> {
        let execution = self.point.execution;
        let happened = |event: Option<usize>| contains(&self.point.happened, event);
        let stops = |message: &TaskId| {
            happened(execution.creator(*message))
                && !happened(execution.start_of(*message))
                && !self.completes(turns.members, *message)
        };
        let time = |message: TaskId| self.point.post_time(message);
        let queued = self.fifo_messages(turns.handler).filter(stops);
        let stop = queued.min_by_key(|&message| time(message))?;
        let remedy = self.without_those(turns, |message| time(message) > time(stop));
        // From its post on it is in front of them.
        let post = execution.creator(stop).unwrap_or(usize::MAX);
        remedy.inspect(|_| self.differs_at_most(post))
    }

    /// A message of a FIFO handler cannot start if another one that does not complete is always posted before
    /// it. (Leaving out that post instead would leave out this one too.)
    fn remedy_behind_posts(&self, turns: &Turns<'_>) -> Option<Remedy> {
        let execution = self.point.execution;
        let post_that_stops = |message: TaskId| {
            let post = execution.creator(message);
            let is_posted = contains(turns.members, post) || contains(&self.point.happened, post);
            let is_over = contains(&self.point.happened, execution.start_of(message));
            post.filter(|_| is_posted && !is_over && !self.completes(turns.members, message))
        };
        let stops: SmallVec<[usize; 8]> =
            self.fifo_messages(turns.handler).filter_map(post_that_stops).collect();
        self.without_those(turns, |message| {
            let post = execution.creator(message);
            post.is_some_and(|post| stops.iter().any(|&stop| execution.happens_before(stop, post)))
        })
    }

    /// Nothing can start behind a message that must come first and does not complete, and nothing of that one can
    /// happen after the start of one behind it.
    fn remedy_behind_lead(&self, turns: &Turns<'_>) -> Option<Remedy> {
        let execution = self.point.execution;
        let (lead, kind) =
            self.lead.filter(|&(lead, _)| execution.handler(lead) == Some(turns.handler))?;
        let mut rivals = turns.starting.clone();
        for start in bits::iter(&turns.starting) {
            let message = self.message(start);
            let is_behind = match kind {
                Kind::Post(..) => contains(turns.members, execution.creator(message)),
                _ => true,
            };
            if message == lead || !is_behind {
                bits::remove(&mut rivals, start);
            }
        }
        if self.completes(turns.members, lead) {
            let mut own = execution.events_of(lead).iter().map(|&event| event as usize);
            let impossible = own.find(|&event| {
                bits::contains(turns.members, event)
                    && bits::intersects(&execution.before(event), &rivals)
            })?;
            let mut rest = bits::empty(turns.members.len());
            bits::insert(&mut rest, impossible);
            return Some(Remedy::without(rest));
        }
        let last_behind = turns.last_starts && self.last.task != lead;
        (last_behind || !bits::is_empty(&rivals)).then(|| Remedy::without_all(last_behind, rivals))
    }

    /// Of messages that are cut short only one can stay.
    fn remedy_for_cut(&self, turns: &Turns<'_>) -> Option<Remedy> {
        let cut = &turns.cut;
        if bits::count(cut) + u32::from(turns.last_starts) <= 1 {
            return None;
        }
        if turns.last_starts {
            return Some(Remedy::without(cut.clone()));
        }
        let without = |stays: usize| {
            let mut others = cut.clone();
            bits::remove(&mut others, stays);
            others
        };
        let must_stay = bits::common(cut, self.needed);
        let alternatives = match bits::count(&must_stay) {
            0 => bits::iter(cut).map(without).collect(),
            1 => bits::iter(&must_stay).map(without).collect(),
            _ => SmallVec::new(),
        };
        Some(Remedy { alternatives })
    }

    /// Messages posted to a handler, if its mailbox is a queue.
    fn fifo_messages(&self, handler: HandlerId) -> impl Iterator<Item = TaskId> + '_ {
        let execution = self.point.execution;
        let is_fifo = execution.mailbox(handler) == Mailbox::Fifo;
        let posted = execution.posted(handler).iter().copied();
        posted.filter(move |_| is_fifo)
    }

    /// Those that want to start and cannot must go.
    fn without_those(
        &self,
        turns: &Turns<'_>,
        is_stopped: impl Fn(TaskId) -> bool,
    ) -> Option<Remedy> {
        let last_stopped = turns.last_starts && is_stopped(self.last.task);
        let mut stopped = turns.starting.clone();
        for start in bits::iter(&turns.starting).filter(|&start| !is_stopped(self.message(start))) {
            bits::remove(&mut stopped, start);
        }
        (last_stopped || !bits::is_empty(&stopped))
            .then(|| Remedy::without_all(last_stopped, stopped))
    }
}

impl Remedy {
    fn impossible() -> Self {
        Remedy { alternatives: SmallVec::new() }
    }

    /// These events must go.
    fn without(events: Bits) -> Self {
        Remedy { alternatives: smallvec![events] }
    }

    /// All messages that start so must go; that is impossible if the second event of the race starts one of them.
    fn without_all(has_last: bool, starts: Bits) -> Self {
        if has_last { Remedy::impossible() } else { Remedy::without(starts) }
    }
}

fn contains(set: &[u64], event: Option<usize>) -> bool {
    event.is_some_and(|event| bits::contains(set, event))
}
