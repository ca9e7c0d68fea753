//! Handlers, mailboxes and locks, moved on by an event of an explored execution at a time: what may come next, if
//! everybody does what they did there?

use super::explored::Explored;
use super::imagined::Events;
use super::wanted::Target;
use crate::bits::{self, Bits};
use crate::ids::{HandlerId, TaskId};
use crate::operation::{Effect, Mode};
use crate::pace::Pace;
use crate::program::Mailbox;
use crate::touch::Touch;
use crate::watch::Watch;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// To ask whether an event may come next takes as long as so many words.
const WORK_FOR_A_QUESTION: usize = 32;

/// The state that the order of events depends on.
pub struct Machine<'e> {
    explored: &'e Explored,
    events: Events<'e>,
    done: Bits,
    /// Those that have been posted to.
    handlers: Vec<Handler>,
    locks: FxHashMap<u32, Lock>,
}

#[derive(Clone, Default)]
struct Handler {
    active: Option<TaskId>,
    /// Posted and not started.
    posted: VecDeque<TaskId>,
}

#[derive(Clone, Copy, Default)]
struct Lock {
    exclusive: i64,
    shared: i64,
    permits: i64,
}

impl<'e> Machine<'e> {
    /// Before everything.
    pub fn new(explored: &'e Explored) -> Self {
        let permits = explored.permits().iter();
        let lock = |permits: i64| Lock { permits, ..Lock::default() };
        let events = explored.events();
        Machine {
            explored,
            events,
            done: bits::empty(events.len().div_ceil(64).max(1)),
            handlers: vec![Handler::default(); explored.execution.handler_count()],
            locks: permits.map(|(&slot, &permits)| (slot, lock(permits))).collect(),
        }
    }

    /// May an event come next?
    pub fn admits(&self, event: usize) -> bool {
        let it = self.events.event(event);
        let mut past = self.events.past(event).iter();
        past.all(|&earlier| bits::contains(&self.done, earlier as usize))
            && (it.effect != Effect::Start
                || self.admits_start(it.task, self.events.handler(event)))
            && (it.data_dependent
                || self
                    .events
                    .touches(event)
                    .iter()
                    .all(|touch| self.is_free(touch.slot, touch.mode)))
    }

    /// May the event come next that is wanted behind others, all that it follows being there?
    pub fn admits_target(&self, target: &Target) -> bool {
        let execution = &self.explored.execution;
        let handler = || execution.handler(target.task).map(|it| (it, execution.mailbox(it)));
        (!target.starts || self.admits_start(target.task, handler()))
            && target.waits_on.is_none_or(|touch| self.is_free(touch.slot, touch.mode))
    }

    fn admits_start(&self, message: TaskId, handler: Option<(HandlerId, Mailbox)>) -> bool {
        let Some((id, mailbox)) = handler else { return true };
        let Some(handler) = self.handlers.get(id.index()) else { return false };
        handler.active.is_none()
            && (mailbox == Mailbox::Multiset || handler.posted.front() == Some(&message))
    }

    fn is_free(&self, slot: u32, mode: Mode) -> bool {
        let Lock { exclusive, shared, permits } =
            self.locks.get(&slot).copied().unwrap_or_default();
        match mode {
            Mode::Lock => exclusive == 0 && shared == 0,
            Mode::LockShared => exclusive == 0,
            Mode::Wait => permits > 0,
            _ => true,
        }
    }

    /// Moves on.
    pub fn perform(&mut self, event: usize) {
        bits::insert(&mut self.done, event);
        self.events.touches(event).iter().for_each(|&touch| self.touch(touch));
        let it = self.events.event(event);
        if let Effect::Post(message, id) = it.effect {
            self.handler(id).posted.push_back(message);
        }
        let Some((id, _)) = self.events.handler(event) else { return };
        let handler = self.handler(id);
        if it.effect == Effect::Start {
            handler.active = Some(it.task);
            handler.posted.retain(|&message| message != it.task);
        }
        if it.ends_task {
            handler.active = None;
        }
    }

    fn handler(&mut self, id: HandlerId) -> &mut Handler {
        if self.handlers.len() <= id.index() {
            self.handlers.resize(id.index() + 1, Handler::default());
        }
        &mut self.handlers[id.index()]
    }

    fn touch(&mut self, touch: Touch) {
        if matches!(touch.mode, Mode::Read | Mode::Write | Mode::Update) {
            return;
        }
        let lock = self.locks.entry(touch.slot).or_default();
        match touch.mode {
            Mode::Lock => lock.exclusive += 1,
            Mode::Unlock => lock.exclusive -= 1,
            Mode::LockShared => lock.shared += 1,
            Mode::UnlockShared => lock.shared -= 1,
            Mode::Signal => lock.permits += 1,
            Mode::Wait => lock.permits -= 1,
            Mode::Read | Mode::Write | Mode::Update => {}
        }
    }
}

/// How an execution that begins with these events goes on if everybody does what they did in the explored one, and those who waited
/// there what they did elsewhere: all its events, and what `finally` reads if it is complete. Nothing if it cannot begin so, or if the time is up.
pub fn forecast<'e>(
    explored: &'e Explored,
    order: &[usize],
    watch: &Watch,
) -> Option<(Vec<usize>, Option<&'e [u32]>)> {
    let mut machine = Machine::new(explored);
    for &event in order {
        if !machine.admits(event) {
            return None;
        }
        machine.perform(event);
    }
    let mut all = order.to_vec();
    let mut open: Vec<usize> =
        (0..machine.events.len()).filter(|&event| !bits::contains(&machine.done, event)).collect();
    let mut pace = Pace::new(watch);
    while let Some(next) = open.iter().position(|&event| machine.admits(event)) {
        if pace.is_up_after(WORK_FOR_A_QUESTION * next + open.len()) {
            return None;
        }
        let event = open.remove(next);
        machine.perform(event);
        all.push(event);
    }
    let final_reads = explored.events().final_reads().filter(|_| open.is_empty());
    Some((all, final_reads))
}
