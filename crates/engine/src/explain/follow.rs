//! Follows moves as far as they are possible: what cannot be done is left out, what is missing is filled in.
//!
//! The approximate replay of R4 (Jensen, Møller, Raychev, Dimitrov, Vechev, OOPSLA 2015): "skip what is not possible, go on".

use super::walker::{End, Moves, Walker};
use crate::ids::TaskId;
use crate::program::Program;

impl<'p, P: Program> Walker<'p, P> {
    /// Makes those of the moves that are possible where they stand, then goes on until the failure shows or nobody can move.
    pub(super) fn follow(&mut self, wanted: &[(TaskId, u32)]) -> End {
        let shared = self.turn_to(wanted);
        for &(task, choice) in &wanted[shared..] {
            if self.is_done() {
                return self.end();
            }
            if self.can_move(task) {
                let choice = self.possible_choice(task, choice);
                self.step(task, choice);
            }
        }
        self.finish()
    }

    /// Goes on until the failure shows or nobody can move, in the same lane as long as possible.
    pub(super) fn finish(&mut self) -> End {
        while !self.is_done() {
            let Some(task) = self.next_in_lane() else { break };
            let choice = self.usual_choice(task);
            self.step(task, choice);
        }
        if self.is_spent() || self.depth() >= self.most_events {
            return if self.has_failed() { End::Failed } else { End::Other };
        }
        self.end()
    }

    fn is_done(&self) -> bool {
        self.has_failed() || self.is_spent() || self.depth() >= self.most_events
    }

    /// The alternative, if the next event of a task has it, and the first one otherwise.
    pub(super) fn possible_choice(&self, task: TaskId, choice: u32) -> u32 {
        if self.has_choice(task, choice) { choice } else { 0 }
    }

    /// The task that moved last, another one of its lane, or the oldest that can move.
    fn next_in_lane(&self) -> Option<TaskId> {
        let last = self.execution.events().last().map(|event| event.task);
        if let Some(task) = last.filter(|&task| self.can_move(task)) {
            return Some(task);
        }
        let lane = self.last_lane();
        let enabled = || {
            let alive = self.state.alive().iter().copied();
            alive.filter(|&task| self.state.is_enabled(&self.run, task))
        };
        enabled().find(|&task| Some(self.lane(task)) == lane).or_else(|| enabled().next())
    }
}

/// Moves without those at some positions.
pub(super) fn without(moves: &[(TaskId, u32)], left_out: impl Fn(usize) -> bool) -> Moves {
    let kept = moves.iter().enumerate().filter(|(at, _)| !left_out(*at));
    kept.map(|(_, &it)| it).collect()
}
