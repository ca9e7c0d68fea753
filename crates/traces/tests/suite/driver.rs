//! Drives the recorded order of a program, enforcing the semantics as simply as can be.

use mazurka_engine::{Effect, HandlerId, Mode, Next, Operation, Program, Run, Step, TaskId};
use mazurka_traces::{TraceProgram, TraceRun};
use std::collections::{HashMap, VecDeque};

/// Drives the recorded order through a run; everything must be enabled when its turn comes. Says how
/// many events there were.
pub fn drive_recorded(program: &TraceProgram) -> usize {
    let mut run = program.start();
    let mut state = State::new(&run);
    for &task in program.recorded_order() {
        state.step(&mut run, task);
    }
    for task in 0..program.task_count() {
        let task = TaskId::from(task);
        assert_eq!(run.next(task), Next::Ended, "{} has not ended", run.task_label(task));
    }
    assert_eq!(run.depth(), program.event_count());
    run.rewind(0);
    assert_eq!(run.depth(), 0);
    assert!(matches!(run.next(run.roots()[0]), Next::Operation(_)));
    program.event_count()
}

/// The semantics of queues, locks, counters and gates, as simple as can be.
struct State {
    exists: Vec<TaskId>,
    queues: HashMap<HandlerId, VecDeque<TaskId>>,
    running: HashMap<HandlerId, TaskId>,
    locks: HashMap<u32, TaskId>,
    counters: HashMap<u32, u32>,
    done: HashMap<TaskId, u32>,
}

impl State {
    fn new(run: &TraceRun<'_>) -> Self {
        State {
            exists: run.roots().to_vec(),
            queues: HashMap::new(),
            running: HashMap::new(),
            locks: HashMap::new(),
            counters: HashMap::new(),
            done: HashMap::new(),
        }
    }

    fn step(&mut self, run: &mut TraceRun<'_>, task: TaskId) {
        let label = run.task_label(task);
        assert!(self.exists.contains(&task), "{label} does not exist yet");
        for &(other, count) in run.gate_of(task) {
            assert!(
                self.done.get(&other).is_some_and(|&done| done >= count),
                "{label} stands at a gate"
            );
        }
        if run.next(task) == Next::Operation(Operation::Start) {
            let handler = run.handler(task).expect("a message has a handler");
            let front = self.queues.get_mut(&handler).and_then(VecDeque::pop_front);
            assert_eq!(front, Some(task), "{label} is at the front");
            assert_eq!(
                self.running.insert(handler, task),
                None,
                "{label} starts on an idle handler"
            );
        }
        let mut step = Step::default();
        run.step(task, 0, &mut step);
        assert!(step.location.is_some());
        *self.done.entry(task).or_default() += 1;
        for access in &step.accesses {
            let object = access.object.0;
            match access.mode {
                Mode::Lock => {
                    assert_eq!(self.locks.insert(object, task), None, "{label} takes a free lock")
                }
                Mode::Unlock => assert_eq!(self.locks.remove(&object), Some(task)),
                Mode::Signal => *self.counters.entry(object).or_default() += 1,
                Mode::Wait => {
                    let count = self.counters.get_mut(&object).expect("it was notified");
                    *count = count.checked_sub(1).expect("there is something to take");
                }
                _ => {}
            }
        }
        match step.effect {
            Effect::Fork(child) => self.exists.push(child),
            Effect::Post(message, handler) => {
                self.exists.push(message);
                self.queues.entry(handler).or_default().push_back(message);
            }
            _ => {}
        }
        if let (Next::Ended, Some(handler)) = (run.next(task), run.handler(task)) {
            self.running.remove(&handler);
        }
    }
}
