//! Races: pairs of events whose order can be reversed, and what an operation that waits competes with.

use super::Execution;
use super::conflicts::rivals;
use crate::ids::TaskId;
use crate::operation::{Access, Effect, Mode, Operation};
use crate::program::{Mailbox, Run};
use crate::touch::{Dependence, Touch, touches_of_waiting};
use smallvec::SmallVec;

/// A task whose next operation waits at the end of an execution.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// What the operation would touch.
    pub touches: SmallVec<[Touch; 2]>,
    /// Its accesses, without values.
    pub accesses: SmallVec<[Access; 1]>,
    /// The events that it follows whatever the schedule.
    pub past: SmallVec<[u32; 2]>,
    /// The events that it could be performed without.
    pub races: Vec<u32>,
}

impl Execution {
    /// What the next operation of a task that waits would touch, and the events that it could be performed
    /// without: the races of an event that did not happen. Nothing if it waits for an event that did not happen either.
    pub fn races_of_waiting(
        &self,
        run: &impl Run,
        task: TaskId,
        waiting: Operation,
    ) -> Option<Waiting> {
        let past = self.past_of_waiting(run, task)?;
        let touches = touches_of_waiting(self.dependence, run, task, waiting);
        let accesses = match waiting {
            Operation::Access(object, mode) => {
                SmallVec::from_slice(&[Access { object, mode, read: 0, written: 0 }])
            }
            _ => SmallVec::new(),
        };
        let mut rivals = Vec::new();
        for &touch in &touches {
            self.rivals_of(touch, &mut rivals);
        }
        let races = rivals.iter().filter_map(|&first| self.rival(first, task, &past)).collect();
        Some(Waiting { touches, accesses, past, races })
    }

    /// The events that the next operation of a task follows whatever the schedule, if all of them have happened.
    pub fn past_of_waiting(&self, run: &impl Run, task: TaskId) -> Option<SmallVec<[u32; 2]>> {
        let previous = self.events_of(task).last().copied();
        let previous = previous.or(self.creator(task).map(|event| event as u32));
        let awaited = run.gate_of(task).iter();
        let awaited =
            awaited.map(|&(other, events)| self.events_of(other).get(events as usize - 1).copied());
        previous.map(Some).into_iter().chain(awaited).collect()
    }

    /// Is an event one of these, or does it happen before one?
    pub fn is_needed(&self, event: u32, past: &[u32]) -> bool {
        past.iter()
            .any(|&later| later == event || self.happens_before(event as usize, later as usize))
    }

    /// What an operation that waits competes with.
    fn rivals_of(&self, touch: Touch, into: &mut Vec<u32>) {
        let happens_before = |a: u32, b: u32| self.happens_before(a as usize, b as usize);
        rivals(self.history(touch), touch, happens_before, into);
        if touch.mode == Mode::Wait && self.dependence == Dependence::Queues {
            // The latest permit may be out of reach, because the message that took it had just given it back.
            let history = self.history(touch).iter();
            let waits = history.filter(|(_, earlier)| earlier.mode == Mode::Wait);
            let others = waits.map(|&(event, _)| event).filter(|event| !into.contains(event));
            let others: SmallVec<[u32; 8]> = others.collect();
            into.extend(others);
        }
    }

    /// Corrects the races that end in the new event (Definition 5 of the Event-DPOR paper) where it might have had to
    /// wait: taking a lock races with the last time it was taken, since the release in between cannot be
    /// overtaken.
    pub(super) fn find_races_of_waiting(&mut self, event: usize) {
        let it = self.events()[event];
        // An attempt (`try_lock`) does not wait: it depends on what it sees.
        let may_block = |touch: &&Touch| touch.mode.may_block();
        let waits = !it.data_dependent && self.touches(event).iter().any(|touch| may_block(&touch));
        // A start that does not wait is the next of a FIFO mailbox: its place was taken by the post.
        if waits || it.effect == Effect::Start {
            let own = self.races.iter().rev().take_while(|race| race.1 as usize == event).count();
            self.races.truncate(self.races.len() - own);
        }
        if !waits {
            return;
        }
        let from = self.races.len();
        let mut rivals = std::mem::take(&mut self.found);
        rivals.clear();
        for &touch in self.touches(event).iter().filter(may_block) {
            self.rivals_of(touch, &mut rivals);
        }
        for &first in &rivals {
            let race = self.rival(first, it.task, self.program_past(event));
            let race = race.map(|rival| (rival, event as u32));
            self.races.extend(race.filter(|race| !self.races[from..].contains(race)));
        }
        self.found = rivals;
    }

    /// What has to wait if an event of `task` is to come before `first`, an event of another task: that itself, or the
    /// whole message from its start on, if `task` is a message of the same multiset handler. Nothing if the event needs
    /// it; `past` is what it follows whatever the schedule. (A message that is needed can only be overtaken where an
    /// earlier event of `task` overtakes it.)
    pub fn rival(&self, first: u32, task: TaskId, past: &[u32]) -> Option<u32> {
        let rival = self.rival_unless(first, task, |event| self.is_needed(event, past))?;
        let can_wait = self.dependence != Dependence::Queues
            || self.prefix_without(first as usize, task, past).is_some();
        can_wait.then_some(rival)
    }

    /// How many of the first events may come as they did if an event of `task` that needs `past` is to come before `first`, as far as handlers
    /// say; nothing if it cannot. Of messages of one queue that are to change places the first must not have been posted; if messages of
    /// one handler post them, these must change places too, and so on.
    pub fn prefix_without(&self, first: usize, task: TaskId, past: &[u32]) -> Option<usize> {
        let (mut first, mut task) = (first, task);
        // The post of what must come first, if it is the order of two posts that is in question.
        let mut post = None;
        loop {
            let is_needed = |event: usize| match post {
                None => self.is_needed(event as u32, past),
                Some(post) => self.happens_before(event, post),
            };
            let message = self.events()[first].task;
            let handler = self.handler(message).filter(|_| message != task);
            let Some(handler) = handler.filter(|_| handler == self.handler(task)) else {
                return (!is_needed(first)).then_some(first);
            };
            let start = self.start_of(message)?;
            if is_needed(start) {
                return None;
            }
            if self.mailbox(handler) == Mailbox::Multiset {
                return Some(start);
            }
            let (Some(earlier), Some(later)) = (self.creator(message), self.creator(task)) else {
                return Some(start);
            };
            (first, task, post) = (earlier, self.events()[later].task, Some(later));
        }
    }

    /// The same, where `is_needed` says what the event needs.
    pub fn rival_unless(
        &self,
        first: u32,
        task: TaskId,
        is_needed: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let other = self.events()[first as usize].task;
        let handler = self.handler(other);
        if handler.is_none() || handler != self.handler(task) {
            return (!is_needed(first)).then_some(first);
        }
        let start = self.events_of(other)[0];
        let is_multiset = handler.is_some_and(|handler| self.mailbox(handler) == Mailbox::Multiset);
        (!is_needed(start)).then_some(if is_multiset { start } else { first })
    }
}
