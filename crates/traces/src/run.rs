//! One execution of a [`TraceProgram`]: a position in each task. A step and its undoing are O(1).

use crate::check::TaskKind;
use crate::program::{Event, Object, TraceProgram};
use mazurka_engine::{
    Access, HandlerId, LocationId, Mailbox, Next, ObjectId, Operation, Run, Step, TaskId,
};

/// An execution in progress.
#[derive(Clone, Debug)]
pub struct TraceRun<'p> {
    program: &'p TraceProgram,
    /// How many events each task has performed.
    positions: Vec<u32>,
    /// Who moved, in order: all that is needed to go back.
    moved: Vec<TaskId>,
}

impl<'p> TraceRun<'p> {
    pub(crate) fn new(program: &'p TraceProgram) -> Self {
        TraceRun { program, positions: vec![0; program.tasks.len()], moved: Vec::new() }
    }

    fn event(&self, task: TaskId) -> Option<&'p Event> {
        self.program.tasks[task.index()].events.get(self.positions[task.index()] as usize)
    }
}

impl Run for TraceRun<'_> {
    fn roots(&self) -> &[TaskId] {
        &self.program.roots
    }

    fn next(&self, task: TaskId) -> Next {
        self.event(task).map_or(Next::Ended, |event| Next::Operation(event.operation))
    }

    fn place(&self, task: TaskId) -> Option<LocationId> {
        self.event(task).map(|event| event.location)
    }

    fn is_deterministic(&self) -> bool {
        true
    }

    fn step(&mut self, task: TaskId, _choice: u32, step: &mut Step) {
        let event = self.event(task).expect("the engine moves only tasks that have not ended");
        if let Operation::Access(object, mode) = event.operation {
            step.accesses.push(Access { object, mode, read: 0, written: 0 });
            // Values are not recorded.
            step.opaque = true;
        }
        step.effect = event.effect;
        step.location = Some(event.location);
        self.positions[task.index()] += 1;
        self.moved.push(task);
    }

    fn depth(&self) -> usize {
        self.moved.len()
    }

    fn rewind(&mut self, depth: usize) {
        for task in self.moved.drain(depth..) {
            self.positions[task.index()] -= 1;
        }
    }

    fn mailbox(&self, _handler: HandlerId) -> Mailbox {
        Mailbox::Fifo
    }

    fn handler(&self, task: TaskId) -> Option<HandlerId> {
        self.program.tasks[task.index()].handler
    }

    fn gate_of(&self, task: TaskId) -> &[(TaskId, u32)] {
        match self.event(task) {
            Some(event) => &self.program.gates[event.gate.start as usize..event.gate.end as usize],
            None => &[],
        }
    }

    fn locks_ignore_own_handler(&self) -> bool {
        true
    }

    fn task_path(&self, task: TaskId) -> String {
        match self.program.tasks[task.index()].kind {
            TaskKind::Thread(tid) => format!("t{tid}"),
            TaskKind::Message(message, _) => format!("m{message}"),
        }
    }

    fn task_label(&self, task: TaskId) -> String {
        match self.program.tasks[task.index()].kind {
            TaskKind::Thread(tid) => self.program.names.or_plain(format!("thread {tid}")),
            TaskKind::Message(message, _) => {
                self.program.names.or_plain(format!("message {message}"))
            }
        }
    }

    fn handler_name(&self, handler: HandlerId) -> String {
        let tid = self.program.loopers[handler.index()];
        let name = self.program.names.get(&format!("thread {tid}"));
        name.map_or_else(|| format!("looper {tid}"), str::to_owned)
    }

    fn object_name(&self, object: ObjectId) -> String {
        let names = &self.program.names;
        match &self.program.objects[object.index()] {
            Object::Field(object, field) => names.or_plain(format!("obj {object:#x}.{field}")),
            Object::Static(class, field) => names.or_plain(format!("static {class}.{field}")),
            Object::Lock(object) => {
                let plain = format!("{object:#x}");
                names.get(&format!("lock {plain}")).map_or(plain, str::to_owned)
            }
            Object::Counter(tid) => format!("notifications of thread {tid}"),
        }
    }

    fn location(&self, location: LocationId) -> String {
        let file = mazurka_engine::Program::name(self.program);
        match self.program.lines[location.index()] {
            (0, index) => format!("operation {index} of {file}"),
            (line, _) => format!("{file}:{line}"),
        }
    }
}
