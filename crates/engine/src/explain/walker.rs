//! One run that goes wherever an explanation wants to look, with the events that led there.
//!
//! Task numbers hold for the life of a run, so executions that the same walker performed can be compared event by event: an
//! event is the n-th one of its task.

use crate::driver::schedule_of;
use crate::execution::Execution;
use crate::ids::{HandlerId, TaskId};
use crate::operation::{Effect, FailureKind, Fault, Step};
use crate::outcome::Ending;
use crate::program::{Program, Run};
use crate::replay::{RecordedEvent, record};
use crate::schedule::{Roll, Schedule};
use crate::state::State;
use crate::touch::Dependence;
use crate::waiting;
use crate::watch::Watch;
use rustc_hash::FxHashMap;

/// Who moves, and which alternative it picks.
pub(super) type Moves = Vec<(TaskId, u32)>;

/// Where events are shown: a thread, or a handler with all its messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Lane {
    Thread(TaskId),
    Handler(HandlerId),
}

/// How an execution went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The failure that is explained showed.
    Failed,
    /// It came to its end, and nothing was wrong.
    Passed,
    /// Another failure, an `assume` that does not hold, or it does not end.
    Other,
}

/// So many steps are made between two looks at the watch.
const STEPS_BETWEEN_LOOKS: u64 = 64;

/// See the module.
pub(super) struct Walker<'p, P: Program + 'p> {
    pub(super) run: P::Run<'p>,
    pub(super) state: State,
    pub(super) execution: Execution,
    /// The failure that is explained, if it is one.
    fault: Option<Fault>,
    /// The sentences of its deadlock.
    waits: Vec<String>,
    /// The alternatives that events picked when they were last performed.
    choices: FxHashMap<(TaskId, u32), u32>,
    /// The depth behind which the failure showed, and whether another one did.
    failed: Option<usize>,
    failed_otherwise: Option<usize>,
    step: Step,
    /// An execution with more events is given up.
    pub(super) most_events: usize,
    /// So many steps may still be made.
    steps_left: u64,
    watch: &'p Watch,
    stopped: bool,
}

impl<'p, P: Program> Walker<'p, P> {
    /// At the initial state.
    pub(super) fn new(program: &'p P, fault: Option<Fault>, watch: &'p Watch) -> Self {
        let run = program.start_watched(watch);
        Walker {
            state: State::new(&run),
            run,
            execution: Execution::new(Dependence::Conflicts),
            fault,
            waits: Vec::new(),
            choices: FxHashMap::default(),
            failed: None,
            failed_otherwise: None,
            step: Step::default(),
            most_events: usize::MAX,
            steps_left: u64::MAX,
            watch,
            stopped: false,
        }
    }

    /// Performs a schedule whole. Says whether it is possible.
    pub(super) fn perform(&mut self, schedule: &Schedule) -> bool {
        self.rewind(0);
        let mut roll = Roll::default();
        roll.enter_roots(&self.run);
        for next in &schedule.moves {
            let by_path = || {
                let mut alive = self.state.alive().iter().copied();
                alive.find(|&task| self.run.task_path(task) == next.task)
            };
            let Some(task) = roll.task(&next.task).or_else(by_path) else { return false };
            if !self.can_move(task) || !self.has_choice(task, next.choice) {
                return false;
            }
            self.step(task, next.choice);
            let effect = self.step.effect;
            roll.follow(&self.run, effect);
        }
        if self.ending() == Some(Ending::Deadlocked) {
            self.waits = waiting::waits(&self.run, &self.state);
        }
        true
    }

    /// Allows so many more steps from now on.
    pub(super) fn allow(&mut self, steps: u64) {
        self.steps_left = steps;
    }

    /// Is the effort spent, or the time up?
    pub(super) fn is_spent(&self) -> bool {
        self.steps_left == 0 || self.stopped || self.watch.is_up()
    }

    /// The number of events performed.
    pub(super) fn depth(&self) -> usize {
        self.execution.len()
    }

    /// The moves so far.
    pub(super) fn moves(&self) -> Moves {
        self.execution.events().iter().map(|event| (event.task, event.choice)).collect()
    }

    /// The moves so far, by names that hold in every process.
    pub(super) fn schedule(&self) -> Schedule {
        schedule_of(&self.run, &self.execution)
    }

    /// Is the task there, and can it move?
    pub(super) fn can_move(&self, task: TaskId) -> bool {
        self.state.exists(task)
            && !self.state.has_ended(task)
            && self.state.is_enabled(&self.run, task)
    }

    /// Has the next event of a task this alternative?
    pub(super) fn has_choice(&self, task: TaskId, choice: u32) -> bool {
        choice == 0 || choice < self.run.alternatives(task)
    }

    /// What the next event of a task picked when it was last performed, if it still can.
    pub(super) fn usual_choice(&self, task: TaskId) -> u32 {
        let index = self.state.events_of(task) + 1;
        let choice = self.choices.get(&(task, index)).copied().unwrap_or(0);
        if self.has_choice(task, choice) { choice } else { 0 }
    }

    /// Where a task is shown.
    pub(super) fn lane(&self, task: TaskId) -> Lane {
        self.run.handler(task).map_or(Lane::Thread(task), Lane::Handler)
    }

    /// Where the last event is shown.
    pub(super) fn last_lane(&self) -> Option<Lane> {
        self.execution.events().last().map(|event| self.lane(event.task))
    }

    /// How often the lane changes.
    pub(super) fn switches(&self) -> usize {
        let events = self.execution.events();
        events.windows(2).filter(|it| self.lane(it[0].task) != self.lane(it[1].task)).count()
    }

    /// Makes one move, which must be possible.
    pub(super) fn step(&mut self, task: TaskId, choice: u32) {
        let gate = self.run.gate_of(task).to_vec();
        self.choices.insert((task, self.state.events_of(task) + 1), choice);
        self.step.clear();
        self.run.step(task, choice, &mut self.step);
        self.state.apply(&self.run, task, self.step.effect, &self.step.accesses);
        self.execution.push(&self.run, task, choice, &self.step, &gate);
        for fault in &self.step.faults {
            let kept = if is_explained(&self.fault, fault) {
                &mut self.failed
            } else {
                &mut self.failed_otherwise
            };
            kept.get_or_insert(self.execution.len());
        }
        self.steps_left = self.steps_left.saturating_sub(1);
        if self.step.interrupted
            || (self.steps_left.is_multiple_of(STEPS_BETWEEN_LOOKS) && self.watch.is_up())
        {
            self.stopped = true;
        }
    }

    /// Goes back to the first `depth` events.
    pub(super) fn rewind(&mut self, depth: usize) {
        if depth >= self.execution.len() {
            return;
        }
        for _ in depth..self.execution.len() {
            self.state.undo(&self.run);
        }
        self.run.rewind(depth);
        self.execution.truncate(depth);
        if self.run.goes_back_by_executing() {
            // They are executed again before the next step.
            self.steps_left = self.steps_left.saturating_sub(depth as u64);
            self.stopped |= self.watch.is_up();
        }
        let earlier = |&at: &usize| at <= depth;
        self.failed = self.failed.filter(earlier);
        self.failed_otherwise = self.failed_otherwise.filter(earlier);
    }

    /// Goes back as far as needed to follow other moves, and says how many of them have been made.
    pub(super) fn turn_to(&mut self, moves: &[(TaskId, u32)]) -> usize {
        let events = self.execution.events().iter();
        let shared = events
            .zip(moves)
            .take_while(|(event, (task, choice))| event.task == *task && event.choice == *choice)
            .count();
        self.rewind(shared);
        shared
    }

    /// Has the failure that is explained shown in an event?
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    fn explains_deadlock(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.kind == FailureKind::Deadlock)
    }

    /// What the last step did, in words.
    pub(super) fn last_recorded(&self) -> Option<RecordedEvent> {
        let event = self.execution.events().last()?;
        let path = self.run.task_path(event.task);
        Some(record(&self.run, &path, event.task, event.choice, &self.step))
    }

    /// The task that the last step posted or started.
    pub(super) fn last_child(&self) -> Option<TaskId> {
        match self.step.effect {
            Effect::Post(child, _) | Effect::Fork(child) => Some(child),
            _ => None,
        }
    }

    /// How an execution in which nobody can move has ended.
    fn ending(&self) -> Option<Ending> {
        let mut alive = self.state.alive().iter();
        let is_over = !alive.any(|&task| self.state.is_enabled(&self.run, task));
        is_over.then(|| self.state.ending(&self.run))
    }

    /// How the execution went, if it is over.
    pub(super) fn end(&mut self) -> End {
        if self.run.is_impossible() {
            return End::Other;
        }
        if self.has_failed() {
            return End::Failed;
        }
        let ended_well = match self.ending() {
            Some(Ending::Complete) => {
                let faults = self.run.finish();
                if faults.iter().any(|fault| is_explained(&self.fault, fault)) {
                    return End::Failed;
                }
                faults.is_empty()
            }
            Some(Ending::Deadlocked) if self.explains_deadlock() => {
                let waits = waiting::waits(&self.run, &self.state);
                let is_part = waits.iter().all(|wait| self.waits.contains(wait));
                return if is_part { End::Failed } else { End::Other };
            }
            _ => false,
        };
        if ended_well && self.failed_otherwise.is_none() { End::Passed } else { End::Other }
    }
}

/// Is it the failure that is explained, whenever it happens?
fn is_explained(explained: &Option<Fault>, fault: &Fault) -> bool {
    explained.as_ref().is_some_and(|explained| {
        explained.kind == fault.kind
            && explained.message == fault.message
            && (explained.location.is_none() || explained.location == fault.location)
    })
}
