//! Bounded scheduling: executions in the order of how often their schedules interfere.
//!
//! **Explores** one execution of each trace, as `optimal` sees them (the messages of one handler are ordered), those first that
//! a schedule with few preemptions, or delays, performs. A *preemption* is a move of another task while the last one could go on. A *delay* passes over a task whose turn it is: the last one
//! goes on, and when it cannot, the next one in a circle. With a bound, only traces within it are explored; without one, all.
//! **Source**: Musuvathi, Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007;
//! Emmi, Qadeer, Rakamarić, "Delay-bounded scheduling", POPL 2011. **Guarantee**: every trace that a schedule within the bound performs is explored once, and with the smallest
//! possible number; so the first failure is one with the fewest preemptions. With a bound the verdict is never `safe`.
//! **Cost**: every prefix of every trace within the bound is visited once for each task that may have moved last, and remembered: memory grows with the exploration, which no
//! other algorithm here needs. For a fixed bound the number of schedules is polynomial in the length of an execution.
//!
//! **Deviations**
//! 1. Where two schedules have performed the same trace, and the same task may go on, what follows is the same. So such a state is visited once
//!    (happens-before caching, of the first authors). Since schedules come in the order of what they cost, the first visit is the cheapest one.
//! 2. A message that begins on an idle handler preempts nobody, and picking an alternative of a choice costs nothing.

use crate::config::{Config, Interference};
use crate::driver::Driver;
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use crate::outcome::{Observer, Outcome};
use crate::program::{Program, Run};
use crate::touch::Dependence;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Explores what few preemptions or delays reach, then what more of them reach.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let driver = Driver::<P>::new(program, config, observer, Dependence::Handlers);
    let mut exploration = Exploration {
        driver,
        counted: config.interference,
        performed: Vec::new(),
        visited: FxHashSet::default(),
        waiting: BTreeMap::from([(0, vec![None])]),
    };
    let exhausted = exploration.run(config.bound);
    exploration.driver.outcome(exhausted && config.bound.is_none())
}

/// A schedule: its last move, and the moves before it, which others share.
type Schedule = Option<Rc<Node>>;

struct Node {
    task: TaskId,
    choice: u32,
    length: usize,
    before: Schedule,
}

/// A move that has been made, and the trace up to there.
struct Performed {
    node: Rc<Node>,
    trace: Fingerprint,
}

/// A move that can be made.
struct Candidate {
    task: TaskId,
    choice: u32,
    cost: u32,
}

struct Exploration<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    counted: Interference,
    /// The present schedule.
    performed: Vec<Performed>,
    /// Traces, each with the task that decides about what moves cost.
    visited: FxHashSet<(Fingerprint, Option<TaskId>)>,
    /// Schedules whose last move has not been made, by what they cost.
    waiting: BTreeMap<u32, Vec<Schedule>>,
}

impl<P: Program> Exploration<'_, P> {
    /// Says whether it came to its end.
    fn run(&mut self, bound: Option<u32>) -> bool {
        while let Some((cost, mut schedules)) = self.waiting.pop_first() {
            if bound.is_some_and(|most| cost > most) {
                break;
            }
            // The last one is the nearest to the present schedule.
            while let Some(schedule) = schedules.pop() {
                if !self.perform(&schedule) {
                    return false;
                }
                for Candidate { task, choice, cost: more } in self.visit() {
                    let (before, length) = (schedule.clone(), self.performed.len() + 1);
                    let node = Some(Rc::new(Node { task, choice, length, before }));
                    match more {
                        0 => schedules.push(node),
                        _ => self.waiting.entry(cost.saturating_add(more)).or_default().push(node),
                    }
                }
                if self.driver.stopped() {
                    return false;
                }
            }
        }
        true
    }

    /// Performs a schedule from where it parts from the present one. Says whether to go on.
    fn perform(&mut self, schedule: &Schedule) -> bool {
        let mut missing = Vec::new();
        let mut next = schedule.as_ref();
        while let Some(node) = next.filter(|node| !self.is_performed(node)) {
            missing.push(Rc::clone(node));
            next = node.before.as_ref();
        }
        let length = next.map_or(0, |node| node.length);
        self.driver.rewind(length);
        self.performed.truncate(length);
        missing.into_iter().rev().all(|node| self.step(node))
    }

    fn is_performed(&self, node: &Rc<Node>) -> bool {
        self.performed.get(node.length - 1).is_some_and(|it| Rc::ptr_eq(&it.node, node))
    }

    /// Makes one more move. Says whether to go on.
    fn step(&mut self, node: Rc<Node>) -> bool {
        self.driver.step(node.task, node.choice);
        if self.driver.stopped() {
            return false;
        }
        let event = self.driver.execution().fingerprint_of([node.length - 1]);
        let trace = self.trace().and(event);
        self.performed.push(Performed { node, trace });
        true
    }

    fn trace(&self) -> Fingerprint {
        self.performed.last().map_or_else(Fingerprint::default, |it| it.trace)
    }

    /// What can be done here, what should come first last; nothing if another schedule has come here before. An
    /// execution that is at its end is counted.
    fn visit(&mut self) -> Vec<Candidate> {
        let mut enabled = Vec::new();
        self.driver.enabled(&mut enabled);
        enabled.sort_unstable();
        let last = self.performed.last().map(|it| it.node.task);
        let decides = self.counted.decides(last, &enabled);
        if !self.visited.insert((self.trace(), decides)) {
            return Vec::new();
        }
        if enabled.is_empty() {
            self.driver.finish();
        }
        let mut candidates = Vec::new();
        for &task in enabled.iter().rev() {
            let alternatives = self.driver.walk.run.alternatives(task);
            let cost = self.counted.cost(decides, task, &enabled);
            candidates.extend((0..alternatives).rev().map(|choice| Candidate {
                task,
                choice,
                cost,
            }));
        }
        candidates
    }
}

impl Interference {
    /// The task that decides about what moves cost, if the last move was one of `last`.
    fn decides(self, last: Option<TaskId>, enabled: &[TaskId]) -> Option<TaskId> {
        match self {
            Interference::Preemptions => last.filter(|task| enabled.contains(task)),
            Interference::Delays => last.filter(|_| !enabled.is_empty()),
        }
    }

    /// What a move of `task` costs. The enabled tasks are in order.
    fn cost(self, decides: Option<TaskId>, task: TaskId, enabled: &[TaskId]) -> u32 {
        let Some(decides) = decides else {
            // At the beginning it is the first one's turn, and where nobody can be preempted it is anybody's.
            return match self {
                Interference::Preemptions => 0,
                Interference::Delays => place(task, enabled) as u32,
            };
        };
        match self {
            Interference::Preemptions => u32::from(task != decides),
            Interference::Delays => {
                let turn = place(decides, enabled);
                let around = place(task, enabled) + enabled.len() - turn;
                (around % enabled.len()) as u32
            }
        }
    }
}

/// Where a task stands among those in order, or would.
fn place(task: TaskId, enabled: &[TaskId]) -> usize {
    enabled.partition_point(|&other| other < task)
}
