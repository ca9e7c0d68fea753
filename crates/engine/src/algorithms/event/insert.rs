//! Insertion of wakeup sequences into a wakeup tree, with parked sequences (Algorithms 3 and 4).
//!
//! A sequence goes down the first branch that is a weak initial of it, is dropped where a branch covers it
//! without sharing an event, and becomes a new branch where none fits, or where a branch ends.
//!
//! **Deviations from the paper**
//! 1. A branch that does not fit a maximal sequence may fit a smaller one that reverses the same race;
//!    that one is inserted below the branch as well. (In the proof of Theorem 5, "u.r is already in the
//!    tree" does not imply that the maximal sequence can go there.)
//! 2. A sequence whose relation to a branch is not known is parked until everything behind the branch
//!    has been explored, not only one execution: then all access sequences of the message are known, and
//!    the answer is right for programs that branch too.
//! 3. Where a branch ends, the paper drops the sequence: whatever is explored behind the branch will lead to it.
//!    That need not be so. A race found there may be passed over because an explored message could go first
//!    and end in a way that the sequence does not allow, and the explored execution that does so
//!    is just the one that the sequence comes from. So the branch goes on with the sequence, which costs nothing:
//!    something has to be explored there.
//! 4. Where a branch is the second event of the race itself, the paper goes on with what follows it in the sequence, which
//!    is nothing. What comes before it in the sequence may be independent of it, and is inserted behind it.

use super::kept::Kept;
use super::point::Point;
use super::redundancy::{Answer, Candidate, Kind, LazySaturation};
use super::reverse_race::{Maximal, Reduction, Reserve};
use super::scenario::Order;
use super::wakeup_sequence::WakeupSequence;
use super::wakeup_tree::{Branch, Parked, WakeupTree};
use crate::bits;
use crate::driver::{Driver, Expected};
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::operation::Effect;
use crate::program::Program;
use crate::reversal::{Last, Member};
use crate::touch::conflict;
use crate::wakeup::Explored;

/// Inserts the sequences of one race.
pub struct Inserter<'i, 'a, P: Program + 'a> {
    /// The explored execution.
    pub execution: &'i Execution,
    /// Its moves, to keep.
    pub kept: &'i mut Kept,
    /// The length of the prefix of the current execution at whose end the tree stands.
    pub depth: usize,
    /// The event that is being explored from there, unless it has just been.
    pub current: Option<(&'i Explored, Kind)>,
    /// Sequences that wait until that event has been explored.
    pub parked: &'i mut Vec<Parked>,
    /// The branches before those that lead to the tree at hand, each with the length of the path to it.
    pub left: Vec<(usize, Explored, Kind)>,
    /// What sequences may be made of.
    pub reserve: &'i Reserve,
    /// Has an execution that contains this sequence been explored?
    pub is_explored: &'i dyn Fn(&WakeupSequence, &mut Driver<'a, P>) -> bool,
    /// Counts, and tries what must be tried.
    pub driver: &'i mut Driver<'a, P>,
}

/// Where a branch leads a sequence.
enum Way {
    /// Nothing more is to be done.
    Covered,
    /// Down the branch, with this event placed.
    Down(usize),
    /// Down the branch, with the second event of the race placed.
    Last,
}

impl<P: Program> Inserter<'_, '_, P> {
    /// Inserts a sequence that nothing explored covers.
    pub fn insert(&mut self, tree: &mut WakeupTree, mut sequence: WakeupSequence) {
        let left = self.left.len();
        let mut point = sequence.path.point(self.execution);
        let mut tree = tree;
        'descend: loop {
            tree.unfold();
            for at in 0..tree.branches.len() {
                let (answer, order) = self.ask_for_order(&point, &sequence, &tree.branches[at]);
                if answer == Answer::Yes {
                    if let Some(order) = order {
                        sequence.order = Some(order.events);
                    }
                    let event = match self.way(&sequence, &tree.branches[at]) {
                        Way::Down(event) => event,
                        Way::Last => {
                            self.insert_rest(&mut tree.branches[at].tree, point, sequence);
                            break 'descend;
                        }
                        Way::Covered => break 'descend,
                    };
                    self.remember_left(tree, at, &sequence);
                    sequence.place(event);
                    point.place(event);
                    tree = &mut tree.branches[at].tree;
                    continue 'descend;
                }
                self.insert_smaller(tree, at, &point, &sequence);
                if answer == Answer::Unknown {
                    self.park(&mut tree.branches[at].parked, &sequence);
                    break 'descend;
                }
            }
            self.driver.statistics.wakeups += 1;
            tree.append(self.execution, sequence.remaining_order(), &sequence.last);
            break;
        }
        self.left.truncate(left);
    }

    /// Inserts what is left of a sequence behind the second event of its race, in a tree behind that event. A branch
    /// that takes a place may or may not cover it; what is found behind the branch decides.
    fn insert_rest(
        &mut self,
        mut tree: &mut WakeupTree,
        mut point: Point<'_>,
        mut sequence: WakeupSequence,
    ) {
        sequence.last = Last::nothing(self.execution);
        sequence.saturation = LazySaturation::new();
        while !bits::is_empty(&sequence.members) {
            tree.unfold();
            let leads_on = |branch: &Branch| {
                branch.kind != Kind::Free || self.ask(&point, &sequence, branch) == Answer::Yes
            };
            let Some(at) = tree.branches.iter().position(leads_on) else {
                self.driver.statistics.wakeups += 1;
                let order = self.order_behind(&point, &sequence);
                let order = order.into_iter().filter(|&member| member != Member::Last);
                return tree.append(self.execution, order, &sequence.last);
            };
            let is_free = tree.branches[at].kind == Kind::Free;
            match self.way(&sequence, &tree.branches[at]) {
                Way::Down(event) if is_free => {
                    sequence.place(event);
                    point.place(event);
                    tree = &mut tree.branches[at].tree;
                }
                _ => return,
            }
        }
    }

    /// An order for what is left of a sequence. The old one may not be possible any more if a branch that led
    /// here begins with a message that came later in it.
    fn order_behind(&self, point: &Point<'_>, sequence: &WakeupSequence) -> Vec<Member> {
        let execution = self.execution;
        let takes_place = |&event: &usize| Kind::of(execution, event) != Kind::Free;
        let is_disturbed = sequence.path.placed.iter().any(takes_place);
        let new = is_disturbed.then(|| sequence.scenario(point).realise()).flatten();
        new.map_or_else(|| sequence.remaining_order().collect(), |order| order.events)
    }

    /// Takes note of the branches before the one that leads down.
    fn remember_left(&mut self, tree: &WakeupTree, at: usize, sequence: &WakeupSequence) {
        let depth = sequence.path.length();
        self.left.extend(tree.branches[..at].iter().map(|b| (depth, b.event.clone(), b.kind)));
    }

    /// Does a branch further up that the whole sequence did not fit, fit this smaller one?
    fn fits_left(&mut self, sequence: &WakeupSequence) -> bool {
        let checks = &mut self.driver.statistics.redundancy_checks;
        self.left.iter().any(|(depth, event, kind)| {
            let base = sequence.from(*depth);
            let point = base.path.point(self.execution);
            let question = base.question(&point);
            let candidate = Candidate { event, kind: *kind, sequences: None };
            question.asks(candidate, checks, &mut put_off) == Answer::Yes
        })
    }

    /// Parks a sequence until what it waits for has been explored.
    pub fn park(&mut self, parked: &mut Vec<Parked>, sequence: &WakeupSequence) {
        let name = sequence.name(self.execution);
        if parked.iter().any(|old| old.name == name) {
            return;
        }
        self.driver.statistics.parked += 1;
        let moves = self.kept.of(self.execution);
        let is_reordered = sequence.order.is_some();
        let saturation = LazySaturation::new();
        let mut sequence = WakeupSequence { order: None, saturation, ..sequence.clone() };
        // What follows from the rest is worked out again: many sequences wait.
        sequence.last.before = bits::empty(0);
        let without = self.reserve.without;
        parked.push(Parked { moves, sequence, is_reordered, without, name });
    }

    /// Does the branch fit the sequence? With an order that begins with it, if that is not the one at hand.
    fn ask_for_order(
        &mut self,
        point: &Point<'_>,
        sequence: &WakeupSequence,
        branch: &Branch,
    ) -> (Answer, Option<Order>) {
        if sequence.begins_with(self.execution, &branch.event) {
            self.driver.statistics.redundancy_checks.simple += 1;
            return (Answer::Yes, None);
        }
        let question = sequence.question(point);
        let candidate = Candidate { event: &branch.event, kind: branch.kind, sequences: None };
        let checks = &mut self.driver.statistics.redundancy_checks;
        question.asks_for_order(candidate, checks, &mut put_off)
    }

    fn ask(&mut self, point: &Point<'_>, sequence: &WakeupSequence, branch: &Branch) -> Answer {
        let question = sequence.question(point);
        let candidate = Candidate { event: &branch.event, kind: branch.kind, sequences: None };
        question.asks(candidate, &mut self.driver.statistics.redundancy_checks, &mut put_off)
    }

    /// Where a branch that fits leads: a branch may begin with the mere start of a message that the
    /// sequence leaves out (see [`super::reverse_race`]).
    fn way(&self, sequence: &WakeupSequence, branch: &Branch) -> Way {
        let task = branch.event.task;
        let events = self.execution.events_of(task);
        let member = events.iter().find(|&&e| bits::contains(&sequence.members, e as usize));
        if let Some(&event) = member {
            return Way::Down(event as usize);
        }
        if sequence.last.task == task {
            return Way::Last;
        }
        let start = self.execution.start_of(task).filter(|&start| {
            self.execution.events()[start].effect == Effect::Start
                && bits::contains(&self.reserve.available, start)
                && start >= sequence.path.depth
                && !sequence.path.placed.contains(&start)
        });
        start.map_or(Way::Covered, Way::Down)
    }

    /// Inserts below a branch what reverses the race and fits it, though the maximal sequence does not.
    fn insert_smaller(
        &mut self,
        tree: &mut WakeupTree,
        at: usize,
        point: &Point<'_>,
        whole: &WakeupSequence,
    ) {
        let branch = &tree.branches[at];
        if branch.kind == Kind::Free || branch.tree.is_empty() {
            return;
        }
        let (event, lead) = match branch.kind {
            Kind::Start(_) => (self.execution.start_of(branch.event.task), branch.event.task),
            Kind::Post(message, _) => (self.execution.creator(message), message),
            Kind::Free => return,
        };
        let mut available = self.reserve.available.clone();
        bits::subtract(&mut available, &point.happened);
        let Some(event) = event.filter(|&event| bits::contains(&available, event)) else {
            return;
        };
        let lead = Some((lead, branch.kind));
        let reduction = Reduction::new(point, &whole.last, &self.reserve.needed, lead);
        let maximal = reduction.maximal(available, &mut || self.driver.is_time_up());
        for Maximal { members, order } in maximal {
            if !bits::contains(&members, event) {
                continue;
            }
            let last = whole.last.among(self.execution, &point.happened, &members);
            let path = whole.path.clone();
            let saturation = LazySaturation::new();
            let mut smaller = WakeupSequence { path, members, order, last, saturation };
            smaller.try_last(self.execution, self.driver);
            match self.first_fit(tree, at, point, &smaller) {
                Some((_, Answer::Yes)) => continue,
                Some((earlier, _)) => {
                    self.park(&mut tree.branches[earlier].parked, &smaller);
                    continue;
                }
                None => {}
            }
            if (self.is_explored)(&smaller, self.driver) || self.is_left_to_current(&smaller) {
                continue;
            }
            if !self.fits_left(&smaller) {
                let left = self.left.len();
                self.remember_left(tree, at, &smaller);
                let mut below = smaller;
                below.place(event);
                self.insert(&mut tree.branches[at].tree, below);
                self.left.truncate(left);
            }
        }
    }

    /// Does the event that is being explored cover the sequence, or may it? Then it waits for that.
    pub fn is_left_to_current(&mut self, sequence: &WakeupSequence) -> bool {
        // One that takes no place is the first of the race, with which the second conflicts. If that does something
        // else without what has gone with the first, it may not.
        let may_cover = |&(_, kind): &(_, Kind)| kind != Kind::Free || sequence.last.data_dependent;
        let Some((event, kind)) = self.current.filter(may_cover) else {
            return false;
        };
        let base = sequence.from(self.depth);
        let point = base.path.point(self.execution);
        if self.must_come_behind(event.task, kind, &point, &base) {
            self.driver.statistics.redundancy_checks.happens_before += 1;
            return false;
        }
        let checks = &mut self.driver.statistics.redundancy_checks;
        let question = base.question(&point);
        let candidate = Candidate { event, kind, sequences: None };
        match question.asks(candidate, checks, &mut put_off) {
            Answer::Yes => true,
            Answer::No => false,
            Answer::Unknown => {
                let mut parked = std::mem::take(self.parked);
                self.park(&mut parked, &base);
                *self.parked = parked;
                true
            }
        }
    }

    /// Does the message that is being explored race with the second event, on the same handler, and do nothing
    /// before that depends on what the sequence leaves out? Then it does the same behind the sequence, comes
    /// to its conflict with the second event, and cannot go first.
    fn must_come_behind(
        &self,
        message: TaskId,
        kind: Kind,
        point: &Point<'_>,
        sequence: &WakeupSequence,
    ) -> bool {
        let execution = self.execution;
        let Kind::Start(handler) = kind else { return false };
        let rival = sequence.last.task;
        if execution.handler(rival) != Some(handler) || rival == message {
            return false;
        }
        let mut known = point.happened.clone();
        bits::union(&mut known, &sequence.members);
        for &event in execution.events_of(message) {
            let event = event as usize;
            if bits::contains(&sequence.members, event)
                || !bits::is_subset(&execution.before(event), &known)
            {
                return false;
            }
            bits::insert(&mut known, event);
            if conflict(execution.touches(event), &sequence.last.touches) {
                return true;
            }
        }
        false
    }

    /// The first branch before `until` that fits or may fit.
    fn first_fit(
        &mut self,
        tree: &WakeupTree,
        until: usize,
        point: &Point<'_>,
        sequence: &WakeupSequence,
    ) -> Option<(usize, Answer)> {
        (0..until).find_map(|at| match self.ask(point, sequence, &tree.branches[at]) {
            Answer::No => None,
            answer => Some((at, answer)),
        })
    }
}

/// What has to be tried is tried once the event in question has been explored, not now.
fn put_off(_: &[Expected<'_>]) -> Answer {
    Answer::Unknown
}
