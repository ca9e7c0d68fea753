//! One execution by hand: somebody chooses who moves, and may go back.

use super::walker::Walker;
use crate::ids::TaskId;
use crate::program::{Program, Run};
use crate::replay::RecordedEvent;
use crate::rng::Rng;
use crate::schedule::Schedule;
use crate::watch::Watch;

/// So many alternatives of one choice are offered.
const MOST_OFFERED: u32 = 16;

/// A move that can be made, and what it would do.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What would happen.
    pub event: RecordedEvent,
    task: TaskId,
    choice: u32,
}

/// An execution in the making.
pub struct ByHand<'p, P: Program + 'p> {
    walker: Walker<'p, P>,
    /// What was done from a prefix on before, and was taken back: followed as far as possible by [`ByHand::go_on`].
    taken_back: Vec<(TaskId, u32)>,
}

impl<'p, P: Program> ByHand<'p, P> {
    /// At the initial state. Nothing takes longer than the watch allows, and an execution has at most `most_events` events.
    pub fn new(program: &'p P, most_events: usize, watch: &'p Watch) -> Self {
        let mut walker = Walker::new(program, None, watch);
        walker.most_events = most_events;
        ByHand { walker, taken_back: Vec::new() }
    }

    /// How many steps have been made.
    pub fn steps(&self) -> usize {
        self.walker.depth()
    }

    /// The moves that can be made now, each with what it would do. Empty if the execution is over or too long.
    pub fn offers(&mut self) -> Vec<Offer> {
        let mut enabled = Vec::new();
        if self.walker.depth() < self.walker.most_events && !self.walker.is_spent() {
            self.walker.state.enabled(&self.walker.run, &mut enabled);
        }
        let mut offers = Vec::new();
        for task in enabled {
            let alternatives = self.walker.run.alternatives(task).min(MOST_OFFERED);
            for choice in 0..alternatives {
                offers.extend(self.offer(task, choice));
            }
        }
        offers
    }

    /// Makes the move, to see what it does, and takes it back.
    fn offer(&mut self, task: TaskId, choice: u32) -> Option<Offer> {
        let depth = self.walker.depth();
        self.walker.step(task, choice);
        let event = self.walker.last_recorded();
        self.walker.rewind(depth);
        Some(Offer { event: event?, task, choice })
    }

    /// Makes a move.
    pub fn take(&mut self, offer: &Offer) {
        self.walker.step(offer.task, offer.choice);
    }

    /// Makes the moves of a schedule as far as they are possible.
    pub fn follow(&mut self, schedule: &Schedule) -> bool {
        self.walker.perform(schedule)
    }

    /// Takes so many steps back.
    pub fn back(&mut self, steps: usize) {
        let depth = self.walker.depth().saturating_sub(steps);
        self.taken_back = self.walker.moves()[depth..].to_vec();
        self.walker.rewind(depth);
    }

    /// What was done here before it was taken back.
    pub fn was_done(&self, offer: &Offer) -> bool {
        self.taken_back.first() == Some(&(offer.task, offer.choice))
    }

    /// Goes on to the end: as was done before it was taken back, as far as that is possible, then with few switches.
    pub fn go_on(&mut self) {
        let moves = [self.walker.moves(), std::mem::take(&mut self.taken_back)].concat();
        self.walker.follow(&moves);
    }

    /// Goes on to the end at random. The same seed makes the same moves.
    pub fn go_on_at_random(&mut self, seed: u64) {
        let mut random = Rng::new(seed);
        let mut enabled: Vec<TaskId> = Vec::new();
        while self.walker.depth() < self.walker.most_events && !self.walker.is_spent() {
            enabled.clear();
            self.walker.state.enabled(&self.walker.run, &mut enabled);
            if enabled.is_empty() {
                return;
            }
            let task = enabled[random.below(enabled.len() as u64) as usize];
            let alternatives = u64::from(self.walker.run.alternatives(task));
            self.walker.step(task, random.below(alternatives) as u32);
        }
    }

    /// The moves so far.
    pub fn schedule(&self) -> Schedule {
        self.walker.schedule()
    }
}
