//! What Source-DPOR and Optimal-DPOR share: depth-first exploration along a stack of frames, sleep sets,
//! and the reversal of the races of every maximal execution. They differ in what a reversed race leaves
//! behind ([`Wakeups`]): a whole wakeup sequence, or only its first step.

use crate::algorithms::settled::{Settled, Verdict};
use crate::bits;
use crate::driver::Driver;
use crate::ids::TaskId;
use crate::operation::{Mode, Next, Operation};
use crate::outcome::{Ending, Outcome};
use crate::program::{Program, Run};
use crate::reversal::{Last, Reversal};
use crate::touch::Touch;
use crate::wakeup::{Branch, Explored, WakeupTree};
use smallvec::SmallVec;

/// So many races are considered between two looks at the clock.
const RACES_BETWEEN_CLOCK_LOOKS: usize = 64;

/// What an algorithm keeps of a reversed race.
pub trait Wakeups {
    /// Keeps of `sequence` what the algorithm needs, in the tree of branches that wait at its point, unless
    /// one of `explored` (asleep there, or explored from there) or of the branches covers it. Says
    /// whether there is a new branch.
    fn keep(
        &self,
        explored: Explorations<'_>,
        pending: &mut WakeupTree,
        sequence: Reversal<'_>,
    ) -> bool;
}

/// What has been explored at some point: what sleeps there, and what was explored from there.
#[derive(Clone, Copy)]
pub struct Explorations<'f> {
    sleep: &'f [Explored],
    done: &'f [Explored],
}

impl Explorations<'_> {
    /// Has an execution that contains the sequence been explored?
    pub fn cover(&self, sequence: &Reversal<'_>) -> bool {
        self.sleep.iter().chain(self.done).any(|event| event.is_weak_initial(sequence))
    }

    /// Has an initial of the sequence been explored from this very point?
    pub fn include_initial(&self, sequence: &Reversal<'_>) -> bool {
        self.done.iter().any(|event| event.is_initial(sequence))
    }

    /// Has the next event of this task, with this alternative, been explored from here?
    pub fn include(&self, next: (TaskId, u32)) -> bool {
        self.done.iter().any(|event| (event.task, event.choice) == next)
    }
}

/// The exploration from one prefix of the current execution.
#[derive(Default, Debug)]
struct Frame {
    /// Events that need not be explored from here: explored from a shorter prefix, and nothing since
    /// conflicts with them.
    sleep: Vec<Explored>,
    /// Events explored from here.
    done: Vec<Explored>,
    /// Branches that wait to be explored from here.
    pending: WakeupTree,
}

/// The stack of an exploration.
pub struct Frames<'a, P: Program + 'a> {
    driver: Driver<'a, P>,
    frames: Vec<Frame>,
    settled: Settled,
}

impl<'a, P: Program> Frames<'a, P> {
    /// At the initial state.
    pub fn new(driver: Driver<'a, P>) -> Self {
        Frames { driver, frames: Vec::new(), settled: Settled::default() }
    }

    /// Explores everything.
    pub fn explore(mut self, wakeups: &impl Wakeups) -> Outcome {
        let mut tree = WakeupTree::default();
        loop {
            let alive = self.extend(tree, wakeups);
            if !alive || self.driver.stopped() {
                return self.driver.outcome(false);
            }
            match self.backtrack() {
                Some(next) => tree = next,
                None => return self.driver.outcome(true),
            }
            if self.driver.stopped() {
                return self.driver.outcome(false);
            }
        }
    }

    /// Goes on from the current prefix to a maximal execution, following `tree` first, and reverses its
    /// races. Says whether the exploration may go on.
    fn extend(&mut self, mut tree: WakeupTree, wakeups: &impl Wakeups) -> bool {
        loop {
            let sleep = self.sleep_after_last_step();
            let (task, choice, pending) = match tree.descend() {
                Some((event, others)) => (event.task, event.choice, others),
                None => {
                    let is_awake = |task| self.choices_awake(task, &sleep).next().is_some();
                    match self.driver.first_enabled(is_awake) {
                        Some(task) => self.all_choices(task, &sleep),
                        None => {
                            self.end(wakeups);
                            return true;
                        }
                    }
                }
            };
            self.frames.push(Frame { sleep, done: Vec::new(), pending });
            self.driver.step(task, choice);
            if self.driver.stopped() {
                return false;
            }
        }
    }

    /// Nobody can move, or only those whose moves have been explored.
    fn end(&mut self, wakeups: &impl Wakeups) {
        if self.driver.first_enabled(|_| true).is_none() {
            return self.finish(wakeups);
        }
        self.driver.abandon();
        // The races up to here count although the execution does not.
        self.reverse_races(wakeups);
        self.reverse_waiting(wakeups);
    }

    /// The alternatives of the next operation of `task` that do not sleep: each is an event of its own.
    fn choices_awake(&self, task: TaskId, sleep: &[Explored]) -> impl Iterator<Item = u32> {
        let count = match self.driver.run.next(task) {
            Next::Operation(Operation::Choose(count)) => count,
            _ => 1,
        };
        let sleeps = move |choice: &u32| {
            sleep.iter().any(|event| (event.task, event.choice) == (task, *choice))
        };
        (0..count).filter(move |choice| !sleeps(choice))
    }

    /// The first alternative of the next operation of `task`, and a branch for each of the others; what they touch is
    /// known when they have been performed.
    fn all_choices(&self, task: TaskId, sleep: &[Explored]) -> (TaskId, u32, WakeupTree) {
        let mut choices = self.choices_awake(task, sleep);
        let first = choices.next().unwrap_or(0);
        let branch = |choice| Branch {
            event: Explored { task, choice, touches: SmallVec::new() },
            tree: WakeupTree::default(),
        };
        (task, first, WakeupTree { branches: choices.map(branch).collect() })
    }

    /// The sleep set after the last step: what slept or was done before it and does not conflict with it.
    fn sleep_after_last_step(&self) -> Vec<Explored> {
        let Some(frame) = self.frames.last() else {
            return Vec::new();
        };
        if frame.sleep.is_empty() && frame.done.is_empty() {
            return Vec::new();
        }
        let last = self.frames.len() - 1;
        let execution = &self.driver.execution;
        let task = execution.events()[last].task;
        let touches = execution.touches(last);
        frame
            .sleep
            .iter()
            .chain(&frame.done)
            .filter(|event| event.task != task && !crate::touch::conflict(&event.touches, touches))
            .cloned()
            .collect()
    }

    /// Goes back to the deepest prefix from which something waits to be explored, and begins that.
    fn backtrack(&mut self) -> Option<WakeupTree> {
        loop {
            let has_more = |frame: &Frame| !frame.pending.branches.is_empty();
            let depth = self.frames.iter().rposition(has_more)?;
            self.frames.truncate(depth + 1);
            let execution = &self.driver.execution;
            let event = &execution.events()[depth];
            let frame = &mut self.frames[depth];
            frame.done.push(Explored {
                task: event.task,
                choice: event.choice,
                touches: SmallVec::from_slice(execution.touches(depth)),
            });
            self.driver.rewind(depth);
            self.settled.truncate(depth, self.driver.execution.races().len());
            while !frame.pending.branches.is_empty() {
                let branch = frame.pending.branches.remove(0);
                let asleep =
                    |e: &Explored| e.task == branch.event.task && e.choice == branch.event.choice;
                if frame.sleep.iter().any(asleep) || frame.done.iter().any(asleep) {
                    continue;
                }
                self.driver.step(branch.event.task, branch.event.choice);
                return Some(branch.tree);
            }
            self.frames.pop();
        }
    }

    /// Counts a maximal execution and reverses its races.
    fn finish(&mut self, wakeups: &impl Wakeups) {
        let ending = self.driver.finish();
        if self.driver.stopped() {
            return;
        }
        self.reverse_races(wakeups);
        if ending != Ending::Complete {
            self.reverse_waiting(wakeups);
        }
    }

    fn reverse_races(&mut self, wakeups: &impl Wakeups) {
        self.settled.begin(&self.driver.execution);
        for at in 0..self.driver.execution.races().len() {
            if at % RACES_BETWEEN_CLOCK_LOOKS == RACES_BETWEEN_CLOCK_LOOKS - 1
                && self.driver.is_time_up()
            {
                return;
            }
            let execution = &self.driver.execution;
            let (first, second) = execution.races()[at];
            let (first, second) = (first as usize, second as usize);
            if self.settled.judge(execution, at, first, second) != Verdict::Settled {
                self.reverse(first, Last::performed(execution, second), wakeups);
            }
        }
        self.settled.considered(&self.driver.execution);
    }

    /// Reverses races between events that happened and operations that wait for ever.
    fn reverse_waiting(&mut self, wakeups: &impl Wakeups) {
        self.driver.come_back();
        for task in self.driver.state.alive().to_vec() {
            self.driver.come_back();
            let Next::Operation(operation) = self.driver.run.next(task) else {
                continue;
            };
            let Driver { execution, run, .. } = &mut self.driver;
            let Some(waiting) = execution.races_of_waiting(run, task, operation) else {
                continue;
            };
            let starts = operation == Operation::Start;
            for &first in &waiting.races {
                let first = first as usize;
                let last = Last::waiting(task, &waiting, starts);
                self.reverse(first, last, wakeups);
            }
        }
    }

    /// Makes a wakeup sequence that performs `last` without `first`, and keeps it if nothing explored
    /// covers it.
    fn reverse(&mut self, first: usize, last: Last, wakeups: &impl Wakeups) {
        self.driver.statistics.races += 1;
        let execution = &self.driver.execution;
        let members = execution.unaffected_behind(first);
        // An attempt does not wait: it is tried, and may do something else.
        if !last.data_dependent && !self.may_proceed(first, &members, &last.touches) {
            return;
        }
        let last = if last.data_dependent { self.try_last(first, &members, last) } else { last };
        let last = last.without(&self.driver.execution, first);
        let sequence = Reversal::new(&self.driver.execution, members, last);
        let frame = &mut self.frames[first];
        let explored = Explorations { sleep: &frame.sleep, done: &frame.done };
        if wakeups.keep(explored, &mut frame.pending, sequence) {
            self.driver.statistics.wakeups += 1;
        }
    }

    /// The second event of a race as it turns out without the first.
    fn try_last(&mut self, first: usize, members: &[u64], last: Last) -> Last {
        let events = self.driver.execution.events();
        let mut moves: Vec<_> =
            bits::iter(members).map(|event| (events[event].task, events[event].choice)).collect();
        moves.push((last.task, last.choice));
        last.as_tried(self.driver.try_last(first, &moves))
    }

    /// Once `members` have happened, is the lock free or the permit there that the second event takes?
    fn may_proceed(&self, first: usize, members: &[u64], touches: &[Touch]) -> bool {
        let execution = &self.driver.execution;
        touches.iter().filter_map(|touch| touch.waits_on()).all(|(object, mode)| {
            let happened = (0..first).chain(bits::iter(members));
            let modes = happened
                .flat_map(|event| execution.accesses(event))
                .filter(|access| access.object == object)
                .map(|access| access.mode);
            let (mut exclusive, mut shared, mut permits) =
                (0, 0, i64::from(self.driver.run.permits(object)));
            for mode in modes {
                match mode {
                    Mode::Lock => exclusive += 1,
                    Mode::Unlock => exclusive -= 1,
                    Mode::LockShared => shared += 1,
                    Mode::UnlockShared => shared -= 1,
                    Mode::Signal => permits += 1,
                    Mode::Wait => permits -= 1,
                    Mode::Read | Mode::Write | Mode::Update => {}
                }
            }
            match mode {
                Mode::Lock => exclusive == 0 && shared == 0,
                Mode::LockShared => exclusive == 0,
                _ => permits > 0,
            }
        })
    }
}
