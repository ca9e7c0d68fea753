//! Drives a run for an algorithm: performs and takes back steps, recognises ends, records failures,
//! counts, and watches the limits. Every algorithm goes through here, so limits, cancellation,
//! statistics and observers are handled in this one place.

mod same_end;

use crate::canonical::Classes;
use crate::config::{Config, EXECUTION_SHARE};
use crate::determinism::{self, Determinism};
use crate::endless;
use crate::estimate::{Survey, Waiting};
use crate::execution::Execution;
use crate::ids::{ObjectId, TaskId};
use crate::memory;
use crate::operation::{Access, FailureKind, Fault, Mode, Next, Operation, Step};
use crate::outcome::{Bound, Cut, Ending, Failure, Observer, Outcome, Statistics};
use crate::program::{Mailbox, Program, Run};
use crate::reversal::Trial;
use crate::schedule::Schedule;
use crate::state::State;
use crate::touch::{Dependence, touches_of};
use crate::waiting;
use crate::watch::Watch;
use smallvec::SmallVec;
use std::time::{Duration, Instant};

/// How many steps may pass between two looks at the clock.
const STEPS_BETWEEN_CLOCK_LOOKS: u32 = 256;
/// What is done for each step of an execution with more events takes so long that the clock is looked at more often.
const LONG_EXECUTION: usize = 4096;
/// So many steps then.
const FEW_STEPS: u32 = 16;
/// A trial may take so many times as many moves as were asked for: help that goes on for ever is none.
const MOST_HELP: usize = 4;
/// So long after the time is up, failures that have been found are still put into words.
const TIME_TO_REPORT: Duration = Duration::from_millis(100);
/// How often the size of the process is looked at.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);
/// Whose failure it is if `finally` finds something: numbers of tasks are given from 0 on.
const NOBODY: TaskId = TaskId(u32::MAX);
/// How often observers hear of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

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

/// An exploration in progress.
pub struct Driver<'a, P: Program + 'a> {
    /// The program's state.
    pub run: P::Run<'a>,
    /// Who may move.
    pub state: State,
    /// What has happened.
    pub execution: Execution,
    /// The numbers so far.
    pub statistics: Statistics,
    config: &'a Config,
    observer: &'a mut dyn Observer,
    failures: Vec<Failure>,
    classes: Option<Classes>,
    /// Compares what happens with what happened where the same came before, unless that is needless.
    determinism: Option<Determinism>,
    step: Step,
    gate: Vec<(TaskId, u32)>,
    /// The moves of the current execution.
    path: Vec<(TaskId, u32)>,
    /// How many of them run and state have made: all, except after something was tried.
    reached: usize,
    started: Instant,
    watch: Watch,
    last_progress: Instant,
    last_memory: Instant,
    steps_until_clock: u32,
    stopped: bool,
    /// An execution with so many events is cut, because of `bound`.
    most_events: usize,
    bound: Bound,
    cut: Option<Cut>,
    out_of_memory: bool,
    given_up: Vec<String>,
    /// The shape of the tree of executions, as far as it is known.
    survey: Survey,
    /// Is it time to estimate how much is left?
    survey_due: bool,
}

impl<'a, P: Program> Driver<'a, P> {
    /// At the initial state of `program`.
    pub fn new(
        program: &'a P,
        config: &'a Config,
        observer: &'a mut dyn Observer,
        dependence: Dependence,
    ) -> Self {
        let now = Instant::now();
        let watch = Watch::new(&config.limits, now);
        let run = program.start_watched(&watch);
        let most_events = config.limits.max_events.map_or(usize::MAX, |most| most as usize);
        Driver {
            state: State::new(&run),
            determinism: (config.check || !run.is_deterministic()).then(Determinism::default),
            run,
            execution: Execution::new(dependence),
            statistics: Statistics::default(),
            config,
            observer,
            failures: Vec::new(),
            classes: config.classes.then(|| Classes::new(config.algorithm.equivalence())),
            step: Step::default(),
            gate: Vec::new(),
            path: Vec::new(),
            reached: 0,
            started: now,
            stopped: watch.is_up(),
            watch,
            last_progress: now,
            last_memory: now,
            steps_until_clock: STEPS_BETWEEN_CLOCK_LOOKS,
            most_events: most_events.max(1),
            bound: Bound::Events,
            cut: None,
            out_of_memory: false,
            given_up: Vec::new(),
            survey: Survey::default(),
            survey_due: false,
        }
    }

    /// What it was told.
    pub fn config(&self) -> &'a Config {
        self.config
    }

    /// When to stop, for work that does not go through here.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Should the exploration end now, although there may be more to explore?
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// May failures still be added? A limit does not end that at once: what has been found is told. But the first failure
    /// does, unless the exploration goes on behind it, and so does a program that is not a function of the schedule.
    pub fn hears_of_failures(&self) -> bool {
        let is_last = |failure: &Failure| {
            !self.config.keep_going || failure.kind == FailureKind::Nondeterminism
        };
        !self.failures.iter().any(is_last) && !self.is_overdue()
    }

    /// Has the time been up for a while?
    fn is_overdue(&self) -> bool {
        let timeout = self.config.limits.timeout;
        timeout.is_some_and(|timeout| self.started.elapsed() >= timeout + TIME_TO_REPORT)
    }

    /// The number of events performed.
    pub fn depth(&self) -> usize {
        self.execution.len()
    }

    /// Performs the next operation of `task`, which must be enabled. If it is not, because the program is not a function
    /// of the schedule, nothing is performed and the exploration is stopped.
    pub fn step(&mut self, task: TaskId, choice: u32) {
        self.come_back();
        if self.survey.depth() > self.depth() {
            self.survey.went_down_again(self.statistics.ended());
        } else {
            self.survey.went_down(self.statistics.ended());
        }
        // Moves are predicted from explored executions. A mistake there must not become a verdict.
        assert!(
            self.determinism.is_some() || self.is_enabled(task),
            "a mistake in Mazurka, please report it: {} cannot move",
            self.run.task_path(task)
        );
        if !self.perform(task, choice) {
            return;
        }
        self.statistics.transitions += 1;
        if !self.step.faults.is_empty() {
            let faults = std::mem::take(&mut self.step.faults);
            self.note_failed(task, &faults);
            faults.into_iter().for_each(|fault| self.fail(fault));
        }
        self.steps_until_clock -= 1;
        if self.steps_until_clock == 0 || self.step.interrupted {
            self.look_at_clock();
        }
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
        self.execution.len() >= self.most_events
    }

    /// Says whether the move was made.
    fn perform(&mut self, task: TaskId, choice: u32) -> bool {
        self.gate.clear();
        if self.state.exists(task) {
            self.gate.extend(self.run.gate_of(task).iter().copied());
        }
        if !self.advance(task, choice) {
            return false;
        }
        self.execution.push(&self.run, task, choice, &self.step, &self.gate);
        self.path.push((task, choice));
        self.reached += 1;
        true
    }

    /// Moves run and state, not the execution. Says whether the move was made: always, if the program is a function of
    /// the schedule.
    fn advance(&mut self, task: TaskId, choice: u32) -> bool {
        self.step.clear();
        if self.determinism.is_some() && !self.is_enabled(task) {
            let next = self.state.exists(task).then(|| self.run.next(task));
            self.diverge(determinism::cannot_move(&self.run, task, next));
            return false;
        }
        debug_assert!(self.is_enabled(task), "{} cannot move", self.run.task_path(task));
        self.run.step(task, choice, &mut self.step);
        self.state.apply(&self.run, task, self.step.effect, &self.step.accesses);
        if let Some(determinism) = &mut self.determinism
            && let Some(fault) = determinism.follow(&self.run, task, choice, &self.step)
        {
            self.diverge(fault);
        }
        true
    }

    /// The program is not a function of the schedule: nothing that is predicted holds, so nothing more is explored.
    #[cold]
    fn diverge(&mut self, fault: Fault) {
        self.stopped = true;
        if self.failures.iter().any(|failure| failure.kind == FailureKind::Nondeterminism) {
            return;
        }
        let moves = self.determinism.iter().flat_map(Determinism::moves);
        let schedule = Schedule::of(&self.run, moves);
        self.report(fault, schedule);
    }

    /// Brings run and state, not the execution, to the first `depth` events of the current execution.
    fn move_to(&mut self, depth: usize) {
        if self.reached > depth {
            self.retreat(self.reached - depth, depth);
        } else {
            for at in self.reached..depth {
                let (task, choice) = self.path[at];
                if !self.advance(task, choice) {
                    self.reached = at;
                    return;
                }
            }
        }
        self.reached = depth;
    }

    /// Takes run and state `steps` steps back, to `depth`.
    fn retreat(&mut self, steps: usize, depth: usize) {
        for _ in 0..steps {
            self.state.undo(&self.run);
        }
        if let Some(determinism) = &mut self.determinism {
            (0..steps).for_each(|_| determinism.undo());
        }
        self.run.rewind(depth);
    }

    /// Brings run and state back to the end of the current execution, after something was tried.
    pub fn come_back(&mut self) {
        self.move_to(self.path.len());
    }

    /// Tries what the last of `moves` does when they are made after the first `depth` events of the current
    /// execution. Nothing is counted or reported; [`Driver::come_back`] goes back to the end.
    pub fn try_last(&mut self, depth: usize, moves: &[(TaskId, u32)]) -> Trial {
        self.move_to(depth);
        let made = moves.iter().take_while(|(task, choice)| self.advance(*task, *choice)).count();
        let (task, _) = *moves.last().expect("something to try");
        let ends = made == moves.len() && self.run.next(task) == Next::Ended;
        let dependence = self.execution.dependence();
        let trial = Trial {
            touches: touches_of(dependence, &self.run, task, &self.step, ends),
            accesses: SmallVec::from_slice(&self.step.accesses),
            ends,
        };
        self.retreat(made, depth);
        trial
    }

    /// Can these moves be made after the first `depth` events of the current execution, and does each do what
    /// is expected of it? One that has to wait is put off behind others that do not depend on it. Where all have to wait,
    /// tasks that have nothing more to do among the moves help, as long as the moves to come do not depend on it. Nothing
    /// is counted or reported; [`Driver::come_back`] goes back to the end.
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
    /// a deadlock. Nothing is counted or reported; [`Driver::come_back`] goes back to the end.
    pub fn deadlock_after(&mut self, moves: &[(TaskId, u32)]) -> Option<Vec<(TaskId, u32)>> {
        self.move_to(0);
        let mut made = Vec::new();
        for &(task, choice) in moves.iter() {
            if !self.is_enabled(task) {
                self.retreat(made.len(), 0);
                return None;
            }
            self.advance(task, choice);
            made.push((task, choice));
        }
        while let Some(task) = self.oldest_enabled() {
            if made.len() >= self.most_events || !self.advance(task, 0) {
                self.retreat(made.len(), 0);
                return None;
            }
            made.push((task, 0));
        }
        let is_deadlock = self.state.ending(&self.run) == Ending::Deadlocked;
        self.retreat(made.len(), 0);
        is_deadlock.then_some(made)
    }

    /// Performs another execution, and counts and reports it if it is wanted; the current one stays.
    pub fn perform_aside(
        &mut self,
        moves: &[(TaskId, u32)],
        is_wanted: impl FnOnce(&Execution) -> bool,
    ) {
        self.move_to(0);
        let aside = Execution::new(self.execution.dependence());
        let execution = std::mem::replace(&mut self.execution, aside);
        let path = std::mem::take(&mut self.path);
        let survey = std::mem::take(&mut self.survey);
        let is_made = moves.iter().all(|&(task, choice)| self.perform(task, choice));
        if is_made && is_wanted(&self.execution) {
            self.finish();
        }
        self.rewind(0);
        self.execution = execution;
        self.path = path;
        self.survey = survey;
    }

    /// Performs another execution again, of which the first events are known. Nothing is counted or reported, and the current
    /// one stays. Says whether that was possible: always, if the program is a function of the schedule.
    pub fn recall(&mut self, moves: &[(TaskId, u32)], execution: &mut Execution) -> bool {
        let known = execution.len();
        let shared = shared(&self.path, moves);
        self.move_to(shared.min(known).min(self.reached));
        let path = std::mem::replace(&mut self.path, moves[..known].to_vec());
        self.move_to(known);
        std::mem::swap(&mut self.execution, execution);
        let is_made = moves[known..].iter().all(|&(task, choice)| self.perform(task, choice));
        std::mem::swap(&mut self.execution, execution);
        self.move_to(shared);
        self.path = path;
        is_made
    }

    /// Goes back to the state after `depth` events.
    pub fn rewind(&mut self, depth: usize) {
        if depth < self.execution.len() {
            self.survey.went_back(depth, self.statistics.ended());
        }
        self.move_to(depth);
        self.execution.truncate(depth);
        self.path.truncate(depth);
        if let Some(classes) = &mut self.classes {
            classes.rewind(depth);
        }
    }

    /// Tasks that can move, oldest first. None if the execution is cut here.
    pub fn enabled(&self, into: &mut Vec<TaskId>) {
        into.clear();
        if !self.is_cut() {
            self.state.enabled(&self.run, into);
        }
    }

    fn oldest_enabled(&self) -> Option<TaskId> {
        let mut alive = self.state.alive().iter().copied();
        alive.find(|&task| self.state.is_enabled(&self.run, task))
    }

    /// The oldest task that can move and is wanted. None if the execution is cut here.
    pub fn first_enabled(&self, is_wanted: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        if self.is_cut() {
            return None;
        }
        let mut alive = self.state.alive().iter().copied();
        alive.find(|&task| self.state.is_enabled(&self.run, task) && is_wanted(task))
    }

    /// Is `task` there, and can it move?
    pub fn is_enabled(&self, task: TaskId) -> bool {
        self.state.exists(task)
            && !self.state.has_ended(task)
            && self.state.is_enabled(&self.run, task)
    }

    /// Counts and reports an execution in which nobody can move.
    pub fn finish(&mut self) -> Ending {
        let is_cut = self.is_cut() && self.oldest_enabled().is_some();
        let ending = if is_cut { Ending::Truncated } else { self.state.ending(&self.run) };
        self.finish_as(ending);
        ending
    }

    /// What the last step did, as the front-end told it.
    pub fn last_step(&self) -> &Step {
        &self.step
    }

    /// Counts and reports an execution that has ended in this way.
    pub fn finish_as(&mut self, ending: Ending) {
        if ending == Ending::Truncated && self.is_time_up() {
            // Perhaps it was the time that cut it.
            return;
        }
        if ending == Ending::Truncated && self.is_cut() && self.oldest_enabled().is_some() {
            self.count_cut();
        }
        match ending {
            Ending::Complete => {
                self.statistics.executions += 1;
                let faults = self.run.finish();
                self.note_failed(NOBODY, &faults);
                faults.into_iter().for_each(|fault| self.fail(fault));
                // It may have been cut short.
                self.is_time_up();
            }
            Ending::Blocked => self.statistics.blocked += 1,
            Ending::Truncated => self.statistics.truncated += 1,
            Ending::Deadlocked => {
                self.statistics.deadlocks += 1;
                let message = waiting::describe(&self.run, &self.state);
                self.fail(Fault { kind: FailureKind::Deadlock, message, location: None });
            }
        }
        if let Some(classes) = &mut self.classes {
            classes.add(&self.run, &self.execution, ending);
        }
        let (run, execution) = (&self.run, &self.execution);
        self.observer.execution(ending, &|| schedule_of(run, execution));
        let reached = |limit| self.statistics.ended() >= limit;
        if self.config.limits.max_executions.is_some_and(reached) {
            self.stopped = true;
        }
    }

    /// Tells those who count classes what failed at the end of the current execution.
    fn note_failed(&mut self, task: TaskId, faults: &[Fault]) {
        let depth = self.execution.len();
        if let Some(classes) = &mut self.classes {
            faults.iter().for_each(|fault| classes.failed(depth, task, fault));
        }
    }

    /// Takes note of an execution that is cut because it does not end.
    fn count_cut(&mut self) {
        let (run, execution) = (&self.run, &self.execution);
        let (bound, events) = (self.bound, execution.len() as u64);
        let first = || {
            let repeating = endless::describe(run, execution);
            Cut { executions: 0, bound, events, repeating }
        };
        self.cut.get_or_insert_with(first).executions += 1;
    }

    /// Looks at the clock between two pieces of work that take no steps. Says whether to stop.
    pub fn is_time_up(&mut self) -> bool {
        self.look_at_clock();
        self.stopped
    }

    /// Estimates how many executions there will be, if it is time for that: when an execution has just ended and so many
    /// branches wait at each prefix of it.
    pub fn survey(&mut self, waiting: impl Iterator<Item = Waiting>) {
        if std::mem::take(&mut self.survey_due) || self.stopped {
            let waiting: Vec<Waiting> = waiting.collect();
            self.statistics.estimate = self.survey.estimate(&waiting, self.statistics.ended());
        }
    }

    /// Counts an exploration that was begun in vain.
    pub fn abandon(&mut self) {
        self.statistics.redundant += 1;
    }

    /// The result. `exhausted`: the algorithm has nothing left to explore.
    pub fn outcome(mut self, exhausted: bool) -> Outcome {
        self.statistics.elapsed = self.started.elapsed();
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
            out_of_memory: self.out_of_memory,
            given_up: self.given_up,
        }
    }

    fn fail(&mut self, fault: Fault) {
        if !self.config.keep_going {
            self.stopped = true;
        }
        let known = self.failures.iter().any(|f| {
            f.kind == fault.kind && f.message == fault.message && f.location == fault.location
        });
        if known {
            return;
        }
        let schedule = schedule_of(&self.run, &self.execution);
        self.report(fault, schedule);
    }

    fn report(&mut self, fault: Fault, schedule: Schedule) {
        let Fault { kind, message, location } = fault;
        let failure = Failure { kind, message, location, schedule };
        self.observer.failure(&failure);
        self.failures.push(failure);
    }

    fn look_at_clock(&mut self) {
        let is_long = self.execution.len() > LONG_EXECUTION;
        self.steps_until_clock = if is_long { FEW_STEPS } else { STEPS_BETWEEN_CLOCK_LOOKS };
        if self.watch.is_up() {
            self.stopped = true;
        }
        let now = Instant::now();
        if now - self.last_memory >= MEMORY_INTERVAL {
            self.last_memory = now;
            self.look_at_memory();
        }
        if now - self.last_progress >= PROGRESS_INTERVAL {
            self.last_progress = now;
            self.survey_due = true;
            self.statistics.elapsed = now - self.started;
            self.observer.progress(&self.statistics);
        }
    }

    fn look_at_memory(&mut self) {
        let Some(most) = self.config.limits.max_memory else { return };
        if self.execution.bytes() as u64 > most / EXECUTION_SHARE && !self.is_cut() {
            // Others that come to this length would take as much.
            self.most_events = self.execution.len();
            self.bound = Bound::Memory;
        }
        if memory::resident().is_some_and(|bytes| bytes > most) {
            self.out_of_memory = true;
            self.stopped = true;
        }
    }
}

/// How many of the first moves are the same.
pub fn shared(one: &[(TaskId, u32)], other: &[(TaskId, u32)]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Does an access conflict with one that these moves are to make, additions to the sequence aside?
fn conflicts(moves: &[Expected<'_>], object: ObjectId, mode: Mode) -> bool {
    let own = moves.iter().filter(|expected| !expected.is_extra);
    let mut accesses = own.flat_map(|expected| expected.accesses);
    accesses.any(|access| access.object == object && access.mode.conflicts(mode))
}

/// The moves of an execution, by names that hold in every process.
pub fn schedule_of(run: &impl Run, execution: &Execution) -> Schedule {
    let events = execution.events().iter();
    Schedule::of(run, events.map(|event| (event.task, event.choice, event.effect)))
}
