//! Names of events, in several executions of one script: the same exactly if the events are the same and so is all that happens before them.

use crate::script::{Script, random_step};
use mazurka_engine::bits;
use mazurka_engine::execution::Execution;
use mazurka_engine::oracle::Past;
use mazurka_engine::rng::Rng;
use mazurka_engine::touch::Dependence;
use mazurka_engine::{Mailbox, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// So many scripts under each relation.
const SCRIPTS: u64 = 400;
/// So many executions of each.
const EXECUTIONS: u64 = 6;

/// An event: its task, and its place there.
type Id = (u32, u32);

fn execute(script: &Script, dependence: Dependence, rng: &mut Rng) -> Execution {
    let (mut run, mut past) = (script.start(), Past::default());
    let mut execution = Execution::new(dependence);
    while let Some((task, step)) = random_step(&mut run, &mut past, rng) {
        execution.push(&run, task, 0, &step, &[]);
    }
    execution
}

/// An event and all that happens before it, with what happens before that.
fn trace_up_to(execution: &Execution, event: usize) -> (Id, BTreeMap<Id, BTreeSet<Id>>) {
    let id = |event: usize| {
        let it = &execution.events()[event];
        (it.task.0, it.index)
    };
    let before = |event: usize| bits::iter(&execution.before(event)).map(id).collect();
    let row = execution.before(event);
    let up_to = bits::iter(&row).chain([event]);
    (id(event), up_to.map(|event| (id(event), before(event))).collect())
}

fn check(dependence: Dependence) {
    let (mut met_again, mut with_another_past) = (0, 0);
    for seed in 0..SCRIPTS {
        let script = Script::random(seed, &[Mailbox::Fifo, Mailbox::Multiset]);
        let mut rng = Rng::new(seed);
        let (mut traces, mut names) = (HashMap::new(), BTreeMap::new());
        for _ in 0..EXECUTIONS {
            let execution = execute(&script, dependence, &mut rng);
            for event in 0..execution.len() {
                let name = execution.fingerprints()[event];
                let trace = trace_up_to(&execution, event);
                met_again += usize::from(traces.contains_key(&name));
                let known = traces.entry(name).or_insert_with(|| trace.clone());
                assert_eq!(*known, trace, "seed {seed}: one name for two, {script:?}");
                let known = names.entry(trace).or_insert(name);
                assert_eq!(*known, name, "seed {seed}: two names for one, {script:?}");
            }
        }
        let events: BTreeSet<Id> = names.keys().map(|(id, _)| *id).collect();
        with_another_past += names.len() - events.len();
    }
    assert!(met_again > 1_000 && with_another_past > 1_000, "{met_again}, {with_another_past}");
}

#[test]
fn under_conflicts() {
    check(Dependence::Conflicts);
}

#[test]
fn where_queues_order() {
    check(Dependence::Queues);
}

#[test]
fn where_handlers_order() {
    check(Dependence::Handlers);
}
