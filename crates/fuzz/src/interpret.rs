//! Runs a description directly, without any language in between.
//!
//! It checks the front-end of the `.ed` language (both must have the same traces) and is what programs are
//! shrunk with. Going back undoes a log: for each step the moving task as it was, and the values written.

use crate::description::Description;
use crate::lower::{Cell, Code, Lowered, Touch, lower, object_layout};
use crate::sleepers::Sleepers;
use mazurka_engine::names::TaskNames;
use mazurka_engine::{
    Access, Effect, HandlerId, LocationId, Mailbox, Mode, Next, ObjectId, Operation, Program, Run,
    Step, TaskId,
};

/// A description, ready to run.
#[derive(Debug)]
pub struct Interpreted {
    description: Description,
    threads: Vec<Lowered>,
    tasks: Vec<Lowered>,
    messages: Vec<Lowered>,
    initial: Vec<i64>,
    arrays: Vec<u32>,
    mutexes: u32,
}

impl Interpreted {
    /// Makes it ready. The description must be well-formed.
    pub fn new(description: &Description) -> Self {
        let all = |bodies: &[_]| bodies.iter().map(|body| lower(description, body)).collect();
        let (arrays, mutexes) = object_layout(description);
        let mut initial = description.variables.clone();
        initial.resize(mutexes as usize + description.mutexes, 0);
        initial.extend(description.semaphores.iter().map(|&permits| i64::from(permits)));
        initial.resize(initial.len() + description.conditions + description.barriers.len(), 0);
        Interpreted {
            threads: all(&description.threads),
            tasks: all(&description.tasks),
            messages: all(&description.messages),
            description: description.clone(),
            initial,
            arrays,
            mutexes,
        }
    }
}

impl Program for Interpreted {
    type Run<'p> = InterpretedRun<'p>;

    fn start(&self) -> InterpretedRun<'_> {
        InterpretedRun::new(self)
    }

    fn name(&self) -> &str {
        "description"
    }
}

/// What a task runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Thread(usize),
    Task(usize),
    Message(usize, usize),
}

#[derive(Clone, Debug)]
struct TaskState {
    kind: Kind,
    /// Has the message begun? True for threads.
    begun: bool,
    at: usize,
    locals: Vec<i64>,
    children: u32,
    next: Next,
}

#[derive(Debug)]
struct Undo {
    task: TaskId,
    before: TaskState,
    values: usize,
    /// If the step may have changed them.
    sleepers: Option<Sleepers>,
}

/// An execution of a description.
#[derive(Debug)]
pub struct InterpretedRun<'p> {
    program: &'p Interpreted,
    names: TaskNames,
    roots: Vec<TaskId>,
    tasks: Vec<Option<TaskState>>,
    /// Of variables; of locks 0, 1 for a writer, or minus the number of readers; of semaphores the permits.
    values: Vec<i64>,
    sleepers: Sleepers,
    log: Vec<Undo>,
    value_log: Vec<(usize, i64)>,
}

impl<'p> InterpretedRun<'p> {
    fn new(program: &'p Interpreted) -> Self {
        let mut run = InterpretedRun {
            program,
            names: TaskNames::default(),
            roots: Vec::new(),
            tasks: Vec::new(),
            values: program.initial.clone(),
            sleepers: Sleepers::new(&program.description),
            log: Vec::new(),
            value_log: Vec::new(),
        };
        for thread in 0..program.threads.len() {
            let task = run.names.root(thread as u32);
            run.roots.push(task);
            run.create(task, Kind::Thread(thread));
        }
        run
    }

    fn lowered(&self, kind: Kind) -> &'p Lowered {
        match kind {
            Kind::Thread(thread) => &self.program.threads[thread],
            Kind::Task(task) => &self.program.tasks[task],
            Kind::Message(message, _) => &self.program.messages[message],
        }
    }

    fn create(&mut self, task: TaskId, kind: Kind) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, None);
        }
        let begun = !matches!(kind, Kind::Message(..));
        self.tasks[task.index()] = Some(TaskState {
            kind,
            begun,
            at: 0,
            locals: vec![0; self.lowered(kind).locals],
            children: 0,
            next: Next::Operation(Operation::Start),
        });
        if begun {
            self.settle(task);
        }
    }

    fn state(&self, task: TaskId) -> &TaskState {
        self.tasks[task.index()].as_ref().expect("the task exists")
    }

    fn state_mut(&mut self, task: TaskId) -> &mut TaskState {
        self.tasks[task.index()].as_mut().expect("the task exists")
    }

    fn child(&mut self, task: TaskId, kind: Kind) -> TaskId {
        let state = self.state_mut(task);
        let number = state.children;
        state.children += 1;
        let child = self.names.child(task, number);
        self.create(child, kind);
        child
    }

    /// Runs local code up to the next event.
    fn settle(&mut self, task: TaskId) {
        let code = &self.lowered(self.state(task).kind).code;
        let bed = self.bed(task);
        let state = self.state_mut(task);
        state.next = loop {
            match code.get(state.at) {
                None => break Next::Ended,
                Some(&instruction) => match local_step(state, instruction) {
                    Local::Done => {}
                    Local::Blocked => break Next::Blocked,
                    Local::Event => break Next::Operation(operation(state, instruction, bed)),
                },
            }
        };
    }

    fn touch(&mut self, task: TaskId, cell: Cell, touch: Touch, step: &mut Step) {
        let state = self.tasks[task.index()].as_mut().expect("the task exists");
        let object = resolve(state, cell);
        let read = self.values[object];
        let (mode, written, local) = match touch {
            Touch::Read(local) => (Mode::Read, read, Some((local, read))),
            Touch::WriteConstant(value) => (Mode::Write, value, None),
            Touch::WriteLocal(local) => (Mode::Write, state.locals[local], None),
            Touch::Add(constant, local) => {
                let local = local.map(|local| (local, read));
                (Mode::Update, read + constant, local)
            }
            Touch::Swap(value, local) => (Mode::Update, value, Some((local, read))),
            Touch::Cas(expected, new, local) if read == expected => {
                (Mode::Update, new, Some((local, 1)))
            }
            Touch::Cas(_, _, local) => (Mode::Read, read, Some((local, 0))),
        };
        step.data_dependent |= matches!(touch, Touch::Cas(..));
        if let Some((local, value)) = local {
            state.locals[local] = value;
        }
        step.accesses.push(Access { object: ObjectId::from(object), mode, read, written });
        if mode != Mode::Read {
            self.value_log.push((object, read));
            self.values[object] = written;
        }
        state.at += 1;
    }

    fn atomic(&mut self, task: TaskId, end: usize, step: &mut Step) {
        let code = &self.lowered(self.state(task).kind).code;
        self.state_mut(task).at += 1;
        while self.state(task).at < end {
            match code[self.state(task).at] {
                Code::Access(cell, touch) => self.touch(task, cell, touch, step),
                instruction => {
                    local_step(self.state_mut(task), instruction);
                }
            }
        }
    }

    /// Takes or gives back a lock or a permit.
    fn guard(&mut self, object: u32, mode: Mode, step: &mut Step) {
        let before = self.values[object as usize];
        self.value_log.push((object as usize, before));
        self.values[object as usize] = match mode {
            Mode::Lock => 1,
            Mode::Unlock => 0,
            Mode::LockShared | Mode::Wait => before - 1,
            _ => before + 1,
        };
        step.accesses.push(Access { object: ObjectId(object), mode, read: 0, written: 0 });
    }

    /// Takes a lock or a permit if nobody is in the way; says whether.
    fn attempt(&mut self, object: u32, mode: Mode, step: &mut Step) -> bool {
        let found = self.values[object as usize];
        let is_free = match mode {
            Mode::Lock => found == 0,
            Mode::LockShared => found <= 0,
            _ => found > 0,
        };
        step.data_dependent = true;
        if is_free {
            self.guard(object, mode, step);
        } else {
            let mode = Mode::Read;
            step.accesses.push(Access { object: ObjectId(object), mode, read: 0, written: 0 });
        }
        is_free
    }

    fn event(&mut self, task: TaskId, instruction: Code, choice: u32, step: &mut Step) {
        match instruction {
            Code::Access(cell, touch) => return self.touch(task, cell, touch, step),
            Code::Atomic { end, dependent } => {
                step.data_dependent = dependent;
                return self.atomic(task, end, step);
            }
            Code::Post(message, handler) => {
                let child = self.child(task, Kind::Message(message, handler));
                step.effect = Effect::Post(child, HandlerId::from(handler));
            }
            Code::Fork(body, local) => {
                let child = self.child(task, Kind::Task(body));
                self.state_mut(task).locals[local] = i64::from(child.0);
                step.effect = Effect::Fork(child);
            }
            Code::Join(local) => {
                let other = TaskId::from(self.state(task).locals[local] as usize);
                step.effect = Effect::Join(other);
            }
            Code::JoinThread(thread) => step.effect = Effect::Join(self.roots[thread]),
            Code::Guard(object, mode) => self.guard(object, mode, step),
            Code::Attempt(object, mode, local) => {
                let taken = self.attempt(object, mode, step);
                self.state_mut(task).locals[local] = i64::from(taken);
            }
            Code::Enqueue(condition) => {
                let object = self.condition(condition);
                step.accesses.push(access(object, Mode::Update));
                self.sleepers.conditions[condition].waiting.push(task);
            }
            Code::Sleep => step.accesses.push(access(self.bed(task), Mode::Wait)),
            Code::Arrive(..) | Code::Notify(..) | Code::Wake(..) | Code::NotifyAll(_) => {
                self.wake(task, instruction, step);
            }
            Code::Choose(_, local) | Code::ChooseBelow(local) => {
                self.state_mut(task).locals[local] = i64::from(choice);
                step.effect = Effect::Choose(choice);
            }
            Code::JumpUnless(..) | Code::Jump(_) | Code::Set(..) | Code::Assume(..) => {}
        }
        self.state_mut(task).at += 1;
    }

    /// What may wake others. Which objects it touches depends on who waits.
    fn wake(&mut self, task: TaskId, instruction: Code, step: &mut Step) {
        step.data_dependent = true;
        let (object, result, woken) = match instruction {
            Code::Arrive(barrier, local) => {
                let woken = self.sleepers.arrive(barrier, task);
                self.state_mut(task).locals[local] = i64::from(woken.is_some());
                (self.barrier(barrier), true, woken.unwrap_or_default())
            }
            Code::Notify(condition, local) => {
                let (changes, alternatives, woken) = self.sleepers.conditions[condition].notify();
                self.state_mut(task).locals[local] = alternatives as i64;
                (self.condition(condition), changes, woken)
            }
            Code::Wake(condition, local) => {
                let choice = self.state(task).locals[local] as usize;
                let woken = self.sleepers.conditions[condition].wake(choice);
                (self.condition(condition), true, vec![woken])
            }
            Code::NotifyAll(condition) => {
                let woken = self.sleepers.conditions[condition].notify_all();
                (self.condition(condition), !woken.is_empty(), woken)
            }
            _ => return,
        };
        step.accesses.push(access(object, if result { Mode::Update } else { Mode::Read }));
        step.accesses.extend(woken.iter().map(|&other| access(self.bed(other), Mode::Signal)));
    }

    fn condition(&self, number: usize) -> ObjectId {
        let description = &self.program.description;
        let first = self.program.mutexes as usize + description.mutexes;
        ObjectId::from(first + description.semaphores.len() + number)
    }

    fn barrier(&self, number: usize) -> ObjectId {
        self.condition(self.program.description.conditions + number)
    }

    /// The semaphore that a task is woken with: behind everything that is declared.
    fn bed(&self, task: TaskId) -> ObjectId {
        self.barrier(self.program.description.barriers.len() + task.index())
    }

    fn take_back(&mut self) {
        let Some(undo) = self.log.pop() else { return };
        if let Some(sleepers) = undo.sleepers {
            self.sleepers = sleepers;
        }
        while self.value_log.len() > undo.values {
            if let Some((object, value)) = self.value_log.pop() {
                self.values[object] = value;
            }
        }
        self.tasks[undo.task.index()] = Some(undo.before);
    }
}

fn access(object: ObjectId, mode: Mode) -> Access {
    Access { object, mode, read: 0, written: 0 }
}

fn resolve(state: &TaskState, cell: Cell) -> usize {
    match cell {
        Cell::Fixed(object) => object as usize,
        Cell::Indexed { first, length, local } => {
            first as usize + state.locals[local].rem_euclid(i64::from(length)) as usize
        }
    }
}

enum Local {
    Done,
    Blocked,
    Event,
}

fn local_step(state: &mut TaskState, instruction: Code) -> Local {
    match instruction {
        Code::JumpUnless(local, condition, target) => {
            let holds = condition.holds(state.locals[local]);
            state.at = if holds { state.at + 1 } else { target };
        }
        Code::Jump(target) => state.at = target,
        Code::Set(local, value) => {
            state.locals[local] = value;
            state.at += 1;
        }
        Code::ChooseBelow(local) if state.locals[local] == 1 => {
            state.locals[local] = 0;
            state.at += 1;
        }
        Code::Assume(local, condition) => {
            if !condition.holds(state.locals[local]) {
                return Local::Blocked;
            }
            state.at += 1;
        }
        _ => return Local::Event,
    }
    Local::Done
}

/// What an event instruction looks like beforehand. Threads have the first task numbers, in their order.
fn operation(state: &TaskState, instruction: Code, bed: ObjectId) -> Operation {
    match instruction {
        Code::Access(cell, touch) => {
            let mode = match touch {
                Touch::Read(_) => Mode::Read,
                Touch::WriteConstant(_) | Touch::WriteLocal(_) => Mode::Write,
                Touch::Add(..) | Touch::Swap(..) | Touch::Cas(..) => Mode::Update,
            };
            Operation::Access(ObjectId::from(resolve(state, cell)), mode)
        }
        Code::Atomic { .. }
        | Code::Attempt(..)
        | Code::Enqueue(_)
        | Code::Arrive(..)
        | Code::Notify(..)
        | Code::Wake(..)
        | Code::NotifyAll(_) => Operation::Atomic,
        Code::Sleep => Operation::Access(bed, Mode::Wait),
        Code::Post(_, handler) => Operation::Post(HandlerId::from(handler)),
        Code::Fork(..) => Operation::Fork,
        Code::Join(local) => Operation::Join(TaskId::from(state.locals[local] as usize)),
        Code::JoinThread(thread) => Operation::Join(TaskId::from(thread)),
        Code::Guard(object, mode) => Operation::Access(ObjectId(object), mode),
        Code::Choose(alternatives, _) => Operation::Choose(alternatives),
        Code::ChooseBelow(local) => Operation::Choose(state.locals[local] as u32),
        Code::JumpUnless(..) | Code::Jump(_) | Code::Set(..) | Code::Assume(..) => Operation::Local,
    }
}

fn changes_sleepers(instruction: Code) -> bool {
    use Code::{Arrive, Enqueue, Notify, NotifyAll, Wake};
    matches!(instruction, Enqueue(_) | Arrive(..) | Notify(..) | Wake(..) | NotifyAll(_))
}

impl Run for InterpretedRun<'_> {
    fn roots(&self) -> &[TaskId] {
        &self.roots
    }

    fn next(&self, task: TaskId) -> Next {
        self.state(task).next
    }

    fn is_deterministic(&self) -> bool {
        true
    }

    fn step(&mut self, task: TaskId, choice: u32, step: &mut Step) {
        let before = self.state(task).clone();
        let code = &self.lowered(before.kind).code;
        let (begun, at) = (before.begun, before.at);
        let values = self.value_log.len();
        let sleepers = (begun && changes_sleepers(code[at])).then(|| self.sleepers.clone());
        self.log.push(Undo { task, before, values, sleepers });
        if begun {
            self.event(task, code[at], choice, step);
        } else {
            self.state_mut(task).begun = true;
            step.effect = Effect::Start;
        }
        self.settle(task);
    }

    fn depth(&self) -> usize {
        self.log.len()
    }

    fn rewind(&mut self, depth: usize) {
        while self.log.len() > depth {
            self.take_back();
        }
    }

    fn mailbox(&self, handler: HandlerId) -> Mailbox {
        self.program.description.handlers[handler.index()]
    }

    fn handler(&self, task: TaskId) -> Option<HandlerId> {
        match self.tasks.get(task.index())?.as_ref()?.kind {
            Kind::Message(_, handler) => Some(HandlerId::from(handler)),
            Kind::Thread(_) | Kind::Task(_) => None,
        }
    }

    fn permits(&self, semaphore: ObjectId) -> u32 {
        let initial = self.program.initial.get(semaphore.index()).copied();
        u32::try_from(initial.unwrap_or(0)).unwrap_or(0)
    }

    fn task_path(&self, task: TaskId) -> String {
        self.names.path(task, &|root| format!("t{root}"))
    }

    fn task_label(&self, task: TaskId) -> String {
        match self.state(task).kind {
            Kind::Thread(thread) => format!("t{thread}"),
            Kind::Task(task) => format!("f{task}()"),
            Kind::Message(message, _) => format!("m{message}()"),
        }
    }

    fn handler_name(&self, handler: HandlerId) -> String {
        format!("h{}", handler.0)
    }

    fn object_name(&self, object: ObjectId) -> String {
        let program = self.program;
        let semaphores = program.mutexes + program.description.mutexes as u32;
        if object >= self.bed(TaskId(0)) {
            let sleeper = TaskId(object.0 - self.bed(TaskId(0)).0);
            return format!("bed of {}", self.task_path(sleeper));
        }
        for (letter, of) in [("b", self.barrier(0)), ("c", self.condition(0))] {
            if object >= of {
                return format!("{letter}{}", object.0 - of.0);
            }
        }
        if object.0 >= semaphores {
            return format!("s{}", object.0 - semaphores);
        }
        if object.0 >= program.mutexes {
            return format!("l{}", object.0 - program.mutexes);
        }
        match program.arrays.iter().rposition(|&first| first <= object.0) {
            Some(array) => format!("a{array}[{}]", object.0 - program.arrays[array]),
            None => format!("x{}", object.0),
        }
    }

    fn location(&self, _location: LocationId) -> String {
        String::from("description")
    }
}
