//! The state of the execution in progress: its tasks, and what the current step has done so far.

use super::clocks::Clocks;
use super::coroutine::{Body, Fiber, StackRange, Suspender};
use super::knowledge::{Knowledge, Places};
use super::leaks;
use super::memory::arena::{Block, Misuse};
use super::names::{HandlerInfo, Names, ObjectInfo, Place};
use super::spin::{Spin, is_change};
use super::weak::{self, live::Live};
use crate::handler::CheckedHandler;
use crate::settings::Settings;
use crate::sync::counted::Ledger;
use mazurka_engine::names::TaskNames;
use mazurka_engine::{
    Access, Effect, FailureKind, Fault, HandlerId, Mode, Next, ObjectId, Operation, TaskId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

/// A place in the user's source.
pub(crate) type Source = &'static Location<'static>;

/// Where a task stands, and where in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub next: Next,
    pub source: Option<Source>,
    /// What it would do to an atomic, with weak memory.
    pub weak: Option<weak::access::Operation>,
}

impl Pending {
    /// The task has ended.
    pub(crate) const ENDED: Pending = Pending { next: Next::Ended, source: None, weak: None };
}

/// The values of a thread's thread-locals, by the address of their key, oldest first.
pub(crate) type Locals = Vec<(usize, Box<dyn Any>)>;

/// What the panic hook saw.
#[derive(Clone, Debug)]
pub(crate) struct PanicNote {
    pub message: String,
    pub location: String,
}

/// A thread or message of the execution in progress.
pub(crate) struct Task {
    pub fiber: Option<Box<Fiber>>,
    /// The code, until it is begun.
    pub body: Option<Body>,
    pub suspender: *const Suspender,
    pub pending: Pending,
    pub stack: StackRange,
    /// How large its stack is to be, if it says so itself.
    pub stack_size: Option<usize>,
    pub children: u32,
    pub handlers: u32,
    pub made: u32,
    /// Asynchronous tasks that it has spawned.
    pub async_children: u32,
    pub steps: u64,
    pub name: Option<Arc<str>>,
    /// Did it suspend while a panic was unwinding its stack?
    pub unwinding: bool,
    /// A destructor panicked while its stack was unwound: it never goes on, and its stack is given up.
    pub lost: bool,
    pub panic: Option<PanicNote>,
    /// The semaphore on which it parks, and whether it has a permit.
    pub park: (Option<ObjectId>, bool),
    /// The variable that says whether it has ended, once somebody asks.
    pub end_flag: Option<ObjectId>,
    pub ended: bool,
    /// How often it has timed out.
    pub timeouts: u32,
    /// Its loops that wait.
    pub spin: Spin,
    /// The values of its thread-locals.
    pub locals: Locals,
    /// Where the counted values were made that it is dropping, one inside of the other.
    pub dropping: Places,
}

impl Default for Task {
    fn default() -> Self {
        Task {
            fiber: None,
            body: None,
            suspender: std::ptr::null(),
            pending: Pending::ENDED,
            stack: StackRange::default(),
            stack_size: None,
            children: 0,
            handlers: 0,
            made: 0,
            async_children: 0,
            steps: 0,
            name: None,
            unwinding: false,
            lost: false,
            panic: None,
            park: (None, false),
            end_flag: None,
            ended: false,
            timeouts: 0,
            spin: Spin::default(),
            locals: Vec::new(),
            dropping: Places::default(),
        }
    }
}

impl Task {
    /// Makes the box of a task that is gone ready for another one.
    pub(crate) fn reset(&mut self) {
        self.children = 0;
        self.handlers = 0;
        self.made = 0;
        self.async_children = 0;
        self.steps = 0;
        self.unwinding = false;
        self.lost = false;
        self.panic = None;
        self.park = (None, false);
        self.end_flag = None;
        self.ended = false;
        self.timeouts = 0;
        self.spin.clear();
        self.suspender = std::ptr::null();
        self.stack = StackRange::default();
        self.stack_size = None;
        self.dropping = Places::default();
    }
}

/// What a cell holds, if that is a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub value: i64,
    /// Does it hold across executions? What has the size of an address may be one.
    pub comparable: bool,
}

/// What a step has done so far.
#[derive(Default)]
pub(crate) struct Performed {
    pub accesses: SmallVec<[Access; 2]>,
    pub effect: Effect,
    pub data_dependent: bool,
    /// Do the values hold for every execution (addresses do not)?
    pub comparable: bool,
    pub faults: Vec<Fault>,
    /// Objects whose memory was given back.
    pub died: Vec<ObjectId>,
    /// The thread that this step started and that has not run yet.
    pub newborn: Option<TaskId>,
    /// Was it an access of plain memory?
    pub plain: bool,
    /// Is what plain memory held a number, which its access has?
    pub plain_number: bool,
    /// How an access of an atomic turned out.
    pub atomic: Option<weak::access::Outcome>,
    /// What it did to which object in the user's words, where its accesses are an affair of the stand-in.
    pub said: Option<(&'static str, ObjectId)>,
}

impl Performed {
    /// Have its accesses no values that mean anything to people? Only atomics and cells with numbers have values, and large ones of pointers and of
    /// integers of their size may be addresses.
    pub(crate) fn is_valueless(&self) -> bool {
        let is_large = |value: i64| value.unsigned_abs() >> 32 != 0;
        let may_be_address =
            self.accesses.iter().any(|access| is_large(access.read) || is_large(access.written));
        let has_values = self.atomic.is_some() || self.plain_number;
        !has_values || (!self.comparable && may_be_address)
    }

    fn has_number(&mut self, number: Number) {
        self.plain_number = true;
        self.comparable &= number.comparable;
    }

    /// Nothing yet.
    pub(crate) fn clear(&mut self) {
        self.accesses.clear();
        self.effect = Effect::None;
        self.data_dependent = false;
        self.comparable = true;
        self.faults.clear();
        self.died.clear();
        self.newborn = None;
        self.plain = false;
        self.plain_number = false;
        self.atomic = None;
        self.said = None;
    }
}

/// The execution in progress and the names of the whole exploration.
pub(crate) struct State {
    pub settings: Settings,
    pub names: Names,
    pub task_names: TaskNames,
    /// The numbers of each task's children that have been asked for, which is quicker than their names.
    children: Vec<Vec<TaskId>>,
    /// By task number; a task that does not exist in this execution has no entry.
    pub tasks: Vec<Option<Box<Task>>>,
    /// Boxes of tasks of earlier executions.
    #[expect(clippy::vec_box, reason = "the boxes are what is kept")]
    pub spare: Vec<Box<Task>>,
    /// The handler of each task that has ever existed, by number.
    pub handlers: Vec<Option<HandlerId>>,
    /// What the user calls each task that has ever existed, by number.
    pub labels: Vec<Option<Arc<str>>>,
    /// The name of the type of the code of each message that has ever existed, by number.
    pub codes: Vec<Option<&'static str>>,
    /// The tasks of this execution, oldest first.
    pub order: Vec<TaskId>,
    pub current: TaskId,
    /// A number that no other execution of this process has.
    pub epoch: u64,
    /// What the current step has done so far.
    pub performed: Performed,
    pub choice: u32,
    /// For programs that use plain memory.
    pub clocks: Option<Box<Clocks>>,
    /// Do the steps before this one contradict each other?
    pub impossible: bool,
    /// The values of atomics, with weak memory.
    pub weak: Option<Box<Live>>,
    /// The thread-locals of the handlers' threads.
    pub handler_locals: FxHashMap<HandlerId, Locals>,
    /// The objects that stand for them.
    pub handler_local_objects: FxHashMap<(HandlerId, usize), ObjectId>,
    /// The handlers of the executor's workers.
    pub workers: Vec<Option<CheckedHandler>>,
    /// The places of `assert_reachable!` that some execution has reached, by address.
    pub reached: FxHashSet<usize>,
    pub knowledge: Knowledge,
    /// What the exploration must know to go on.
    pub learned: Option<Knowledge>,
    /// Did a task of this execution panic? Then what it leaves is no leak.
    pub panicked: bool,
    /// Blocks by task, size and position among their like that something outside of the execution was found to hold.
    pub held_outside: FxHashSet<(u32, usize, u32)>,
    /// Asynchronous tasks of this execution that have not ended.
    pub unfinished_futures: u32,
    /// What must be given back before the execution ends, where a front-end counts that.
    pub counted: Ledger,
    /// Something may rightly outlive it.
    pub counted_excused: bool,
    /// Where some execution held back a waiting loop.
    pub held_back: Option<Source>,
    /// The value of each object in this execution; of one that is no number, how often it has been changed.
    pub versions: Vec<i64>,
    /// How often each object has been changed in this execution.
    pub changes: Vec<u32>,
    /// The tasks of this execution that are held back, and where.
    pub waiting: Vec<(TaskId, Source)>,
    /// The tasks that are suspended while a panic unwinds their stack.
    pub suspended_unwinding: usize,
}

impl State {
    pub(crate) fn new(settings: Settings, knowledge: Knowledge) -> Self {
        State {
            settings,
            names: Names::default(),
            task_names: TaskNames::default(),
            children: Vec::new(),
            tasks: Vec::new(),
            spare: Vec::new(),
            handlers: Vec::new(),
            labels: Vec::new(),
            codes: Vec::new(),
            order: Vec::new(),
            current: TaskId(0),
            epoch: 0,
            performed: Performed::default(),
            choice: 0,
            clocks: None,
            impossible: false,
            weak: None,
            handler_locals: FxHashMap::default(),
            handler_local_objects: FxHashMap::default(),
            workers: Vec::new(),
            reached: FxHashSet::default(),
            knowledge,
            learned: None,
            panicked: false,
            held_outside: FxHashSet::default(),
            unfinished_futures: 0,
            counted: Ledger::new(),
            counted_excused: false,
            held_back: None,
            versions: Vec::new(),
            changes: Vec::new(),
            waiting: Vec::new(),
            suspended_unwinding: 0,
        }
    }

    /// A task that exists in this execution.
    #[inline]
    pub(crate) fn task(&mut self, task: TaskId) -> &mut Task {
        self.tasks[task.index()].as_mut().expect("the task exists in this execution")
    }

    /// The task that runs.
    #[inline]
    pub(crate) fn current_task(&mut self) -> &mut Task {
        self.task(self.current)
    }

    /// Adds a task, which does not run yet.
    pub(crate) fn add(
        &mut self,
        id: TaskId,
        handler: Option<HandlerId>,
        name: Option<Arc<str>>,
        body: Body,
        source: Option<Source>,
    ) {
        if self.tasks.len() <= id.index() {
            self.tasks.resize_with(id.index() + 1, || None);
            self.handlers.resize(id.index() + 1, None);
            self.labels.resize(id.index() + 1, None);
            self.codes.resize(id.index() + 1, None);
        }
        self.handlers[id.index()] = handler;
        if self.labels[id.index()] != name {
            // A copy: the name lies in the memory of the execution.
            self.labels[id.index()] = name.as_deref().map(Arc::from);
        }
        let creator = self.current;
        if let Some(clocks) = &mut self.clocks {
            clocks.create(creator, id);
        }
        let mut task = self.spare.pop().unwrap_or_default();
        task.name = name;
        task.body = Some(body);
        task.pending = Pending { next: Next::Operation(Operation::Start), source, weak: None };
        self.tasks[id.index()] = Some(task);
        self.order.push(id);
    }

    /// A task goes on, perhaps for the first time.
    #[inline]
    pub(crate) fn goes_on(&mut self, id: TaskId) {
        if std::mem::take(&mut self.task(id).unwinding) {
            self.suspended_unwinding -= 1;
        }
        let Some(clocks) = &mut self.clocks else { return };
        let begins = self.tasks[id.index()].as_ref().is_some_and(|task| task.fiber.is_none());
        if let (true, Some(handler)) = (begins, self.handlers[id.index()]) {
            clocks.begin(id, handler);
        }
        clocks.tick(id);
    }

    /// A task has ended.
    #[inline]
    pub(crate) fn ends(&mut self, id: TaskId) {
        if let (Some(clocks), Some(handler)) = (&mut self.clocks, self.handlers[id.index()]) {
            clocks.end(id, handler);
        }
    }

    /// The current operation made this access. `before`: the value that a write replaced, where that is known.
    #[inline]
    pub(crate) fn access(&mut self, access: Access, before: Option<i64>) {
        self.performed.accesses.push(access);
        let version = self.version(access.object);
        let mut seen = access;
        match before {
            // The value of an object that is no number is how often it has been changed.
            None if access.mode == Mode::Read => seen.read = *version,
            None => *version += 1,
            Some(_) if access.mode == Mode::Read => *version = access.read,
            Some(_) => *version = access.written,
        }
        let changes = self.changes(access.object, is_change(access.mode));
        self.current_task().spin.saw(&seen, before, changes);
    }

    /// The current operation reads plain memory, which has this value for people.
    pub(crate) fn plain_read(&mut self, object: ObjectId, number: Option<Number>) {
        let access = Access { object, mode: Mode::Read, read: 0, written: 0 };
        self.access(access, None);
        if let (Some(access), Some(number)) = (self.performed.accesses.last_mut(), number) {
            access.read = number.value;
            self.performed.has_number(number);
        }
    }

    /// The write of plain memory left this value for people. It is shown if the write is still the last step.
    pub(crate) fn plain_written(&mut self, object: ObjectId, number: Number) {
        if let Some(access) = self.performed.accesses.last_mut()
            && (access.object, access.mode) == (object, Mode::Write)
        {
            access.written = number.value;
            self.performed.has_number(number);
        }
    }

    /// The current operation writes plain memory, which has these bytes, if somebody has asked for them.
    pub(crate) fn plain_write_begins(&mut self, object: ObjectId, bytes: Option<u64>) {
        let access = Access { object, mode: Mode::Write, read: 0, written: 0 };
        let Some(bytes) = bytes else { return self.access(access, None) };
        self.performed.accesses.push(access);
        *self.version(object) += 1;
        let changes = self.changes(object, true);
        self.current_task().spin.begins_to_write(object, bytes, changes);
    }

    /// The write of plain memory has ended.
    pub(crate) fn plain_write_ends(&mut self, object: ObjectId, before: u64, after: u64) {
        if before == after {
            *self.version(object) -= 1;
        }
        self.current_task().spin.has_written(object, before, after);
    }

    fn version(&mut self, object: ObjectId) -> &mut i64 {
        let at = object.index();
        if self.versions.len() <= at {
            self.versions.resize(at + 1, 0);
            self.changes.resize(at + 1, 0);
        }
        &mut self.versions[at]
    }

    /// How often an object that has a version had been changed before this access.
    fn changes(&mut self, object: ObjectId, is_change: bool) -> u32 {
        let changes = &mut self.changes[object.index()];
        let before = *changes;
        *changes += u32::from(is_change);
        before
    }

    /// The name of the running task's next child.
    #[inline]
    pub(crate) fn next_child(&mut self) -> TaskId {
        let creator = self.current;
        let task = self.current_task();
        let k = task.children;
        task.children += 1;
        if self.children.len() <= creator.index() {
            self.children.resize(creator.index() + 1, Vec::new());
        }
        let known = &mut self.children[creator.index()];
        if let Some(child) = known.get(k as usize) {
            return *child;
        }
        let child = self.task_names.child(creator, k);
        known.push(child);
        child
    }

    /// The running task starts a thread.
    pub(crate) fn fork(&mut self, name: Option<Arc<str>>, body: Body, source: Source) -> TaskId {
        let child = self.next_child();
        self.fork_as(child, name, body, source);
        child
    }

    /// The running task starts a thread that has its number already.
    pub(crate) fn fork_as(
        &mut self,
        child: TaskId,
        name: Option<Arc<str>>,
        body: Body,
        source: Source,
    ) {
        self.add(child, None, name, body, Some(source));
        self.current_task().spin.made_progress();
        self.performed.effect = Effect::Fork(child);
        self.performed.newborn = Some(child);
    }

    /// The running task posts a message.
    pub(crate) fn post(
        &mut self,
        handler: HandlerId,
        code: &'static str,
        body: Body,
        source: Source,
    ) -> TaskId {
        let child = self.next_child();
        self.add(child, Some(handler), None, body, Some(source));
        self.current_task().spin.made_progress();
        self.codes[child.index()] = Some(code);
        self.performed.effect = Effect::Post(child, handler);
        child
    }

    /// The running task makes a handler.
    pub(crate) fn new_handler(&mut self, info: impl FnOnce() -> HandlerInfo) -> HandlerId {
        let creator = self.current;
        let k = self.current_task().handlers;
        self.current_task().handlers += 1;
        self.names.handler(creator, k, info)
    }

    /// The running task makes an object that the user does not see.
    pub(crate) fn new_object(&mut self, info: ObjectInfo) -> ObjectId {
        let creator = self.current;
        let k = self.current_task().made;
        self.current_task().made += 1;
        self.names.object(self.epoch, Place::Made(creator, k), info)
    }

    /// The semaphore on which a task parks.
    pub(crate) fn park_token(&mut self, task: TaskId) -> ObjectId {
        let made_at = Location::caller();
        let info = ObjectInfo::of_runtime("park token", made_at);
        let epoch = self.epoch;
        if let Some(token) = self.task(task).park.0 {
            return token;
        }
        let token = self.names.object(epoch, Place::Token(task), info);
        self.task(task).park.0 = Some(token);
        token
    }

    /// The variable that says whether a thread has ended.
    pub(crate) fn end_flag(&mut self, task: TaskId) -> ObjectId {
        if let Some(flag) = self.task(task).end_flag {
            return flag;
        }
        let info = ObjectInfo::of_runtime("end flag", Location::caller());
        let flag = self.names.object(self.epoch, Place::End(task), info);
        self.task(task).end_flag = Some(flag);
        flag
    }

    /// Has the task a token to go on?
    pub(crate) fn park_permit(&mut self, task: TaskId) -> &mut bool {
        &mut self.task(task).park.1
    }

    /// What people call a task.
    pub(crate) fn task_label(&self, task: TaskId) -> String {
        match self.labels.get(task.index()) {
            Some(Some(label)) => label.to_string(),
            _ => self.task_names.path(task, &|_| "main".to_owned()),
        }
    }

    /// The current operation used an object whose block had been given back.
    pub(crate) fn use_after_free(&mut self, object: ObjectId, block: &Block) {
        let info = self.names.object_info(object);
        let (kind, made_at) = (info.kind, info.made_at);
        let who = self.task_label(self.current);
        let place = self.current_task().pending.source;
        let freed = block.freed.map(|freed| leaks::behind(self, freed)).unwrap_or_default();
        let made = leaks::behind(self, block.made);
        let message = format!(
            "use after free: {who} uses the {kind} made at {made_at} in memory that {freed} had given back (allocated by \
             {made} {} bytes)",
            block.size
        );
        let location = place.map(ToString::to_string);
        self.performed.faults.push(Fault::new(FailureKind::Fault, message, location));
    }

    /// What the allocator saw the running task do wrong.
    pub(crate) fn misuse(&mut self, misuse: Misuse, block: Option<&Block>) {
        let (message, by) = match misuse {
            Misuse::DoubleFree(_, by) => {
                let first = block.and_then(|block| block.freed);
                let first = first.map(|freed| leaks::behind(self, freed)).unwrap_or_default();
                let size = block.map_or(0, |block| block.size);
                (
                    format!(
                        "double free: {} gives back {size} bytes that {first} had given back",
                        leaks::behind(self, by)
                    ),
                    by,
                )
            }
            Misuse::NoBlock(by) => (
                format!(
                    "bad free: {} gives back something that no allocation returned",
                    leaks::behind(self, by)
                ),
                by,
            ),
        };
        let location = by.operation.map(ToString::to_string);
        self.performed.faults.push(Fault::new(FailureKind::Fault, message, location));
    }

    /// The task whose stack holds this address, and how far from its base.
    pub(crate) fn find_on_stacks(&self, address: usize) -> Option<(TaskId, usize)> {
        self.order.iter().rev().find_map(|&id| {
            let stack = self.tasks[id.index()].as_ref()?.stack;
            stack.contains(address).then(|| (id, stack.base - address))
        })
    }
}
