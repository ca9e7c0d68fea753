//! Performs plans with a driver.

use super::Grain;
use crate::driver::Driver;
use crate::ids::{EventId, TaskId};
use crate::operation::{Next, Operation};
use crate::outcome::Ending;
use crate::program::{Program, Run};
use crate::reorder::{Plan, Replay};
use rustc_hash::FxHashMap;

/// A step of a task: its number there, and the alternative that it picks. A whole message is named by its first step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TaskStep {
    pub task: TaskId,
    pub index: u32,
    pub choice: u32,
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
}

/// An event that was performed.
#[derive(Clone, Copy, Debug)]
pub struct Performed {
    pub event: EventId,
    /// The position of its first step in the execution.
    pub first_step: usize,
}

/// Performs plans.
pub struct Performer<'a, P: Program + 'a> {
    pub driver: Driver<'a, P>,
    grain: Grain,
    names: Names,
    /// The events of the current execution.
    pub performed: Vec<Performed>,
    /// What was possible before each of them, and is at the end.
    pub possible: Vec<Vec<EventId>>,
}

impl<'a, P: Program> Performer<'a, P> {
    /// At the initial state.
    pub fn new(driver: Driver<'a, P>, grain: Grain) -> Self {
        let names = Names::default();
        Performer { driver, grain, names, performed: Vec::new(), possible: Vec::new() }
    }

    /// What an event is.
    pub fn grain(&self) -> Grain {
        self.grain
    }

    /// The driver, when all is done.
    pub fn into_driver(self) -> Driver<'a, P> {
        self.driver
    }

    /// From now on every step is an event. Sees the current execution again that way.
    pub fn look_closer(&mut self) {
        self.grain = Grain::Steps;
        let events = self.driver.execution().events().iter();
        let moves: Vec<(TaskId, u32)> = events.map(|event| (event.task, event.choice)).collect();
        self.performed.clear();
        self.possible.clear();
        let transitions = self.driver.statistics.transitions;
        self.driver.rewind(0);
        for (task, choice) in moves {
            let possible = self.possible_now();
            self.possible.push(possible);
            let event = self.next_event(task, choice);
            self.performed.push(Performed { event, first_step: self.driver.depth() });
            self.driver.step(task, choice);
            if self.driver.is_time_up() {
                break;
            }
        }
        let possible = self.possible_now();
        self.possible.push(possible);
        // Seeing it again is no progress.
        self.driver.statistics.transitions = transitions;
    }

    /// Performs a plan as far as it can, and then what else there is. Nothing if the exploration was stopped.
    pub fn perform(&mut self, plan: &Plan) -> Option<Ending> {
        let common = self.common_prefix(&plan.events);
        let depth = self.performed.get(common).map(|next| next.first_step);
        self.driver.rewind(depth.unwrap_or(self.driver.depth()));
        self.performed.truncate(common);
        self.possible.truncate(common);
        let mut replay = Replay::new(&plan.events[common..]);
        loop {
            let possible = self.possible_now();
            let planned = replay.next(|event| possible.contains(&event));
            let next = planned.or(possible.first().copied());
            self.possible.push(possible);
            let Some(event) = next else { break };
            self.step(event);
            if self.driver.stopped() {
                return None;
            }
        }
        let ending = self.driver.finish();
        (!self.driver.stopped()).then_some(ending)
    }

    /// How many events of the current execution the plan begins with.
    fn common_prefix(&self, plan: &[EventId]) -> usize {
        let same = self.performed.iter().zip(plan).take_while(|(done, next)| done.event == **next);
        same.count()
    }

    fn step(&mut self, event: EventId) {
        let TaskStep { task, choice, .. } = self.names.steps[event.index()];
        self.performed.push(Performed { event, first_step: self.driver.depth() });
        self.driver.step(task, choice);
        // The rest of a message. If it has to wait or to choose, it is told apart later.
        while self.grain == Grain::Messages
            && self.driver.walk.run.handler(task).is_some()
            && !self.driver.stopped()
            && self.driver.walk.is_enabled(task)
        {
            self.driver.step(task, 0);
        }
    }

    /// The step that an event is, or begins with.
    pub fn named(&self, event: EventId) -> TaskStep {
        self.names.steps[event.index()]
    }

    /// The next step of a task, as an event.
    pub fn next_event(&mut self, task: TaskId, choice: u32) -> EventId {
        let index = self.driver.walk.state.events_of(task) + 1;
        self.names.event(TaskStep { task, index, choice })
    }

    /// What is possible now, that of the oldest task first.
    fn possible_now(&mut self) -> Vec<EventId> {
        let mut tasks = Vec::new();
        self.driver.enabled(&mut tasks);
        let mut possible = Vec::new();
        for task in tasks {
            let alternatives = match self.driver.walk.run.next(task) {
                Next::Operation(Operation::Choose(alternatives)) => alternatives,
                _ => 1,
            };
            possible.extend((0..alternatives).map(|choice| self.next_event(task, choice)));
        }
        possible
    }

    /// What the event at a position made possible, and what it made impossible.
    pub fn changes(&self, at: usize) -> (Vec<EventId>, Vec<EventId>) {
        let (before, after) = (&self.possible[at], &self.possible[at + 1]);
        let event = self.performed[at].event;
        let without = |these: &[EventId], others: &[EventId]| {
            let mut sorted = others.to_vec();
            sorted.sort_unstable();
            let is_new = |event: &&EventId| sorted.binary_search(event).is_err();
            these.iter().filter(is_new).copied().collect::<Vec<_>>()
        };
        let mut vanished = without(before, after);
        vanished.retain(|&other| other != event);
        (without(after, before), vanished)
    }
}
