//! Handlers, mailboxes and locks, moved on by an event of an explored execution at a time: what may come next, if
//! everybody does what they did there?

use super::explored::Explored;
use super::wanted::Target;
use crate::bits::{self, Bits};
use crate::ids::TaskId;
use crate::operation::{Effect, Mode};
use crate::program::Mailbox;
use crate::touch::Touch;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The state that the order of events depends on.
pub struct Machine<'e> {
    explored: &'e Explored,
    done: Bits,
    handlers: Vec<Handler>,
    locks: FxHashMap<u32, Lock>,
}

#[derive(Clone, Default)]
struct Handler {
    active: Option<TaskId>,
    /// Posted and not started, if the mailbox is a queue.
    queue: VecDeque<TaskId>,
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
        let permits = explored.end.permits.iter();
        let lock = |permits: i64| Lock { permits, ..Lock::default() };
        Machine {
            explored,
            done: bits::empty(explored.relation.words()),
            handlers: vec![Handler::default(); explored.execution.handler_count()],
            locks: permits.map(|(&slot, &permits)| (slot, lock(permits))).collect(),
        }
    }

    /// May an event come next?
    pub fn admits(&self, event: usize) -> bool {
        let execution = &self.explored.execution;
        let it = &execution.events()[event];
        let mut past = execution.program_past(event).iter();
        past.all(|&earlier| bits::contains(&self.done, earlier as usize))
            && (it.effect != Effect::Start || self.admits_start(it.task))
            && (it.data_dependent
                || execution
                    .touches(event)
                    .iter()
                    .all(|touch| self.is_free(touch.slot, touch.mode)))
    }

    /// May the event come next that is wanted behind others, all that it follows being there?
    pub fn admits_target(&self, target: &Target) -> bool {
        (!target.starts || self.admits_start(target.task))
            && target.waits_on.is_none_or(|touch| self.is_free(touch.slot, touch.mode))
    }

    fn admits_start(&self, message: TaskId) -> bool {
        let execution = &self.explored.execution;
        let Some(id) = execution.handler(message) else { return true };
        let handler = &self.handlers[id.index()];
        handler.active.is_none()
            && (execution.mailbox(id) == Mailbox::Multiset
                || handler.queue.front() == Some(&message))
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
        let execution = &self.explored.execution;
        bits::insert(&mut self.done, event);
        execution.touches(event).iter().for_each(|&touch| self.touch(touch));
        let it = &execution.events()[event];
        if let Effect::Post(message, id) = it.effect
            && execution.mailbox(id) == Mailbox::Fifo
        {
            self.handlers[id.index()].queue.push_back(message);
        }
        let Some(id) = execution.handler(it.task) else { return };
        let handler = &mut self.handlers[id.index()];
        if it.effect == Effect::Start {
            handler.active = Some(it.task);
            handler.queue.pop_front();
        }
        if it.ends_task {
            handler.active = None;
        }
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

/// How an execution that begins with these events goes on if everybody does what they did in the explored one: all events
/// of it. Nothing if that is not possible.
pub fn forecast(explored: &Explored, order: &[usize]) -> Option<Vec<usize>> {
    let mut machine = Machine::new(explored);
    for &event in order {
        if !machine.admits(event) {
            return None;
        }
        machine.perform(event);
    }
    let mut all = order.to_vec();
    let mut open: Vec<usize> = (0..explored.execution.len())
        .filter(|&event| !bits::contains(&machine.done, event))
        .collect();
    while !open.is_empty() {
        let next = open.iter().position(|&event| machine.admits(event))?;
        let event = open.remove(next);
        machine.perform(event);
        all.push(event);
    }
    Some(all)
}
