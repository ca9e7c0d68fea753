//! Executes a sequence from an earlier prefix, comes back, and compares two ends.
//!
//! Two ends that are reached from the same prefix are the same state if what the front-end compares
//! ([`Run::difference`]), the mailboxes and the failures on the way are the same. The time is that of the events
//! performed, and of what they touched.

use super::walk::{Move, Walk};
use crate::ids::{HandlerId, ObjectId, TaskId};
use crate::operation::{Effect, Fault, Next};
use crate::program::{LeaveOut, Mailbox, Program, Run};
use crate::touch::touches_of;
use crate::wakeup::Explored;

/// Where some moves lead.
#[derive(PartialEq, Eq)]
struct End {
    difference: Vec<i64>,
    /// For each handler that was posted to or began a message: which one it runs, and what waits.
    handlers: Vec<(HandlerId, Option<TaskId>, Vec<TaskId>)>,
    /// What failed on the way, and whose failure it was.
    failures: Vec<(TaskId, String, Option<String>)>,
}

impl<P: Program> Walk<'_, P> {
    /// Can both sequences of moves be made after the first `depth` events of the current execution, and do they lead to
    /// the same state? Then what the events of the second one touch.
    pub fn same_end(
        &mut self,
        depth: usize,
        one: &[Move],
        other: &[Move],
        leave_out: LeaveOut,
    ) -> Option<Vec<Explored>> {
        let (first, _) = self.end_of(depth, one, leave_out)?;
        let (second, events) = self.end_of(depth, other, leave_out)?;
        (first == second).then_some(events)
    }

    /// What is looked at behind everything if these moves, which lead to a complete execution, are made after the first
    /// `depth` events of the current one.
    pub fn final_reads_after(&mut self, depth: usize, moves: &[Move]) -> Vec<ObjectId> {
        let made = self.make_after(depth, moves);
        self.run.finish();
        let reads = self.run.final_reads().to_vec();
        self.retreat(made, depth);
        reads
    }

    /// May one of these still be read if these moves are made after the first `depth` events of the current execution?
    pub fn may_still_read_after(
        &mut self,
        depth: usize,
        moves: &[Move],
        objects: &[ObjectId],
    ) -> bool {
        let made = self.make_after(depth, moves);
        let may_be_read = objects.iter().any(|&object| self.run.may_still_read(object));
        self.retreat(made, depth);
        may_be_read
    }

    fn end_of(
        &mut self,
        depth: usize,
        moves: &[Move],
        leave_out: LeaveOut,
    ) -> Option<(End, Vec<Explored>)> {
        if !self.move_to(depth) {
            return None;
        }
        let mut events = Vec::with_capacity(moves.len());
        let mut handlers = Vec::new();
        let mut failures = Vec::new();
        for &(task, choice) in moves {
            if !self.is_enabled(task) || !self.advance(task, choice) {
                break;
            }
            let of = |fault: &Fault| (task, fault.message.clone(), fault.location.clone());
            failures.extend(self.step.faults.iter().map(of));
            if let Effect::Post(_, handler) = self.step.effect {
                handlers.push(handler);
            }
            handlers.extend(self.run.handler(task));
            let ends = self.run.next(task) == Next::Ended;
            let touches = touches_of(self.dependence, &self.run, task, &self.step, ends);
            events.push(Explored { task, choice, touches });
        }
        let difference =
            (events.len() == moves.len()).then(|| self.run.difference(depth, leave_out)).flatten();
        let end = difference.map(|difference| {
            failures.sort();
            failures.dedup();
            handlers.sort_unstable();
            handlers.dedup();
            let handlers = handlers.into_iter().map(|handler| self.turn_of(handler)).collect();
            End { difference, handlers, failures }
        });
        self.retreat(events.len(), depth);
        Some((end?, events))
    }

    fn turn_of(&self, handler: HandlerId) -> (HandlerId, Option<TaskId>, Vec<TaskId>) {
        let mut mailbox = self.state.mailbox(handler).to_vec();
        if self.run.mailbox(handler) == Mailbox::Multiset {
            mailbox.sort_unstable();
        }
        (handler, self.state.active(handler), mailbox)
    }
}
