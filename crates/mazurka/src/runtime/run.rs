//! The engine's [`Run`]: steps forward resume coroutines, steps back are remembered and made good by
//! executing again when the next step is asked for.

use super::context::Runtime;
use super::knowledge::Restart;
use super::memory::allocator::EngineMemory;
use super::names::Owner;
use super::program::Findings;
use super::record::{Record, describe, same_accesses, same_pending};
use super::state::{Pending, Performed, Source};
use super::statics;
use super::trials::Trials;
use super::weak::Weak;
use super::weak::access::{Candidate, Happened, Kind, Operation as WeakOperation, Outcome};
use mazurka_engine::{
    Access, Effect, FailureKind, Fault, HandlerId, LocationId, Mailbox, Next, ObjectId, Operation,
    Run, Schedule, Step, TaskId,
};
use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Raised through the engine when the exploration cannot go on.
#[derive(Debug)]
pub(crate) struct Divergence {
    pub fault: Fault,
    /// The steps up to the one that differed.
    pub schedule: Schedule,
}

/// An exploration's execution, which can go back.
pub(crate) struct RustRun {
    pub(super) runtime: Runtime,
    body: Rc<dyn Fn()>,
    roots: [TaskId; 1],
    /// Where the root stood when it first came to an operation.
    first: Pending,
    pub(super) records: Vec<Record>,
    /// The accesses of all records.
    pub(super) accesses: Vec<Access>,
    /// Where each task stands, by number, for the engine.
    pending: Vec<Pending>,
    /// How many of the records the coroutines have executed; more than there are records after going
    /// back.
    executed: usize,
    /// Failures before the first operation, told with a step of their own.
    early: Vec<Fault>,
    /// Where to leave what the end of the exploration must know.
    pub(super) findings: Rc<Findings>,
    pub(super) trials: Trials,
    /// What atomics may read, with weak memory.
    weak: Option<RefCell<Weak>>,
    /// A task that goes round a loop where nobody can move, and where.
    stuck: Cell<Option<(TaskId, Source)>>,
    _engine: EngineMemory,
}

impl RustRun {
    pub(crate) fn new(runtime: Runtime, body: Rc<dyn Fn()>, findings: Rc<Findings>) -> Self {
        statics::enter();
        let engine = EngineMemory::new();
        let root = runtime.begin(Rc::clone(&body));
        let mut run = RustRun {
            runtime,
            body,
            roots: [root],
            first: Pending::ENDED,
            records: Vec::new(),
            accesses: Vec::new(),
            pending: Vec::new(),
            executed: 0,
            early: Vec::new(),
            findings,
            trials: Trials::default(),
            weak: None,
            stuck: Cell::new(None),
            _engine: engine,
        };
        run.restart_if_learned();
        let has_weak_memory = run.runtime.weak.get();
        run.weak = has_weak_memory.then(RefCell::default);
        run.early = std::mem::take(&mut run.runtime.state.borrow_mut().performed.faults);
        let pending = run.live_pending(root);
        run.first = pending;
        run.stands(root, pending);
        run
    }

    /// Where the coroutine of a task stands.
    fn live_pending(&self, task: TaskId) -> Pending {
        let pending = self.runtime.state.borrow_mut().task(task).pending;
        match pending.next {
            Next::Ended | Next::Blocked
                if !self.early.is_empty() && task == self.roots[0] && self.executed == 0 =>
            {
                Pending { next: Next::Operation(Operation::Local), source: None, weak: None }
            }
            _ => pending,
        }
    }

    fn stands(&mut self, task: TaskId, pending: Pending) {
        if self.pending.len() <= task.index() {
            self.pending.resize(task.index() + 1, Pending::ENDED);
        }
        self.pending[task.index()] = pending;
    }

    /// Lets the coroutines do a step; returns where the task and a thread that it started stand then. What it did
    /// is left in the state.
    pub(super) fn execute(
        &mut self,
        task: TaskId,
        choice: u32,
        candidate: Candidate,
    ) -> (Pending, Option<(TaskId, Pending)>) {
        let impossible = self.is_impossible();
        let starts = {
            let mut state = self.runtime.state.borrow_mut();
            state.choice = choice;
            state.impossible = impossible;
            if let Some(live) = &mut state.weak {
                live.step(candidate);
            }
            state.performed.clear();
            state.task(task).pending.next == Next::Operation(Operation::Start)
        };
        if !self.early.is_empty() && self.executed == 0 && self.live_pending(task).source.is_none()
        {
            self.executed = 1;
            self.runtime.state.borrow_mut().performed.faults.clone_from(&self.early);
            return (Pending::ENDED, None);
        }
        self.runtime.go_on(task);
        let mut state = self.runtime.state.borrow_mut();
        if starts {
            state.performed.effect = Effect::Start;
        }
        let newborn = state.performed.newborn;
        if let Some(child) = newborn {
            drop(state);
            self.runtime.go_on(child);
            state = self.runtime.state.borrow_mut();
        }
        if state.learned.is_some() {
            drop(state);
            self.restart_if_learned();
            unreachable!("what was learned begins the exploration anew");
        }
        drop(state);
        self.runtime.tell_of_memory();
        state = self.runtime.state.borrow_mut();
        self.executed += 1;
        let newborn = newborn.map(|child| (child, state.task(child).pending));
        (state.task(task).pending, newborn)
    }

    fn restart_if_learned(&self) {
        let learned = self.runtime.state.borrow().learned;
        if let Some(knowledge) = learned {
            self.runtime.abandon();
            resume_unwind(Box::new(Restart(knowledge)));
        }
    }

    /// Makes good what [`Run::rewind`] put off.
    fn catch_up(&mut self) {
        if self.executed == self.records.len() {
            return;
        }
        self.begin_again();
        let (root, stands) = (self.roots[0], self.live_pending(self.roots[0]));
        if !same_pending(&stands, &self.first) {
            self.diverge(0, root, &self.first, &stands);
        }
        for index in 0..self.records.len() {
            self.execute_again(index);
        }
    }

    /// Begins a new execution.
    pub(super) fn begin_again(&mut self) {
        self.runtime.abandon();
        self.runtime.begin(Rc::clone(&self.body));
        self.executed = 0;
    }

    /// The coroutines are not where the engine holds that they are.
    pub(super) fn give_up_state(&mut self) {
        self.executed = usize::MAX;
    }

    /// Where a task stands in the execution that the coroutines are in, if it is there.
    pub(super) fn stands_at(&self, task: TaskId) -> Option<Pending> {
        let exists =
            self.runtime.state.borrow().tasks.get(task.index()).is_some_and(Option::is_some);
        exists.then(|| self.live_pending(task))
    }

    /// What a step accessed.
    pub(super) fn accesses_of(&self, index: usize) -> &[Access] {
        let end = self.records.get(index + 1).map_or(self.accesses.len(), |next| next.first_access);
        &self.accesses[self.records[index].first_access..end]
    }

    fn execute_again(&mut self, index: usize) {
        let Record { task, choice, candidate, .. } = self.records[index];
        let (after, newborn) = self.execute(task, choice, candidate);
        let record = &self.records[index];
        let same = {
            let performed = &self.runtime.state.borrow().performed;
            let comparable = record.comparable && performed.comparable;
            same_accesses(self.accesses_of(index), &performed.accesses, comparable)
                && record.effect == performed.effect
        };
        if !same {
            let performed = std::mem::take(&mut self.runtime.state.borrow_mut().performed);
            self.differ(index, &performed);
        }
        let (expected, expected_newborn) = (record.after, record.newborn);
        if !same_pending(&expected, &after) {
            self.diverge(index + 1, task, &expected, &after);
        }
        if let (Some((_, expected)), Some((child, stands))) = (expected_newborn, newborn)
            && !same_pending(&expected, &stands)
        {
            self.diverge(index + 1, child, &expected, &stands);
        }
    }

    /// What the next access of a task does if it picks this alternative.
    fn candidate(&self, task: TaskId, choice: u32) -> Candidate {
        match (&self.weak, self.pending[task.index()].weak) {
            (Some(weak), Some(WeakOperation::Access(access)))
                if choice > 0 || matches!(access.kind, Kind::Exchange(_)) =>
            {
                let mut weak = weak.borrow_mut();
                weak.candidates(task, &access).get(choice as usize).copied().unwrap_or_default()
            }
            _ => Candidate::default(),
        }
    }

    /// Tells weak memory of the step that has just been executed.
    fn follow(&mut self, task: TaskId, before: &Pending, choice: u32, candidate: Candidate) {
        let Some(weak) = &mut self.weak else { return };
        let state = self.runtime.state.borrow();
        let Some(live) = &state.weak else { return };
        let performed = &state.performed;
        let nothing = Outcome { order: Ordering::Relaxed, reads: false, written: None };
        let object = performed.accesses.first().map(|access| access.object);
        weak.get_mut().push(
            &Happened {
                task,
                handler: state.handlers.get(task.index()).copied().flatten(),
                accesses: &performed.accesses,
                effect: performed.effect,
                plain: performed.plain,
                operation: before.weak,
                candidate,
                outcome: performed.atomic.unwrap_or(nothing),
                initial: object.map(|object| live.initial(object)).unwrap_or_default(),
                rewritten: &live.rewritten,
            },
            choice == 0,
        );
    }

    /// The program did the same operation with another outcome.
    #[cold]
    fn differ(&self, index: usize, performed: &Performed) -> ! {
        let record = &self.records[index];
        let show = |accesses: &[Access]| match accesses {
            [] => "nothing shared".to_owned(),
            _ => accesses
                .iter()
                .map(|access| {
                    format!(
                        "{} of {} (read {}, written {})",
                        format!("{:?}", access.mode).to_lowercase(),
                        self.object_name(access.object),
                        access.read,
                        access.written
                    )
                })
                .collect::<Vec<_>>()
                .join(", "),
        };
        let place = record.before.source.map(ToString::to_string);
        let words = format!(
            "{} first did {} and then, under the same schedule, {}, both at {}",
            self.task_label(record.task),
            show(self.accesses_of(index)),
            show(&performed.accesses),
            place.clone().unwrap_or_default(),
        );
        self.fail(index, words, place)
    }

    /// The program came to another operation.
    #[cold]
    fn diverge(&self, index: usize, task: TaskId, expected: &Pending, stands: &Pending) -> ! {
        let object = |id| self.object_name(id);
        let words = format!(
            "{} first came to {} and then, under the same schedule, to {}",
            self.task_label(task),
            describe(expected, &object),
            describe(stands, &object),
        );
        self.fail(index, words, stands.source.or(expected.source).map(ToString::to_string))
    }

    fn fail(&self, index: usize, words: String, location: Option<String>) -> ! {
        let message = format!(
            "the test is not a function of the schedule: {words}. Something outside of the checker's sight \
             decides (the order of a hash map, time, a random number, an address, a std lock, a static that is not a stand-in)"
        );
        let records = self.records[..index].iter();
        let moves = records.map(|record| (record.task, record.choice, record.effect));
        let schedule = Schedule::of(self, moves);
        let fault = Fault::new(FailureKind::Nondeterminism, message, location);
        self.runtime.abandon();
        resume_unwind(Box::new(Divergence { fault, schedule }))
    }
}

impl Run for RustRun {
    fn roots(&self) -> &[TaskId] {
        &self.roots
    }

    fn next(&self, task: TaskId) -> Next {
        self.pending[task.index()].next
    }

    fn alternatives(&self, task: TaskId) -> u32 {
        match (&self.weak, self.pending[task.index()]) {
            (_, Pending { next: Next::Operation(Operation::Choose(count)), .. }) => count,
            (Some(weak), Pending { weak: Some(WeakOperation::Access(access)), .. }) => {
                weak.borrow_mut().candidates(task, &access).len() as u32
            }
            _ => 1,
        }
    }

    fn is_impossible(&self) -> bool {
        self.weak.as_ref().is_some_and(|weak| weak.borrow().graph().is_impossible())
    }

    fn words(&self) -> Option<String> {
        let (words, object) = self.runtime.state.borrow().performed.said?;
        Some(format!("{words} {}", self.object_name(object)))
    }

    fn awaited(&self, semaphore: ObjectId) -> String {
        let owner = self.runtime.state.borrow().names.object_info(semaphore).owner;
        match owner {
            Owner::Waiting(awaited) => format!("a notification of {}", self.object_name(awaited)),
            _ => format!("a signal on {}", self.object_name(semaphore)),
        }
    }

    fn goes_back_by_executing(&self) -> bool {
        true
    }

    fn remark(&self) -> Option<String> {
        self.weak.as_ref()?.borrow().graph().remark()
    }

    fn place(&self, task: TaskId) -> Option<LocationId> {
        let source = self.pending[task.index()].source?;
        Some(self.runtime.state.borrow_mut().names.location_id(source))
    }

    fn step(&mut self, task: TaskId, choice: u32, step: &mut Step) {
        self.catch_up();
        let before = self.pending[task.index()];
        let candidate = self.candidate(task, choice);
        let (after, newborn) = self.execute(task, choice, candidate);
        self.follow(task, &before, choice, candidate);
        let first_access = self.accesses.len();
        let (comparable, died) = {
            let state = &mut *self.runtime.state.borrow_mut();
            let performed = &mut state.performed;
            for &access in &performed.accesses {
                step.accesses.push(access);
                self.accesses.push(access);
            }
            step.effect = performed.effect;
            step.data_dependent = performed.data_dependent;
            step.opaque = !performed.comparable;
            step.valueless = performed.is_valueless();
            step.location = before.source.map(|source| state.names.location_id(source));
            if !performed.faults.is_empty() {
                std::mem::swap(&mut step.faults, &mut performed.faults);
            }
            if self.is_impossible() {
                // What no machine shows is no failure.
                step.faults.clear();
                performed.died.clear();
            }
            (performed.comparable, std::mem::take(&mut performed.died))
        };
        self.stands(task, after);
        if let Some((child, stands)) = newborn {
            self.stands(child, stands);
        }
        if let Effect::Post(message, _) = step.effect {
            let stands = self.live_pending(message);
            self.stands(message, stands);
        }
        self.records.push(Record {
            task,
            choice,
            before,
            first_access,
            effect: step.effect,
            comparable,
            after,
            candidate,
            newborn,
        });
        if !died.is_empty() {
            self.try_uses_after_free(&died);
        }
    }

    fn depth(&self) -> usize {
        self.records.len()
    }

    fn spins_for_ever(&self, task: TaskId) -> bool {
        if self.executed == self.records.len()
            && let Some(place) = self.sees_no_change(task)
        {
            // It is let on before the engine goes back.
            self.stuck.set(Some((task, place)));
        }
        false
    }

    fn rewind(&mut self, depth: usize) {
        if let Some((task, place)) = self.stuck.take() {
            self.try_loop(task, place);
        }
        while self.records.len() > depth {
            let record = self.records.pop().expect("there is a record for each step");
            self.pending[record.task.index()] = record.before;
            self.accesses.truncate(record.first_access);
            if let Some(weak) = &mut self.weak {
                weak.get_mut().pop();
            }
            // The coroutines have gone further: they must begin again.
            self.executed = usize::MAX;
        }
    }

    fn finish(&mut self) -> Vec<Fault> {
        if self.executed == self.records.len() && !self.is_impossible() {
            self.runtime.leaks().into_iter().collect()
        } else {
            Vec::new()
        }
    }

    fn mailbox(&self, handler: HandlerId) -> Mailbox {
        let state = self.runtime.state.borrow();
        if state.settings.unordered_mailboxes {
            return Mailbox::Multiset;
        }
        state.names.handler_info(handler).mailbox
    }

    fn handler(&self, task: TaskId) -> Option<HandlerId> {
        self.runtime.state.borrow().handlers.get(task.index()).copied().flatten()
    }

    fn permits(&self, semaphore: ObjectId) -> u32 {
        self.runtime.state.borrow().names.object_info(semaphore).permits
    }

    fn task_path(&self, task: TaskId) -> String {
        self.runtime.state.borrow().task_names.path(task, &|_| "main".to_owned())
    }

    fn has_long_path(&self, task: TaskId) -> bool {
        self.runtime.state.borrow().task_names.has_long_path(task)
    }

    fn task_label(&self, task: TaskId) -> String {
        let label = self.runtime.state.borrow().labels.get(task.index()).cloned().flatten();
        match label {
            Some(label) => label.to_string(),
            None if self.has_long_path(task) => format!("{} #{}", self.task_kind(task), task.0),
            None => self.task_path(task),
        }
    }

    fn task_kind(&self, task: TaskId) -> String {
        let state = self.runtime.state.borrow();
        let code = state.codes.get(task.index()).copied().flatten();
        let label = state.labels.get(task.index()).cloned().flatten();
        match (code, label) {
            (Some(code), _) => function_of(code).to_owned(),
            (None, Some(label)) => label.to_string(),
            (None, None) => "a thread".to_owned(),
        }
    }

    fn handler_name(&self, handler: HandlerId) -> String {
        self.runtime.state.borrow().names.handler_info(handler).name.clone()
    }

    fn object_name(&self, object: ObjectId) -> String {
        self.runtime.state.borrow().names.object_name(object)
    }

    fn location(&self, location: LocationId) -> String {
        self.runtime.state.borrow().names.location(location).to_string()
    }
}

/// The function that a closure stands in, given the name of its type.
fn function_of(code: &str) -> &str {
    let parts = code.split("::").filter(|part| !part.starts_with('{'));
    parts.last().unwrap_or(code)
}

impl Drop for RustRun {
    fn drop(&mut self) {
        if let Some((task, place)) = self.stuck.take()
            && !std::thread::panicking()
        {
            self.try_loop(task, place);
        }
        self.runtime.abandon();
        let mut state = self.runtime.state.borrow_mut();
        self.findings.reached.borrow_mut().extend(state.reached.drain());
        if let Some(place) = state.held_back {
            self.findings.held_back.set(Some(place));
        }
        drop(state);
        statics::leave();
    }
}
