//! The races of a recorded execution: pairs of operations of different tasks that touch the same, at least one of them to change it, and
//! that can happen in the other order too.
//!
//! **What**: for each pair an execution of the same tasks in which the two come the other way round, found by search, and what it leads to:
//! a deadlock, reads that see other writes, or nothing that shows. A pair is *covered* if another operation lies between the two in
//! happens-before: then another race decides about it, and it often goes away with that one (Raychev, Vechev and Sridharan, "Effective
//! Race Detection for Event-Driven Programs", OOPSLA 2013). **Guarantee**: what is listed as a race has a witness, which was performed; what
//! is left out has none, unless it is counted in [`Races::undecided`]. What it leads to is what this one witness shows.
//! **Cost**: O(operations² / 64) for each ordering that a pair implies; the search has a budget for each pair.
//!
//! | file | does |
//! |---|---|
//! | `steps` | the operations of the recorded execution, with their tasks |
//! | `pairs` | how many pairs there are to look at |
//! | `order` | what comes before what in every execution, and what follows from one more ordering |
//! | `search` | an execution with that ordering |
//! | `leads` | what the exchange leads to |

mod leads;
mod order;
mod pairs;
mod search;
mod steps;

pub use leads::{Leads, OtherRead};

use crate::program::TraceProgram;
use mazurka_engine::{Mode, Run, TaskId, Watch};
use order::Order;
use rustc_hash::FxHashMap;
use search::{Found, Searcher};
use steps::Steps;

/// One side of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The task, for people.
    pub task: String,
    /// The looper that runs it, if it is a message.
    pub looper: Option<String>,
    /// What it does: `read`, `write` or `lock`.
    pub does: &'static str,
    /// `file:line`.
    pub place: String,
    /// Its position in the recorded execution, counted from 0.
    pub position: usize,
}

/// Two operations that can be exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// What both touch.
    pub object: String,
    /// The one that was recorded first.
    pub first: Side,
    /// The other one.
    pub second: Side,
    /// Does another race decide about it?
    pub covered: bool,
    /// An execution in which they come the other way round: who moves at each step.
    pub witness: Vec<String>,
    /// What that leads to.
    pub leads: Leads,
}

/// All races of an execution, by object, uncovered ones first.
#[derive(Clone, Debug, Default)]
pub struct Races {
    /// The races.
    pub races: Vec<Race>,
    /// How many pairs that touch the same always happen in this order.
    pub ordered: usize,
    /// How many pairs were not decided: the search ran out of its budget, or of time.
    pub undecided: usize,
}

/// The races of the recorded execution of a program. What the watch has no time for is counted as undecided.
pub fn races(program: &TraceProgram, watch: &Watch) -> Races {
    let steps = Steps::new(program);
    let Some(order) = Order::of_every_execution(program, &steps, watch) else {
        return Races { undecided: pairs::count(&steps), ..Races::default() };
    };
    let mut searcher = Searcher::new(program, &steps, watch);
    let mut answers: FxHashMap<(TaskId, TaskId), Found> = FxHashMap::default();
    let mut all = Races::default();
    for (first, second) in steps.conflicts() {
        if watch.is_up() {
            // There may be too many to go through them.
            let decided = all.races.len() + all.ordered;
            all.undecided = pairs::count(&steps).saturating_sub(decided);
            break;
        }
        if order.is_before(first, second) {
            all.ordered += 1;
            continue;
        }
        // Messages of one looper are exchanged as wholes.
        let tasks = (steps.task(first), steps.task(second));
        let found = match answers.get(&tasks) {
            Some(found) if steps.take_turns(first, second) => found.clone(),
            _ => searcher.exchanged(&order, first, second),
        };
        if steps.take_turns(first, second) {
            answers.insert(tasks, found.clone());
        }
        match found {
            Found::Never => all.ordered += 1,
            Found::Unknown => all.undecided += 1,
            Found::Execution(witness) => {
                let pair = (first, second);
                let covered = steps.is_covered(program, pair, watch);
                let leads = leads::leads(program, &steps, &witness, pair, watch);
                match covered.zip(leads) {
                    None => all.undecided += 1,
                    Some((covered, leads)) => {
                        all.races.push(race(program, &steps, pair, covered, &witness, leads));
                    }
                }
            }
        }
    }
    all.races.sort_by_key(|race| {
        let places = (race.first.position, race.second.position);
        (race.covered, race.object.clone(), places)
    });
    all
}

/// The pairs that are looked at: those that touch the same, and can be a race. Of accesses that a task repeats only the first counts.
pub fn candidates(program: &TraceProgram) -> Vec<(usize, usize)> {
    Steps::new(program).conflicts().collect()
}

fn race(
    program: &TraceProgram,
    steps: &Steps,
    (first, second): (usize, usize),
    covered: bool,
    witness: &[TaskId],
    leads: Leads,
) -> Race {
    let run = mazurka_engine::Program::start(program);
    let (object, _) = steps.access(first).expect("a race is about an object");
    Race {
        object: steps.object_name(program, object),
        first: side(program, &run, steps, first),
        second: side(program, &run, steps, second),
        covered,
        witness: witness.iter().map(|&task| run.task_path(task)).collect(),
        leads,
    }
}

fn side(program: &TraceProgram, run: &impl Run, steps: &Steps, position: usize) -> Side {
    let task = steps.task(position);
    Side {
        task: run.task_label(task),
        looper: run.handler(task).map(|handler| run.handler_name(handler)),
        does: match steps.access(position) {
            Some((_, Mode::Read)) => "read",
            Some((_, Mode::Lock)) => "lock",
            _ => "write",
        },
        place: steps.place(program, position),
        position,
    }
}
