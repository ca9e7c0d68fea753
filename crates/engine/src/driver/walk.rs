//! Run and state of an exploration, which walk together: a step forward, or back.
//!
//! They follow the moves of the current execution. What is tried beside it ([`super::trials`]) leaves them somewhere
//! on the way; [`Walk::come_back`] brings them to its end again.

use crate::determinism::{self, Determinism};
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::{Fault, Step};
use crate::program::{Program, Run};
use crate::schedule::Schedule;
use crate::state::State;
use crate::touch::Dependence;

/// A task, and the alternative that it picks.
pub type Move = (TaskId, u32);

/// Where the program stands, and how it came there.
pub struct Walk<'a, P: Program + 'a> {
    /// The program's state.
    pub run: P::Run<'a>,
    /// Who may move.
    pub state: State,
    pub(super) dependence: Dependence,
    /// What the last step did.
    pub(super) step: Step,
    /// Compares what happens with what happened where the same came before, unless that is needless.
    determinism: Option<Determinism>,
    /// What differed, and where: then nothing that is predicted holds.
    difference: Option<(Fault, Schedule)>,
    /// Was local code cut short because the time is up? Then nothing that happens is what would happen.
    interrupted: bool,
    gate: Vec<(TaskId, u32)>,
    /// The moves of the current execution.
    path: Vec<Move>,
    /// How many of them run and state have made: all, except after something was tried.
    reached: usize,
}

impl<'a, P: Program> Walk<'a, P> {
    /// At the initial state of a run. `checks`: also of programs that cannot differ, what happens is compared.
    pub(super) fn new(run: P::Run<'a>, dependence: Dependence, checks: bool) -> Self {
        Walk {
            state: State::new(&run),
            determinism: (checks || !run.is_deterministic()).then(Determinism::default),
            run,
            dependence,
            step: Step::default(),
            difference: None,
            interrupted: false,
            gate: Vec::new(),
            path: Vec::new(),
            reached: 0,
        }
    }

    /// The moves of the current execution.
    pub fn path(&self) -> &[Move] {
        &self.path
    }

    /// What the last step did, as the front-end told it.
    pub fn last_step(&self) -> &Step {
        &self.step
    }

    /// Is `task` there, and can it move?
    #[inline]
    pub fn is_enabled(&self, task: TaskId) -> bool {
        self.state.exists(task)
            && !self.state.has_ended(task)
            && self.state.is_enabled(&self.run, task)
    }

    /// The oldest task that can move and is wanted.
    pub fn oldest_enabled(&self, is_wanted: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        let mut alive = self.state.alive().iter().copied();
        alive.find(|&task| self.state.is_enabled(&self.run, task) && is_wanted(task))
    }

    /// May a task that should move be unable to, without a mistake of ours? The program is compared with itself, or the time is up.
    pub(super) fn may_refuse(&self) -> bool {
        self.determinism.is_some() || self.interrupted
    }

    /// Has the program turned out not to be a function of the schedule?
    #[inline]
    pub(super) fn differs(&self) -> bool {
        self.difference.is_some()
    }

    /// Was local code cut short because the time is up?
    #[inline]
    pub(super) fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    /// In what, once.
    pub(super) fn take_difference(&mut self) -> Option<(Fault, Schedule)> {
        self.difference.take()
    }

    /// Makes a move of the current execution. Says whether it was made.
    pub(super) fn go_on(&mut self, execution: &mut Execution, step: Move) -> bool {
        let is_made = self.perform(execution, step);
        if is_made {
            self.path.push(step);
            self.reached += 1;
        }
        is_made
    }

    /// Makes a move and appends it to an execution. Says whether it was made.
    #[inline]
    pub(super) fn perform(&mut self, execution: &mut Execution, (task, choice): Move) -> bool {
        self.gate.clear();
        if self.state.exists(task) {
            self.gate.extend(self.run.gate_of(task).iter().copied());
        }
        let is_made = self.advance(task, choice);
        if is_made {
            execution.push(&self.run, task, choice, &self.step, &self.gate);
        }
        is_made
    }

    /// Moves run and state. Says whether the move was made: always, if the program is a function of the schedule and the time is not up.
    pub(super) fn advance(&mut self, task: TaskId, choice: u32) -> bool {
        self.step.clear();
        if self.may_refuse() && !self.is_enabled(task) {
            let next = self.state.exists(task).then(|| self.run.next(task));
            self.diverge(determinism::cannot_move(&self.run, task, next));
            return false;
        }
        debug_assert!(self.is_enabled(task), "{} cannot move", self.run.task_path(task));
        self.run.step(task, choice, &mut self.step);
        self.state.apply(&self.run, task, self.step.effect, &self.step.accesses);
        self.interrupted |= self.step.interrupted;
        if let Some(determinism) = &mut self.determinism
            && let Some(fault) = determinism.follow(&self.run, task, choice, &self.step)
        {
            self.diverge(fault);
        }
        true
    }

    #[cold]
    fn diverge(&mut self, fault: Fault) {
        if self.difference.is_none() && !self.interrupted {
            let moves = self.determinism.iter().flat_map(Determinism::moves);
            self.difference = Some((fault, Schedule::of(&self.run, moves)));
        }
    }

    /// Takes run and state `steps` steps back, to `depth`.
    pub(super) fn retreat(&mut self, steps: usize, depth: usize) {
        if steps == 0 {
            return;
        }
        for _ in 0..steps {
            self.state.undo(&self.run);
        }
        if let Some(determinism) = &mut self.determinism {
            (0..steps).for_each(|_| determinism.undo());
        }
        self.run.rewind(depth);
    }

    /// Brings run and state to the first `depth` events of the current execution. Says whether they got there: always, if the program is a
    /// function of the schedule and the time is not up.
    pub(super) fn move_to(&mut self, depth: usize) -> bool {
        if self.reached > depth {
            self.retreat(self.reached - depth, depth);
        } else {
            for at in self.reached..depth {
                let (task, choice) = self.path[at];
                if !self.advance(task, choice) {
                    self.reached = at;
                    return false;
                }
            }
        }
        self.reached = depth;
        true
    }

    /// Makes these moves after the first `depth` events of the current execution, as far as that is possible. Says how many were made.
    pub(super) fn make_after(&mut self, depth: usize, moves: &[Move]) -> usize {
        if !self.move_to(depth) {
            return 0;
        }
        moves.iter().take_while(|(task, choice)| self.advance(*task, *choice)).count()
    }

    /// Brings run and state back to the end of the current execution, after something was tried.
    #[inline]
    pub fn come_back(&mut self) {
        if self.reached != self.path.len() {
            self.move_to(self.path.len());
        }
    }

    /// The current execution goes back to its first `depth` events.
    pub(super) fn rewind(&mut self, depth: usize) {
        self.move_to(depth);
        self.path.truncate(depth);
    }

    /// Appends a move to the current execution, and then those of everybody who can move on, the oldest first. The current one stays.
    /// Says whether it comes to an end with at most so many events.
    pub fn complete(&mut self, execution: &mut Execution, first: Move, most: usize) -> bool {
        self.come_back();
        let depth = self.reached;
        let mut next = Some(first).filter(|&(task, _)| self.is_enabled(task));
        while let Some(step) = next.filter(|_| execution.len() < most) {
            if !self.perform(execution, step) {
                break;
            }
            next = self.oldest_enabled(|_| true).map(|task| (task, 0));
        }
        self.retreat(execution.len() - depth, depth);
        next.is_none()
    }

    /// Performs another execution again, of which the first events are known. The current one stays. Says whether that was
    /// possible: always, if the program is a function of the schedule.
    pub fn recall(&mut self, moves: &[Move], execution: &mut Execution) -> bool {
        let known = execution.len();
        let shared = shared(&self.path, moves).min(known).min(self.reached);
        self.move_to(shared);
        let between = &moves[shared..known];
        let mut made = between.iter().take_while(|step| self.advance(step.0, step.1)).count();
        if made == between.len() {
            let rest = moves[known..].iter();
            made += rest.take_while(|step| self.perform(execution, **step)).count();
        }
        self.retreat(made, shared);
        shared + made == moves.len()
    }
}

/// How many of the first moves are the same.
pub fn shared(one: &[Move], other: &[Move]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
