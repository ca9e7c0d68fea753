//! Random executions of random scripts: threads and messages that access variables and post messages.

pub use crate::execution::Execution;
use crate::ids::{HandlerId, LocationId, ObjectId, TaskId};
use crate::operation::{Access, Effect, Mode, Next, Operation, Step};
use crate::program::{Mailbox, Run};
use crate::rng::Rng;
use crate::touch::Dependence;

#[derive(Clone, Copy)]
enum Action {
    Start,
    Access(ObjectId, Mode),
    Post(TaskId, HandlerId),
}

struct Task {
    handler: Option<HandlerId>,
    actions: Vec<Action>,
    done: usize,
    exists: bool,
}

/// Scripts, and how far each has got.
pub struct Program {
    tasks: Vec<Task>,
    mailboxes: Vec<Mailbox>,
    active: Vec<Option<TaskId>>,
    queues: Vec<Vec<TaskId>>,
}

const VARIABLES: u64 = 3;

impl Program {
    /// Up to four threads, two handlers, and messages that may post messages.
    pub fn random(rng: &mut Rng) -> Self {
        let handlers = 1 + rng.below(2) as usize;
        let kind = rng.below(3);
        let mailboxes = (0..handlers).map(|_| match (kind, rng.below(2)) {
            (0, _) | (2, 0) => Mailbox::Multiset,
            _ => Mailbox::Fifo,
        });
        let mut program = Program {
            tasks: Vec::new(),
            mailboxes: mailboxes.collect(),
            active: vec![None; handlers],
            queues: vec![Vec::new(); handlers],
        };
        let threads = 2 + rng.below(3) as usize;
        for _ in 0..threads {
            program.tasks.push(Task { handler: None, actions: Vec::new(), done: 0, exists: true });
        }
        let mut next = 0;
        while next < program.tasks.len() {
            program.write(next, rng);
            next += 1;
        }
        program
    }

    fn write(&mut self, task: usize, rng: &mut Rng) {
        let handler = self.tasks[task].handler;
        let mut actions: Vec<Action> = handler.map(|_| Action::Start).into_iter().collect();
        let length = if handler.is_none() { 1 + rng.below(4) } else { rng.below(4) };
        for _ in 0..length {
            let posts = rng.below(if handler.is_none() { 3 } else { 6 });
            if posts == 0 || (posts == 1 && handler.is_none()) {
                let to = HandlerId::from(rng.below(self.mailboxes.len() as u64) as usize);
                actions.push(Action::Post(TaskId::from(self.tasks.len()), to));
                let actions = Vec::new();
                self.tasks.push(Task { handler: Some(to), actions, done: 0, exists: false });
            } else {
                let mode = if rng.below(2) == 0 { Mode::Read } else { Mode::Write };
                let object = ObjectId::from(rng.below(VARIABLES) as usize);
                actions.push(Action::Access(object, mode));
            }
        }
        self.tasks[task].actions = actions;
    }

    /// Performs everything, in a random order.
    pub fn execute(mut self, rng: &mut Rng) -> Execution {
        let mut execution = Execution::new(Dependence::Queues);
        loop {
            let enabled: Vec<usize> =
                (0..self.tasks.len()).filter(|&task| self.is_enabled(task)).collect();
            if enabled.is_empty() {
                return execution;
            }
            let task = TaskId::from(enabled[rng.below(enabled.len() as u64) as usize]);
            let mut step = Step::default();
            self.step(task, 0, &mut step);
            execution.push(&self, task, 0, &step, &[]);
        }
    }

    fn is_enabled(&self, task: usize) -> bool {
        let it = &self.tasks[task];
        it.exists
            && match (it.actions.get(it.done), it.handler) {
                (Some(Action::Start), Some(handler)) => {
                    self.active[handler.index()].is_none()
                        && (self.mailbox(handler) == Mailbox::Multiset
                            || self.queues[handler.index()].first() == Some(&TaskId::from(task)))
                }
                (action, _) => action.is_some(),
            }
    }
}

impl Run for Program {
    fn roots(&self) -> &[TaskId] {
        &[]
    }

    fn next(&self, task: TaskId) -> Next {
        let it = &self.tasks[task.index()];
        match it.actions.get(it.done) {
            None => Next::Ended,
            Some(Action::Start) => Next::Operation(Operation::Start),
            Some(Action::Access(object, mode)) => {
                Next::Operation(Operation::Access(*object, *mode))
            }
            Some(Action::Post(_, handler)) => Next::Operation(Operation::Post(*handler)),
        }
    }

    fn is_deterministic(&self) -> bool {
        true
    }

    fn step(&mut self, task: TaskId, _choice: u32, step: &mut Step) {
        let it = &mut self.tasks[task.index()];
        let action = it.actions[it.done];
        it.done += 1;
        let ends = it.done == it.actions.len();
        let handler = it.handler;
        match action {
            Action::Start => {
                let handler = handler.expect("only messages start").index();
                step.effect = Effect::Start;
                self.active[handler] = Some(task);
                self.queues[handler].retain(|&queued| queued != task);
            }
            Action::Access(object, mode) => {
                step.accesses.push(Access { object, mode, read: 0, written: 0 });
            }
            Action::Post(message, to) => {
                step.effect = Effect::Post(message, to);
                self.tasks[message.index()].exists = true;
                self.queues[to.index()].push(message);
            }
        }
        if let Some(handler) = handler.filter(|_| ends) {
            self.active[handler.index()] = None;
        }
    }

    fn depth(&self) -> usize {
        self.tasks.iter().map(|task| task.done).sum()
    }

    fn rewind(&mut self, _depth: usize) {
        unreachable!("a random execution never goes back");
    }

    fn mailbox(&self, handler: HandlerId) -> Mailbox {
        self.mailboxes[handler.index()]
    }

    fn handler(&self, task: TaskId) -> Option<HandlerId> {
        self.tasks[task.index()].handler
    }

    fn task_path(&self, task: TaskId) -> String {
        format!("task {}", task.0)
    }

    fn task_label(&self, task: TaskId) -> String {
        self.task_path(task)
    }

    fn handler_name(&self, handler: HandlerId) -> String {
        format!("handler {}", handler.0)
    }

    fn object_name(&self, object: ObjectId) -> String {
        format!("variable {}", object.0)
    }

    fn location(&self, _location: LocationId) -> String {
        String::new()
    }
}
