//! Who may move: handlers, mailboxes, locks, semaphores and joins.
//!
//! The state follows an execution step by step and can take steps back, each in time proportional to
//! what the step touched. Front-ends know nothing of it.

use crate::ids::{HandlerId, ObjectId, TaskId};
use crate::operation::{Access, Effect, Mode, Next, Operation};
use crate::outcome::Ending;
use crate::program::{Mailbox, Run};
use rustc_hash::FxHashMap;

/// What a lock or semaphore looks like now.
#[derive(Clone, Copy, Default, Debug)]
struct Guard {
    /// Who holds it exclusively.
    holder: Option<TaskId>,
    /// How many hold it shared.
    shared: u32,
    /// Permits given and not taken, for a semaphore; relative to its initial number.
    permits: i64,
}

#[derive(Clone, Default, Debug)]
struct TaskState {
    exists: bool,
    ended: bool,
    events: u32,
}

#[derive(Clone, Default, Debug)]
struct HandlerState {
    active: Option<TaskId>,
    /// Posted and not started, in the order of the posts.
    mailbox: Vec<TaskId>,
}

/// What is needed to take one step back, beside the event itself.
#[derive(Clone, Copy, Debug)]
struct Undo {
    task: TaskId,
    effect: Effect,
    /// Where the started message stood in its mailbox.
    mailbox_position: u32,
    /// Where the ended task stood among the living.
    ended_at: Option<u32>,
    /// How many guard changes the step made.
    guard_changes: u32,
}

/// Who exists, who runs where, what waits.
#[derive(Default, Debug)]
pub struct State {
    tasks: Vec<TaskState>,
    handlers: Vec<HandlerState>,
    guards: FxHashMap<ObjectId, Guard>,
    /// Tasks that exist and have not ended, oldest first.
    alive: Vec<TaskId>,
    log: Vec<Undo>,
    guard_log: Vec<(ObjectId, Guard)>,
}

impl State {
    /// The initial state of a run.
    pub fn new(run: &impl Run) -> Self {
        let mut state = State::default();
        for &root in run.roots() {
            state.create(root);
            if run.next(root) == Next::Ended {
                state.end(root);
            }
        }
        state
    }

    /// Tasks that exist and have not ended, oldest first.
    pub fn alive(&self) -> &[TaskId] {
        &self.alive
    }

    /// How many events `task` has performed.
    pub fn events_of(&self, task: TaskId) -> u32 {
        self.tasks.get(task.index()).map_or(0, |t| t.events)
    }

    /// Does the task exist?
    pub fn exists(&self, task: TaskId) -> bool {
        self.tasks.get(task.index()).is_some_and(|t| t.exists)
    }

    /// Has the task ended?
    pub fn has_ended(&self, task: TaskId) -> bool {
        self.tasks.get(task.index()).is_some_and(|t| t.ended)
    }

    /// The message that a handler is running.
    pub fn active(&self, handler: HandlerId) -> Option<TaskId> {
        self.handlers.get(handler.index()).and_then(|h| h.active)
    }

    /// The messages that wait in a mailbox, in the order of their posts.
    pub fn mailbox(&self, handler: HandlerId) -> &[TaskId] {
        self.handlers.get(handler.index()).map_or(&[], |h| &h.mailbox)
    }

    /// Who holds a lock exclusively.
    pub fn holder(&self, lock: ObjectId) -> Option<TaskId> {
        self.guards.get(&lock).and_then(|g| g.holder)
    }

    /// Can `task` perform its next operation now?
    pub fn is_enabled(&self, run: &impl Run, task: TaskId) -> bool {
        match run.next(task) {
            Next::Operation(operation) => {
                self.gate_is_open(run, task) && self.admits(run, task, operation)
            }
            Next::Ended | Next::Blocked | Next::Truncated => false,
        }
    }

    /// Every task that can move, oldest first, appended to `into`.
    pub fn enabled(&self, run: &impl Run, into: &mut Vec<TaskId>) {
        into.extend(self.alive.iter().copied().filter(|&t| self.is_enabled(run, t)));
    }

    fn gate_is_open(&self, run: &impl Run, task: TaskId) -> bool {
        run.gate_of(task).iter().all(|&(other, events)| self.events_of(other) >= events)
    }

    fn admits(&self, run: &impl Run, task: TaskId, operation: Operation) -> bool {
        match operation {
            Operation::Start => {
                let handler = run.handler(task).expect("only messages start");
                self.active(handler).is_none()
                    && (run.mailbox(handler) == Mailbox::Multiset
                        || self.mailbox(handler).first() == Some(&task))
            }
            Operation::Access(object, mode) if mode.may_block() => {
                let guard = self.guards.get(&object).copied().unwrap_or_default();
                match mode {
                    Mode::Lock => guard.holder.is_none() && guard.shared == 0,
                    Mode::LockShared => guard.holder.is_none(),
                    _ => i64::from(run.permits(object)) + guard.permits > 0,
                }
            }
            Operation::Join(other) => self.has_ended(other),
            _ => true,
        }
    }

    /// Follows a step that `run` has just performed.
    pub fn apply(&mut self, run: &impl Run, task: TaskId, effect: Effect, accesses: &[Access]) {
        let mut undo = Undo { task, effect, mailbox_position: 0, ended_at: None, guard_changes: 0 };
        self.tasks[task.index()].events += 1;
        match effect {
            Effect::Post(message, handler) => {
                self.create(message);
                self.handler_mut(handler).mailbox.push(message);
            }
            Effect::Fork(child) => {
                self.create(child);
                if run.next(child) == Next::Ended {
                    // Recorded with the child itself: undoing the fork removes it from everywhere.
                    self.end(child);
                }
            }
            Effect::Start => {
                let handler = run.handler(task).expect("only messages start");
                let state = self.handler_mut(handler);
                let position = state.mailbox.iter().position(|&m| m == task);
                let position = position.expect("a message starts from its mailbox");
                state.mailbox.remove(position);
                state.active = Some(task);
                undo.mailbox_position = position as u32;
            }
            Effect::None | Effect::Join(_) | Effect::Choose(_) => {}
        }
        for access in accesses {
            undo.guard_changes += u32::from(self.touch_guard(task, access));
        }
        if run.next(task) == Next::Ended {
            undo.ended_at = Some(self.end(task));
            if let Some(handler) = run.handler(task) {
                self.handler_mut(handler).active = None;
            }
        }
        self.log.push(undo);
    }

    /// Takes the last step back.
    pub fn undo(&mut self, run: &impl Run) {
        let undo = self.log.pop().expect("a step to take back");
        let task = undo.task;
        if let Some(position) = undo.ended_at {
            self.alive.insert(position as usize, task);
            self.tasks[task.index()].ended = false;
            if let Some(handler) = run.handler(task) {
                self.handler_mut(handler).active = Some(task);
            }
        }
        for _ in 0..undo.guard_changes {
            let (object, before) = self.guard_log.pop().expect("a guard change to take back");
            self.guards.insert(object, before);
        }
        match undo.effect {
            Effect::Post(message, handler) => {
                self.handler_mut(handler).mailbox.pop();
                self.remove(message);
            }
            Effect::Fork(child) => self.remove(child),
            Effect::Start => {
                let handler = run.handler(task).expect("only messages start");
                let state = self.handler_mut(handler);
                state.active = None;
                state.mailbox.insert(undo.mailbox_position as usize, task);
            }
            Effect::None | Effect::Join(_) | Effect::Choose(_) => {}
        }
        self.tasks[task.index()].events -= 1;
    }

    /// How an execution in which nobody can move has ended.
    pub fn ending(&self, run: &impl Run) -> Ending {
        let mut ending = Ending::Complete;
        for &task in &self.alive {
            match run.next(task) {
                Next::Truncated => return Ending::Truncated,
                Next::Blocked if run.spins_for_ever(task) => {
                    if ending == Ending::Complete {
                        ending = Ending::Deadlocked;
                    }
                }
                // An assumption that does not hold explains whatever waits behind it.
                Next::Blocked => ending = Ending::Blocked,
                Next::Operation(_) | Next::Ended => {
                    if ending == Ending::Complete {
                        ending = Ending::Deadlocked;
                    }
                }
            }
        }
        ending
    }

    fn create(&mut self, task: TaskId) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, TaskState::default());
        }
        self.tasks[task.index()] = TaskState { exists: true, ended: false, events: 0 };
        self.alive.push(task);
    }

    fn remove(&mut self, task: TaskId) {
        self.tasks[task.index()] = TaskState::default();
        if let Some(position) = self.alive.iter().rposition(|&t| t == task) {
            self.alive.remove(position);
        }
    }

    fn end(&mut self, task: TaskId) -> u32 {
        let position = self.alive.iter().position(|&t| t == task).expect("the task is alive");
        self.alive.remove(position);
        self.tasks[task.index()].ended = true;
        position as u32
    }

    fn touch_guard(&mut self, task: TaskId, access: &Access) -> bool {
        let guard = self.guards.get(&access.object).copied().unwrap_or_default();
        let mut after = guard;
        match access.mode {
            Mode::Lock => after.holder = Some(task),
            Mode::Unlock => after.holder = None,
            Mode::LockShared => after.shared += 1,
            Mode::UnlockShared => after.shared = after.shared.saturating_sub(1),
            Mode::Signal => after.permits += 1,
            Mode::Wait => after.permits -= 1,
            Mode::Read | Mode::Write | Mode::Update => return false,
        }
        self.guard_log.push((access.object, guard));
        self.guards.insert(access.object, after);
        true
    }

    fn handler_mut(&mut self, handler: HandlerId) -> &mut HandlerState {
        if self.handlers.len() <= handler.index() {
            self.handlers.resize(handler.index() + 1, HandlerState::default());
        }
        &mut self.handlers[handler.index()]
    }
}
