//! What several tests share: the sample traces, and a driver that enforces the semantics.

use mazurka_engine::{Effect, HandlerId, Mode, Next, Operation, Program, Run, Step, TaskId};
use mazurka_traces::{Loaded, TraceProgram};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

/// One sample trace.
pub struct Sample {
    pub name: String,
    pub folder: PathBuf,
    pub operations: usize,
}

impl Sample {
    pub fn bytes(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(file)).expect("the sample has this file")
    }

    pub fn load(&self) -> Loaded {
        let dependences = self.bytes("dependence.txt");
        let trace = self.bytes("trace.txt");
        mazurka_traces::load("trace.txt", &trace, Some(("dependence.txt", &dependences)))
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// Every sample trace with the number of operations that the table says.
pub fn samples() -> Vec<Sample> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/em");
    let table = std::fs::read_to_string(folder.join("figures.tsv")).expect("the table is there");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let mut columns = row.split('\t');
        let name = columns.next().expect("a name").to_owned();
        let operations = columns
            .next()
            .and_then(|text| text.parse().ok())
            .expect("a number");
        Sample {
            folder: folder.join(&name),
            name,
            operations,
        }
    })
    .collect()
}

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
        assert_eq!(
            run.next(task),
            Next::Ended,
            "{} has not ended",
            run.task_label(task)
        );
    }
    assert_eq!(run.depth(), program.event_count());
    run.rewind(0);
    assert_eq!(run.depth(), 0);
    assert!(matches!(run.next(run.roots()[0]), Next::Operation(_)));
    program.event_count()
}

/// The semantics of queues, locks, counters and gates, as simple as can be.
pub struct State {
    exists: Vec<TaskId>,
    queues: HashMap<HandlerId, VecDeque<TaskId>>,
    running: HashMap<HandlerId, TaskId>,
    locks: HashMap<u32, TaskId>,
    counters: HashMap<u32, u32>,
    done: HashMap<TaskId, u32>,
}

impl State {
    pub fn new(run: &mazurka_traces::TraceRun<'_>) -> Self {
        State {
            exists: run.roots().to_vec(),
            queues: HashMap::new(),
            running: HashMap::new(),
            locks: HashMap::new(),
            counters: HashMap::new(),
            done: HashMap::new(),
        }
    }

    pub fn step(&mut self, run: &mut mazurka_traces::TraceRun<'_>, task: TaskId) {
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
                Mode::Lock => assert_eq!(
                    self.locks.insert(object, task),
                    None,
                    "{label} takes a free lock"
                ),
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
