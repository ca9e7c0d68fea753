//! A wakeup sequence on its way into a tree: events of an explored execution, the second event of a race, and the
//! way to the point where they are to be performed.

use super::point::Point;
use super::redundancy::{LazySaturation, Question};
use super::scenario::Scenario;
use crate::bits::{self, Bits};
use crate::driver::Driver;
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use crate::program::Program;
use crate::reversal::{Last, Member};
use crate::wakeup::Explored;
use std::borrow::Cow;

/// A way to a point: a prefix of the explored execution, then some more of its events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The length of the prefix.
    pub depth: usize,
    /// The events performed behind it, in this order.
    pub placed: Vec<usize>,
}

impl Path {
    /// The point that it leads to, or one on the way: after `depth` events in all.
    pub fn point_at<'e>(&self, execution: &'e Execution, depth: usize) -> Point<'e> {
        let mut point = Point::at_depth(execution, depth.min(self.depth));
        for &event in self.placed.iter().take(depth.saturating_sub(self.depth)) {
            point.place(event);
        }
        point
    }

    /// The point that it leads to.
    pub fn point<'e>(&self, execution: &'e Execution) -> Point<'e> {
        self.point_at(execution, self.length())
    }

    /// The number of events on it.
    pub fn length(&self) -> usize {
        self.depth + self.placed.len()
    }
}

/// A wakeup sequence at a point.
#[derive(Clone, Debug)]
pub struct WakeupSequence {
    /// The way to the point.
    pub path: Path,
    /// The events.
    pub members: Bits,
    /// An order in which they can be performed, the second event of the race at the end; nothing if it is that of
    /// the explored execution. Events that are no members any more have been placed.
    pub order: Option<Vec<Member>>,
    /// The second event of the race.
    pub last: Last,
    /// What must come before what.
    pub saturation: LazySaturation,
}

impl WakeupSequence {
    /// The question what may come first in it.
    pub fn question<'q, 'e>(&'q self, point: &'q Point<'e>) -> Question<'q, 'e> {
        let WakeupSequence { members, last, saturation, .. } = self;
        Question { point, members, last, saturation }
    }

    /// Goes on behind its event `event`.
    pub fn place(&mut self, event: usize) {
        bits::remove(&mut self.members, event);
        self.path.placed.push(event);
    }

    /// The same for all sequences that mean the same, whatever execution they come from.
    pub fn name(&self, execution: &Execution) -> Fingerprint {
        self.last.name().and(execution.fingerprint_of(bits::iter(&self.members)))
    }

    /// The question in which order it can be performed at the point that its path leads to.
    pub fn scenario<'s>(&'s self, point: &'s Point<'s>) -> Scenario<'s> {
        Scenario {
            point,
            members: &self.members,
            last: Some(&self.last),
            last_at_end: false,
            lead: None,
            all_end: false,
        }
    }

    /// Does the order at hand begin with this event?
    pub fn begins_with(&self, execution: &Execution, event: &Explored) -> bool {
        let (task, choice) = match self.remaining_order().next() {
            Some(Member::Event(first)) => {
                (execution.events()[first].task, execution.events()[first].choice)
            }
            _ => (self.last.task, self.last.choice),
        };
        task == event.task && choice == event.choice
    }

    /// What is left of the order.
    pub fn remaining_order(&self) -> impl Iterator<Item = Member> + '_ {
        let explored = || bits::iter(&self.members).map(Member::Event).chain([Member::Last]);
        let own = self.order.iter().flatten().copied().filter(|member| match member {
            Member::Event(event) => bits::contains(&self.members, *event),
            Member::Last => true,
        });
        self.order.is_none().then(explored).into_iter().flatten().chain(own)
    }

    /// What the second event of the race does may depend on what comes before it, and that is not what it was in
    /// the explored execution. If so, it is tried.
    pub fn try_last<P: Program>(&mut self, execution: &Execution, driver: &mut Driver<'_, P>) {
        if !self.last.data_dependent {
            return;
        }
        let placed = self.path.placed.iter().map(|&event| Member::Event(event));
        let moves: Vec<(TaskId, u32)> = placed
            .chain(self.remaining_order())
            .map(|member| match member {
                Member::Event(event) => {
                    (execution.events()[event].task, execution.events()[event].choice)
                }
                Member::Last => (self.last.task, self.last.choice),
            })
            .collect();
        let tried = self.last.as_tried(driver.walk.try_last(self.path.depth, &moves));
        self.last = tried.among(execution, &self.path.point(execution).happened, &self.members);
        self.saturation = LazySaturation::new();
    }

    /// The same, seen from an earlier point on its path: after `depth` events in all.
    pub fn from(&self, depth: usize) -> Cow<'_, WakeupSequence> {
        let kept = depth - self.path.depth;
        if kept == self.path.placed.len() {
            return Cow::Borrowed(self);
        }
        let mut sequence = self.clone();
        let placed = sequence.path.placed.split_off(kept);
        placed.iter().for_each(|&event| bits::insert(&mut sequence.members, event));
        let placed = placed.into_iter().map(Member::Event);
        sequence.order = Some(placed.chain(self.remaining_order()).collect());
        Cow::Owned(sequence)
    }
}
