//! What the other order of a race leads to.

use super::steps::Steps;
use crate::program::TraceProgram;
use mazurka_engine::state::State;
use mazurka_engine::{Ending, Mode, ObjectId, Program, Run, Step, TaskId, Watch};
use rustc_hash::FxHashMap;

/// What an exchange leads to, as its witness shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Leads {
    /// Nobody can move any more: who waits for what.
    Deadlock(Vec<String>),
    /// Reads see other writes: for each its place, what it saw and what it sees.
    OtherReads(Vec<OtherRead>),
    /// No read of the trace shows a difference.
    Nothing,
}

/// A read that sees another write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherRead {
    /// The place of the read.
    pub place: String,
    /// The place of the write that it saw in the recorded execution; `None` is the initial value.
    pub saw: Option<String>,
    /// The place of the write that it sees now.
    pub sees: Option<String>,
}

/// What the witness of an exchange leads to. Nothing if the time is up.
pub(super) fn leads(
    program: &TraceProgram,
    steps: &Steps,
    witness: &[TaskId],
    pair: (usize, usize),
    watch: &Watch,
) -> Option<Leads> {
    let (order, deadlock) = perform(program, steps, witness);
    if let Some(waits) = deadlock.or_else(|| deadlock_between(program, steps, pair, watch)) {
        return Some(Leads::Deadlock(waits));
    }
    if watch.is_up() {
        return None;
    }
    let recorded: Vec<usize> = (0..steps.len()).collect();
    let (before, after) = (sources(steps, &recorded), sources(steps, &order));
    // What else a witness reorders is its own business: only the variable of the race counts, and all of them behind a lock.
    let object = steps.access(pair.0).filter(|(_, mode)| *mode != Mode::Lock).map(|it| it.0);
    let counts = |read: usize| object.is_none() || steps.access(read).map(|it| it.0) == object;
    let place = |position: Option<usize>| position.map(|it| steps.place(program, it));
    let mut others: Vec<(usize, OtherRead)> = after
        .iter()
        .filter(|(read, source)| counts(**read) && before.get(read) != Some(source))
        .map(|(&read, &source)| {
            let saw = place(before.get(&read).copied().flatten());
            let other = OtherRead { place: steps.place(program, read), saw, sees: place(source) };
            (read, other)
        })
        .collect();
    others.sort_by_key(|(read, _)| *read);
    Some(match others.is_empty() {
        true => Leads::Nothing,
        false => Leads::OtherReads(others.into_iter().map(|(_, other)| other).collect()),
    })
}

/// The operations in the order in which they are performed, and who waits for what if that ends in a deadlock.
fn perform(
    program: &TraceProgram,
    steps: &Steps,
    order: &[TaskId],
) -> (Vec<usize>, Option<Vec<String>>) {
    let mut run = program.start();
    let mut state = State::new(&run);
    let mut performed = Vec::with_capacity(order.len());
    let mut counts = vec![0; program.task_count()];
    for &task in order {
        performed.push(steps.of_task(task)[counts[task.index()]]);
        counts[task.index()] += 1;
        advance(&mut run, &mut state, task);
    }
    let is_deadlock = state.ending(&run) == Ending::Deadlocked;
    (performed, is_deadlock.then(|| mazurka_engine::waiting::waits(&run, &state)))
}

fn advance(run: &mut impl Run, state: &mut State, task: TaskId) {
    let mut step = Step::default();
    run.step(task, 0, &mut step);
    state.apply(run, task, step.effect, &step.accesses);
}

/// Two that want one lock: they come as near to it as they can, holding what they hold, then everybody goes on; or everybody stops before a
/// second lock first, which shows deadlocks of more than two. A deadlock shows between the two orders, not in either of them. None is looked
/// for when the time is up.
fn deadlock_between(
    program: &TraceProgram,
    steps: &Steps,
    (first, second): (usize, usize),
    watch: &Watch,
) -> Option<Vec<String>> {
    if steps.access(first).map(|it| it.1) != Some(Mode::Lock) {
        return None;
    }
    let is_lock = |position: usize| steps.access(position).is_some_and(|it| it.1 == Mode::Lock);
    let stops_at = |task: TaskId, next: usize| {
        [first, second].iter().any(|&stop| steps.task(stop) == task && next >= stop)
    };
    let pair = (first, second);
    stuck(program, steps, pair, &|task, next, _| stops_at(task, next), watch).or_else(|| {
        stuck(program, steps, pair, &|_, next, holds| is_lock(next) && holds > 0, watch)
    })
}

/// Everybody goes on except for who is held back, which is asked with its next operation and the number of locks that it holds; then everybody goes on. Who
/// waits for what, if that is a deadlock in which both of the pair wait.
fn stuck(
    program: &TraceProgram,
    steps: &Steps,
    (first, second): (usize, usize),
    is_held: &dyn Fn(TaskId, usize, i32) -> bool,
    watch: &Watch,
) -> Option<Vec<String>> {
    let mut run = program.start();
    let mut state = State::new(&run);
    let mut counts = vec![0; program.task_count()];
    let mut holds = vec![0; program.task_count()];
    for holding_back in [true, false] {
        loop {
            if watch.is_up() {
                return None;
            }
            let mut enabled = Vec::new();
            state.enabled(&run, &mut enabled);
            let next = |task: TaskId| steps.of_task(task)[counts[task.index()]];
            let may_move =
                |&task: &TaskId| !(holding_back && is_held(task, next(task), holds[task.index()]));
            let Some(task) = enabled.into_iter().filter(may_move).min_by_key(|&it| next(it)) else {
                break;
            };
            holds[task.index()] += match steps.access(next(task)) {
                Some((_, Mode::Lock)) => 1,
                Some((_, Mode::Unlock)) => -1,
                _ => 0,
            };
            counts[task.index()] += 1;
            advance(&mut run, &mut state, task);
        }
    }
    let waits = |position: usize| {
        counts[steps.task(position).index()] < steps.of_task(steps.task(position)).len()
    };
    let is_deadlock = state.ending(&run) == Ending::Deadlocked && waits(first) && waits(second);
    is_deadlock.then(|| mazurka_engine::waiting::waits(&run, &state))
}

/// The write that each read sees.
fn sources(steps: &Steps, order: &[usize]) -> FxHashMap<usize, Option<usize>> {
    let mut latest: FxHashMap<ObjectId, usize> = FxHashMap::default();
    let mut sources = FxHashMap::default();
    for &position in order {
        match steps.access(position) {
            Some((object, Mode::Read)) => {
                sources.insert(position, latest.get(&object).copied());
            }
            Some((object, Mode::Write)) => _ = latest.insert(object, position),
            _ => {}
        }
    }
    sources
}
