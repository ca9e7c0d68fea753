//! Drives a run for an algorithm: performs and takes back steps, recognises ends, records failures,
//! counts, and watches the limits. Every algorithm goes through here, so limits, cancellation,
//! statistics and observers are handled in this one place.

mod bounds;
mod same_end;
mod trials;
mod walk;

pub use walk::{Move, Walk, shared};

use crate::canonical::Classes;
use crate::config::Config;
use crate::endless;
use crate::estimate::{Survey, Waiting};
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::{FailureKind, Fault};
use crate::outcome::{Cut, Ending, Failure, Observer, Outcome, Statistics};
use crate::program::{Program, Run};
use crate::rng::Rng;
use crate::schedule::Schedule;
use crate::touch::Dependence;
use crate::waiting;
use crate::watch::Watch;
use bounds::Bounds;
use std::rc::Rc;

/// Whose failure it is if `finally` finds something: numbers of tasks are given from 0 on.
const NOBODY: TaskId = TaskId(u32::MAX);

/// An exploration in progress.
pub struct Driver<'a, P: Program + 'a> {
    /// Where the program stands.
    pub walk: Walk<'a, P>,
    /// The numbers so far.
    pub statistics: Statistics,
    /// What has happened. Nobody else holds it while something happens.
    execution: Rc<Execution>,
    config: &'a Config,
    observer: &'a mut dyn Observer,
    bounds: Bounds,
    failures: Vec<Failure>,
    classes: Option<Classes>,
    cut: Option<Cut>,
    given_up: Vec<String>,
    /// The shape of the tree of executions, as far as it is known.
    survey: Survey,
}

impl<'a, P: Program> Driver<'a, P> {
    /// At the initial state of `program`.
    pub fn new(
        program: &'a P,
        config: &'a Config,
        observer: &'a mut dyn Observer,
        dependence: Dependence,
    ) -> Self {
        let bounds = Bounds::new(&config.limits);
        let run = program.start_watched(&bounds.watch);
        Driver {
            walk: Walk::new(run, dependence, config.check),
            statistics: Statistics::default(),
            execution: Rc::new(Execution::new(dependence)),
            config,
            observer,
            bounds,
            failures: Vec::new(),
            classes: config.classes.then(|| Classes::new(config.algorithm.equivalence())),
            cut: None,
            given_up: Vec::new(),
            survey: Survey::default(),
        }
    }

    /// The algorithm makes so many tables of all pairs of events of an execution: long ones are cut before that takes all memory, and all time.
    pub fn expect_tables(&mut self, tables: u64) {
        self.bounds.expect_tables(tables);
    }

    /// What it was told.
    pub fn config(&self) -> &'a Config {
        self.config
    }

    /// What has happened.
    #[inline]
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// The same, to be looked at while things are tried. Whoever holds it gives it back before the next step.
    #[inline]
    pub fn lend_execution(&self) -> Rc<Execution> {
        self.execution.clone()
    }

    /// When to stop, for work that does not go through here.
    pub fn watch(&self) -> &Watch {
        &self.bounds.watch
    }

    /// Should the exploration end now, although there may be more to explore?
    #[inline]
    pub fn stopped(&self) -> bool {
        self.bounds.stopped || self.walk.differs() || self.walk.was_interrupted()
    }

    /// May failures still be added? A limit does not end that at once: what has been found is told. But the first failure
    /// does, unless the exploration goes on behind it, and so does a program that is not a function of the schedule.
    pub fn hears_of_failures(&self) -> bool {
        let is_last = |failure: &Failure| {
            !self.config.keep_going || failure.kind == FailureKind::Nondeterminism
        };
        let is_over = self.walk.differs() || self.failures.iter().any(is_last);
        !is_over && !self.bounds.is_overdue()
    }

    /// The number of events performed.
    #[inline]
    pub fn depth(&self) -> usize {
        self.execution.len()
    }

    /// Performs the next operation of `task`, which must be enabled. If it is not, because the program is not a function
    /// of the schedule or the time is up, nothing is performed and the exploration is stopped.
    pub fn step(&mut self, task: TaskId, choice: u32) {
        // Moves are predicted from explored executions. A mistake there must not become a verdict.
        assert!(
            self.can_step(task),
            "a mistake in Mazurka, please report it: {} cannot move",
            self.walk.run.task_path(task)
        );
        if self.survey.depth() > self.depth() {
            self.survey.went_down_again(self.statistics.ended());
        } else {
            self.survey.went_down(self.statistics.ended());
        }
        let execution = sole(&mut self.execution);
        let is_made = self.walk.go_on(execution, (task, choice));
        if self.walk.differs() {
            self.report_difference();
        }
        if !is_made {
            return;
        }
        self.statistics.transitions += 1;
        if !self.walk.step.faults.is_empty() {
            let faults = std::mem::take(&mut self.walk.step.faults);
            let execution = self.lend_execution();
            self.note_failed(&execution, task, &faults);
            faults.into_iter().for_each(|fault| self.fail(&execution, fault));
        }
        let accesses = self.walk.step.accesses.len();
        if self.bounds.count_step(accesses) || self.walk.step.interrupted {
            self.look_at_clock();
        }
    }

    /// Can the task move at the end of the current execution? (If it cannot because the program is not a function of the schedule, or the time
    /// is up, the step says so.)
    pub fn can_step(&mut self, task: TaskId) -> bool {
        self.walk.come_back();
        self.walk.may_refuse() || self.walk.is_enabled(task)
    }

    /// Notes that something was not looked at, in a sentence for people: the verdict cannot be `safe` then.
    pub fn give_up(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.given_up.contains(&what) {
            self.given_up.push(what);
        }
    }

    /// Is the current execution as long as one may be?
    pub fn is_cut(&self) -> bool {
        self.execution.len() >= self.bounds.most_events
    }

    /// Where these moves from the initial state lead if then everybody moves on who can: all moves, if that is
    /// a deadlock.
    pub fn deadlock_after(&mut self, moves: &[Move]) -> Option<Vec<Move>> {
        self.walk.deadlock_after(moves, self.bounds.most_events)
    }

    /// Performs another execution, and counts and reports it if it is wanted; the current one stays.
    pub fn perform_aside(&mut self, moves: &[Move], is_wanted: impl FnOnce(&Execution) -> bool) {
        self.walk.move_to(0);
        let mut aside = Execution::new(self.execution.dependence());
        let made = moves.iter().take_while(|step| self.walk.perform(&mut aside, **step)).count();
        if made == moves.len() && is_wanted(&aside) {
            let ending = self.ending_of(&aside);
            self.count_execution(&aside, ending);
        }
        self.walk.retreat(made, 0);
    }

    /// Goes back to the state after `depth` events.
    pub fn rewind(&mut self, depth: usize) {
        if depth < self.execution.len() {
            self.survey.went_back(depth, self.statistics.ended());
        }
        self.walk.rewind(depth);
        sole(&mut self.execution).truncate(depth);
        if let Some(classes) = &mut self.classes {
            classes.rewind(depth);
        }
    }

    /// Tasks that can move, oldest first. None if the execution is cut here.
    pub fn enabled(&self, into: &mut Vec<TaskId>) {
        into.clear();
        if !self.is_cut() {
            self.walk.state.enabled(&self.walk.run, into);
        }
    }

    /// The oldest task that can move and is wanted. None if the execution is cut here.
    pub fn first_enabled(&self, is_wanted: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        if self.is_cut() { None } else { self.walk.oldest_enabled(is_wanted) }
    }

    /// A task that can move and is wanted: the oldest, or any of them if the choice is to be made at random
    /// ([`Config::shuffle`]). None if the execution is cut here.
    pub fn pick_enabled(
        &self,
        rng: Option<&mut Rng>,
        is_wanted: impl Fn(TaskId) -> bool,
    ) -> Option<TaskId> {
        let Some(rng) = rng else { return self.first_enabled(is_wanted) };
        let mut tasks = Vec::new();
        self.enabled(&mut tasks);
        tasks.retain(|&task| is_wanted(task));
        (!tasks.is_empty()).then(|| tasks[rng.below(tasks.len() as u64) as usize])
    }

    /// Counts and reports an execution in which nobody can move.
    pub fn finish(&mut self) -> Ending {
        let execution = self.lend_execution();
        let ending = self.ending_of(&execution);
        self.count_execution(&execution, ending);
        ending
    }

    /// Counts and reports an execution that has ended in this way.
    pub fn finish_as(&mut self, ending: Ending) {
        let execution = self.lend_execution();
        self.count_execution(&execution, ending);
    }

    /// Does it end only because it is as long as one may be?
    fn ends_by_cut(&self, execution: &Execution) -> bool {
        execution.len() >= self.bounds.most_events && self.walk.oldest_enabled(|_| true).is_some()
    }

    fn ending_of(&self, execution: &Execution) -> Ending {
        if self.ends_by_cut(execution) {
            return Ending::Truncated;
        }
        self.walk.state.ending(&self.walk.run)
    }

    fn count_execution(&mut self, execution: &Execution, ending: Ending) {
        let ending = if self.walk.run.is_impossible() { Ending::Blocked } else { ending };
        if ending == Ending::Truncated && self.is_time_up() {
            // Perhaps it was the time that cut it.
            return;
        }
        if ending == Ending::Truncated && self.ends_by_cut(execution) {
            self.count_cut(execution);
        }
        match ending {
            Ending::Complete => {
                self.statistics.executions += 1;
                let faults = self.walk.run.finish();
                self.note_failed(execution, NOBODY, &faults);
                faults.into_iter().for_each(|fault| self.fail(execution, fault));
                // It may have been cut short.
                self.is_time_up();
            }
            Ending::Blocked => self.statistics.blocked += 1,
            Ending::Truncated => {
                self.statistics.truncated += 1;
                // What goes on and on may hide those who do not.
                if let Some(message) = waiting::circle(&self.walk.run, &self.walk.state) {
                    self.fail(execution, Fault::new(FailureKind::Deadlock, message, None));
                }
            }
            Ending::Deadlocked => {
                self.statistics.deadlocks += 1;
                let message = waiting::describe(&self.walk.run, &self.walk.state);
                let fault = Fault::new(FailureKind::Deadlock, message, None);
                self.fail(execution, fault);
            }
        }
        let run = &self.walk.run;
        if let Some(classes) = &mut self.classes {
            classes.add(run, execution, ending);
        }
        self.observer.execution(ending, &|| schedule_of(run, execution));
        self.bounds.count_executions(self.statistics.ended());
    }

    /// Tells those who count classes what failed at the end of an execution.
    fn note_failed(&mut self, execution: &Execution, task: TaskId, faults: &[Fault]) {
        if let Some(classes) = &mut self.classes {
            faults.iter().for_each(|fault| classes.failed(execution.len(), task, fault));
        }
    }

    /// Takes note of an execution that is cut because it does not end.
    fn count_cut(&mut self, execution: &Execution) {
        let (run, bounds) = (&self.walk.run, &self.bounds);
        let first = || {
            let repeating = endless::describe(run, execution);
            let events = execution.len() as u64;
            Cut { executions: 0, bound: bounds.cut_by, events, repeating }
        };
        self.cut.get_or_insert_with(first).executions += 1;
    }

    /// Looks at the clock between two pieces of work that take no steps. Says whether to stop.
    pub fn is_time_up(&mut self) -> bool {
        self.look_at_clock();
        self.stopped()
    }

    fn look_at_clock(&mut self) {
        if self.bounds.look(&self.execution, self.walk.state.alive().len()) {
            self.statistics.elapsed = self.bounds.started.elapsed();
            self.observer.progress(&self.statistics);
        }
    }

    /// Estimates how many executions there will be, if it is time for that: when an execution has just ended and so many
    /// branches wait at each prefix of it.
    pub fn survey(&mut self, waiting: impl Iterator<Item = Waiting>) {
        let executions = self.statistics.ended();
        if self.survey.is_due(executions) || self.stopped() {
            let waiting: Vec<Waiting> = waiting.collect();
            self.statistics.estimate = self.survey.estimate(&waiting, executions);
        }
    }

    /// The branch from a prefix of this length has been explored, and so many wait there.
    pub fn branch_is_explored(&mut self, depth: usize, waiting: Waiting) {
        self.survey.is_explored(depth, waiting);
    }

    /// Counts an exploration that was begun in vain.
    pub fn abandon(&mut self) {
        self.statistics.redundant += 1;
    }

    /// The result. `exhausted`: the algorithm has nothing left to explore.
    pub fn outcome(mut self, exhausted: bool) -> Outcome {
        self.report_difference();
        self.statistics.elapsed = self.bounds.started.elapsed();
        if exhausted {
            self.statistics.estimate = None;
        }
        self.observer.progress(&self.statistics);
        Outcome {
            complete: exhausted && self.statistics.truncated == 0 && self.given_up.is_empty(),
            failures: self.failures,
            classes: self.classes.as_ref().map(Classes::counts),
            statistics: self.statistics,
            cut: self.cut,
            out_of_memory: self.bounds.out_of_memory,
            given_up: self.given_up,
        }
    }

    fn fail(&mut self, execution: &Execution, fault: Fault) {
        if !self.config.keep_going {
            self.bounds.stopped = true;
        }
        let known = self.failures.iter().any(|f| {
            f.kind == fault.kind && f.message == fault.message && f.location == fault.location
        });
        if known {
            return;
        }
        let schedule = schedule_of(&self.walk.run, execution);
        self.report(fault, schedule);
    }

    /// The program is not a function of the schedule: nothing that is predicted holds, so nothing more is explored.
    #[cold]
    fn report_difference(&mut self) {
        let Some((fault, schedule)) = self.walk.take_difference() else { return };
        self.bounds.stopped = true;
        self.report(fault, schedule);
    }

    fn report(&mut self, fault: Fault, schedule: Schedule) {
        let Fault { kind, message, location, .. } = fault;
        let failure = Failure { kind, message, location, schedule };
        self.observer.failure(&failure);
        self.failures.push(failure);
    }
}

/// The execution, to be changed.
#[inline]
fn sole(execution: &mut Rc<Execution>) -> &mut Execution {
    Rc::get_mut(execution).expect("the execution has been given back")
}

/// The moves of an execution, by names that hold in every process.
pub fn schedule_of(run: &impl Run, execution: &Execution) -> Schedule {
    let events = execution.events().iter();
    Schedule::of(run, events.map(|event| (event.task, event.choice, event.effect)))
}
