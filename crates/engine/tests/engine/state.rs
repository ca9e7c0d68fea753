//! The state that follows an execution: it agrees with the oracle, and taking steps back leaves nothing behind.

use crate::script::{LOCK, OBJECTS, Script, random_step};
use mazurka_engine::oracle::Past;
use mazurka_engine::rng::Rng;
use mazurka_engine::state::State;
use mazurka_engine::{HandlerId, Mailbox, ObjectId, Program, Run, TaskId};

/// So many random executions.
const EXECUTIONS: u64 = 1_500;

/// All that can be asked of a state.
fn observed(state: &State, run: &impl Run, tasks: &[TaskId]) -> String {
    let mut enabled = Vec::new();
    state.enabled(run, &mut enabled);
    let handlers: Vec<_> = (0..2)
        .map(HandlerId)
        .map(|handler| (state.active(handler), state.mailbox(handler).to_vec()))
        .collect();
    let known: Vec<_> = tasks
        .iter()
        .map(|&task| (state.exists(task), state.has_ended(task), state.events_of(task)))
        .collect();
    let holders: Vec<_> = (LOCK..OBJECTS).map(|object| state.holder(ObjectId(object))).collect();
    format!("{:?} {enabled:?} {handlers:?} {known:?} {holders:?}", state.alive())
}

#[test]
fn it_agrees_with_the_oracle_and_can_be_undone() {
    let mut undone = 0;
    for seed in 0..EXECUTIONS {
        let script = Script::random(seed, &[Mailbox::Fifo, Mailbox::Multiset]);
        let (mut run, mut past, mut rng) = (script.start(), Past::default(), Rng::new(seed));
        let mut state = State::new(&run);
        let mut history = Vec::new();
        for _ in 0..6 {
            loop {
                let tasks = past.tasks(&run);
                let mut enabled = Vec::new();
                state.enabled(&run, &mut enabled);
                assert_eq!(enabled, past.enabled(&run), "seed {seed}: {script:?}");
                history.push((tasks.clone(), observed(&state, &run, &tasks)));
                let Some((task, step)) = random_step(&mut run, &mut past, &mut rng) else {
                    break;
                };
                state.apply(&run, task, step.effect, &step.accesses);
            }
            assert_eq!(state.ending(&run), past.ending(&run), "seed {seed}: {script:?}");
            let depth = rng.below(history.len() as u64) as usize;
            while past.len() > depth {
                state.undo(&run);
                past.truncate(past.len() - 1);
                run.rewind(past.len());
                undone += 1;
                history.pop();
                let (tasks, before) = history.last().expect("as many as steps and one");
                assert_eq!(&observed(&state, &run, tasks), before, "seed {seed}: {script:?}");
            }
            history.pop();
        }
    }
    assert!(undone > 10 * EXECUTIONS, "{undone} steps only");
}
