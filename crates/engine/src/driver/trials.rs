//! Trials: what would happen if other moves were made than those of the current execution.
//!
//! Nothing is counted or reported, and the current execution stays. A trial leaves run and state where it began;
//! [`Walk::come_back`] goes back to the end.

use super::walk::{Move, Walk};
use crate::operation::Next;
use crate::outcome::Ending;
use crate::program::{Program, Run};
use crate::reversal::Trial;
use crate::touch::touches_of;
use smallvec::SmallVec;

impl<P: Program> Walk<'_, P> {
    /// Tries what the last of `moves` does when they are made after the first `depth` events of the current
    /// execution.
    pub fn try_last(&mut self, depth: usize, moves: &[Move]) -> Trial {
        let made = self.make_after(depth, moves);
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
