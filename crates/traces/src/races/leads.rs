//! What the other order of a race leads to.

use super::steps::Steps;
use crate::program::TraceProgram;
use mazurka_engine::state::State;
use mazurka_engine::{Ending, Mode, ObjectId, Program, Run, Step, TaskId};
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

/// What the witness of an exchange leads to.
pub(super) fn leads(
    program: &TraceProgram,
    steps: &Steps,
    witness: &[TaskId],
    pair: (usize, usize),
) -> Leads {
    let (order, deadlock) = perform(program, steps, witness);
    if let Some(waits) = deadlock.or_else(|| deadlock_between(program, steps, pair)) {
        return Leads::Deadlock(waits);
    }
    let recorded: Vec<usize> = (0..steps.len()).collect();
    let (before, after) = (sources(steps, &recorded), sources(steps, &order));
    let place = |position: Option<usize>| position.map(|it| steps.place(program, it));
    let mut others: Vec<(usize, OtherRead)> = after
        .iter()
        .filter(|(read, source)| before.get(read) != Some(source))
        .map(|(&read, &source)| {
            let saw = place(before.get(&read).copied().flatten());
            let other = OtherRead { place: steps.place(program, read), saw, sees: place(source) };
            (read, other)
        })
        .collect();
    others.sort_by_key(|(read, _)| *read);
    match others.is_empty() {
        true => Leads::Nothing,
        false => Leads::OtherReads(others.into_iter().map(|(_, other)| other).collect()),
    }
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

/// Two that want one lock: both come as near to it as they can, holding what they hold, then everybody goes on. A deadlock shows
/// between the two orders, not in either of them.
fn deadlock_between(
    program: &TraceProgram,
    steps: &Steps,
    (first, second): (usize, usize),
) -> Option<Vec<String>> {
    if steps.access(first).map(|it| it.1) != Some(Mode::Lock) {
        return None;
    }
    let mut run = program.start();
    let mut state = State::new(&run);
    let mut counts = vec![0; program.task_count()];
    let stops = [(steps.task(first), first), (steps.task(second), second)];
    // First nobody goes beyond the two, then everybody goes on: the one that is later in the recorded execution first.
    for is_held in [true, false] {
        loop {
            let mut enabled = Vec::new();
            state.enabled(&run, &mut enabled);
            let next = |task: TaskId| steps.of_task(task)[counts[task.index()]];
            let may_move = |&task: &TaskId| {
                !(is_held && stops.iter().any(|&(other, stop)| other == task && next(task) >= stop))
            };
            let is_other = |task: TaskId| stops.iter().all(|&(stopped, _)| stopped != task);
            let chosen = enabled
                .into_iter()
                .filter(may_move)
                .min_by_key(|&task| (!is_held && is_other(task), next(task)));
            let Some(task) = chosen else { break };
            counts[task.index()] += 1;
            advance(&mut run, &mut state, task);
        }
    }
    let is_deadlock = state.ending(&run) == Ending::Deadlocked;
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
