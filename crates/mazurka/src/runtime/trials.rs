//! Executions that are tried beside the exploration, because what they show depends on what the engine does not see.
//!
//! - **Uses after free.** Giving memory back is no event: nobody waits for it, and it would multiply the executions. But it
//!   decides whether a later access is a mistake. So where a step gives back the memory of an object which another task
//!   has used before, and nothing orders the two, the other order is tried: everything up to that step but the use and
//!   what depends on it, and then the use.
//! - **Loops that nobody can end.** Where a task is held back in a loop that waits ([`super::spin`]), nobody can move, and
//!   all that the loop saw is still as it was, it goes round for ever, unless it counts its rounds: it is let on, alone. (Others that
//!   are held back must see no change either. Who would go on could end the loop, and does in other executions.)
//!
//! A trial in which something is not as expected shows nothing, and nothing is said.

use super::record::{Record, same_pending};
use super::run::RustRun;
use super::state::Source;
use super::weak::access::Candidate;
use crate::outcome::Failure;
use mazurka_engine::{
    Access, Effect, FailureKind, Fault, Mode, Next, ObjectId, Operation, Run, Schedule, TaskId,
};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// A loop that gives up after so many rounds is let on to its end.
pub(crate) const MOST_ROUNDS: u32 = 256;

/// What has been tried.
#[derive(Default)]
pub(crate) struct Trials {
    /// Hashes of the moves.
    done: FxHashSet<u64>,
    /// Loops that were let on, by their place.
    loops: FxHashSet<usize>,
}

impl RustRun {
    /// The last step gave back the memory of these objects: tries the uses by others that it did not wait for.
    pub(super) fn try_uses_after_free(&mut self, died: &[ObjectId]) {
        let free = self.records.len() - 1;
        let mut tasks = vec![self.records[free].task];
        for event in (0..free).rev() {
            let task = self.records[event].task;
            let uses = |access: &Access| died.contains(&access.object);
            if tasks.contains(&task) || !self.accesses_of(event).iter().any(uses) {
                continue;
            }
            // Who comes too late for its last use comes too late for all.
            tasks.push(task);
            let behind = self.all_behind(event);
            if !behind[free] {
                let moves: Vec<usize> =
                    (0..=free).filter(|&at| !behind[at]).chain([event]).collect();
                self.try_moves(&moves);
            }
        }
    }

    /// Which steps happen after this one? It is one of them itself.
    fn all_behind(&self, event: usize) -> Vec<bool> {
        let mut behind = vec![false; self.records.len()];
        behind[event] = true;
        for later in event + 1..self.records.len() {
            behind[later] =
                (event..later).any(|earlier| behind[earlier] && self.depends(later, earlier));
        }
        behind
    }

    /// Does a step depend on an earlier one directly?
    fn depends(&self, later: usize, earlier: usize) -> bool {
        let (one, two) = (&self.records[earlier], &self.records[later]);
        let created =
            matches!(one.effect, Effect::Post(task, _) | Effect::Fork(task) if task == two.task);
        let joined = two.effect == Effect::Join(one.task);
        let handler = self.handler(one.task);
        let conflicts = |access: &Access| {
            let other = self.accesses_of(later).iter();
            other
                .into_iter()
                .any(|other| other.object == access.object && other.mode.conflicts(access.mode))
        };
        one.task == two.task
            || created
            || joined
            || handler.is_some() && handler == self.handler(two.task)
            || self.accesses_of(earlier).iter().any(conflicts)
    }

    /// Performs these of the recorded steps from the start, and keeps what the last of them does wrong.
    fn try_moves(&mut self, moves: &[usize]) {
        let steps: Vec<_> = moves
            .iter()
            .enumerate()
            .filter_map(|(position, &at)| {
                let Record { task, choice, before, candidate, .. } = self.records[at];
                // The last one has another past than it had, and takes what is newest.
                let is_last = position + 1 == moves.len();
                let candidate = if is_last { Candidate::default() } else { candidate };
                let number = |step: u32| moves.iter().position(|&it| it == step as usize);
                Some((task, choice, before, candidate.renumbered(number)?))
            })
            .collect();
        if steps.len() < moves.len() {
            return;
        }
        let mut hasher = FxHasher::default();
        steps.iter().for_each(|(task, choice, ..)| (task, choice).hash(&mut hasher));
        if !self.trials.done.insert(hasher.finish()) {
            return;
        }
        self.begin_again();
        let mut made = Vec::new();
        for &(task, choice, before, candidate) in &steps {
            if !self.stands_at(task).is_some_and(|stands| same_pending(&stands, &before)) {
                break;
            }
            self.execute(task, choice, candidate);
            made.push((task, choice, self.runtime.state.borrow().performed.effect));
        }
        if made.len() == steps.len() {
            let faults = std::mem::take(&mut self.runtime.state.borrow_mut().performed.faults);
            let schedule = Schedule::of(self, made);
            faults.into_iter().for_each(|fault| self.keep(fault, schedule.clone()));
        }
        self.give_up_state();
    }

    /// A failure that the engine does not know of.
    fn keep(&self, fault: Fault, schedule: Schedule) {
        let Fault { kind, message, location, .. } = fault;
        let mut failures = self.findings.failures.borrow_mut();
        if !failures.iter().any(|known: &Failure| known.message == message) {
            failures.push(Failure { kind, message, location, schedule });
            self.findings.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }

    /// Is a task held back, and would it and all others who are see again what they saw? Then where?
    pub(super) fn sees_no_change(&self, task: TaskId) -> Option<Source> {
        let state = self.runtime.state.borrow();
        let (_, place) = *state.waiting.iter().find(|(waiting, _)| *waiting == task)?;
        let is_same =
            |&(object, value): &(ObjectId, i64)| state.versions.get(object.index()) == Some(&value);
        let sees_the_same = |&(waiting, _): &(TaskId, Source)| {
            let task = state.tasks.get(waiting.index()).and_then(Option::as_ref);
            task.is_some_and(|task| task.spin.last_values().iter().all(is_same))
        };
        state.waiting.iter().all(sees_the_same).then_some(place)
    }

    /// Nobody can move, and this task, held back in a loop at this place, sees no change: lets it on, alone.
    pub(super) fn try_loop(&mut self, task: TaskId, place: Source) {
        if !self.trials.loops.insert(std::ptr::from_ref(place) as usize) {
            return;
        }
        let bound = std::mem::replace(
            &mut self.runtime.state.borrow_mut().settings.spin_bound,
            MOST_ROUNDS,
        );
        let steps: Vec<_> =
            self.records.iter().map(|it| (it.task, it.choice, it.candidate)).collect();
        let mut made: Vec<(TaskId, u32, Effect)> =
            self.records.iter().map(|record| (record.task, record.choice, record.effect)).collect();
        self.begin_again();
        for (task, choice, candidate) in steps {
            self.execute(task, choice, candidate);
        }
        let mut held = self.held();
        while let Some(Next::Operation(operation)) = self.stands_at(task).map(|stands| stands.next)
        {
            if !is_possible(operation, &held) {
                break;
            }
            self.execute(task, 0, Candidate::default());
            let state = self.runtime.state.borrow();
            made.push((task, 0, state.performed.effect));
            state.performed.accesses.iter().for_each(|access| count(&mut held, access));
            if !state.performed.faults.is_empty() {
                break;
            }
        }
        let next = self.stands_at(task).map(|stands| stands.next);
        let mut faults = std::mem::take(&mut self.runtime.state.borrow_mut().performed.faults);
        if matches!(next, Some(Next::Blocked | Next::Truncated)) && faults.is_empty() {
            let message = format!(
                "{} goes round the loop at {place} for ever: nobody is left who could change what it looks at",
                self.task_label(task)
            );
            faults.push(Fault::new(FailureKind::Deadlock, message, Some(place.to_string())));
        }
        made.truncate(self.records.len().max(made.len().min(self.records.len() + SHOWN_ROUNDS)));
        let schedule = Schedule::of(self, made);
        faults.into_iter().for_each(|fault| self.keep(fault, schedule.clone()));
        self.runtime.state.borrow_mut().settings.spin_bound = bound;
        self.give_up_state();
    }

    /// How often each lock is held and each semaphore has been taken from.
    fn held(&self) -> Vec<(ObjectId, i64)> {
        let mut held = Vec::new();
        self.accesses.iter().for_each(|access| count(&mut held, access));
        held
    }
}

/// So many steps of a loop that does not end are shown.
const SHOWN_ROUNDS: usize = 12;

fn count(held: &mut Vec<(ObjectId, i64)>, access: &Access) {
    let change = match access.mode {
        Mode::Lock | Mode::LockShared | Mode::Wait => 1,
        Mode::Unlock | Mode::UnlockShared | Mode::Signal => -1,
        Mode::Read | Mode::Write | Mode::Update => return,
    };
    match held.iter_mut().find(|(object, _)| *object == access.object) {
        Some(count) => count.1 += change,
        None => held.push((access.object, change)),
    }
}

/// Can a task that is alone perform this?
fn is_possible(operation: Operation, held: &[(ObjectId, i64)]) -> bool {
    let balance =
        |object| held.iter().find(|(other, _)| *other == object).map_or(0, |(_, held)| *held);
    match operation {
        Operation::Access(object, Mode::Lock | Mode::LockShared) => balance(object) == 0,
        Operation::Access(object, Mode::Wait) => balance(object) < 0,
        Operation::Access(..) | Operation::Atomic | Operation::Local | Operation::Choose(_) => true,
        Operation::Start | Operation::Post(_) | Operation::Fork | Operation::Join(_) => false,
    }
}
