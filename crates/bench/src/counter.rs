//! Counts traces by a search over prefixes of traces, each visited once.
//!
//! **What**: depth-first over every enabled task, like the oracle, but a prefix that is equivalent to one
//! seen before is not explored again: equal traces lead to equal states, so to equal continuations.
//! **Guarantee**: the counts are those of the oracle (tested), for programs that the oracle cannot finish.
//! **Cost**: one canonical form for each distinct prefix that something branches off from; still exponential.
//!
//! **Eager steps.** Where some task can do something that no other task's step can ever conflict with, only
//! that is explored: posts to multiset mailboxes, forks, joins, and accesses of objects that
//! nobody races on. Which objects those are is guessed: all in the beginning. When the search sees a race
//! on such an object (two conflicting accesses that are not ordered by program order, posts, forks and
//! joins alone) it begins anew without it, until it has seen none. Were there an execution with a race on
//! an eager object that the search missed, take a shortest one: eager steps can be moved to its front
//! without losing the race, and other states are expanded in full, so the search would have met it.
//!
//! Prefixes are remembered by a 128-bit hash of their canonical form; complete traces are kept whole.

use mazurka_engine::canonical::{Classes, trace_form};
use mazurka_engine::driver::Driver;
use mazurka_engine::execution::Execution;
use mazurka_engine::touch::Dependence;
use mazurka_engine::{
    Algorithm, ClassCounts, Config, Effect, Equivalence, Mailbox, Next, ObjectId, Operation,
    Program, Run, TaskId,
};
use rustc_hash::FxHashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Is the order of the messages on each handler part of a trace?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageOrder {
    /// It is, as for algorithms that know nothing of handlers. Both counts of [`ClassCounts`] are right.
    Counts,
    /// It is not: [`ClassCounts::ordered`] means nothing and is set to 0.
    DoesNotCount,
}

/// The numbers of traces; `None` if there are more than `max_prefixes` prefixes.
pub fn count_classes<P: Program>(
    program: &P,
    order: MessageOrder,
    max_prefixes: usize,
) -> Option<ClassCounts> {
    let mut raced = FxHashSet::default();
    loop {
        match search(program, order, max_prefixes, &raced) {
            Found::Counts(counts) => return Some(counts),
            Found::Race(objects) => raced.extend(objects),
            Found::TooMany => return None,
        }
    }
}

enum Found {
    Counts(ClassCounts),
    Race(FxHashSet<ObjectId>),
    TooMany,
}

fn search<P: Program>(
    program: &P,
    order: MessageOrder,
    max_prefixes: usize,
    raced: &FxHashSet<ObjectId>,
) -> Found {
    let config = Config { keep_going: true, ..Config::new(Algorithm::Naive) };
    let mut silent = ();
    let mut driver = Driver::<P>::new(program, &config, &mut silent, Dependence::Conflicts);
    let mut classes = Classes::new(Equivalence::Traces);
    let mut seen: FxHashSet<u128> = FxHashSet::default();
    let mut new_races = FxHashSet::default();
    let mut untried: Vec<(usize, Vec<(TaskId, u32)>)> = Vec::new();
    loop {
        run_eager(&mut driver, raced, &mut new_races);
        if seen.insert(key(&driver, order)) {
            if seen.len() > max_prefixes {
                return Found::TooMany;
            }
            let next = moves(&driver);
            if next.is_empty() {
                let ending = driver.finish();
                classes.add(&driver.walk.run, driver.execution(), ending);
            }
            untried.push((driver.depth(), next));
        }
        while untried.last().is_some_and(|(_, moves)| moves.is_empty()) {
            untried.pop();
        }
        let Some((depth, moves)) = untried.last_mut() else {
            break;
        };
        let (task, choice) = moves.pop().expect("empty ones are gone");
        driver.rewind(*depth);
        driver.step(task, choice);
        note_races(driver.execution(), raced, &mut new_races);
    }
    if !new_races.is_empty() {
        return Found::Race(new_races);
    }
    let mut counts = classes.counts();
    if order == MessageOrder::DoesNotCount {
        counts.ordered = 0;
    }
    Found::Counts(counts)
}

/// Performs eager steps for as long as there are any: nothing branches off in between.
fn run_eager<P: Program>(
    driver: &mut Driver<'_, P>,
    raced: &FxHashSet<ObjectId>,
    new_races: &mut FxHashSet<ObjectId>,
) {
    let mut enabled = Vec::new();
    loop {
        driver.enabled(&mut enabled);
        let eager = enabled.iter().find(|&&task| is_eager(&driver.walk.run, task, raced));
        let Some(&task) = eager else {
            return;
        };
        driver.step(task, 0);
        note_races(driver.execution(), raced, new_races);
    }
}

/// Every enabled task, once for each alternative it has.
fn moves<P: Program>(driver: &Driver<'_, P>) -> Vec<(TaskId, u32)> {
    let mut enabled = Vec::new();
    driver.enabled(&mut enabled);
    let alternatives = |task| match driver.walk.run.next(task) {
        Next::Operation(Operation::Choose(alternatives)) => alternatives,
        _ => 1,
    };
    enabled
        .iter()
        .flat_map(|&task| (0..alternatives(task)).map(move |choice| (task, choice)))
        .collect()
}

fn is_eager(run: &impl Run, task: TaskId, raced: &FxHashSet<ObjectId>) -> bool {
    let Next::Operation(operation) = run.next(task) else {
        return false;
    };
    match operation {
        Operation::Post(handler) => run.mailbox(handler) == Mailbox::Multiset,
        Operation::Access(object, mode) => {
            !mode.may_block() && !mode.is_lock() && !raced.contains(&object)
        }
        Operation::Fork | Operation::Join(_) | Operation::Local => true,
        Operation::Start | Operation::Atomic | Operation::Choose(_) => false,
    }
}

/// Objects that were taken for free of races and on which the last event races.
fn note_races(execution: &Execution, raced: &FxHashSet<ObjectId>, found: &mut FxHashSet<ObjectId>) {
    let last = execution.len() - 1;
    for access in execution.accesses(last) {
        if raced.contains(&access.object) || found.contains(&access.object) {
            continue;
        }
        let races = (0..last).any(|earlier| {
            let conflicts = execution
                .accesses(earlier)
                .iter()
                .any(|other| other.object == access.object && other.mode.conflicts(access.mode));
            conflicts && !causes(execution, earlier, last)
        });
        if races {
            found.insert(access.object);
        }
    }
}

/// Is `first` before `second` by program order, posts, forks and joins alone?
fn causes(execution: &Execution, first: usize, second: usize) -> bool {
    let (a, b) = (&execution.events()[first], &execution.events()[second]);
    if a.task == b.task {
        return first <= second;
    }
    let creator = execution.creator(b.task);
    creator.is_some_and(|creator| causes(execution, first, creator))
        || execution
            .events_of(b.task)
            .iter()
            .take(b.index as usize)
            .filter_map(|&event| match execution.events()[event as usize].effect {
                Effect::Join(joined) => execution.events_of(joined).last(),
                _ => None,
            })
            .any(|&end| causes(execution, first, end as usize))
}

/// What the future depends on, and what is counted: the trace, the FIFO mailboxes, the message order.
fn key<P: Program>(driver: &Driver<'_, P>, order: MessageOrder) -> u128 {
    let form = trace_form(&driver.walk.run, driver.execution());
    let mut extra: Vec<(u32, u32)> = Vec::new();
    for event in driver.execution().events() {
        let handler = driver.walk.run.handler(event.task);
        if let (Effect::Start, Some(handler), MessageOrder::Counts) = (event.effect, handler, order)
        {
            extra.push((handler.0 * 2, event.task.0));
        }
        if let Effect::Post(message, handler) = event.effect
            && driver.walk.run.mailbox(handler) == Mailbox::Fifo
        {
            extra.push((handler.0 * 2 + 1, message.0));
        }
    }
    extra.sort_by_key(|&(kind, _)| kind);
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, &form, &extra).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
