//! Runs one schedule again and records what happens, with names for people.

mod causes;
mod variables;

pub use causes::{Cause, CauseKind};
pub use variables::Variable;

use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::{Effect, FailureKind, Fault, Mode, Next, Step};
use crate::outcome::Ending;
use crate::program::{Program, Run};
use crate::schedule::{Move, Roll, Schedule};
use crate::state::State;
use crate::touch::Dependence;
use crate::waiting;
use crate::watch::Watch;
use std::fmt;

/// An access, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedAccess {
    /// The object's name.
    pub object: String,
    /// How it was touched.
    pub mode: Mode,
    /// The value read.
    pub read: i64,
    /// The value written.
    pub written: i64,
}

/// What an event did beside its accesses, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Only its accesses, or nothing that others can see.
    Plain,
    /// A message began.
    Start,
    /// It posted this message to this handler.
    Post {
        /// The message.
        message: String,
        /// Where to.
        handler: String,
    },
    /// It started this thread.
    Fork(String),
    /// It saw the end of this task.
    Join(String),
    /// It picked this alternative.
    Choose(u32),
}

/// One event of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedEvent {
    /// The thread, or the handler that ran the message.
    pub column: String,
    /// Is that a handler, which may run several messages?
    pub on_handler: bool,
    /// The task's name for people.
    pub task: String,
    /// The task's name in a schedule, which no other task has.
    pub path: String,
    /// What it did.
    pub action: Action,
    /// What it touched.
    pub accesses: Vec<RecordedAccess>,
    /// What it did, where its accesses say too little ([`Run::words`]).
    pub words: Option<String>,
    /// What else people should know of it ([`Run::remark`]).
    pub remark: Option<String>,
    /// Was it the last event of its task?
    pub ends_task: bool,
    /// `file:line:column`.
    pub location: Option<String>,
    /// What went wrong with it.
    pub faults: Vec<Fault>,
}

/// An execution, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// Its events in order.
    pub events: Vec<RecordedEvent>,
    /// How it ended; `None` if something could still move.
    pub ending: Option<Ending>,
    /// Failures seen at the end: a deadlock, or what `finally` says.
    pub final_faults: Vec<Fault>,
    /// After a deadlock: who waits for what, a sentence each.
    pub waiting: Vec<String>,
    /// For each event, those that it comes directly after, in order. What happens before an event is what can be reached
    /// this way. (Not part of the event: the same event has other numbers in an equivalent execution.)
    pub causes: Vec<Vec<Cause>>,
    /// The variables that were touched, in the order of the program.
    pub variables: Vec<Variable>,
}

impl Recording {
    /// Everything that went wrong, in order.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.events.iter().flat_map(|event| &event.faults).chain(&self.final_faults)
    }

    /// How often another thread or handler moves than the one before: what makes an execution hard to follow.
    pub fn switches(&self) -> usize {
        let changes = |pair: &&[RecordedEvent]| {
            let is_other_thread = !pair[0].on_handler && pair[0].path != pair[1].path;
            pair[0].on_handler != pair[1].on_handler
                || pair[0].column != pair[1].column
                || is_other_thread
        };
        self.events.windows(2).filter(changes).count()
    }

    /// The moves that lead here.
    pub fn schedule(&self) -> Schedule {
        let next = |event: &RecordedEvent| Move {
            task: event.path.clone(),
            choice: if let Action::Choose(choice) = event.action { choice } else { 0 },
        };
        Schedule { moves: self.events.iter().map(next).collect() }
    }

    /// The values of [`Recording::variables`] after so many events, as far as they are known.
    pub fn state_after(&self, events: usize) -> Vec<Option<i64>> {
        let mut values: Vec<Option<i64>> = self.variables.iter().map(|it| it.initial).collect();
        for access in self.events[..events].iter().flat_map(|event| &event.accesses) {
            if let Some(written) = access.value_left()
                && let Some(at) = self.variables.iter().position(|it| it.name == access.object)
            {
                values[at] = Some(written);
            }
        }
        values
    }

    /// The last of the first `events` events that wrote a variable.
    pub fn writer_of(&self, variable: &str, events: usize) -> Option<usize> {
        let writes =
            |access: &RecordedAccess| access.object == variable && access.value_left().is_some();
        self.events[..events].iter().rposition(|event| event.accesses.iter().any(writes))
    }
}

impl RecordedAccess {
    /// The value that it leaves in its variable, if it writes one.
    pub fn value_left(&self) -> Option<i64> {
        matches!(self.mode, Mode::Write | Mode::Update).then_some(self.written)
    }
}

/// Why a schedule does not fit a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    /// No such task exists at that point.
    UnknownTask {
        /// Position in the schedule, counted from 1.
        step: usize,
        /// The task named there.
        task: String,
        /// The tasks that could move.
        enabled: Vec<String>,
    },
    /// The task exists but cannot move at that point.
    NotEnabled {
        /// Position in the schedule, counted from 1.
        step: usize,
        /// The task named there.
        task: String,
        /// The tasks that could move.
        enabled: Vec<String>,
    },
    /// The time was up.
    TimeIsUp {
        /// Position in the schedule, counted from 1.
        step: usize,
    },
    /// The task has no such alternative at that point.
    NoSuchChoice {
        /// Position in the schedule, counted from 1.
        step: usize,
        /// The task named there.
        task: String,
        /// The alternative asked for.
        choice: u32,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (step, task, why, enabled) = match self {
            ReplayError::UnknownTask { step, task, enabled } => {
                (step, task, "which does not exist at that point", enabled)
            }
            ReplayError::NotEnabled { step, task, enabled } => {
                (step, task, "which cannot move at that point", enabled)
            }
            ReplayError::TimeIsUp { step } => {
                return write!(f, "the time was up at step {step} of the schedule");
            }
            ReplayError::NoSuchChoice { step, task, choice } => {
                return write!(
                    f,
                    "step {step} of the schedule lets {task} pick alternative {choice}, which it does \
                     not have at that point"
                );
            }
        };
        let could = if enabled.is_empty() {
            "nothing can move there".to_owned()
        } else {
            format!("these can: {}", enabled.join(", "))
        };
        write!(f, "step {step} of the schedule is for {task}, {why} ({could})")
    }
}

impl std::error::Error for ReplayError {}

/// Runs `schedule` on `program` and records what happens. A schedule may end before the execution does.
pub fn replay<P: Program>(program: &P, schedule: &Schedule) -> Result<Recording, ReplayError> {
    replay_watched(program, schedule, &Watch::default())
}

/// As [`replay`], unless the time is up before.
pub fn replay_watched<P: Program>(
    program: &P,
    schedule: &Schedule,
    watch: &Watch,
) -> Result<Recording, ReplayError> {
    let mut recording = Recording::default();
    let mut past = causes::Past::default();
    let mut touched = variables::Touched::default();
    let (mut run, state) =
        perform(program, schedule, watch, |run, path, task, next, step, gate| {
            recording.events.push(record(run, path, task, next.choice, step));
            recording.causes.push(past.follow(run, task, step, gate));
            touched.follow(step);
        })?;
    let mut enabled = Vec::new();
    state.enabled(&run, &mut enabled);
    if enabled.is_empty() {
        let ending = state.ending(&run);
        recording.ending = Some(ending);
        if ending == Ending::Deadlocked {
            recording.waiting = waiting::waits(&run, &state);
        }
        recording.final_faults = match ending {
            Ending::Complete => run.finish(),
            Ending::Deadlocked => {
                let message = waiting::describe(&run, &state);
                vec![Fault::new(FailureKind::Deadlock, message, None)]
            }
            Ending::Blocked | Ending::Truncated => Vec::new(),
        };
        touched.finally(run.final_reads());
    }
    recording.variables = touched.variables(&run);
    Ok(recording)
}

/// Runs `schedule` on `program`: the run where it ends, and its events.
pub fn execute<'p, P: Program>(
    program: &'p P,
    schedule: &Schedule,
) -> Result<(P::Run<'p>, Execution), ReplayError> {
    let mut execution = Execution::new(Dependence::Conflicts);
    let watch = Watch::default();
    let (run, _) = perform(program, schedule, &watch, |run, _, task, next, step, gate| {
        execution.push(run, task, next.choice, step, gate);
    })?;
    Ok((run, execution))
}

/// So many steps are made between two looks at the watch.
const STEPS_BETWEEN_LOOKS: usize = 256;

/// Calls `each` after each step with the run, the name of the task in the schedule, the task, the move, what it did and
/// what it had to wait for.
fn perform<'p, P: Program>(
    program: &'p P,
    schedule: &Schedule,
    watch: &Watch,
    mut each: impl FnMut(&P::Run<'p>, &str, TaskId, &Move, &Step, &[(TaskId, u32)]),
) -> Result<(P::Run<'p>, State), ReplayError> {
    let mut run = program.start_watched(watch);
    let mut state = State::new(&run);
    let mut roll = Roll::default();
    roll.enter_roots(&run);
    let mut step = Step::default();
    for (at, next) in schedule.moves.iter().enumerate() {
        let task = find(&run, &state, &roll, at + 1, &next.task)?;
        check_choice(&run, task, at + 1, next)?;
        let gate = run.gate_of(task).to_vec();
        step.clear();
        run.step(task, next.choice, &mut step);
        if step.interrupted || (at % STEPS_BETWEEN_LOOKS == 0 && watch.is_up()) {
            return Err(ReplayError::TimeIsUp { step: at + 1 });
        }
        state.apply(&run, task, step.effect, &step.accesses);
        roll.follow(&run, step.effect);
        each(&run, roll.name(&run, task), task, next, &step, &gate);
    }
    Ok((run, state))
}

fn find(
    run: &impl Run,
    state: &State,
    roll: &Roll,
    step: usize,
    name: &str,
) -> Result<TaskId, ReplayError> {
    let by_path = || state.alive().iter().copied().find(|&task| run.task_path(task) == name);
    let task = roll.task(name).or_else(by_path);
    let is_alive = |&task: &TaskId| state.exists(task) && !state.has_ended(task);
    if let Some(task) = task.filter(is_alive)
        && state.is_enabled(run, task)
    {
        return Ok(task);
    }
    let mut enabled = Vec::new();
    state.enabled(run, &mut enabled);
    let enabled = enabled.iter().map(|&task| run.task_path(task)).collect();
    match task.filter(is_alive) {
        Some(_) => Err(ReplayError::NotEnabled { step, task: name.to_owned(), enabled }),
        None => Err(ReplayError::UnknownTask { step, task: name.to_owned(), enabled }),
    }
}

fn check_choice(run: &impl Run, task: TaskId, step: usize, next: &Move) -> Result<(), ReplayError> {
    if next.choice == 0 || next.choice < run.alternatives(task) {
        return Ok(());
    }
    Err(ReplayError::NoSuchChoice { step, task: next.task.clone(), choice: next.choice })
}

/// An event in words.
pub(crate) fn record(
    run: &impl Run,
    path: &str,
    task: TaskId,
    choice: u32,
    step: &Step,
) -> RecordedEvent {
    let action = match step.effect {
        Effect::None => Action::Plain,
        Effect::Start => Action::Start,
        Effect::Post(message, handler) => {
            Action::Post { message: run.task_label(message), handler: run.handler_name(handler) }
        }
        Effect::Fork(child) => Action::Fork(run.task_label(child)),
        Effect::Join(other) => Action::Join(run.task_label(other)),
        Effect::Choose(_) if step.accesses.is_empty() => Action::Choose(choice),
        Effect::Choose(_) => Action::Plain,
    };
    let accesses = step.accesses.iter().map(|access| RecordedAccess {
        object: run.object_name(access.object),
        mode: access.mode,
        read: access.read,
        written: access.written,
    });
    RecordedEvent {
        column: run
            .handler(task)
            .map_or_else(|| run.task_label(task), |handler| run.handler_name(handler)),
        on_handler: run.handler(task).is_some(),
        task: run.task_label(task),
        path: path.to_owned(),
        action,
        accesses: accesses.collect(),
        words: run.words(),
        remark: run.remark(),
        ends_task: run.next(task) == Next::Ended,
        location: step.location.map(|location| run.location(location)),
        faults: step.faults.clone(),
    }
}
