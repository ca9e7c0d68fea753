//! Trials: what would happen if other moves were made than those of the current execution.
//!
//! Nothing is counted or reported, and the current execution stays. A trial leaves run and state where it began;
//! [`Walk::come_back`] goes back to the end.

use super::walk::{Move, Walk};
use crate::ids::{ObjectId, TaskId};
use crate::operation::{Access, Mode, Next, Operation};
use crate::outcome::Ending;
use crate::program::{Mailbox, Program, Run};
use crate::reversal::Trial;
use crate::touch::touches_of;
use smallvec::SmallVec;

/// A trial may take so many times as many moves as were asked for: help that goes on for ever is none.
const MOST_HELP: usize = 4;

/// A move, and what it is expected to access.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'m> {
    /// Who moves.
    pub task: TaskId,
    /// Which alternative it picks.
    pub choice: u32,
    /// The accesses, whatever their values.
    pub accesses: &'m [Access],
    /// Is it an addition to the sequence that is tried, so that it may depend on others?
    pub is_extra: bool,
}

impl Expected<'_> {
    /// Must it come before a later one?
    fn is_before(&self, later: &Expected<'_>) -> bool {
        let conflict = |a: &Access, b: &Access| a.object == b.object && a.mode.conflicts(b.mode);
        self.task == later.task
            || self
                .accesses
                .iter()
                .any(|own| later.accesses.iter().any(|other| conflict(own, other)))
    }
}

impl<P: Program> Walk<'_, P> {
    /// Tries what the last of `moves` does when they are made after the first `depth` events of the current
    /// execution.
    pub fn try_last(&mut self, depth: usize, moves: &[Move]) -> Trial {
        self.move_to(depth);
        let made = moves.iter().take_while(|(task, choice)| self.advance(*task, *choice)).count();
        let (task, _) = *moves.last().expect("something to try");
        let ends = made == moves.len() && self.run.next(task) == Next::Ended;
        let trial = Trial {
            touches: touches_of(self.dependence, &self.run, task, &self.step, ends),
            accesses: SmallVec::from_slice(&self.step.accesses),
            ends,
        };
        self.retreat(made, depth);
        trial
    }

    /// Can these moves be made after the first `depth` events of the current execution, and does each do what
    /// is expected of it? One that has to wait is put off behind others that do not depend on it. Where all have to wait,
    /// tasks that have nothing more to do among the moves help, as long as the moves to come do not depend on it.
    pub fn can_perform(&mut self, depth: usize, moves: &[Expected<'_>]) -> bool {
        self.move_to(depth);
        let mut made = 0;
        let mut open: Vec<Expected<'_>> = moves.iter().rev().copied().collect();
        let as_expected = loop {
            if open.is_empty() {
                break true;
            }
            let Some(at) = self.first_possible(&open) else {
                if made > MOST_HELP * moves.len() || !self.help(&open, &mut made) {
                    break false;
                }
                continue;
            };
            let expected = open.remove(at);
            self.advance(expected.task, expected.choice);
            made += 1;
            let accesses = self.step.accesses.iter().map(|access| (access.object, access.mode));
            if !accesses.eq(expected.accesses.iter().map(|access| (access.object, access.mode))) {
                break false;
            }
        };
        self.retreat(made, depth);
        as_expected
    }

    /// The first of these moves, which stand in reverse order, that can be made and depends on none before it.
    fn first_possible(&self, open: &[Expected<'_>]) -> Option<usize> {
        (0..open.len()).rev().find(|&at| {
            let earlier = &open[at + 1..];
            self.is_enabled(open[at].task)
                && !earlier.iter().any(|other| other.is_before(&open[at]))
        })
    }

    /// Makes a move of a task that helps, if there is one and it does not conflict with what moves later.
    fn help(&mut self, later: &[Expected<'_>], made: &mut usize) -> bool {
        let Some(helper) = self.helper(later) else { return false };
        self.advance(helper, 0);
        *made += 1;
        // What an atomic block accesses is known now.
        let mut accesses = self.step.accesses.iter();
        !accesses.any(|access| conflicts(later, access.object, access.mode))
    }

    /// A task that can move, is none of those that move later, and does not conflict with what they do, as far as that
    /// is known. Choosing is no help, and starting a message is one only if the next of those moves waits behind it in
    /// a queue.
    fn helper(&self, later: &[Expected<'_>]) -> Option<TaskId> {
        let waits_in = later.last().and_then(|waiting| match self.run.next(waiting.task) {
            Next::Operation(Operation::Start) => self.run.handler(waiting.task),
            _ => None,
        });
        let queue = waits_in.filter(|&handler| self.run.mailbox(handler) == Mailbox::Fifo);
        let may_help = |task: TaskId| match self.run.next(task) {
            Next::Operation(Operation::Choose(_)) => false,
            Next::Operation(Operation::Start) => queue.is_some() && self.run.handler(task) == queue,
            Next::Operation(Operation::Access(object, mode)) => !conflicts(later, object, mode),
            Next::Operation(_) => true,
            Next::Ended | Next::Blocked | Next::Truncated => false,
        };
        // What a comparison-and-exchange does is known only when it has been done.
        let may_look = |task: TaskId| {
            matches!(self.run.next(task), Next::Operation(Operation::Access(_, Mode::Update)))
        };
        let is_free = |task: TaskId| {
            later.iter().all(|expected| expected.task != task) && self.is_enabled(task)
        };
        let alive = || self.state.alive().iter().copied();
        let helper = alive().find(|&task| may_help(task) && is_free(task));
        helper.or_else(|| alive().find(|&task| may_look(task) && is_free(task)))
    }

    /// Where these moves from the initial state lead if then everybody moves on who can: all moves, if that is
    /// a deadlock. Nothing if an execution with so many events is cut.
    pub fn deadlock_after(&mut self, moves: &[Move], most_events: usize) -> Option<Vec<Move>> {
        self.move_to(0);
        let mut made = Vec::new();
        let is_deadlock = self.make_all(moves, &mut made)
            && self.go_on_alone(most_events, &mut made)
            && self.state.ending(&self.run) == Ending::Deadlocked;
        self.retreat(made.len(), 0);
        is_deadlock.then_some(made)
    }

    /// Makes these moves as far as they can be made. Says whether all were.
    fn make_all(&mut self, moves: &[Move], made: &mut Vec<Move>) -> bool {
        for &(task, choice) in moves {
            if !self.is_enabled(task) || !self.advance(task, choice) {
                return false;
            }
            made.push((task, choice));
        }
        true
    }

    /// The oldest that can moves, until nobody can. Says whether that was before so many events.
    fn go_on_alone(&mut self, most_events: usize, made: &mut Vec<Move>) -> bool {
        while let Some(task) = self.oldest_enabled(|_| true) {
            if made.len() >= most_events || !self.advance(task, 0) {
                return false;
            }
            made.push((task, 0));
        }
        true
    }
}

/// Does an access conflict with one that these moves are to make, additions to the sequence aside?
fn conflicts(moves: &[Expected<'_>], object: ObjectId, mode: Mode) -> bool {
    let own = moves.iter().filter(|expected| !expected.is_extra);
    let mut accesses = own.flat_map(|expected| expected.accesses);
    accesses.any(|access| access.object == object && access.mode.conflicts(mode))
}
