//! What must go from a set of events before an order is looked for: messages of one handler run one after the
//! other, and one that is cut short must be the last.
//!
//! These are the reasons that can be seen at once. What goes beyond them (messages of several handlers whose
//! orders depend on each other) is left to the solver; see [`super::reverse_race`].

use super::redundancy::Kind;
use super::reverse_race::Reduction;
use crate::bits;
use crate::ids::{HandlerId, TaskId};
use crate::operation::Mode;
use crate::program::Mailbox;
use smallvec::SmallVec;

/// Some messages of a handler.
type Messages = SmallVec<[TaskId; 8]>;

/// All events of one of these sets must go, with all that happens after them.
pub struct Remedy {
    /// The sets; if there is none, nothing helps.
    pub alternatives: Vec<Vec<usize>>,
}

impl Remedy {
    const IMPOSSIBLE: Remedy = Remedy { alternatives: Vec::new() };
}

/// What is to start on a handler.
struct Turns<'m> {
    handler: HandlerId,
    members: &'m [u64],
    /// The messages that start among the members.
    starting: Messages,
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
        if self.last.data_dependent {
            // An attempt does not wait: it is tried, and may do something else.
            return None;
        }
        let (object, mode) = self.last.touches.iter().find_map(|touch| touch.waits_on())?;
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
            return (self.last.permits + permits <= 0).then_some(Remedy::IMPOSSIBLE);
        }
        let holder = *held.first()?;
        Some(Remedy { alternatives: vec![vec![holder]] })
    }

    /// Does none of the messages of a multiset handler have to go? A quick look that decides most of the time.
    fn is_fine(&self, handler: HandlerId, members: &[u64]) -> bool {
        let execution = self.point.execution;
        let on_handler = |message: TaskId| execution.handler(message) == Some(handler);
        let starts = |message: &&TaskId| {
            let start = execution.start_of(**message);
            start.is_some_and(|start| bits::contains(members, start))
        };
        let mut starting = execution.posted(handler).iter().filter(starts).peekable();
        let last_starts = self.last.starts && on_handler(self.last.task);
        execution.mailbox(handler) == Mailbox::Multiset
            && self.lead.is_none_or(|(lead, _)| !on_handler(lead))
            && (starting.peek().is_none() && !last_starts
                || self.active[handler.index()].is_none_or(|m| self.completes(members, m)))
            && starting.filter(|&&message| !self.completes(members, message)).count()
                + usize::from(last_starts)
                <= 1
    }

    fn remedy_on(&self, handler: HandlerId, members: &[u64]) -> Option<Remedy> {
        if self.is_fine(handler, members) {
            return None;
        }
        let execution = self.point.execution;
        let starts = |message: &TaskId| contains(members, execution.start_of(*message));
        let turns = Turns {
            handler,
            members,
            starting: execution.posted(handler).iter().copied().filter(starts).collect(),
            last_starts: self.last.starts && execution.handler(self.last.task) == Some(handler),
        };
        self.remedy_behind_active(&turns)
            .or_else(|| self.remedy_behind_queue(&turns))
            .or_else(|| self.remedy_behind_posts(&turns))
            .or_else(|| self.remedy_behind_lead(&turns))
            .or_else(|| self.remedy_for_cut(&turns))
    }

    /// Nothing can start behind a message that the handler is running and that does not complete.
    fn remedy_behind_active(&self, turns: &Turns<'_>) -> Option<Remedy> {
        let execution = self.point.execution;
        let active = self.active[turns.handler.index()]
            .filter(|&active| !self.completes(turns.members, active))?;
        if turns.starting.is_empty() && !turns.last_starts {
            return None;
        }
        // In a FIFO mailbox the post decides, and that may be anywhere before.
        let is_fifo = execution.mailbox(turns.handler) == Mailbox::Fifo;
        let start = execution.start_of(active).filter(|_| !is_fifo);
        self.differs_at_most(start.unwrap_or(usize::MAX));
        Some(self.without_all(turns.last_starts, &turns.starting))
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
        remedy.inspect(|_| self.differs_at_most(usize::MAX))
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

    /// Nothing can start behind a message that must come first and does not complete.
    fn remedy_behind_lead(&self, turns: &Turns<'_>) -> Option<Remedy> {
        let execution = self.point.execution;
        let (lead, kind) = self.lead?;
        let is_here = execution.handler(lead) == Some(turns.handler);
        if !is_here || self.completes(turns.members, lead) {
            return None;
        }
        let is_behind = |message: &TaskId| match kind {
            Kind::Post(..) => contains(turns.members, execution.creator(*message)),
            _ => true,
        };
        let rivals = turns.starting.iter().copied();
        let rivals: Messages = rivals.filter(|m| *m != lead && is_behind(m)).collect();
        let last_behind = turns.last_starts && self.last.task != lead;
        (last_behind || !rivals.is_empty()).then(|| self.without_all(last_behind, &rivals))
    }

    /// Of messages that are cut short only one can stay.
    fn remedy_for_cut(&self, turns: &Turns<'_>) -> Option<Remedy> {
        let execution = self.point.execution;
        let starting = turns.starting.iter().copied();
        let cut: Messages = starting.filter(|&m| !self.completes(turns.members, m)).collect();
        if cut.len() + usize::from(turns.last_starts) <= 1 {
            return None;
        }
        let must_stay: Messages = if turns.last_starts {
            SmallVec::from_slice(&[self.last.task])
        } else {
            cut.iter().copied().filter(|&m| contains(self.needed, execution.start_of(m))).collect()
        };
        let without = |stays: TaskId| self.starts(cut.iter().copied().filter(|&m| m != stays));
        let alternatives = match must_stay[..] {
            [] => cut.iter().map(|&stays| without(stays)).collect(),
            [stays] => vec![without(stays)],
            _ => Vec::new(),
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
        let starting = turns.starting.iter().copied();
        let stopped: Messages = starting.filter(|&message| is_stopped(message)).collect();
        (last_stopped || !stopped.is_empty()).then(|| self.without_all(last_stopped, &stopped))
    }

    /// All these messages must go; that is impossible if the second event of the race starts one of them.
    fn without_all(&self, has_last: bool, messages: &[TaskId]) -> Remedy {
        if has_last {
            return Remedy::IMPOSSIBLE;
        }
        Remedy { alternatives: vec![self.starts(messages.iter().copied())] }
    }

    fn starts(&self, messages: impl Iterator<Item = TaskId>) -> Vec<usize> {
        messages.filter_map(|message| self.point.execution.start_of(message)).collect()
    }
}

fn contains(set: &[u64], event: Option<usize>) -> bool {
    event.is_some_and(|event| bits::contains(set, event))
}
