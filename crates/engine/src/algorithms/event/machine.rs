//! Handlers and mailboxes at a point, moved on by an event at a time: what may be performed next in a scenario?

use super::scenario::{Lead, Scenario};
use crate::bits::{self, Bits};
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use crate::operation::Effect;
use crate::program::Mailbox;
use crate::reversal::Member;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The handlers of a scenario.
pub struct Machine<'s> {
    scenario: Scenario<'s>,
    execution: &'s Execution,
    handlers: SmallVec<[Handler; 4]>,
    lead: Option<Leading<'s>>,
}

struct Handler {
    mailbox: Mailbox,
    /// The message that it is running.
    active: Option<TaskId>,
    /// Posted and not started, for FIFO mailboxes.
    queue: VecDeque<TaskId>,
    /// How many messages are still to start and will end.
    to_start: usize,
    /// How many messages are still to be posted that start and end, and how many that only start.
    to_post: [usize; 2],
}

/// A message that goes first.
struct Leading<'s> {
    lead: &'s Lead,
    handler: HandlerId,
    /// What has to happen before those behind it start.
    awaited: Bits,
    awaits_last: bool,
    /// Is its post still to come? Then it is the first to its queue.
    is_to_be_posted: bool,
}

impl<'s> Machine<'s> {
    /// At the point of the scenario.
    pub fn new(scenario: Scenario<'s>) -> Self {
        let execution = scenario.execution();
        let handlers = (0..execution.handler_count()).map(HandlerId::from).map(|id| {
            let mailbox = execution.mailbox(id);
            let queue = match mailbox {
                Mailbox::Fifo => scenario.point.queue(id).into(),
                Mailbox::Multiset => VecDeque::new(),
            };
            let active = scenario.point.active(id);
            let starts = bits::common(scenario.members, execution.starts_on(id));
            let starting = bits::iter(&starts).map(|start| execution.events()[start].task);
            let last = scenario.last.filter(|_| scenario.last_starts_on(id)).map(|last| last.task);
            let (mut to_start, mut to_post) = (0, [0; 2]);
            for message in starting.chain(last) {
                let ends = Some(message) != last && scenario.completes(message);
                to_start += usize::from(ends);
                to_post[usize::from(!ends)] += usize::from(scenario.post_of(message).is_some());
            }
            Handler { mailbox, active, queue, to_start, to_post }
        });
        let lead = scenario.lead.and_then(|lead| Leading::new(scenario, lead));
        Machine { scenario, execution, handlers: handlers.collect(), lead }
    }

    /// Does it not lead astray at once? What does not end takes the last turn, and the last place in a queue.
    pub fn recommends(&self, member: Member) -> bool {
        let Member::Event(event) = member else {
            let starts = self.scenario.last.filter(|last| last.starts);
            let handler = starts.and_then(|last| self.execution.handler(last.task));
            return handler.is_none_or(|id| self.handlers[id.index()].to_start == 0);
        };
        let it = &self.execution.events()[event];
        match it.effect {
            Effect::Start => {
                self.scenario.completes(it.task)
                    || self
                        .execution
                        .handler(it.task)
                        .is_none_or(|id| self.handlers[id.index()].to_start == 0)
            }
            Effect::Post(message, id) => {
                let handler = &self.handlers[id.index()];
                let ahead = &handler.to_post[..self.rank(message)];
                self.leads(message)
                    || handler.mailbox == Mailbox::Multiset
                    || ahead.iter().all(|&count| count == 0)
            }
            _ => true,
        }
    }

    /// Must the message go first?
    fn leads(&self, message: TaskId) -> bool {
        self.lead.as_ref().is_some_and(|leading| leading.lead.message == message)
    }

    /// Messages that start and end come first in a queue, then one that only starts, then the others.
    fn rank(&self, message: TaskId) -> usize {
        let starts_last =
            self.scenario.last.is_some_and(|last| last.starts && last.task == message);
        match self.runs_through(message) {
            true => 0,
            false if starts_last || self.scenario.events_of(message).next().is_some() => 1,
            false => 2,
        }
    }

    /// Does the message start and end here?
    fn runs_through(&self, message: TaskId) -> bool {
        let execution = self.execution;
        let is_member = |start: usize| bits::contains(self.scenario.members, start);
        execution.start_of(message).is_some_and(is_member) && self.scenario.completes(message)
    }

    /// May this come next, as far as handlers are concerned?
    pub fn admits(&self, member: Member) -> bool {
        match member {
            Member::Event(event) => {
                let it = &self.execution.events()[event];
                match it.effect {
                    Effect::Start => self.admits_start(it.task),
                    Effect::Post(message, handler) => self.admits_post(message, handler),
                    _ => true,
                }
            }
            Member::Last => {
                self.scenario.last.is_some_and(|last| !last.starts || self.admits_start(last.task))
            }
        }
    }

    fn admits_start(&self, message: TaskId) -> bool {
        let Some(id) = self.execution.handler(message) else { return true };
        let handler = &self.handlers[id.index()];
        handler.active.is_none()
            && (handler.mailbox == Mailbox::Multiset || handler.queue.front() == Some(&message))
            && self.lead.as_ref().filter(|leading| leading.handler == id).is_none_or(|leading| {
                leading.is_through() || !self.scenario.is_behind_lead(leading.lead, message)
            })
    }

    fn admits_post(&self, message: TaskId, handler: HandlerId) -> bool {
        let leads = self.lead.as_ref().filter(|leading| leading.handler == handler);
        leads.is_none_or(|leading| !leading.is_to_be_posted || leading.lead.message == message)
    }

    /// Moves on.
    pub fn perform(&mut self, member: Member) {
        let (task, effect, ends) = match member {
            Member::Event(event) => {
                let it = &self.execution.events()[event];
                (it.task, it.effect, it.ends_task)
            }
            Member::Last => {
                let last = self.scenario.last.expect("it is performed");
                let effect = if last.starts { Effect::Start } else { Effect::None };
                (last.task, effect, last.ends)
            }
        };
        if let Some(leading) = &mut self.lead {
            leading.perform(member, effect);
        }
        if let Effect::Post(message, handler) = effect {
            self.post(message, handler);
        }
        if let Some(id) = self.execution.handler(task) {
            self.turn(id, task, effect == Effect::Start, ends);
        }
    }

    fn post(&mut self, message: TaskId, handler: HandlerId) {
        let rank = self.rank(message);
        // A leading message that is not seen to start will have gone when others start.
        let goes_unseen = self.leads(message) && self.scenario.events_of(message).next().is_none();
        let handler = &mut self.handlers[handler.index()];
        if let Some(count) = handler.to_post.get_mut(rank) {
            *count -= 1;
        }
        if handler.mailbox == Mailbox::Fifo && !goes_unseen {
            handler.queue.push_back(message);
        }
    }

    fn turn(&mut self, id: HandlerId, task: TaskId, starts: bool, ends: bool) {
        let leads = self.leads(task);
        let runs_through = starts && self.runs_through(task);
        let handler = &mut self.handlers[id.index()];
        handler.to_start -= usize::from(runs_through);
        if starts {
            if handler.queue.front() == Some(&task) {
                handler.queue.pop_front();
            }
            handler.active = Some(task);
        }
        // What a leading message has still to do is not seen; others wait until it is through.
        if (ends || leads) && handler.active == Some(task) {
            handler.active = None;
        }
    }
}

impl<'s> Leading<'s> {
    fn new(scenario: Scenario<'s>, lead: &'s Lead) -> Option<Self> {
        let mut awaited = bits::common(&lead.barrier, scenario.members);
        scenario.events_of(lead.message).for_each(|event| bits::insert(&mut awaited, event));
        let is_own = scenario.last.is_some_and(|last| last.task == lead.message);
        Some(Leading {
            lead,
            handler: scenario.execution().handler(lead.message)?,
            awaited,
            awaits_last: scenario.last.is_some() && (is_own || lead.barrier_has_last),
            is_to_be_posted: scenario.post_of(lead.message).is_some(),
        })
    }

    fn is_through(&self) -> bool {
        !self.awaits_last && bits::is_empty(&self.awaited)
    }

    fn perform(&mut self, member: Member, effect: Effect) {
        match member {
            Member::Event(event) => bits::remove(&mut self.awaited, event),
            Member::Last => self.awaits_last = false,
        }
        if matches!(effect, Effect::Post(message, _) if message == self.lead.message) {
            self.is_to_be_posted = false;
        }
    }
}
