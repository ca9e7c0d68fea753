//! Where to go back to, and whom to explore there, so that two events change places (algorithms 2 to 4 of
//! the paper).

use super::EmDpor;
use crate::bits;
use crate::ids::{HandlerId, TaskId};
use crate::program::{Mailbox, Program};
use rustc_hash::FxHashSet;

/// A task that leads to the second event, and the task that runs in its lane at the state in question.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    task: TaskId,
    executable: TaskId,
    /// Does its first event need none of the others that lead to the second event?
    begins: bool,
}

/// Pairs of posts that one call has dealt with.
type Seen = FxHashSet<(usize, usize)>;

impl<P: Program> EmDpor<'_, P> {
    /// Has the next event of `task`, or the one that has `before` before it, explored before `first`.
    pub(super) fn reorder(&mut self, first: usize, task: TaskId, before: &[u64]) {
        self.driver.statistics.races += 1;
        let other = self.driver.execution().events()[first].task;
        let mut seen = Seen::default();
        if self.lane(other) == self.lane(task) {
            self.swap_messages(other, task, &mut seen);
        } else {
            self.find_target(first, task, before, &mut seen);
        }
    }

    /// Has whatever may lead to a second event explored before `first`, where it is not known what that is.
    pub(super) fn reorder_blindly(&mut self, first: usize) {
        self.backtrack_eagerly(first, &mut Seen::default());
    }

    /// Has two messages of one queue posted in the other order.
    pub(super) fn reorder_posts(&mut self, first: TaskId, second: TaskId) {
        self.driver.statistics.races += 1;
        self.swap_messages(first, second, &mut Seen::default());
    }

    /// Step 1: goes up the chains of posts to where they run in different lanes.
    fn swap_messages(&mut self, first: TaskId, second: TaskId, seen: &mut Seen) {
        let execution = self.driver.execution();
        let (Some(one), Some(other)) = (execution.creator(first), execution.creator(second)) else {
            return;
        };
        if !seen.insert((one, other)) || one >= other || self.order.happens_before(one, other) {
            return;
        }
        let (poster, other_poster) = (execution.events()[one].task, execution.events()[other].task);
        if self.lane(poster) == self.lane(other_poster) {
            if poster != other_poster {
                self.swap_messages(poster, other_poster, seen);
            }
            return;
        }
        let before = self.order.before(other).to_vec();
        self.find_target(one, other_poster, &before, seen);
    }

    /// Steps 2 to 4. `before`: what happens before the event of `task` that shall come before `first`.
    fn find_target(&mut self, first: usize, task: TaskId, before: &[u64], seen: &mut Seen) {
        let before = self.with_needed_turns(task, before);
        let candidates = self.candidates(first, task, &before);
        if candidates.is_empty() {
            self.backtrack_eagerly(first, seen);
            return;
        }
        let begins = candidates.iter().any(|c| c.begins);
        let mut useful = candidates.iter().filter(|c| c.begins || !begins);
        if !useful.clone().any(|c| self.covers(first, c)) {
            let frame = &mut self.frames[first];
            let awake = useful.clone().find(|c| !frame.sleeps(c.executable));
            if let Some(next) = awake.or(useful.next()) {
                frame.add(next.executable);
                self.driver.statistics.wakeups += 1;
            }
        }
        // What will be explored from there may show the other order, or a race that is closer to it. What could be, but
        // nobody has asked for, shows nothing.
        let frame = &self.frames[first];
        if !candidates.iter().any(|c| frame.is_pending(c.executable)) {
            self.reschedule(first, candidates, seen);
        }
    }

    /// These events, and all that happens before the ends of messages that come before others of their queue in any case:
    /// one event of the earlier message is among these, and one of the later (or its next, if that is `task`).
    fn with_needed_turns(&self, task: TaskId, before: &[u64]) -> Vec<u64> {
        let execution = self.driver.execution();
        let mut row = self.order.closure([]);
        bits::union(&mut row, before);
        loop {
            let takes_part = |&message: &TaskId| {
                let mut events = execution.events_of(message).iter();
                events.any(|&event| bits::contains(&row, event as usize))
            };
            let mut ends = Vec::new();
            for handler in (0..execution.handler_count()).map(HandlerId::from) {
                if execution.mailbox(handler) == Mailbox::Fifo {
                    let posted = execution.posted(handler);
                    let last = posted.iter().rposition(|it| *it == task || takes_part(it));
                    let earlier = posted[..last.unwrap_or(0)].iter().filter(|it| takes_part(it));
                    ends.extend(earlier.filter_map(|&message| execution.end_of(message)));
                }
            }
            ends.retain(|&end| !bits::contains(&row, end));
            if ends.is_empty() {
                return row;
            }
            bits::union(&mut row, &self.order.closure(ends));
        }
    }

    /// Does an exploration from the state before `first`, or one that makes it needless, stand for the sequence that the
    /// candidate is part of? What is explored from there does, since it meets what should come before it. What sleeps does
    /// only if it begins the sequence, and if it posts, only as the first that posts to its queue: what was explored
    /// from it has its message before those of all later posts, and the sequence may need another order.
    fn covers(&self, first: usize, candidate: &Candidate) -> bool {
        let (frame, task) = (&self.frames[first], candidate.executable);
        let sleeps = || candidate.begins && frame.sleeps(task) && !self.posts_late(first, task);
        frame.backtrack.contains(&task) || sleeps()
    }

    /// Does the next event of `task` behind `first` post to a queue that another one has posted to since then?
    fn posts_late(&self, first: usize, task: TaskId) -> bool {
        let own = self.driver.execution().events_of(task).iter().map(|&event| event as usize);
        let Some(next) = own.into_iter().find(|&event| event > first) else {
            return false;
        };
        let queue = self.explored(next).queue;
        let is_rival = |event: usize| {
            self.explored(event).queue == queue && !self.order.happens_before(first, event)
        };
        queue.is_some() && (first + 1..next).any(is_rival)
    }

    /// Tasks that exist before `first`, have an event after it that leads to the second event and does
    /// not need `first`, and run in a lane that can move there.
    fn candidates(&self, first: usize, task: TaskId, before: &[u64]) -> Vec<Candidate> {
        let execution = self.driver.execution();
        let leads = |&event: &usize| event > first && !self.order.happens_before(first, event);
        let events: Vec<usize> = bits::iter(before).filter(leads).collect();
        let mut row = vec![0; before.len()];
        let mut tasks: Vec<(TaskId, bool)> = Vec::new();
        for &event in &events {
            let other = execution.events()[event].task;
            if !tasks.iter().any(|&(task, _)| task == other) {
                let free = !bits::intersects(&row, self.order.before(event));
                tasks.push((other, free && !self.is_later_post(event, &row)));
            }
            bits::insert(&mut row, event);
        }
        if !tasks.iter().any(|&(known, _)| known == task) {
            tasks.insert(0, (task, events.is_empty()));
        }
        tasks.retain(|&(task, _)| execution.creator(task).is_none_or(|creator| creator < first));
        let candidate = |(task, begins): (TaskId, bool)| {
            let lane = self.lane(task);
            let mut enabled = self.frames[first].enabled.iter().copied();
            let executable = enabled.find(|&other| self.lane(other) == lane)?;
            // A message that waits begins nothing if the one that has to end before it does not.
            let ahead = tasks.iter().find(|&&(other, _)| other == executable);
            let begins = begins && ahead.is_none_or(|&(_, begins)| begins);
            Some(Candidate { task, executable, begins })
        };
        tasks.iter().copied().filter_map(candidate).collect()
    }

    /// Does `event` post to a queue that one of `others` posts to?
    fn is_later_post(&self, event: usize, others: &[u64]) -> bool {
        let queue = self.explored(event).queue;
        queue.is_some() && bits::iter(others).any(|other| self.explored(other).queue == queue)
    }

    /// Step 3: a candidate that waits in a queue behind another message should be posted before it; and
    /// so on for what waits before that message.
    fn reschedule(&mut self, first: usize, mut candidates: Vec<Candidate>, seen: &mut Seen) {
        let mut swaps: Vec<(TaskId, TaskId)> = Vec::new();
        while let Some(candidate) = candidates.pop() {
            let swap = (candidate.executable, candidate.task);
            if candidate.task == candidate.executable || swaps.contains(&swap) {
                continue;
            }
            swaps.push(swap);
            candidates.extend(self.waiting_before(first, candidate.executable));
        }
        for (executable, waiting) in swaps {
            self.swap_messages(executable, waiting, seen);
        }
    }

    /// Messages that wait at the state before `first` and have an event that happens before the end of
    /// `task`.
    fn waiting_before(&self, first: usize, task: TaskId) -> Vec<Candidate> {
        match self.driver.execution().events_of(task).last() {
            Some(&last) => self.candidates(first, task, self.order.before(last as usize)),
            None => Vec::new(),
        }
    }

    /// Explores everybody, and every order of earlier posts.
    fn backtrack_eagerly(&mut self, first: usize, seen: &mut Seen) {
        let frame = &mut self.frames[first];
        for task in frame.enabled.clone() {
            if !frame.covers(task) {
                frame.add(task);
            }
        }
        let execution = self.driver.execution();
        let mut pairs = Vec::new();
        for handler in (0..execution.handler_count()).map(HandlerId::from) {
            if execution.mailbox(handler) != Mailbox::Fifo {
                continue;
            }
            let posted = execution.posted(handler);
            for (at, &second) in posted.iter().enumerate() {
                pairs.extend(posted[..at].iter().rev().map(|&earlier| (earlier, second)));
            }
        }
        let before = |task: TaskId| execution.creator(task).is_some_and(|post| post < first);
        pairs.retain(|&(_, second)| before(second));
        for (earlier, second) in pairs {
            self.swap_messages(earlier, second, seen);
        }
    }
}
