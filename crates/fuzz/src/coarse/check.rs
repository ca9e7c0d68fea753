//! What each algorithm owes, and whether it pays.

use super::program::Program;
use mazurka_engine::coarse_oracle::{ByEnding, CoarseCounts, Shown, judge};
use mazurka_engine::{
    Algorithm, Config, Ending, Equivalence, Observer, Outcome, Schedule, Statistics, explore,
};
use mazurka_lang::{EdProgram, Options};
use std::fmt;

/// What an algorithm owes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obligation {
    /// One execution for each trace, where the order of messages counts.
    Traces,
    /// One execution for each class with observers, where the order of messages counts.
    ObservedClasses,
    /// One execution for each class with observers, where the order of messages does not count, and nothing in vain where nothing
    /// branches.
    EventClasses,
    /// Every final state, with no more executions than traces.
    States,
    /// Every behaviour, with no more explorations than classes with observers.
    Behaviours,
}

/// What an algorithm owes, if it is one of these.
pub fn obligation(algorithm: Algorithm) -> Option<Obligation> {
    match algorithm {
        Algorithm::Optimal => Some(Obligation::Traces),
        Algorithm::OptimalObservers => Some(Obligation::ObservedClasses),
        Algorithm::EventObservers => Some(Obligation::EventClasses),
        Algorithm::DporCs | Algorithm::OptimalCs => Some(Obligation::States),
        Algorithm::OptimalCsObservers => Some(Obligation::Behaviours),
        _ => None,
    }
}

/// A debt that was not paid.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Whose.
    pub algorithm: Algorithm,
    /// In which order of exploration.
    pub shuffle: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// What the oracle says.
    pub truth: CoarseCounts,
    /// What was shown.
    pub shown: Shown,
    /// The algorithm's numbers.
    pub statistics: Statistics,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disagreement { algorithm, shuffle, what, truth, shown, statistics } = self;
        writeln!(f, "{} (shuffle {shuffle:?}): {what}", algorithm.name())?;
        writeln!(f, "oracle: {truth:?}")?;
        writeln!(f, "shown: {shown:?}, {} redundant", statistics.redundant)
    }
}

#[derive(Default)]
struct Schedules(Vec<Schedule>);

impl Observer for Schedules {
    fn execution(&mut self, _ending: Ending, schedule: &dyn Fn() -> Schedule) {
        self.0.push(schedule());
    }
}

/// Checks a program under algorithms in several orders. `Ok(false)`: it has more interleavings than `limit`.
pub fn check(
    program: &Program,
    runs: &[(Algorithm, Option<u64>)],
    limit: u64,
) -> Result<bool, Box<Disagreement>> {
    let options = Options::default();
    match mazurka_lang::compile("random.ed", &program.text(), &options) {
        Ok(compiled) => check_all(&compiled, runs, limit, !program.branches()),
        // What shrinking makes of a program may be none.
        Err(_) => Ok(false),
    }
}

/// The same for a compiled program.
pub fn check_program(
    program: &EdProgram,
    runs: &[(Algorithm, Option<u64>)],
    limit: u64,
) -> Result<bool, Box<Disagreement>> {
    check_all(program, runs, limit, false)
}

/// If nothing branches, `event-observers` explores nothing in vain.
fn check_all(
    program: &EdProgram,
    runs: &[(Algorithm, Option<u64>)],
    limit: u64,
    nothing_branches: bool,
) -> Result<bool, Box<Disagreement>> {
    // Enumeration is what costs most: programs that are too large are passed over at once.
    let traces = explored(program, Algorithm::Optimal, None, limit).0;
    if !traces.complete && traces.statistics.truncated == 0 {
        return Ok(false);
    }
    let all: Vec<_> = runs
        .iter()
        .map(|&(algorithm, shuffle)| explored(program, algorithm, shuffle, limit * 4))
        .collect();
    let schedules: Vec<Vec<Schedule>> =
        all.iter().map(|(_, schedules)| schedules.clone()).collect();
    let Some((truth, shown)) = judge(program, limit, &schedules) else { return Ok(false) };
    for ((&(algorithm, shuffle), (outcome, _)), shown) in runs.iter().zip(&all).zip(shown) {
        let ordered = traces.statistics;
        let in_vain = || {
            let may_not = nothing_branches && algorithm == Algorithm::EventObservers;
            let redundant = outcome.statistics.redundant;
            (may_not && redundant > 0).then(|| format!("{redundant} explorations in vain"))
        };
        let unpaid = unpaid(algorithm, outcome, truth, &ordered, &shown);
        if let Some(what) =
            unpaid.or_else(in_vain).or_else(|| miscounted(algorithm, outcome, &shown))
        {
            let statistics = outcome.statistics;
            let broken = Disagreement { algorithm, shuffle, what, truth, shown, statistics };
            return Err(Box::new(broken));
        }
    }
    Ok(true)
}

fn explored(
    program: &EdProgram,
    algorithm: Algorithm,
    shuffle: Option<u64>,
    limit: u64,
) -> (Outcome, Vec<Schedule>) {
    let mut config = Config::new(algorithm);
    config.keep_going = true;
    config.shuffle = shuffle;
    config.classes = true;
    config.limits.max_executions = Some(limit);
    let mut schedules = Schedules::default();
    let outcome = explore(program, &config, &mut schedules);
    (outcome, schedules.0)
}

fn numbers(it: ByEnding) -> [u64; 3] {
    [it.complete, it.deadlocked, it.blocked]
}

fn unpaid(
    algorithm: Algorithm,
    outcome: &Outcome,
    truth: CoarseCounts,
    optimal: &Statistics,
    shown: &Shown,
) -> Option<String> {
    if !outcome.complete && outcome.statistics.truncated == 0 {
        return Some("it does not come to an end".to_owned());
    }
    let found = shown.counts;
    let missing = |name: &str, found: ByEnding, truth: ByEnding| {
        (found != truth).then(|| format!("{name}: {:?} of {:?}", numbers(found), numbers(truth)))
    };
    let ended = optimal.ended();
    let observed: u64 = numbers(truth.observed_ordered).iter().sum();
    let most = |bound: u64, given_up: u64| {
        let explored = outcome.statistics.ended() + given_up;
        (explored > bound).then(|| format!("{explored} explorations instead of at most {bound}"))
    };
    let once = |truth: ByEnding| {
        missing("executions", shown.executions, truth)
            .or_else(|| (outcome.statistics.redundant > 0).then(|| "something in vain".to_owned()))
    };
    match obligation(algorithm)? {
        Obligation::Traces => None,
        Obligation::ObservedClasses => {
            missing("classes", found.observed_ordered, truth.observed_ordered)
                .or_else(|| once(truth.observed_ordered))
        }
        Obligation::EventClasses => event_classes(outcome, truth, shown),
        Obligation::States => missing("final states", found.states, truth.states).or_else(|| {
            (algorithm == Algorithm::OptimalCs)
                .then(|| most(ended, outcome.statistics.redundant))
                .flatten()
        }),
        Obligation::Behaviours => missing("behaviours", found.behaviours, truth.behaviours)
            .or_else(|| most(observed, outcome.statistics.redundant)),
    }
}

/// Every complete class once; a deadlock if there is one, and what stops unless it is contained in another class.
fn event_classes(outcome: &Outcome, truth: CoarseCounts, shown: &Shown) -> Option<String> {
    let (classes, found) = (truth.observed.complete, shown.counts.observed.complete);
    let executions = shown.executions.complete;
    let deadlocks = outcome.statistics.deadlocks;
    if (found, executions) != (classes, classes) {
        Some(format!("{found} of {classes} classes, {executions} executions"))
    } else if shown.missing > 0 {
        Some(format!("{} classes that stop are missing", shown.missing))
    } else if truth.observed.deadlocked > 0 && deadlocks == 0 {
        Some("no deadlock".to_owned())
    } else if shown.counts.failures != truth.failures {
        Some(format!("{} of {} failures", shown.counts.failures, truth.failures))
    } else {
        None
    }
}

/// Is the number of classes another one than that of what was shown?
fn miscounted(algorithm: Algorithm, outcome: &Outcome, shown: &Shown) -> Option<String> {
    let counted = outcome.classes?;
    let counts = shown.counts;
    let expected = match algorithm.equivalence() {
        Equivalence::Traces => return None,
        Equivalence::Observers => counts.observed.complete,
        Equivalence::States => counts.states.complete,
        Equivalence::Behaviours => counts.behaviours.complete,
    };
    (counted.complete != expected)
        .then(|| format!("{} classes are counted instead of {expected}", counted.complete))
}
