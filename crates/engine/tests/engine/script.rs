//! Straight-line programs made of engine operations, drawn at random.

use mazurka_engine::names::TaskNames;
use mazurka_engine::oracle::Past;
use mazurka_engine::rng::Rng;
use mazurka_engine::{
    Access, Effect, HandlerId, LocationId, Mailbox, Mode, Next, ObjectId, Operation, Program, Run,
    Step, TaskId,
};

/// What a line of a script does.
#[derive(Clone, Copy, Debug)]
pub enum Line {
    /// Accesses an object.
    Access(u32, Mode),
    /// Posts a message to a handler.
    Post(usize, usize),
    /// Starts a thread with the code of a message.
    Fork(usize),
    /// Waits for the end of one of the first threads.
    Join(usize),
    /// Picks one of so many alternatives.
    Choose(u32),
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The code of the threads that exist from the start.
    pub threads: Vec<Vec<Line>>,
    /// The code of messages. A message posts and forks later ones only.
    pub messages: Vec<Vec<Line>>,
    /// The policies of the handlers.
    pub handlers: Vec<Mailbox>,
}

/// Objects below this number are variables.
pub const VARIABLES: u32 = 2;
/// The lock.
pub const LOCK: u32 = 2;
/// The semaphore.
pub const SEMAPHORE: u32 = 3;
/// One more than the largest object.
pub const OBJECTS: u32 = 4;
/// The permits that the semaphore has at first.
const PERMITS: u32 = 1;

impl Script {
    /// Threads only.
    pub fn of_threads(threads: &[&[Line]]) -> Script {
        Script {
            threads: threads.iter().map(|lines| lines.to_vec()).collect(),
            ..Script::default()
        }
    }

    /// A script of a seed, with these policies among its handlers.
    pub fn random(seed: u64, policies: &[Mailbox]) -> Script {
        let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let mut below = |bound: usize| rng.below(bound as u64) as usize;
        let messages = below(3);
        let handlers = (0..2).map(|_| policies[below(policies.len())]).collect();
        let mut draft = Draft { below: &mut below, messages };
        Script {
            messages: (0..messages).map(|number| draft.lines(number + 1, 2, None)).collect(),
            threads: (0..3).map(|number| draft.lines(0, 3, Some(number))).collect(),
            handlers,
        }
    }
}

struct Draft<'b> {
    below: &'b mut dyn FnMut(usize) -> usize,
    messages: usize,
}

impl Draft<'_> {
    fn lines(&mut self, posts_from: usize, most: usize, thread: Option<usize>) -> Vec<Line> {
        let count = 1 + (self.below)(most);
        (0..count).flat_map(|_| self.some_lines(posts_from, thread)).collect()
    }

    /// One line, or a critical section.
    fn some_lines(&mut self, posts_from: usize, thread: Option<usize>) -> Vec<Line> {
        let left = self.messages.saturating_sub(posts_from);
        match (self.below)(16) {
            0..=4 if left > 0 => {
                vec![Line::Post(posts_from + (self.below)(left), (self.below)(2))]
            }
            5 if left > 0 => vec![Line::Fork(posts_from + (self.below)(left))],
            6 if thread.is_some_and(|thread| thread > 0) => vec![Line::Join(0)],
            7 => vec![Line::Choose(2)],
            8 => vec![Line::Access(SEMAPHORE, Mode::Wait)],
            9 => vec![Line::Access(SEMAPHORE, Mode::Signal)],
            10 => vec![Line::Access(LOCK, Mode::Lock), Line::Access(LOCK, Mode::Unlock)],
            11 => {
                vec![Line::Access(LOCK, Mode::LockShared), Line::Access(LOCK, Mode::UnlockShared)]
            }
            _ => {
                let mode = [Mode::Read, Mode::Write, Mode::Update][(self.below)(3)];
                vec![Line::Access((self.below)(VARIABLES as usize) as u32, mode)]
            }
        }
    }
}

impl Program for Script {
    type Run<'p> = ScriptRun<'p>;

    fn start(&self) -> ScriptRun<'_> {
        ScriptRun::new(self)
    }

    fn name(&self) -> &str {
        "script"
    }
}

#[derive(Clone, Debug)]
struct TaskState<'p> {
    lines: &'p [Line],
    /// The next line.
    at: usize,
    handler: Option<HandlerId>,
    has_begun: bool,
    children: u32,
}

/// An execution of a script.
#[derive(Debug)]
pub struct ScriptRun<'p> {
    script: &'p Script,
    names: TaskNames,
    roots: Vec<TaskId>,
    tasks: Vec<Option<TaskState<'p>>>,
    /// Who moved, and how it stood before.
    log: Vec<(TaskId, TaskState<'p>)>,
}

impl<'p> ScriptRun<'p> {
    fn new(script: &'p Script) -> Self {
        let (names, roots, tasks) = (TaskNames::default(), Vec::new(), Vec::new());
        let mut run = ScriptRun { script, names, roots, tasks, log: Vec::new() };
        for (number, lines) in script.threads.iter().enumerate() {
            let task = run.names.root(number as u32);
            run.roots.push(task);
            run.create(task, lines, None);
        }
        run
    }

    fn create(&mut self, task: TaskId, lines: &'p [Line], handler: Option<HandlerId>) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, None);
        }
        let has_begun = handler.is_none();
        self.tasks[task.index()] =
            Some(TaskState { lines, at: 0, handler, has_begun, children: 0 });
    }

    fn child(&mut self, creator: TaskId, message: usize, handler: Option<HandlerId>) -> TaskId {
        let state = self.tasks[creator.index()].as_mut().expect("the creator exists");
        state.children += 1;
        let child = self.names.child(creator, state.children - 1);
        self.create(child, &self.script.messages[message], handler);
        child
    }

    fn state(&self, task: TaskId) -> &TaskState<'p> {
        self.tasks[task.index()].as_ref().expect("the task exists")
    }
}

impl Run for ScriptRun<'_> {
    fn roots(&self) -> &[TaskId] {
        &self.roots
    }

    fn next(&self, task: TaskId) -> Next {
        let state = self.state(task);
        if !state.has_begun {
            return Next::Operation(Operation::Start);
        }
        let Some(&line) = state.lines.get(state.at) else {
            return Next::Ended;
        };
        Next::Operation(match line {
            Line::Access(object, mode) => Operation::Access(ObjectId(object), mode),
            Line::Post(_, handler) => Operation::Post(HandlerId::from(handler)),
            Line::Fork(_) => Operation::Fork,
            Line::Join(thread) => Operation::Join(self.roots[thread]),
            Line::Choose(count) => Operation::Choose(count),
        })
    }

    fn step(&mut self, task: TaskId, choice: u32, step: &mut Step) {
        let before = self.state(task).clone();
        let (has_begun, line) = (before.has_begun, before.lines.get(before.at).copied());
        self.log.push((task, before));
        if !has_begun {
            step.effect = Effect::Start;
            self.tasks[task.index()].as_mut().expect("it exists").has_begun = true;
            return;
        }
        match line.expect("the task has not ended") {
            Line::Access(object, mode) => {
                let object = ObjectId(object);
                step.accesses.push(Access { object, mode, read: 0, written: 0 });
            }
            Line::Post(message, handler) => {
                let handler = HandlerId::from(handler);
                step.effect = Effect::Post(self.child(task, message, Some(handler)), handler);
            }
            Line::Fork(message) => step.effect = Effect::Fork(self.child(task, message, None)),
            Line::Join(thread) => step.effect = Effect::Join(self.roots[thread]),
            Line::Choose(_) => step.effect = Effect::Choose(choice),
        }
        self.tasks[task.index()].as_mut().expect("it exists").at += 1;
    }

    fn depth(&self) -> usize {
        self.log.len()
    }

    fn rewind(&mut self, depth: usize) {
        while self.log.len() > depth
            && let Some((task, before)) = self.log.pop()
        {
            self.tasks[task.index()] = Some(before);
        }
    }

    fn mailbox(&self, handler: HandlerId) -> Mailbox {
        self.script.handlers[handler.index()]
    }

    fn handler(&self, task: TaskId) -> Option<HandlerId> {
        self.state(task).handler
    }

    fn permits(&self, semaphore: ObjectId) -> u32 {
        if semaphore.0 == SEMAPHORE { PERMITS } else { 0 }
    }

    fn task_path(&self, task: TaskId) -> String {
        self.names.path(task, &|root| format!("t{root}"))
    }

    fn task_label(&self, task: TaskId) -> String {
        self.task_path(task)
    }

    fn handler_name(&self, handler: HandlerId) -> String {
        format!("h{}", handler.0)
    }

    fn object_name(&self, object: ObjectId) -> String {
        format!("o{}", object.0)
    }

    fn location(&self, _: LocationId) -> String {
        String::from("script")
    }
}

/// One step of whoever may move according to the oracle, drawn at random. `None` if nobody can.
pub fn random_step(
    run: &mut ScriptRun<'_>,
    past: &mut Past,
    rng: &mut Rng,
) -> Option<(TaskId, Step)> {
    let enabled = past.enabled(run);
    if enabled.is_empty() {
        return None;
    }
    let task = enabled[rng.below(enabled.len() as u64) as usize];
    let choice = match run.next(task) {
        Next::Operation(Operation::Choose(count)) => rng.below(u64::from(count)) as u32,
        _ => 0,
    };
    let mut step = Step::default();
    run.step(task, choice, &mut step);
    past.push(task, choice, &step);
    Some((task, step))
}
