//! The happens-before relation that is kept event by event, against a naive closure.

use crate::script::{Script, random_step};
use mazurka_engine::execution::Execution;
use mazurka_engine::oracle::Past;
use mazurka_engine::rng::Rng;
use mazurka_engine::touch::Dependence;
use mazurka_engine::{Effect, Mailbox, Mode, Next, Program, Run, Step, TaskId};

/// So many random executions under each relation.
const EXECUTIONS: u64 = 1_500;

/// What the closure is made of.
struct Event {
    task: TaskId,
    step: Step,
    /// Did its task end with it?
    ends: bool,
}

fn conflict(a: Mode, b: Mode) -> bool {
    let reads = |mode| mode == Mode::Read;
    let shares = |mode| matches!(mode, Mode::LockShared | Mode::UnlockShared);
    let gives = |mode| mode == Mode::Signal;
    !(reads(a) && reads(b) || shares(a) && shares(b) || gives(a) && gives(b))
}

/// Are the two ordered by themselves, whatever else happens?
fn directly(run: &impl Run, dependence: Dependence, a: &Event, b: &Event) -> bool {
    let creates = matches!(a.step.effect, Effect::Post(t, _) | Effect::Fork(t) if t == b.task);
    let joined = b.step.effect == Effect::Join(a.task);
    let accesses =
        a.step.accesses.iter().any(|x| {
            b.step.accesses.iter().any(|y| x.object == y.object && conflict(x.mode, y.mode))
        });
    a.task == b.task || creates || joined || accesses || by_handler(run, dependence, a, b)
}

/// Where messages of a handler exclude each other, their starts and ends are ordered; where a queue counts as an object,
/// so are posts to it.
fn by_handler(run: &impl Run, dependence: Dependence, a: &Event, b: &Event) -> bool {
    let counts = |mailbox| match dependence {
        Dependence::Conflicts | Dependence::Queues => false,
        Dependence::Multisets => mailbox == Mailbox::Multiset,
        Dependence::Handlers => true,
    };
    let takes_or_gives = |event: &Event| event.step.effect == Effect::Start || event.ends;
    let shared = run.handler(a.task).filter(|_| run.handler(a.task) == run.handler(b.task));
    let excludes = shared.is_some_and(|handler| counts(run.mailbox(handler)));
    let posts = match (a.step.effect, b.step.effect) {
        (Effect::Post(_, one), Effect::Post(_, other)) => {
            one == other && dependence == Dependence::Handlers && run.mailbox(one) == Mailbox::Fifo
        }
        _ => false,
    };
    (excludes && takes_or_gives(a) && takes_or_gives(b)) || posts
}

fn closure(run: &impl Run, dependence: Dependence, events: &[Event]) -> Vec<Vec<bool>> {
    let mut before = vec![vec![false; events.len()]; events.len()];
    for second in 0..events.len() {
        for first in 0..second {
            before[first][second] = directly(run, dependence, &events[first], &events[second]);
        }
    }
    close(&mut before);
    while dependence == Dependence::Queues && follow_queues(run, events, &mut before) {
        close(&mut before);
    }
    before
}

fn close(before: &mut [Vec<bool>]) {
    for via in 0..before.len() {
        for first in 0..before.len() {
            for second in 0..before.len() {
                before[first][second] |= before[first][via] && before[via][second];
            }
        }
    }
}

/// What is posted to a queue behind something else starts behind its end. Says whether that was new.
fn follow_queues(run: &impl Run, events: &[Event], before: &mut [Vec<bool>]) -> bool {
    let posts = events.iter().enumerate().filter_map(|(at, event)| match event.step.effect {
        Effect::Post(message, to) if run.mailbox(to) == Mailbox::Fifo => Some((at, message, to)),
        _ => None,
    });
    let posts: Vec<_> = posts.collect();
    let mut is_new = false;
    for &(first, earlier, one) in &posts {
        for &(second, later, other) in &posts {
            let end = events.iter().rposition(|event| event.task == earlier);
            let start = events.iter().position(|event| event.task == later);
            if let (Some(end), Some(start)) = (end, start)
                && one == other
                && before[first][second]
                && !before[end][start]
            {
                before[end][start] = true;
                is_new = true;
            }
        }
    }
    is_new
}

fn check(dependence: Dependence) {
    let mut compared = 0;
    for seed in 0..EXECUTIONS {
        let script = Script::random(seed, &[Mailbox::Fifo, Mailbox::Multiset]);
        let (mut run, mut past, mut rng) = (script.start(), Past::default(), Rng::new(seed));
        let (mut execution, mut events) = (Execution::new(dependence), Vec::new());
        // A second time from the middle on, so that what was taken back leaves nothing behind.
        for _ in 0..2 {
            while let Some((task, step)) = random_step(&mut run, &mut past, &mut rng) {
                execution.push(&run, task, 0, &step, &[]);
                events.push(Event { task, step, ends: run.next(task) == Next::Ended });
            }
            let naive = closure(&run, dependence, &events);
            for (first, row) in naive.iter().enumerate() {
                for (second, &expected) in row.iter().enumerate().skip(first + 1) {
                    assert_eq!(
                        execution.happens_before(first, second),
                        expected,
                        "seed {seed}, {dependence:?}: events {first} and {second} of {script:?}"
                    );
                    compared += 1;
                }
            }
            let middle = events.len() / 2;
            run.rewind(middle);
            past.truncate(middle);
            execution.truncate(middle);
            events.truncate(middle);
        }
    }
    assert!(compared > 10 * EXECUTIONS, "{compared} pairs only");
}

#[test]
fn conflicts_and_creation() {
    check(Dependence::Conflicts);
}

#[test]
fn what_follows_from_queues() {
    check(Dependence::Queues);
}

#[test]
fn messages_of_multiset_handlers() {
    check(Dependence::Multisets);
}

#[test]
fn messages_and_posts_of_all_handlers() {
    check(Dependence::Handlers);
}
