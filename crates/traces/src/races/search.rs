//! Looks for an execution with one ordering that the recorded one does not have.
//!
//! Depth-first: of those who may move and whose turn it can be, the one that moved first in the recorded execution moves first, so that
//! executions stay near to it. What must come before what ([`Order`]) keeps the search from most dead ends; a budget of steps ends it where that
//! does not help.

use super::order::Order;
use super::steps::Steps;
use crate::program::TraceProgram;
use crate::run::TraceRun;
use mazurka_engine::state::State;
use mazurka_engine::{Program, Run, Step, TaskId, Watch};

/// So many steps are tried for a pair, for each step of the recorded execution.
const EFFORT: usize = 50;

/// What a search found.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// Who moves at each step.
    Execution(Vec<TaskId>),
    /// There is none.
    Never,
    /// The budget was used up, or the time.
    Unknown,
}

pub(super) struct Searcher<'p> {
    steps: &'p Steps,
    watch: &'p Watch,
    run: TraceRun<'p>,
    state: State,
    step: Step,
    path: Vec<TaskId>,
}

impl<'p> Searcher<'p> {
    pub(super) fn new(
        program: &'p TraceProgram,
        steps: &'p Steps,
        watch: &'p Watch,
    ) -> Searcher<'p> {
        let run = program.start();
        let state = State::new(&run);
        Searcher { steps, watch, run, state, step: Step::default(), path: Vec::new() }
    }

    /// An execution in which `second` comes before `first`, up to its end.
    pub(super) fn exchanged(&mut self, order: &Order, first: usize, second: usize) -> Found {
        let Some(order) = order.with(second, first, self.watch) else { return Found::Never };
        self.retreat(0);
        let mut budget = EFFORT * self.steps.len();
        let mut choices: Vec<Vec<TaskId>> = vec![self.candidates(&order)];
        while self.next_of(self.steps.task(first)).is_some_and(|next| next <= first) {
            match choices.last_mut().and_then(Vec::pop) {
                Some(task) if budget > 0 && !self.watch.is_up() => {
                    budget -= 1;
                    self.advance(task);
                    let next = self.candidates(&order);
                    choices.push(next);
                }
                Some(_) => return Found::Unknown,
                None if choices.len() > 1 => {
                    choices.pop();
                    self.retreat(self.path.len() - 1);
                }
                // Everything has been tried.
                None => return Found::Never,
            }
        }
        if self.go_on() { Found::Execution(self.path.clone()) } else { Found::Unknown }
    }

    /// Who may move without breaking the order, the last one first.
    fn candidates(&self, order: &Order) -> Vec<TaskId> {
        let mut enabled = Vec::new();
        self.state.enabled(&self.run, &mut enabled);
        let waiting: Vec<usize> =
            self.steps.tasks().filter_map(|task| self.next_of(task)).collect();
        let may_move = |&(position, _): &(usize, TaskId)| {
            waiting.iter().all(|&other| !order.is_before(other, position))
        };
        let mut candidates: Vec<(usize, TaskId)> = enabled
            .into_iter()
            .filter_map(|task| self.next_of(task).map(|position| (position, task)))
            .filter(may_move)
            .collect();
        candidates.sort_unstable();
        candidates.into_iter().rev().map(|(_, task)| task).collect()
    }

    /// The next operation of a task, by its place in the recorded execution.
    fn next_of(&self, task: TaskId) -> Option<usize> {
        self.steps.of_task(task).get(self.state_events(task)).copied()
    }

    fn state_events(&self, task: TaskId) -> usize {
        if self.state.exists(task) { self.state.events_of(task) as usize } else { 0 }
    }

    /// Everybody moves on who can, as near to the recorded execution as possible. Says whether there was time for that.
    fn go_on(&mut self) -> bool {
        let mut enabled = Vec::new();
        while !self.watch.is_up() {
            enabled.clear();
            self.state.enabled(&self.run, &mut enabled);
            let next = enabled.iter().copied().min_by_key(|&task| self.next_of(task));
            let Some(task) = next else { return true };
            self.advance(task);
        }
        false
    }

    fn advance(&mut self, task: TaskId) {
        self.step.clear();
        self.run.step(task, 0, &mut self.step);
        self.state.apply(&self.run, task, self.step.effect, &self.step.accesses);
        self.path.push(task);
    }

    fn retreat(&mut self, depth: usize) {
        for _ in depth..self.path.len() {
            self.state.undo(&self.run);
        }
        self.path.truncate(depth);
        self.run.rewind(depth);
    }
}
