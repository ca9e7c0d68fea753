//! The skeleton of the algorithms that reverse races: depth-first exploration along a stack of frames, one for each
//! prefix of the current execution, with the branches that wait there. What they keep for a prefix, which events
//! sleep there, and what a race leaves behind is said by a [`Reduction`].

use crate::driver::Driver;
use crate::estimate::Waiting;
use crate::ids::TaskId;
use crate::operation::{Next, Operation};
use crate::outcome::{Ending, Outcome};
use crate::program::{Program, Run};
use crate::rng::Rng;
use crate::touch::{NO_OWNER, Touch, slot};
use crate::wakeup::{Branch, Explored, WakeupTree};
use smallvec::SmallVec;

/// What tells the algorithms apart.
pub trait Reduction: Sized {
    /// What is kept for each prefix, beside what has been explored and what waits.
    type Kept: Default;

    /// What holds at the prefix that has just been reached, behind the last of `frames` (none at the beginning), from
    /// where `pending` waits to be explored.
    fn inherit<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Self::Kept>],
        pending: &WakeupTree,
    ) -> Self::Kept;

    /// Need this event of the prefix of the last frame not be explored?
    fn sleeps(&self, frames: &[Frame<Self::Kept>], task: TaskId, choice: u32) -> bool;

    /// A branch of the last frame sleeps and has been taken out of its tree.
    fn pass_over<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Self::Kept>],
        branch: Branch,
    ) {
        let _ = (driver, frames, branch);
    }

    /// Does exploring `task` from the prefix of the last frame, where nothing waits any more, lead to something new?
    fn is_new<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Self::Kept>],
        task: TaskId,
    ) -> bool {
        let _ = (driver, frames, task);
        true
    }

    /// An event has been performed, from the prefix of the last frame.
    fn performed<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Self::Kept>],
    ) {
        let _ = (driver, frames);
    }

    /// An execution has come to its end, or (`None`) whoever can move at the prefix of the last frame sleeps.
    fn ended<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Frame<Self::Kept>],
        ending: Option<Ending>,
    );

    /// The exploration has gone back.
    fn went_back<P: Program>(&mut self, driver: &Driver<'_, P>) {
        let _ = driver;
    }
}

/// The exploration from one prefix of the current execution.
#[derive(Default, Debug)]
pub struct Frame<K> {
    /// Events explored from here.
    pub done: Vec<Explored>,
    /// Branches that wait to be explored from here.
    pub pending: WakeupTree,
    /// Has anything been explored from here, or is it being explored?
    pub begun: bool,
    /// What else the algorithm keeps.
    pub kept: K,
}

impl<K> Frame<K> {
    /// How many branches wait to be explored from here. Some may sleep when their turn comes.
    fn waiting(&self) -> Waiting {
        Waiting { certain: 0, perhaps: self.pending.branches.len() }
    }
}

/// The stack of an exploration.
pub struct Frames<'a, P: Program + 'a, R: Reduction> {
    driver: Driver<'a, P>,
    frames: Vec<Frame<R::Kept>>,
    reduction: R,
    /// For choices that are free, if they are to be made at random.
    rng: Option<Rng>,
}

impl<'a, P: Program, R: Reduction> Frames<'a, P, R> {
    /// At the initial state.
    pub fn new(driver: Driver<'a, P>, reduction: R) -> Self {
        let rng = driver.config().shuffle.map(Rng::new);
        Frames { driver, frames: Vec::new(), reduction, rng }
    }

    /// Explores everything.
    pub fn explore(mut self) -> Outcome {
        self.enter(WakeupTree::default());
        loop {
            let next = self.next_branch();
            if self.driver.stopped() {
                return self.driver.outcome(false);
            }
            match next {
                Some(Branch { event, tree }) => {
                    self.driver.step(event.task, event.choice);
                    self.reduction.performed(&mut self.driver, &mut self.frames);
                    self.enter(tree);
                }
                None => {
                    if self.frames.last().is_some_and(|frame| !frame.begun) {
                        self.end();
                        self.driver.survey(self.frames.iter().map(Frame::waiting));
                    }
                    if self.driver.stopped() {
                        return self.driver.outcome(false);
                    }
                    if !self.leave() {
                        return self.driver.outcome(true);
                    }
                }
            }
        }
    }

    /// The current execution is a new prefix, from which `pending` waits to be explored.
    fn enter(&mut self, pending: WakeupTree) {
        let kept = self.reduction.inherit(&mut self.driver, &mut self.frames, &pending);
        self.frames.push(Frame { done: Vec::new(), pending, begun: false, kept });
    }

    /// The next branch to explore from the last prefix.
    fn next_branch(&mut self) -> Option<Branch> {
        loop {
            let frame = self.frames.last_mut()?;
            if frame.pending.branches.is_empty() {
                break;
            }
            let branch = frame.pending.branches.remove(0);
            let (task, choice) = (branch.event.task, branch.event.choice);
            if self.reduction.sleeps(&self.frames, task, choice) {
                self.reduction.pass_over(&mut self.driver, &mut self.frames, branch);
            } else {
                self.add_alternatives(&branch.event);
                self.frames.last_mut()?.begun = true;
                return Some(branch);
            }
        }
        if self.frames.last()?.begun {
            return None;
        }
        let task = self.choose()?;
        let mut branches = self.choices_awake(task).map(|choice| self.branch(task, choice));
        let first = branches.next();
        let pending = WakeupTree { branches: branches.collect() };
        let frame = self.frames.last_mut()?;
        frame.pending = pending;
        frame.begun = true;
        first
    }

    /// A branch that a race has left is an access with other alternatives: they wait too. (Those of a choice wait already
    /// where it was first made.)
    fn add_alternatives(&mut self, event: &Explored) {
        if event.touches.is_empty() {
            return;
        }
        let others = self.choices_awake(event.task).filter(|&choice| choice != event.choice);
        let others: SmallVec<[Branch; 1]> =
            others.map(|choice| self.branch(event.task, choice)).collect();
        let Some(frame) = self.frames.last_mut() else { return };
        for other in others {
            let waits = |it: &Branch| {
                (it.event.task, it.event.choice) == (other.event.task, other.event.choice)
            };
            if !frame.pending.branches.iter().any(waits) {
                frame.pending.branches.push(other);
            }
        }
    }

    /// An alternative of the next operation of a task. What it touches beside what it announces is known when it has
    /// been performed.
    fn branch(&self, task: TaskId, choice: u32) -> Branch {
        let mut touches = SmallVec::new();
        if let Next::Operation(Operation::Access(object, mode)) = self.driver.walk.run.next(task) {
            touches.push(Touch { slot: slot(object), mode, owner: NO_OWNER });
        }
        Branch { event: Explored { task, choice, touches }, tree: WakeupTree::default() }
    }

    /// A task that can move and does not sleep: the oldest, unless the choice is to be made at random.
    fn choose(&mut self) -> Option<TaskId> {
        let is_awake = |task: TaskId| self.choices_awake(task).next().is_some();
        let first = self.driver.first_enabled(is_awake)?;
        if self.rng.is_none() && self.reduction.is_new(&mut self.driver, &mut self.frames, first) {
            return Some(first);
        }
        let mut others = Vec::new();
        self.driver.enabled(&mut others);
        others.retain(|&task| self.choices_awake(task).next().is_some());
        if let Some(rng) = &mut self.rng {
            let turn = rng.below(others.len() as u64) as usize;
            others.rotate_left(turn);
        }
        let (driver, frames) = (&mut self.driver, &mut self.frames);
        others.into_iter().find(|&task| self.reduction.is_new(driver, frames, task))
    }

    /// Nobody can move, or only those whose moves have been explored.
    fn end(&mut self) {
        let ending = match self.driver.first_enabled(|_| true) {
            None => Some(self.driver.finish()),
            Some(_) => {
                self.driver.abandon();
                None
            }
        };
        if !self.driver.stopped() {
            // The races of an execution that is given up count too.
            self.reduction.ended(&mut self.driver, &mut self.frames, ending);
        }
    }

    /// The alternatives of the next operation of `task` that do not sleep: each is an event of its own.
    fn choices_awake(&self, task: TaskId) -> impl Iterator<Item = u32> {
        let count = self.driver.walk.run.alternatives(task);
        (0..count).filter(move |&choice| !self.reduction.sleeps(&self.frames, task, choice))
    }

    /// Goes back to the deepest prefix from which something waits to be explored, if there is one.
    fn leave(&mut self) -> bool {
        let has_more = |frame: &Frame<R::Kept>| !frame.pending.branches.is_empty();
        let Some(depth) = self.frames.iter().rposition(has_more) else { return false };
        self.frames.truncate(depth + 1);
        if depth < self.driver.depth() {
            let event = Explored::performed(self.driver.execution(), depth);
            self.frames[depth].done.push(event);
            self.driver.branch_is_explored(depth, self.frames[depth].waiting());
        }
        self.driver.rewind(depth);
        self.reduction.went_back(&self.driver);
        true
    }
}
