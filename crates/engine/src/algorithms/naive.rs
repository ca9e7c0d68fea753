//! The oracle: every interleaving, one by one.
//!
//! **Explores** all maximal executions of a program, by depth-first search over every enabled task (and
//! every alternative of a choice) in every state. **Guarantee**: complete by construction. **Cost**: the
//! number of interleavings, exponential in everything. It shares no judgement with the other algorithms: who may
//! move, how an execution ends and which traces there are is worked out by [`crate::oracle`] from the list of steps. The
//! [`Driver`] only makes the steps, counts and reports.

use crate::config::{Algorithm, Config};
use crate::driver::Driver;
use crate::ids::TaskId;
use crate::oracle::{OracleClasses, Past};
use crate::outcome::{Ending, Observer, Outcome};
use crate::program::{Program, Run};
use crate::schedule::{Move, Schedule};
use crate::touch::Dependence;
use crate::watch::Watch;

/// Behind so many events the clock is looked at after each step.
const SHORT: usize = 64;

/// Enumerates every interleaving.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let own = Config { classes: false, ..config.clone() };
    let mut oracle = Oracle::new(Driver::<P>::new(program, &own, observer, Dependence::Conflicts));
    let mut classes = config.classes.then(OracleClasses::default);
    oracle.enumerate(&mut classes);
    let exhausted = !oracle.driver.stopped();
    let counted = classes.map(|classes| classes.counts(oracle.driver.watch()));
    if counted.is_some_and(|(_, is_whole)| !is_whole) {
        oracle.driver.give_up("which traces are contained in others was not looked at");
    }
    let mut outcome = oracle.driver.outcome(exhausted);
    outcome.classes = counted.map(|(counts, _)| counts);
    outcome
}

/// Enumerates every interleaving. How many classes of executions that stop, and whose traces are contained in no
/// other, do these schedules not show? The schedules must be possible.
pub fn not_shown<P: Program>(program: &P, schedules: &[Schedule]) -> u64 {
    let mut config = Config::new(Algorithm::Naive);
    config.keep_going = true;
    let observer = &mut ();
    let mut oracle =
        Oracle::new(Driver::<P>::new(program, &config, observer, Dependence::Conflicts));
    let mut all = Some(OracleClasses::default());
    oracle.enumerate(&mut all);
    // The numbers of tasks hold for a run, so traces can be compared only if they come from the same one.
    let mut shown = OracleClasses::default();
    for schedule in schedules {
        oracle.rewind(0);
        schedule.moves.iter().for_each(|next| oracle.follow(next));
        let (run, past) = (&oracle.driver.walk.run, &oracle.past);
        let is_added = shown.add(run, past, past.ending(run), &Watch::default());
        debug_assert!(is_added, "there is time without end");
    }
    all.map_or(0, |all| all.missing_in(&shown))
}

/// A run with its list of steps.
struct Oracle<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    past: Past,
}

impl<'a, P: Program> Oracle<'a, P> {
    fn new(driver: Driver<'a, P>) -> Self {
        Oracle { driver, past: Past::default() }
    }

    fn step(&mut self, task: TaskId, choice: u32) {
        self.driver.step(task, choice);
        // A program that is not a function of the schedule may not come so far; the driver stops then.
        if self.driver.depth() > self.past.len() {
            self.past.push(task, choice, self.driver.walk.last_step());
        }
    }

    fn rewind(&mut self, depth: usize) {
        self.driver.rewind(depth);
        self.past.truncate(depth);
    }

    fn follow(&mut self, next: &Move) {
        let run = &self.driver.walk.run;
        let mut tasks = self.past.tasks(run).into_iter();
        let task = tasks.find(|&task| run.task_path(task) == next.task);
        self.step(task.expect("a task that the schedule names"), next.choice);
    }

    /// Depth-first, with the untried moves of every state on a stack.
    fn enumerate(&mut self, classes: &mut Option<OracleClasses>) {
        let mut untried: Vec<Vec<(TaskId, u32)>> = Vec::new();
        loop {
            let moves = self.moves();
            if moves.is_empty() {
                let ending = self.ending();
                self.driver.finish_as(ending);
                let (run, watch) = (&self.driver.walk.run, self.driver.watch());
                if let Some(classes) = classes
                    && !classes.add(run, &self.past, ending, watch)
                {
                    self.driver.is_time_up();
                    return;
                }
            }
            untried.push(moves);
            while untried.last().is_some_and(Vec::is_empty) {
                untried.pop();
            }
            let Some(moves) = untried.last_mut() else {
                return;
            };
            let (task, choice) = moves.pop().expect("empty ones are gone");
            let depth = untried.len() - 1;
            self.rewind(depth);
            self.step(task, choice);
            // Finding out who may move takes long in long executions.
            if self.driver.stopped() || self.past.len() > SHORT && self.driver.is_time_up() {
                return;
            }
        }
    }

    /// How the execution ends, which may be because it is cut.
    fn ending(&self) -> Ending {
        let run = &self.driver.walk.run;
        if self.driver.is_cut() && !self.past.enabled(run).is_empty() {
            return Ending::Truncated;
        }
        self.past.ending(run)
    }

    /// Every task that may move, once for each alternative it has. None if the execution is cut here.
    fn moves(&self) -> Vec<(TaskId, u32)> {
        let run = &self.driver.walk.run;
        let mut moves = Vec::new();
        if self.driver.is_cut() {
            return moves;
        }
        for task in self.past.enabled(run).into_iter().rev() {
            let alternatives = run.alternatives(task);
            moves.extend((0..alternatives).rev().map(|choice| (task, choice)));
        }
        moves
    }
}
