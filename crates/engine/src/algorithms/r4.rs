//! R4 on programs and recorded traces: the front-end of [`crate::reorder`] for a [`Run`].
//!
//! **Explores** the first execution (the oldest task moves first), then what comes from it by reversing races. What is
//! explored, the source, the guarantee and the cost are those of [`crate::reorder`]. The messages of one handler conflict as
//! in [`super::optimal`].
//!
//! **Deviations**: an event is one step of a task, where the paper's is a whole callback.

use crate::config::Config;
use crate::driver::Driver;
use crate::ids::{EventId, TaskId};
use crate::operation::{Next, Operation};
use crate::outcome::{Ending, Observer, Outcome};
use crate::program::{Program, Run};
use crate::reorder::{Explorer, NewEvents, Plan, Race, Replay, Second, Sequence, Settings};
use crate::touch::Dependence;
use rustc_hash::FxHashMap;

/// Explores by reversals, up to the bound.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let settings = Settings { bound: config.bound, new_events: NewEvents::Reverse };
    let mut explorer = Explorer::new(settings);
    let mut performer = Performer {
        driver: Driver::<P>::new(program, config, observer, Dependence::Handlers),
        names: Names::default(),
        possible: Vec::new(),
    };
    while let Some(plan) = explorer.next_plan() {
        let Some(sequence) = performer.perform(&plan) else {
            return performer.driver.outcome(false);
        };
        performer.driver.statistics.races += sequence.races.len() as u64;
        explorer.done(plan.ticket, sequence);
        if performer.driver.is_time_up() {
            return performer.driver.outcome(false);
        }
    }
    let given_up = explorer.given_up();
    performer.driver.statistics.beyond_bound = given_up.beyond_bound;
    performer.driver.outcome(given_up.is_nothing())
}

/// A step of a task: its number there, and the alternative that it picks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct TaskStep {
    task: TaskId,
    index: u32,
    choice: u32,
}

/// Steps as events, and back.
#[derive(Default)]
struct Names {
    events: FxHashMap<TaskStep, EventId>,
    steps: Vec<TaskStep>,
}

impl Names {
    fn event(&mut self, step: TaskStep) -> EventId {
        let next = EventId::from(self.steps.len());
        let event = *self.events.entry(step).or_insert(next);
        if event == next {
            self.steps.push(step);
        }
        event
    }

    fn step(&self, event: EventId) -> TaskStep {
        self.steps[event.index()]
    }
}

/// Performs plans.
struct Performer<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    names: Names,
    /// What was possible before each event of the current execution, and is now.
    possible: Vec<Vec<EventId>>,
}

impl<P: Program> Performer<'_, P> {
    /// Nothing if the exploration was stopped.
    fn perform(&mut self, plan: &Plan) -> Option<Sequence> {
        let common = self.common_prefix(&plan.events);
        self.driver.rewind(common);
        self.possible.truncate(common);
        let mut replay = Replay::new(&plan.events[common..]);
        loop {
            let possible = self.possible_now();
            let planned = replay.next(|event| possible.contains(&event));
            let next = planned.or(possible.first().copied());
            self.possible.push(possible);
            let Some(event) = next else { break };
            let TaskStep { task, choice, .. } = self.names.step(event);
            self.driver.step(task, choice);
            if self.driver.stopped() {
                return None;
            }
        }
        let ending = self.driver.finish();
        (!self.driver.stopped()).then(|| self.sequence(ending))
    }

    /// How many events of the current execution the plan begins with.
    fn common_prefix(&mut self, plan: &[EventId]) -> usize {
        let happened = (0..self.driver.depth()).map(|at| self.performed(at)).collect::<Vec<_>>();
        happened.iter().zip(plan).take_while(|(event, planned)| event == planned).count()
    }

    fn performed(&mut self, at: usize) -> EventId {
        let event = &self.driver.execution.events()[at];
        let (task, index, choice) = (event.task, event.index, event.choice);
        self.names.event(TaskStep { task, index, choice })
    }

    /// What is possible now, that of the oldest task first.
    fn possible_now(&mut self) -> Vec<EventId> {
        let mut tasks = Vec::new();
        self.driver.enabled(&mut tasks);
        let mut possible = Vec::new();
        for task in tasks {
            let alternatives = self.alternatives(task);
            possible.extend((0..alternatives).map(|choice| self.next_event(task, choice)));
        }
        possible
    }

    fn alternatives(&self, task: TaskId) -> u32 {
        match self.driver.run.next(task) {
            Next::Operation(Operation::Choose(alternatives)) => alternatives,
            _ => 1,
        }
    }

    fn next_event(&mut self, task: TaskId, choice: u32) -> EventId {
        let index = self.driver.state.events_of(task) + 1;
        self.names.event(TaskStep { task, index, choice })
    }

    /// What has just been performed.
    fn sequence(&mut self, ending: Ending) -> Sequence {
        let words = self.driver.execution.words();
        let mut sequence = Sequence::new(words, self.possible[0].clone(), false);
        for at in 0..self.driver.depth() {
            let event = self.performed(at);
            let (before, after) = (&self.possible[at], &self.possible[at + 1]);
            let new = |event: &&EventId| !before.contains(event);
            let gone = |other: &&EventId| !after.contains(other) && **other != event;
            let appeared = after.iter().filter(new).copied().collect();
            let vanished = before.iter().filter(gone).copied().collect();
            let execution = &self.driver.execution;
            let touches = execution.touches(at).to_vec();
            sequence.push(event, execution.before(at), touches, appeared, vanished);
        }
        sequence.races = self.races(ending);
        sequence
    }

    fn races(&mut self, ending: Ending) -> Vec<Race> {
        let races = self.driver.execution.races().iter();
        let mut all: Vec<Race> =
            races.map(|&(first, second)| Race { first, second: Second::Event(second) }).collect();
        self.other_choices(&mut all);
        if ending != Ending::Complete {
            self.races_of_waiting(&mut all);
        }
        all.sort_by_key(|race| race.first);
        all
    }

    /// Picking one alternative makes the others impossible.
    fn other_choices(&mut self, races: &mut Vec<Race>) {
        for at in 0..self.driver.depth() {
            let event = self.performed(at);
            let picked = self.names.step(event);
            let others = self.possible[at].iter().filter(|&&event| {
                let step = self.names.step(event);
                step.task == picked.task && step.choice != picked.choice
            });
            races.extend(others.map(|&event| Race {
                first: at as u32,
                second: Second::Missed { event, past: Vec::new() },
            }));
        }
    }

    /// What waits for ever could be performed before what it waits for.
    fn races_of_waiting(&mut self, races: &mut Vec<Race>) {
        for task in self.driver.state.alive().to_vec() {
            let Next::Operation(operation) = self.driver.run.next(task) else { continue };
            let event = self.next_event(task, 0);
            let Driver { execution, run, .. } = &mut self.driver;
            let Some(waiting) = execution.races_of_waiting(run, task, operation) else { continue };
            races.extend(waiting.races.iter().map(|&first| {
                let past = waiting.past.to_vec();
                Race { first, second: Second::Missed { event, past } }
            }));
        }
    }
}
