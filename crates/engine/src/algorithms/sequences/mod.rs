//! What the optimal algorithms with observers and with context-sensitive independence share: wakeup sequences that stand
//! on their own, a relation that is computed for each of them, and sequences that need not be explored.
//!
//! The two choices are independent of each other: the relation ([`Order`]), and whether states are compared. Without
//! sleep sets: with observers an event may commute with what was done so far and stop doing so when a read comes.
//! So a sequence is compared with what was explored from every prefix.

mod hidden;
mod race;

pub use race::{before, needs, races};

use crate::algorithms::dont_do::{DontDo, Inheritance, inherited};
use crate::algorithms::frames::{Frame, Reduction};
use crate::config::{Config, Decision};
use crate::driver::Driver;
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use crate::outcome::Ending;
use crate::program::{Program, Run};
use crate::relation::{Order, Relation};
use crate::sequence::{Happening, Sequence, relate};
use crate::touch::slot;
use crate::wakeup::{Branch, Explored, WakeupSequence, WakeupTree};
use rustc_hash::FxHashSet;

/// The reduction.
pub struct Sequences {
    order: Order,
    /// Where the paper is followed instead.
    undone: &'static [Decision],
    /// Are states compared, so that what leads to the same state in either order is explored in one order?
    compares_states: bool,
    /// That of the current execution.
    current: Relation,
    /// That of the sequence at hand.
    reversed: Relation,
}

/// What is kept for a prefix.
#[derive(Default, Debug)]
pub struct Kept {
    /// Sequences that need not be performed from here: everything is explored elsewhere from where they lead.
    dont_do: Vec<DontDo>,
    /// For each of those that were there at first: must its last event not sleep yet?
    open: Vec<bool>,
    /// The sequences that the branches which wait here are to cover, if states are compared: a branch that turns out to sleep gives
    /// them back.
    entrusted: Vec<Entrusted>,
    /// Sequences and pairs of events that have been considered here.
    considered: FxHashSet<Fingerprint>,
    /// Has a branch that sleeps been passed over?
    passed_over: bool,
}

/// A sequence that a branch is to cover.
#[derive(Debug)]
struct Entrusted {
    branch: (TaskId, u32),
    sequence: Sequence,
}

type Prefix = Frame<Kept>;

impl Sequences {
    /// With this relation, comparing states or not.
    pub fn new(order: Order, compares_states: bool, config: &Config) -> Self {
        Sequences {
            order,
            undone: config.undone,
            compares_states,
            current: Relation::default(),
            reversed: Relation::default(),
        }
    }
}

impl Reduction for Sequences {
    type Kept = Kept;

    fn inherit<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        pending: &WakeupTree,
    ) -> Kept {
        let mut kept = Kept::default();
        let depth = frames.len();
        let Some(frame) = frames.last_mut().filter(|_| self.compares_states) else { return kept };
        let event = Explored::performed(driver.execution(), depth - 1);
        kept.dont_do = inherited(&frame.kept.dont_do, &event, self.inheritance());
        let open = kept.dont_do.iter().map(|it| self.is_open(driver, it)).collect();
        kept.open = open;
        let entrusted = std::mem::take(&mut frame.kept.entrusted);
        for Entrusted { branch, mut sequence } in entrusted {
            if branch != (event.task, event.choice) {
                frame.kept.entrusted.push(Entrusted { branch, sequence });
                continue;
            }
            if let Some(member) = sequence.next_of(branch.0) {
                sequence.remove(member);
            }
            let next = pending.branches.iter().find(|b| b.event.is_weak_initial(&sequence));
            // What nothing waits for is covered by what is explored from here.
            if let Some(branch) = next.map(|branch| (branch.event.task, branch.event.choice)) {
                kept.entrusted.push(Entrusted { branch, sequence });
            }
        }
        kept
    }

    fn sleeps(&self, frames: &[Prefix], task: TaskId, choice: u32) -> bool {
        frames.last().is_some_and(|frame| is_dont_do(&frame.kept, task, choice))
    }

    /// The others go on without it (deviation D2): its races count, and what it was to cover is explored without it.
    fn pass_over<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        branch: Branch,
    ) {
        let (task, choice) = (branch.event.task, branch.event.choice);
        self.reverse_races_behind(driver, frames, task, choice);
        let depth = driver.depth();
        frames[depth].kept.passed_over = true;
        if !self.keeps(Decision::SleepersCoverNothing) {
            frames[depth].done.push(branch.event);
        }
        if !self.keeps(Decision::OthersGoOn) {
            return;
        }
        let entrusted = std::mem::take(&mut frames[depth].kept.entrusted);
        for mut it in entrusted {
            if it.branch != (task, choice) {
                frames[depth].kept.entrusted.push(it);
                continue;
            }
            it.sequence.remove_with_successors(task);
            let rest: Vec<Happening> = it.sequence.events().cloned().collect();
            if !rest.is_empty() {
                self.place(driver, frames, depth, rest, &[]);
            }
        }
    }

    fn is_new<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        task: TaskId,
    ) -> bool {
        let depth = driver.depth();
        // Where no branch was passed over, nothing that was explored begins with what has happened since.
        if !frames[depth].kept.passed_over {
            return true;
        }
        if !self.keeps(Decision::OthersGoOn) {
            return false;
        }
        let touches = driver.walk.try_last(depth, &[(task, 0)]).touches;
        driver.walk.come_back();
        let execution = driver.execution();
        let Some(past) = execution.past_of_waiting(&driver.walk.run, task) else { return true };
        let next = Happening::next(execution, task, &past, &touches);
        !self.is_redundant(driver, frames, depth, std::slice::from_ref(&next), &[])
    }

    fn ended<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        ending: Option<Ending>,
    ) {
        let final_reads: Vec<u32> = match ending {
            Some(Ending::Complete) => {
                driver.walk.run.final_reads().iter().copied().map(slot).collect()
            }
            _ => Vec::new(),
        };
        self.reverse_races(driver, frames, &final_reads);
        let waits = match ending {
            Some(ending) => ending != Ending::Complete,
            None => self.keeps(Decision::WaitersAtCuts),
        };
        if waits {
            self.reverse_waiting(driver, frames);
        }
        if ending.is_none() {
            let mut enabled = Vec::new();
            driver.walk.come_back();
            driver.enabled(&mut enabled);
            for task in enabled {
                self.reverse_races_behind(driver, frames, task, 0);
            }
        }
    }
}

fn is_dont_do(kept: &Kept, task: TaskId, choice: u32) -> bool {
    let is_open = kept.open.iter().copied().chain(std::iter::repeat(false));
    kept.dont_do.iter().zip(is_open).any(|(it, is_open)| !is_open && it.is_only(task, choice))
}

impl Sequences {
    /// Has this decision not been undone?
    fn keeps(&self, decision: Decision) -> bool {
        !self.undone.contains(&decision)
    }

    fn inheritance(&self) -> Inheritance {
        match self.keeps(Decision::RefinedInheritance) {
            true => Inheritance::Refined,
            false => Inheritance::Plain,
        }
    }

    /// Reverses the races of the current execution with the next event of a task that sleeps.
    fn reverse_races_behind<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        task: TaskId,
        choice: u32,
    ) {
        let depth = driver.depth();
        driver.step(task, choice);
        if !driver.stopped() {
            self.reverse_races(driver, frames, &[]);
        }
        driver.rewind(depth);
    }

    /// Has an execution that contains the first `depth` events and then `events` been explored? Leaves the relation of
    /// these, from the first prefix on from which anything was explored. If the time is up, nothing is missed that would have been explored.
    fn is_redundant<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &[Prefix],
        depth: usize,
        events: &[Happening],
        final_reads: &[u32],
    ) -> bool {
        let explored = |frame: &Prefix| !frame.done.is_empty();
        let from = frames[..=depth].iter().position(explored).unwrap_or(depth);
        let (order, execution) = (self.order, driver.execution());
        let (within, watch) = ((from, depth), driver.watch());
        if !relate(&mut self.reversed, order, execution, within, events, final_reads, watch) {
            return driver.is_time_up();
        }
        let redundant = |at: usize| {
            let mut done = frames[at].done.iter();
            done.any(|event| self.is_weak_initial(driver, event, (from, at, depth), events))
        };
        (from..=depth).any(redundant)
    }

    /// Is an event that was explored after the first `at` events of the current execution a weak initial of what follows there:
    /// the events up to `depth`, and then `events`?
    fn is_weak_initial<P: Program>(
        &self,
        driver: &Driver<'_, P>,
        explored: &Explored,
        (from, at, depth): (usize, usize, usize),
        events: &[Happening],
    ) -> bool {
        let execution = driver.execution();
        let own = execution.events_of(explored.task);
        let next = own[own.partition_point(|&event| (event as usize) < at)..].first();
        let next = next.map(|&event| event as usize).filter(|&event| event < depth);
        let position = match next {
            Some(event) => Some((event - from, execution.events()[event].choice)),
            None => events
                .iter()
                .position(|event| event.task == explored.task)
                .map(|position| (depth - from + position, events[position].choice)),
        };
        let relation = &self.reversed;
        match position {
            Some((event, choice)) => {
                let mut before = crate::bits::iter_from(relation.before(event), at - from);
                choice == explored.choice && before.next().is_none()
            }
            None => !explored.touches.iter().any(|&touch| {
                let history = relation.history(touch.slot).iter();
                let mut behind = history.filter(|&&(event, _)| event as usize >= at - from);
                behind.any(|&(_, other)| self.order.conflict(&[other], &[touch]))
            }),
        }
    }

    /// Keeps a sequence of events in the wakeup tree at a prefix, unless it is redundant. Says whether it is not.
    fn place<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        frames: &mut [Prefix],
        depth: usize,
        events: Vec<Happening>,
        final_reads: &[u32],
    ) -> bool {
        if self.is_redundant(driver, frames, depth, &events, final_reads) {
            return false;
        }
        let begins_at = frames[..=depth].iter().position(|frame| !frame.done.is_empty());
        let begins_at = depth - begins_at.unwrap_or(depth);
        let sequence = Sequence::new(self.order, events, &self.reversed, begins_at);
        let Frame { pending, kept, .. } = &mut frames[depth];
        if !self.compares_states {
            driver.statistics.wakeups += u64::from(pending.insert(sequence));
            return true;
        }
        let head = sequence.events().next().map(|event| (event.task, event.choice));
        // A branch that sleeps covers only what begins with it (deviation D3).
        let may_cover = |event: &Explored| {
            head == Some((event.task, event.choice))
                || !is_dont_do(kept, event.task, event.choice)
                || !self.keeps(Decision::SleepersCoverNothing)
        };
        let covers = |b: &&Branch| b.event.is_weak_initial(&sequence) && may_cover(&b.event);
        let branch = pending.branches.iter().find(covers);
        let branch = branch.map(|branch| (branch.event.task, branch.event.choice));
        let is_new = pending.insert_below(sequence.clone(), may_cover);
        driver.statistics.wakeups += u64::from(is_new);
        if let Some(branch) = branch.or(head) {
            kept.entrusted.push(Entrusted { branch, sequence });
        }
        true
    }
}
