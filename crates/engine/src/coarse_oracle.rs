//! The oracle for what is coarser than a trace: classes of happens-before with observers, final states, behaviours.
//!
//! Every interleaving is run, and each end is described from the definitions. Nothing here uses what the algorithms
//! use: not their relations, not the driver, not the comparison of two ends from a common prefix (states are
//! described as a whole, from the beginning).

use crate::ids::{HandlerId, ObjectId, TaskId};
use crate::operation::{Access, Effect, Mode, Step};
use crate::outcome::Ending;
use crate::program::{LeaveOut, Mailbox, Program, Run};
use crate::schedule::Schedule;
use crate::state::State;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// How many there are of something, by ending.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ByEnding {
    /// Among the complete executions.
    pub complete: u64,
    /// Among the deadlocked ones.
    pub deadlocked: u64,
    /// Among those that an `assume` blocked or a loop bound cut.
    pub blocked: u64,
}

/// What the oracle counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CoarseCounts {
    /// Classes of happens-before with observers.
    pub observed: ByEnding,
    /// The same when the order of the messages on each handler counts too.
    pub observed_ordered: ByEnding,
    /// Final states.
    pub states: ByEnding,
    /// Combinations of ending, who is stuck where, and what failed.
    pub behaviours: ByEnding,
    /// Assertions that fail, of tasks and of `finally`.
    pub failures: u64,
}

/// What an algorithm has shown of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Shown {
    /// Of what it has shown, how many there are.
    pub counts: CoarseCounts,
    /// Its executions.
    pub executions: ByEnding,
    /// How many classes with observers of executions that stop it has not shown, those aside whose events all happen in
    /// the same way in an execution that goes on.
    pub missing: u64,
}

/// A failure in words: kind, message, place.
type Failed = (&'static str, String, Option<String>);

/// One event as it was performed.
struct Performed {
    task: TaskId,
    index: u32,
    choice: u32,
    effect: Effect,
    accesses: Vec<Access>,
    failed: Vec<Failed>,
}

/// The description of an end, four times.
#[derive(Default)]
struct Sets {
    observed: FxHashSet<(u8, Vec<u64>)>,
    observed_ordered: FxHashSet<(u8, Vec<u64>)>,
    states: FxHashSet<(u8, StateForm)>,
    behaviours: FxHashSet<(u8, Behaviour)>,
    failures: FxHashSet<Failed>,
    /// The classes with observers again, as what each event reads and follows.
    parts: FxHashSet<(u8, Parts)>,
}

/// For each event what it does, what it follows, and who wrote what it reads. Whatever is appended to an execution, this
/// stays.
type Parts = BTreeMap<u64, Vec<u64>>;

type StateForm = (Vec<i64>, Vec<(TaskId, Failed)>, Vec<Vec<TaskId>>);
type Behaviour = (Vec<(String, String)>, Vec<Failed>, Vec<Failed>);

impl Sets {
    fn counts(&self) -> CoarseCounts {
        CoarseCounts {
            observed: count(self.observed.iter().map(|it| it.0)),
            observed_ordered: count(self.observed_ordered.iter().map(|it| it.0)),
            states: count(self.states.iter().map(|it| it.0)),
            behaviours: count(self.behaviours.iter().map(|it| it.0)),
            failures: self.failures.len() as u64,
        }
    }

    /// How many classes of executions that stop are not among the others, and contained in none that is longer.
    fn missing_in(&self, shown: &Sets) -> u64 {
        let is_contained = |parts: &Parts| {
            let longer = self.parts.iter().filter(|(_, other)| other.len() > parts.len());
            longer.into_iter().any(|(_, other)| parts.iter().all(|(k, v)| other.get(k) == Some(v)))
        };
        let stopped = self.parts.iter().filter(|(ending, _)| *ending != 0);
        let missing = stopped.filter(|it| !shown.parts.contains(*it) && !is_contained(&it.1));
        missing.count() as u64
    }
}

fn count(endings: impl Iterator<Item = u8>) -> ByEnding {
    let mut counts = ByEnding::default();
    for ending in endings {
        match ending {
            0 => counts.complete += 1,
            1 => counts.deadlocked += 1,
            _ => counts.blocked += 1,
        }
    }
    counts
}

/// Runs every interleaving, and then the schedules that algorithms have shown. `None`: there are more interleavings than
/// `limit`.
pub fn judge<P: Program>(
    program: &P,
    limit: u64,
    shown: &[Vec<Schedule>],
) -> Option<(CoarseCounts, Vec<Shown>)> {
    let mut walk = Walk::new(program.start());
    let mut all = Sets::default();
    let mut left = limit;
    walk.enumerate(&mut all, &mut left)?;
    let shown = shown.iter().map(|schedules| walk.follow(schedules, &all)).collect();
    Some((all.counts(), shown))
}

/// An execution and the way back.
struct Walk<R> {
    run: R,
    state: State,
    performed: Vec<Performed>,
}

impl<R: Run> Walk<R> {
    fn new(run: R) -> Self {
        Walk { state: State::new(&run), run, performed: Vec::new() }
    }

    /// Every interleaving from here on; `None` if there are too many.
    fn enumerate(&mut self, sets: &mut Sets, left: &mut u64) -> Option<()> {
        let mut enabled = Vec::new();
        self.state.enabled(&self.run, &mut enabled);
        if enabled.is_empty() {
            *left = left.checked_sub(1)?;
            self.describe(sets);
        }
        for task in enabled {
            let alternatives = self.run.alternatives(task);
            for choice in 0..alternatives {
                self.step(task, choice);
                let rest = self.enumerate(sets, left);
                self.back();
                rest?;
            }
        }
        Some(())
    }

    /// Runs schedules that must be possible.
    fn follow(&mut self, schedules: &[Schedule], all: &Sets) -> Shown {
        let mut sets = Sets::default();
        let mut endings = Vec::new();
        for schedule in schedules {
            for next in &schedule.moves {
                let named = |&task: &TaskId| self.run.task_path(task) == next.task;
                let task = self.state.alive().iter().copied().find(named);
                self.step(task.expect("a task that the schedule names"), next.choice);
            }
            endings.push(self.describe(&mut sets));
            schedule.moves.iter().for_each(|_| self.back());
        }
        let executions = count(endings.into_iter());
        Shown { counts: sets.counts(), executions, missing: all.missing_in(&sets) }
    }

    fn step(&mut self, task: TaskId, choice: u32) {
        let mut step = Step::default();
        self.run.step(task, choice, &mut step);
        self.state.apply(&self.run, task, step.effect, &step.accesses);
        let failed = step.faults.into_iter().map(|f| (f.kind.name(), f.message, f.location));
        self.performed.push(Performed {
            task,
            index: self.state.events_of(task),
            choice,
            effect: step.effect,
            accesses: step.accesses.to_vec(),
            failed: failed.collect(),
        });
    }

    fn back(&mut self) {
        self.performed.pop();
        self.state.undo(&self.run);
        self.run.rewind(self.performed.len());
    }

    /// Describes the end that has been reached. Says how it ended.
    fn describe(&mut self, sets: &mut Sets) -> u8 {
        let ending = match self.state.ending(&self.run) {
            Ending::Complete => 0,
            Ending::Deadlocked => 1,
            Ending::Blocked | Ending::Truncated => 2,
        };
        let mut at_end = Vec::new();
        let mut final_reads = Vec::new();
        if ending == 0 {
            let faults = self.run.finish().into_iter();
            at_end = sorted(faults.map(|f| (f.kind.name(), f.message, f.location)).collect());
            final_reads = sorted(self.run.final_reads().to_vec());
        }
        let class = self.observed_class(&final_reads);
        let mut ordered = class.clone();
        ordered.extend(self.order_of_messages());
        // The same class has the same parts.
        if sets.observed.insert((ending, class)) {
            sets.parts.insert((ending, self.parts()));
        }
        sets.observed_ordered.insert((ending, ordered));
        if let Some(difference) = self.run.difference(0, LeaveOut::Nothing) {
            let failed = |it: &Performed| it.failed.iter().map(|f| (it.task, f.clone())).collect();
            let failed: Vec<Vec<_>> = self.performed.iter().map(failed).collect();
            let state = (difference, sorted(failed.concat()), self.mailboxes());
            sets.states.insert((ending, state));
        }
        let failed: Vec<Failed> = self.performed.iter().flat_map(|it| it.failed.clone()).collect();
        sets.failures.extend(failed.iter().chain(&at_end).cloned());
        sets.behaviours.insert((ending, (self.stuck(), sorted(failed), at_end)));
        ending
    }

    /// Who has not ended, and what it would do.
    fn stuck(&self) -> Vec<(String, String)> {
        let alive = self.state.alive().iter();
        let stuck = |&t: &TaskId| (self.run.task_path(t), format!("{:?}", self.run.next(t)));
        // Who was created first depends on the schedule.
        sorted(alive.map(stuck).collect())
    }

    fn mailboxes(&self) -> Vec<Vec<TaskId>> {
        let posted = self.performed.iter().filter_map(|it| match it.effect {
            Effect::Post(_, handler) => Some(handler),
            _ => None,
        });
        let handlers: Vec<HandlerId> = sorted(posted.collect());
        let waiting = |&handler: &HandlerId| match self.run.mailbox(handler) {
            Mailbox::Fifo => self.state.mailbox(handler).to_vec(),
            Mailbox::Multiset => sorted(self.state.mailbox(handler).to_vec()),
        };
        handlers.iter().map(waiting).collect()
    }

    fn order_of_messages(&self) -> Vec<u64> {
        let starts = self.performed.iter().filter(|it| it.effect == Effect::Start);
        let mut order: Vec<_> =
            starts.map(|it| (self.run.handler(it.task).map_or(0, |h| h.0), it.task.0)).collect();
        order.sort_by_key(|&(handler, _)| handler);
        order.iter().map(|&(handler, task)| u64::from(handler) << 32 | u64::from(task)).collect()
    }

    /// The events and the relation, by names.
    fn observed_class(&self, final_reads: &[ObjectId]) -> Vec<u64> {
        let events =
            self.events(|first, second| self.directly_before(first, second, Some(final_reads)));
        let mut class: Vec<u64> = Vec::new();
        for (name, what) in events {
            class.extend([name, what.len() as u64]);
            class.extend(what);
        }
        class.extend(final_reads.iter().map(|object| u64::from(object.0)));
        class
    }

    /// The events without the order of writes, and who wrote what they read.
    fn parts(&self) -> Parts {
        let mut events = self.events(|first, second| self.directly_before(first, second, None));
        for (at, it) in self.performed.iter().enumerate() {
            let objects: Vec<ObjectId> = it.accesses.iter().map(|access| access.object).collect();
            for x in sorted(objects).into_iter().filter(|&x| self.uses(at, x).0) {
                let writer = (0..at).rev().find(|&earlier| self.uses(earlier, x).1);
                let from = writer.map_or(0, |writer| self.name(writer));
                events.entry(self.name(at)).or_default().extend([u64::from(x.0), from]);
            }
        }
        events
    }

    fn name(&self, at: usize) -> u64 {
        let it = &self.performed[at];
        u64::from(it.task.0) << 32 | u64::from(it.index)
    }

    /// What each event does and what happens before it, all by names.
    fn events(&self, directly_before: impl Fn(usize, usize) -> bool) -> Parts {
        let count = self.performed.len();
        let mut before = vec![vec![false; count]; count];
        for (first, row) in before.iter_mut().enumerate() {
            for (second, bit) in row.iter_mut().enumerate().skip(first + 1) {
                *bit = directly_before(first, second);
            }
        }
        for via in 0..count {
            let after = before[via].clone();
            for row in before.iter_mut().filter(|row| row[via]) {
                row.iter_mut().zip(&after).for_each(|(bit, &set)| *bit |= set);
            }
        }
        let mut events = Parts::new();
        for (second, it) in self.performed.iter().enumerate() {
            let mut what = vec![u64::from(it.choice)];
            for access in &it.accesses {
                what.extend([u64::from(access.object.0), access.mode as u64]);
            }
            what.push(u64::MAX);
            let past = (0..second).filter(|&a| before[a][second]).map(|a| self.name(a));
            what.extend(sorted(past.collect()));
            events.insert(self.name(second), what);
        }
        events
    }

    /// Does one event come before another one, for a reason of its own? Writes are ordered where that is observed, in the end
    /// by `final_reads`, or not at all.
    fn directly_before(
        &self,
        first: usize,
        second: usize,
        final_reads: Option<&[ObjectId]>,
    ) -> bool {
        let (a, b) = (&self.performed[first], &self.performed[second]);
        let creates = matches!(a.effect, Effect::Post(t, _) | Effect::Fork(t) if t == b.task);
        let in_program = a.task == b.task || creates || b.effect == Effect::Join(a.task);
        let handler = |it: &Performed| self.run.handler(it.task);
        let own_locks =
            self.run.locks_ignore_own_handler() && handler(a).is_some() && handler(a) == handler(b);
        in_program
            || a.accesses.iter().any(|x| {
                let same = b.accesses.iter().filter(|y| y.object == x.object);
                same.into_iter().any(|y| match is_variable(x.mode) && is_variable(y.mode) {
                    true => self.is_ordered(first, second, x.object, final_reads),
                    false => x.mode.conflicts(y.mode) && !(own_locks && x.mode.is_lock()),
                })
            })
    }

    /// Are two events ordered by what they do with a variable?
    fn is_ordered(
        &self,
        a: usize,
        b: usize,
        x: ObjectId,
        final_reads: Option<&[ObjectId]>,
    ) -> bool {
        let (a_reads, a_writes) = self.uses(a, x);
        let (b_reads, b_writes) = self.uses(b, x);
        if (a_writes && b_reads) || (a_reads && b_writes) {
            return true;
        }
        let Some(final_reads) = final_reads.filter(|_| a_writes && b_writes) else { return false };
        // Who sees what b wrote: up to the next write, that one included.
        for later in b + 1..self.performed.len() {
            let (reads, writes) = self.uses(later, x);
            if reads || writes {
                return reads;
            }
        }
        final_reads.contains(&x)
    }

    /// Does an event read a variable (not only what it wrote itself), and does it write it?
    fn uses(&self, event: usize, x: ObjectId) -> (bool, bool) {
        let own = self.performed[event].accesses.iter().filter(|access| access.object == x);
        let modes: Vec<Mode> = own.map(|access| access.mode).collect();
        let reads = matches!(modes.first(), Some(Mode::Read | Mode::Update));
        let writes = modes.iter().any(|mode| matches!(mode, Mode::Write | Mode::Update));
        (reads, writes)
    }
}

fn is_variable(mode: Mode) -> bool {
    matches!(mode, Mode::Read | Mode::Write | Mode::Update)
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items.dedup();
    items
}
