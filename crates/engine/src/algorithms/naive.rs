//! The oracle: every interleaving, one by one.
//!
//! **Explores** all maximal executions of a program, by depth-first search over every enabled task (and
//! every alternative of a choice) in every state. **Guarantee**: complete by construction. **Cost**: the
//! number of interleavings, exponential in everything. It shares no happens-before code with the other
//! algorithms: the traces it counts come from [`crate::oracle`], which computes the relation from its
//! definition.

use crate::config::{Algorithm, Config};
use crate::driver::Driver;
use crate::ids::TaskId;
use crate::operation::{Effect, Next, Operation};
use crate::oracle::OracleClasses;
use crate::outcome::{Observer, Outcome};
use crate::program::{Program, Run};
use crate::schedule::{Move, Roll, Schedule};
use crate::touch::Dependence;

/// Enumerates every interleaving.
pub fn explore<P: Program>(program: &P, config: &Config, observer: &mut dyn Observer) -> Outcome {
    let own = Config { classes: false, ..config.clone() };
    let mut driver = Driver::<P>::new(program, &own, observer, Dependence::Conflicts);
    let mut classes = config.classes.then(OracleClasses::default);
    enumerate(&mut driver, &mut classes);
    let exhausted = !driver.stopped();
    let mut outcome = driver.outcome(exhausted);
    outcome.classes = classes.as_ref().map(OracleClasses::counts);
    outcome
}

/// Enumerates every interleaving. How many classes of executions that stop, and whose traces are contained in no
/// other, do these schedules not show? The schedules must be possible.
pub fn not_shown<P: Program>(program: &P, schedules: &[Schedule]) -> u64 {
    let mut config = Config::new(Algorithm::Naive);
    config.keep_going = true;
    let observer = &mut ();
    let mut driver = Driver::<P>::new(program, &config, observer, Dependence::Conflicts);
    let mut all = Some(OracleClasses::default());
    enumerate(&mut driver, &mut all);
    // The numbers of tasks hold for a run, so traces can be compared only if they come from the same one.
    let mut shown = OracleClasses::default();
    for schedule in schedules {
        driver.rewind(0);
        let mut roll = Roll::default();
        roll.enter_roots(&driver.run);
        schedule.moves.iter().for_each(|next| follow(&mut driver, &mut roll, next));
        shown.add(&driver.run, &driver.execution, driver.state.ending(&driver.run));
    }
    all.map_or(0, |all| all.missing_in(&shown))
}

fn follow<P: Program>(driver: &mut Driver<'_, P>, roll: &mut Roll, next: &Move) {
    let task = roll.task(&next.task).expect("a task that the schedule names");
    driver.step(task, next.choice);
    let last = driver.execution.events().last();
    roll.follow(&driver.run, last.map_or(Effect::None, |event| event.effect));
}

/// Depth-first, with the untried moves of every state on a stack.
fn enumerate<P: Program>(driver: &mut Driver<'_, P>, classes: &mut Option<OracleClasses>) {
    let mut untried: Vec<Vec<(TaskId, u32)>> = Vec::new();
    loop {
        let moves = moves(driver);
        if moves.is_empty() {
            let ending = driver.finish();
            if let Some(classes) = classes {
                classes.add(&driver.run, &driver.execution, ending);
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
        driver.rewind(depth);
        driver.step(task, choice);
        if driver.stopped() {
            return;
        }
    }
}

/// Every enabled task, once for each alternative it has.
fn moves<P: Program>(driver: &Driver<'_, P>) -> Vec<(TaskId, u32)> {
    let mut moves = Vec::new();
    let mut enabled = Vec::new();
    driver.enabled(&mut enabled);
    enabled.reverse();
    for task in enabled {
        let alternatives = match driver.run.next(task) {
            Next::Operation(Operation::Choose(alternatives)) => alternatives,
            _ => 1,
        };
        moves.extend((0..alternatives).rev().map(|choice| (task, choice)));
    }
    moves
}
