//! A point of an exploration, seen from an explored execution, and the question whether a set of that
//! execution's events can be performed from there.
//!
//! Handlers make this a question at all: messages of one handler run one after the other, a message that
//! is not complete must be the last, and a FIFO mailbox hands messages out in the order of their posts.
//! Events that neither start a message nor post to a FIFO mailbox can always be performed as soon as
//! their past is complete, so only the others are choices. A [`Descent`] follows the order of the explored
//! execution, which decides almost always (the paper's witness construction). Where it ends up nowhere,
//! [`super::decision`] asks the solver of the consistency crate, which is complete.

use super::decision::{self, Core};
use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use crate::operation::Effect;
use crate::program::Mailbox;
use crate::reversal::{Last, Member};
use smallvec::SmallVec;

#[cfg(test)]
mod backtracking;
#[cfg(test)]
mod random;

/// Some events of an execution have happened.
#[derive(Clone, Debug)]
pub struct Point<'e> {
    /// The explored execution.
    pub execution: &'e Execution,
    /// What has happened at this point; contains the past of each of its members.
    pub happened: Bits,
    /// What of it has happened in another order than in the explored execution, in this order, behind the rest.
    placed: SmallVec<[usize; 8]>,
}

/// What must come first: a message whose handler takes it before every other message.
#[derive(Clone, Debug)]
pub struct Lead {
    /// The message.
    pub message: TaskId,
    /// Events that must have happened when the message ends, because what it still has to do conflicts
    /// with them.
    pub barrier: Bits,
    /// The same for the second event of the race.
    pub barrier_has_last: bool,
}

/// Events to be performed from a point.
#[derive(Clone, Copy, Debug)]
pub struct Demand<'d> {
    /// These events of the execution; the past of each is among them or has happened.
    pub members: &'d [u64],
    /// And this one, which comes after its past.
    pub last: Option<&'d Last>,
    /// Must the last one come at the end?
    pub last_at_end: bool,
    /// What must come first.
    pub lead: Option<&'d Lead>,
    /// Are messages that are cut short, or wait in a queue, taken to run to their ends behind what they do here?
    pub all_end: bool,
}

/// An order in which a demand can be met.
#[derive(Clone, Debug)]
pub struct Order {
    /// The events, in this order.
    pub events: Vec<Member>,
    /// Was the descent successful, without the solver?
    pub at_once: bool,
}

impl<'e> Point<'e> {
    /// The point after the first `depth` events.
    pub fn at_depth(execution: &'e Execution, depth: usize) -> Self {
        let happened = bits::first(depth, execution.words());
        Point { execution, happened, placed: SmallVec::new() }
    }

    /// Goes on by an event.
    pub fn place(&mut self, event: usize) {
        bits::insert(&mut self.happened, event);
        self.placed.push(event);
    }

    /// When a message was posted, compared with others; later than all of them if it has not been.
    pub fn post_time(&self, message: TaskId) -> usize {
        let Some(post) = self.execution.creator(message) else { return 0 };
        let prefix = self.execution.len();
        match self.placed.iter().position(|&event| event == post) {
            Some(at) => prefix + at,
            None if bits::contains(&self.happened, post) => post,
            None => usize::MAX,
        }
    }

    /// The message that a handler is running at this point.
    pub fn active(&self, handler: HandlerId) -> Option<TaskId> {
        let execution = self.execution;
        let starts = execution.starts_on(handler);
        // Messages run one after the other, so it is the one that started last.
        let placed = self.placed.iter().rev().find(|&&event| bits::contains(starts, event));
        let started = placed.copied().or_else(|| bits::last_common(starts, &self.happened))?;
        let message = execution.events()[started].task;
        let has_ended = |end: usize| bits::contains(&self.happened, end);
        (!execution.end_of(message).is_some_and(has_ended)).then_some(message)
    }

    /// The message that each handler is running at this point.
    pub fn active_messages(&self) -> impl Iterator<Item = Option<TaskId>> + '_ {
        (0..self.execution.handler_count()).map(|handler| self.active(HandlerId::from(handler)))
    }

    /// Can the demand be met from here? In which order?
    pub fn realise(&self, demand: Demand<'_>) -> Option<Order> {
        self.realise_or_blame(demand).ok()
    }

    /// An order in which the demand can be met from here, or events that are to blame.
    pub fn realise_or_blame(&self, demand: Demand<'_>) -> Result<Order, Core> {
        let active: SmallVec<[Option<TaskId>; 8]> = self.active_messages().collect();
        if demand.lead.is_none() && self.is_legal_as_explored(demand.members, demand.last, &active)
        {
            let last = demand.last.map(|_| Member::Last);
            let events = bits::iter(demand.members).map(Member::Event).chain(last).collect();
            return Ok(Order { events, at_once: true });
        }
        if !demand.is_plausible(self) {
            return Err(None);
        }
        let mut descent = Descent::new(self, demand);
        if descent.descend() {
            return Ok(Order { events: descent.order, at_once: true });
        }
        let events = decision::decide(self, demand)?;
        Ok(Order { events, at_once: false })
    }

    /// Can these events be performed in the order of the explored execution, by multiset handlers alone? A quick
    /// look at the starts and ends of messages that spares a search most of the time. `active`: the message that
    /// each handler is running at this point.
    pub fn is_legal_as_explored(
        &self,
        members: &[u64],
        last: Option<&Last>,
        active: &[Option<TaskId>],
    ) -> bool {
        let execution = self.execution;
        let mut handlers = (0..execution.handler_count()).map(HandlerId::from);
        if handlers.any(|handler| execution.mailbox(handler) == Mailbox::Fifo) {
            return false;
        }
        let mut busy: SmallVec<[bool; 16]> = active.iter().map(Option::is_some).collect();
        let turns = bits::common(members, execution.turns());
        for event in bits::iter(&turns) {
            let it = &execution.events()[event];
            let Some(handler) = execution.handler(it.task) else { continue };
            let slot = &mut busy[handler.index()];
            if it.effect == Effect::Start {
                if *slot {
                    return false;
                }
                *slot = true;
            }
            if it.ends_task {
                *slot = false;
            }
        }
        last.is_none_or(|last| {
            let handler = execution.handler(last.task).filter(|_| last.starts);
            handler.is_none_or(|handler| !busy[handler.index()])
        })
    }
}

impl Demand<'_> {
    /// Messages that are not complete must be the last of their handler; are there few enough?
    fn is_plausible(self, point: &Point<'_>) -> bool {
        let execution = point.execution;
        Place::all(point, self).all(|place| {
            let starts_last = self.last_starts_on(execution, place.id);
            let starting = place.starting.len() + usize::from(starts_last);
            let cut = place.starting.iter().filter(|&&m| !self.completes(execution, m)).count();
            let blocked = place.active.is_some_and(|m| !self.completes(execution, m));
            starting == 0 || (!blocked && cut + usize::from(starts_last) <= 1)
        })
    }

    /// Does the second event of the race start a message on this handler?
    pub fn last_starts_on(&self, execution: &Execution, handler: HandlerId) -> bool {
        self.last.is_some_and(|last| last.starts && execution.handler(last.task) == Some(handler))
    }

    /// Does the message end within the demand?
    pub fn completes(&self, execution: &Execution, message: TaskId) -> bool {
        let ends_last = self.last.is_some_and(|last| last.task == message && last.ends);
        let end = execution.end_of(message);
        self.all_end
            || ends_last && !self.last_at_end
            || end.is_some_and(|end| bits::contains(self.members, end))
            || self.lead.is_some_and(|lead| lead.message == message)
    }

    /// Must the leading message have gone before this one of the same handler starts?
    pub fn is_behind_lead(&self, point: &Point<'_>, lead: &Lead, message: TaskId) -> bool {
        let execution = point.execution;
        // Messages posted before the leading one are before it in a FIFO mailbox anyway.
        message != lead.message
            && (execution.handler(message).map(|handler| execution.mailbox(handler))
                == Some(Mailbox::Multiset)
                || point.post_time(message) >= point.post_time(lead.message))
    }
}

/// A handler that takes part.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which.
    pub id: HandlerId,
    /// Its policy.
    pub mailbox: Mailbox,
    /// The message that it is running.
    pub active: Option<TaskId>,
    /// Posted and not started, for FIFO mailboxes.
    pub queue: Vec<TaskId>,
    /// Messages that start among the members, in the order of the explored execution.
    pub starting: Vec<TaskId>,
}

impl Place {
    /// The handlers that have messages, as they are at a point.
    pub fn all<'p>(
        point: &'p Point<'_>,
        demand: Demand<'p>,
    ) -> impl Iterator<Item = Place> + use<'p> {
        let execution = point.execution;
        (0..execution.handler_count())
            .map(HandlerId::from)
            .filter(|&id| !execution.posted(id).is_empty())
            .map(move |id| Place::new(point, demand, id))
    }

    fn new(point: &Point<'_>, demand: Demand<'_>, id: HandlerId) -> Self {
        let execution = point.execution;
        let is_in =
            |event: Option<usize>, set: &[u64]| event.is_some_and(|e| bits::contains(set, e));
        let mailbox = execution.mailbox(id);
        let posted = execution.posted(id);
        let queued = |message: &&TaskId| {
            execution.creator(**message).is_none_or(|post| bits::contains(&point.happened, post))
                && !is_in(execution.start_of(**message), &point.happened)
        };
        let mut queue: Vec<TaskId> = match mailbox {
            Mailbox::Fifo => posted.iter().filter(queued).copied().collect(),
            Mailbox::Multiset => Vec::new(),
        };
        queue.sort_by_key(|&message| point.post_time(message));
        let mut starting: Vec<TaskId> = posted
            .iter()
            .copied()
            .filter(|&message| is_in(execution.start_of(message), demand.members))
            .collect();
        starting.sort_unstable_by_key(|&message| execution.start_of(message));
        Place { id, mailbox, active: point.active(id), queue, starting }
    }
}

/// An attempt at an order that takes the first choice each time.
struct Descent<'s> {
    point: &'s Point<'s>,
    execution: &'s Execution,
    demand: Demand<'s>,
    remaining: Bits,
    last_remains: bool,
    order: Vec<Member>,
    /// Handlers that take part.
    handlers: Vec<Place>,
}

impl<'s> Descent<'s> {
    fn new(point: &'s Point<'s>, demand: Demand<'s>) -> Self {
        Descent {
            point,
            execution: point.execution,
            demand,
            remaining: Bits::from_slice(demand.members),
            last_remains: demand.last.is_some(),
            order: Vec::new(),
            handlers: Place::all(point, demand).collect(),
        }
    }

    /// Performs everything, if the first choice is right each time.
    fn descend(&mut self) -> bool {
        loop {
            self.perform_free_events();
            if self.is_done() {
                return true;
            }
            let Some(choice) = self.choices().next() else {
                return false;
            };
            self.perform(choice);
        }
    }

    fn is_done(&self) -> bool {
        bits::is_empty(&self.remaining) && !self.last_remains
    }

    /// Performs everything that is no choice.
    fn perform_free_events(&mut self) {
        loop {
            let before = self.order.len();
            for event in bits::iter(&self.remaining.clone()) {
                if !self.is_choice(event) && self.is_ready(event) {
                    self.perform(Member::Event(event));
                }
            }
            if self.last_remains && !self.last_is_choice() && self.last_is_ready() {
                self.perform(Member::Last);
            }
            if self.order.len() == before {
                return;
            }
        }
    }

    fn is_ready(&self, event: usize) -> bool {
        !bits::intersects(self.execution.before(event), &self.remaining)
    }

    fn last_is_ready(&self) -> bool {
        let Some(last) = self.demand.last else {
            return false;
        };
        if self.demand.last_at_end {
            bits::is_empty(&self.remaining)
        } else {
            !bits::intersects(&last.before, &self.remaining)
        }
    }

    fn is_choice(&self, event: usize) -> bool {
        match self.execution.events()[event].effect {
            Effect::Start => true,
            Effect::Post(_, handler) => self.execution.mailbox(handler) == Mailbox::Fifo,
            _ => false,
        }
    }

    fn last_is_choice(&self) -> bool {
        self.demand.last.is_some_and(|last| last.starts)
    }

    /// Choices that can be made now and do not lead astray at once, in the explored execution's order.
    fn choices(&self) -> impl Iterator<Item = Member> + '_ {
        let events = bits::iter(&self.remaining)
            .filter(|&event| self.is_choice(event) && self.is_ready(event) && self.admits(event))
            .map(Member::Event);
        let last = self.demand.last.filter(|last| {
            self.last_remains
                && last.starts
                && self.last_is_ready()
                && self.admits_start(last.task, true)
        });
        events.chain(last.map(|_| Member::Last))
    }

    fn admits(&self, event: usize) -> bool {
        let it = &self.execution.events()[event];
        match it.effect {
            Effect::Start => self.admits_start(it.task, false),
            Effect::Post(message, handler) => self.admits_post(message, handler),
            _ => true,
        }
    }

    fn admits_start(&self, message: TaskId, is_last: bool) -> bool {
        let Some(id) = self.execution.handler(message) else {
            return true;
        };
        let Some(handler) = self.handlers.iter().find(|handler| handler.id == id) else {
            return true;
        };
        let waiting = || self.waiting_to_start(handler).filter(|&other| other != message);
        let incomplete = is_last || !self.demand.completes(self.execution, message);
        handler.active.is_none()
            && (handler.mailbox == Mailbox::Multiset || handler.queue.first() == Some(&message))
            && self.lead_admits(handler, message)
            && !(incomplete && waiting().next().is_some())
            && !waiting().any(|other| self.must_precede(other, message))
    }

    /// Messages of a handler that have not started yet.
    fn waiting_to_start<'h>(&'h self, handler: &'h Place) -> impl Iterator<Item = TaskId> + 'h {
        handler.starting.iter().copied().filter(|&message| {
            let start = self.execution.start_of(message).expect("it starts");
            bits::contains(&self.remaining, start)
        })
    }

    /// Does something in `first` happen before something that remains of `second`?
    fn must_precede(&self, first: TaskId, second: TaskId) -> bool {
        let start = self.execution.start_of(first).expect("it starts");
        let events = self.execution.events_of(second).iter().rev();
        let last =
            events.map(|&event| event as usize).find(|&e| bits::contains(self.demand.members, e));
        last.is_some_and(|last| self.execution.happens_before(start, last))
    }

    fn lead_admits(&self, handler: &Place, message: TaskId) -> bool {
        let Some(lead) = self.demand.lead else {
            return true;
        };
        if self.execution.handler(lead.message) != Some(handler.id)
            || !self.demand.is_behind_lead(self.point, lead, message)
        {
            return true;
        }
        let own_events_done = self
            .execution
            .events_of(lead.message)
            .iter()
            .all(|&event| !bits::contains(&self.remaining, event as usize));
        let last_done = !self.last_remains
            || !(lead.barrier_has_last
                || self.demand.last.is_some_and(|last| last.task == lead.message));
        own_events_done && last_done && !bits::intersects(&lead.barrier, &self.remaining)
    }

    fn admits_post(&self, message: TaskId, handler: HandlerId) -> bool {
        let Some(handler) = self.handlers.iter().find(|h| h.id == handler) else {
            return true;
        };
        let unposted = |other: &TaskId| {
            let post = self.execution.creator(*other);
            post.is_some_and(|post| bits::contains(&self.remaining, post))
        };
        let mut others =
            self.waiting_to_start(handler).filter(|other| *other != message && unposted(other));
        let lead = self.demand.lead.map(|lead| lead.message);
        if let Some(lead) = lead.filter(|&lead| self.execution.handler(lead) == Some(handler.id)) {
            // The leading message is posted first, and runs to its end though it may not be seen to.
            if lead == message || unposted(&lead) {
                return lead == message;
            }
        }
        let starts = handler.starting.contains(&message);
        if starts && self.demand.completes(self.execution, message) {
            !others.any(|other| self.must_precede(other, message))
        } else {
            // What never completes, or never starts, comes behind all that does.
            others.next().is_none()
        }
    }

    fn perform(&mut self, member: Member) {
        self.order.push(member);
        let (task, effect, ends) = match member {
            Member::Event(event) => {
                bits::remove(&mut self.remaining, event);
                let it = &self.execution.events()[event];
                (it.task, it.effect, it.ends_task)
            }
            Member::Last => {
                self.last_remains = false;
                let last = self.demand.last.expect("it remained");
                let effect = if last.starts { Effect::Start } else { Effect::None };
                (last.task, effect, last.ends)
            }
        };
        if let Effect::Post(message, handler) = effect
            && let Some(handler) = self.handlers.iter_mut().find(|h| h.id == handler)
            && handler.mailbox == Mailbox::Fifo
            && (handler.starting.contains(&message)
                || self.demand.lead.is_none_or(|lead| lead.message != message))
        {
            handler.queue.push(message);
        }
        let Some(own) = self.execution.handler(task) else {
            return;
        };
        let Some(handler) = self.handlers.iter_mut().find(|h| h.id == own) else {
            return;
        };
        if effect == Effect::Start {
            handler.queue.retain(|&message| message != task);
            handler.active = Some(task);
        }
        let virtual_end = self.demand.lead.is_some_and(|lead| lead.message == task);
        if (ends || virtual_end) && handler.active == Some(task) {
            handler.active = None;
        }
    }
}
