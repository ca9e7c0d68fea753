//! A small scheduler for the tests: decides who may move by going through the whole history, as plainly as it can be
//! written.

use mazurka_engine::{
    Effect, Fault, HandlerId, Mailbox, Mode, Next, ObjectId, Operation, Program, Run, Step, TaskId,
};
use mazurka_lang::vm::VmRun;
use mazurka_lang::{EdProgram, Options, compile};

/// Compiles a program that must be right.
pub fn program(text: &str) -> EdProgram {
    program_with(text, &Options::default())
}

/// Compiles a program that must be right, with options.
pub fn program_with(text: &str, options: &Options) -> EdProgram {
    compile("test.ed", text, options).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A run and what it has done.
pub struct Driver<'p> {
    pub run: VmRun<'p>,
    pub history: Vec<(TaskId, Step)>,
}

impl<'p> Driver<'p> {
    pub fn new(program: &'p EdProgram) -> Self {
        Driver { run: program.start(), history: Vec::new() }
    }

    /// All tasks that exist, roots first, then in the order of their creation.
    pub fn tasks(&self) -> Vec<TaskId> {
        let created = self.history.iter().filter_map(|(_, step)| match step.effect {
            Effect::Post(task, _) | Effect::Fork(task) => Some(task),
            _ => None,
        });
        self.run.roots().iter().copied().chain(created).collect()
    }

    pub fn enabled(&self) -> Vec<TaskId> {
        self.tasks().into_iter().filter(|task| self.is_enabled(*task)).collect()
    }

    fn is_enabled(&self, task: TaskId) -> bool {
        match self.run.next(task) {
            Next::Operation(Operation::Start) => self.may_start(task),
            Next::Operation(Operation::Access(object, mode)) => {
                let writers = self.count(object, Mode::Lock) - self.count(object, Mode::Unlock);
                let readers =
                    self.count(object, Mode::LockShared) - self.count(object, Mode::UnlockShared);
                let taken = self.count(object, Mode::Wait) - self.count(object, Mode::Signal);
                match mode {
                    Mode::Lock => writers + readers == 0,
                    Mode::LockShared => writers == 0,
                    Mode::Wait => i64::from(self.run.permits(object)) > taken,
                    _ => true,
                }
            }
            Next::Operation(Operation::Join(other)) => self.run.next(other) == Next::Ended,
            Next::Operation(_) => true,
            _ => false,
        }
    }

    /// How often an object has been accessed in this way.
    fn count(&self, object: ObjectId, mode: Mode) -> i64 {
        let accesses = self.history.iter().flat_map(|(_, step)| &step.accesses);
        accesses.filter(|access| access.object == object && access.mode == mode).count() as i64
    }

    fn may_start(&self, task: TaskId) -> bool {
        let handler = self.run.handler(task).expect("a message has a handler");
        let messages = self.messages(handler);
        let begun = |message: &TaskId| {
            self.history.iter().any(|(by, step)| by == message && step.effect == Effect::Start)
        };
        let busy =
            messages.iter().any(|message| begun(message) && self.run.next(*message) != Next::Ended);
        let first = messages.iter().find(|message| !begun(message)) == Some(&task);
        !busy && (first || self.run.mailbox(handler) == Mailbox::Multiset)
    }

    fn messages(&self, handler: HandlerId) -> Vec<TaskId> {
        let posts = self.history.iter().filter_map(|(_, step)| match step.effect {
            Effect::Post(task, to) if to == handler => Some(task),
            _ => None,
        });
        posts.collect()
    }

    pub fn step(&mut self, task: TaskId) -> &Step {
        let mut step = Step::default();
        self.run.step(task, 0, &mut step);
        self.history.push((task, step));
        &self.history.last().expect("just pushed").1
    }

    /// Goes back, with the history.
    pub fn rewind(&mut self, depth: usize) {
        self.run.rewind(depth);
        self.history.truncate(depth);
    }

    /// Always moves the first task that can.
    pub fn run_first(&mut self) {
        while let Some(task) = self.enabled().first().copied() {
            self.step(task);
        }
    }

    /// All failures of the steps so far.
    pub fn faults(&self) -> Vec<Fault> {
        self.history.iter().flat_map(|(_, step)| step.faults.clone()).collect()
    }

    /// The events so far, one in a line.
    pub fn account(&self) -> String {
        self.history.iter().map(|(task, step)| self.line(*task, step) + "\n").collect()
    }

    fn line(&self, task: TaskId, step: &Step) -> String {
        let mut line = format!("{}:", self.run.task_path(task));
        for access in &step.accesses {
            let name = self.run.object_name(access.object);
            line += &match access.mode {
                Mode::Read => format!(" R {name}={}", access.read),
                Mode::Write => format!(" W {name}={}", access.written),
                Mode::Update => format!(" U {name}={}->{}", access.read, access.written),
                mode => format!(" {mode:?} {name}"),
            };
        }
        line += &match step.effect {
            Effect::None => String::new(),
            Effect::Start => " start".to_owned(),
            Effect::Post(task, handler) => {
                format!(" post {} to {}", self.run.task_label(task), self.run.handler_name(handler))
            }
            Effect::Fork(task) => format!(" fork {}", self.run.task_label(task)),
            Effect::Join(task) => format!(" join {}", self.run.task_path(task)),
            other => format!(" {other:?}"),
        };
        if step.data_dependent {
            line += " (data dependent)";
        }
        for fault in &step.faults {
            line += &format!(
                " !{}: {} at {}",
                fault.kind.name(),
                fault.message,
                fault.location.as_deref().unwrap_or("?")
            );
        }
        line
    }
}

/// The account of the run in which always the first task moves, and how its tasks and `finally` ended.
pub fn first_run(text: &str) -> String {
    first_run_with(text, &Options::default())
}

/// The same with options.
pub fn first_run_with(text: &str, options: &Options) -> String {
    let program = program_with(text, options);
    let mut driver = Driver::new(&program);
    driver.run_first();
    let mut account = driver.account();
    for task in driver.tasks() {
        let next = driver.run.next(task);
        if next != Next::Ended {
            account += &format!("{} stands at {next:?}\n", driver.run.task_path(task));
        }
    }
    for fault in driver.run.finish() {
        account += &format!(
            "finally !{}: {} at {}\n",
            fault.kind.name(),
            fault.message,
            fault.location.unwrap_or_default()
        );
    }
    account
}
