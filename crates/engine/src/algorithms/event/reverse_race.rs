//! `ReverseRace` (Algorithm 2): the maximal sets of events that can be performed without the first event
//! of a race and allow the second.
//!
//! The events that do not happen after the first one need not form an execution: of two messages of
//! a handler that are both cut short one must go, and a message that is cut short must be the last of its
//! handler. What must go is found by search: an event that neither starts a message nor posts to a FIFO
//! mailbox can always be added when its past is there, so a maximal set differs from the whole by
//! messages that do not start (and posts that are not made), with all that happens after them. Where messages contradict each other,
//! one of those that the contradiction is about must go; the others need not be tried. Some contradictions are seen at once
//! ([`super::cores`]), the others are cores of [`super::realise`].
//!
//! **Deviations from the paper**
//! 1. The maximal sets are wanted for each point at which the new sequence may leave the explored
//!    execution, not only for the earliest: a set that is maximal at an early point may not be possible
//!    behind a longer prefix, and then a smaller one is needed there. (The paper's proof of Theorem 5
//!    overlooks this.) Only points just before a message starts (multiset) or is posted (FIFO) can
//!    differ.
//! 2. The start of a message of which nothing else is left is not part of a set, unless something waits for it:
//!    it touches nothing, and whatever is a weak initial without it is one with it. That holds if the message goes
//!    on in every execution. If what it does first may have to wait, an execution may end with the message
//!    just begun, and then no other message of its handler starts: such a start stays in the set.
//! 3. In a race of two messages of one handler the whole of the first message has to wait, so its start stands
//!    for its event. What the search would have left out for each race is left out from the beginning.

use super::cores::WaysOut;
use super::point::Point;
use super::redundancy::Kind;
use super::scenario::{Core, Lead, Order, Scenario};
use crate::bits::{self, Bits};
use crate::driver::Move;
use crate::execution::{Execution, Row};
use crate::ids::TaskId;
use crate::operation::Effect;
use crate::program::Mailbox;
use crate::reversal::{Last, Member};
use smallvec::SmallVec;
use std::cell::Cell;

/// A race to be reversed.
#[derive(Debug)]
pub struct Race<'e> {
    /// The explored execution.
    pub execution: &'e Execution,
    /// The first event: the start of its message, if the whole message has to wait.
    pub first: usize,
    /// The second event.
    pub last: Last,
    /// What reversals are made of.
    pub reserve: Reserve,
}

/// The events that a reversal may be made of, and those that it needs.
#[derive(Clone, Debug)]
pub struct Reserve {
    /// What must go, with all that happens after it.
    pub without: Option<usize>,
    /// The rest.
    pub available: Bits,
    /// What must happen before the second event, whatever the schedule.
    pub needed: Bits,
}

impl Reserve {
    /// Without this event and all that happens after it, for an event with this past.
    pub fn new(execution: &Execution, without: Option<usize>, past: &[u32]) -> Self {
        let available = without.map_or_else(
            || bits::first(execution.len(), execution.words()),
            |first| {
                let mut available = bits::first(first, execution.words());
                bits::union(&mut available, &execution.unaffected_behind(first));
                available
            },
        );
        let mut needed = bits::empty(execution.words());
        for &event in past {
            bits::union(&mut needed, &execution.before(event as usize));
            bits::insert(&mut needed, event as usize);
        }
        Reserve { without, available, needed }
    }
}

impl<'e> Race<'e> {
    /// The race between `first` and `last`. If both are of messages of one handler, the whole message of the first one has to wait.
    pub fn new(execution: &'e Execution, first: usize, last: Last) -> Self {
        let message = execution.events()[first].task;
        let handler = execution.handler(message).filter(|_| message != last.task);
        let share_handler = handler.is_some() && handler == execution.handler(last.task);
        let start = execution.start_of(message).filter(|_| share_handler);
        let first = start.unwrap_or(first);
        let reserve = Reserve::new(execution, Some(first), &last.past);
        Race { execution, first, last, reserve }
    }

    /// The race between `first`, the post of a message that never starts, and `last`, which starts a message behind it
    /// in the queue. What happens after the post may be what `last` waits for, so it need not go: the post must come
    /// behind the other one.
    pub fn in_queue(execution: &'e Execution, first: usize, last: Last) -> Self {
        let reserve = Reserve::new(execution, None, &last.past);
        Race { execution, first, last, reserve }
    }

    /// Is nothing left out of these events? (Mere starts are no loss.)
    pub fn is_all(&self, events: &[u64]) -> bool {
        let mut missing = self.reserve.available.clone();
        bits::subtract(&mut missing, events);
        bits::iter(&missing)
            .all(|event| self.execution.is_mere_start(event, &self.reserve.available))
    }

    /// The length of the longest prefix from which it can be reversed, as far as handlers say; nothing if there is none. Of messages of
    /// one queue that are to change places the first must not have been posted; if messages of one handler post them, these
    /// must change places too, and so on.
    pub fn longest_prefix(&self) -> Option<usize> {
        let execution = self.execution;
        if self.reserve.without.is_none() {
            return Some(self.first);
        }
        let (mut first, mut other) = (self.first, self.last.task);
        // What is known to come before what must come first.
        let mut past: Row<'_> = Row::Kept(&self.reserve.needed);
        loop {
            let message = execution.events()[first].task;
            let handler = execution.handler(message).filter(|_| message != other);
            let Some(handler) = handler.filter(|_| handler == execution.handler(other)) else {
                return (!bits::contains(&past, first)).then_some(first);
            };
            let start = execution.start_of(message)?;
            if bits::contains(&past, start) {
                return None;
            }
            if execution.mailbox(handler) == Mailbox::Multiset {
                return Some(start);
            }
            let (Some(post), Some(later)) = (execution.creator(message), execution.creator(other))
            else {
                return Some(start);
            };
            (first, other) = (post, execution.events()[later].task);
            past = execution.before(later);
        }
    }

    /// The lengths of the prefixes from which a reversal may differ, longest first: before the first event,
    /// and before whatever takes a place at a handler that several messages want.
    pub fn depths(&self) -> impl Iterator<Item = usize> + '_ {
        let contended = |event: &usize| match Kind::of(self.execution, *event) {
            Kind::Free => false,
            Kind::Start(handler) | Kind::Post(_, handler) => {
                self.execution.posted(handler).len() > 1
            }
        };
        std::iter::once(self.first).chain((0..self.first).rev().filter(contended))
    }

    /// The maximal sets from the prefix of this length, and where others may be possible.
    pub fn maximal_at(
        &self,
        depth: usize,
        is_time_up: &mut dyn FnMut() -> bool,
    ) -> (SmallVec<[Maximal; 1]>, Elsewhere) {
        let point = Point::at_depth(self.execution, depth);
        let mut available = self.reserve.available.clone();
        bits::subtract(&mut available, &point.happened);
        let reduction = Reduction::new(&point, &self.last, &self.reserve.needed, None);
        let maximal = reduction.maximal(available, is_time_up);
        (maximal, reduction.elsewhere.get())
    }
}

impl Race<'_> {
    /// The moves of a reversal from the initial state, the second event of the race at the end.
    pub fn moves(&self, found: &Maximal) -> Vec<Move> {
        let of_event = |event: usize| {
            let it = &self.execution.events()[event];
            (it.task, it.choice)
        };
        let last = (self.last.task, self.last.choice);
        let of_member = |&member: &Member| match member {
            Member::Event(event) => of_event(event),
            Member::Last => last,
        };
        match &found.order {
            None => bits::iter(&found.members).map(of_event).chain([last]).collect(),
            Some(order) => order.iter().map(of_member).collect(),
        }
    }
}

/// When a search has looked at so many sets it looks at the clock too.
const MANY: usize = 16;

/// A maximal set of events, with an order in which they can be performed.
#[derive(Debug)]
pub struct Maximal {
    /// The events.
    pub members: Bits,
    /// Their order, the second event of the race at the end; nothing if it is that of the explored execution.
    pub order: Option<Vec<Member>>,
}

/// A search for maximal sets at a point.
pub struct Reduction<'r, 'e> {
    /// The point.
    pub point: &'r Point<'e>,
    /// The second event of the race.
    pub last: &'r Last,
    /// What must not go.
    pub needed: &'r [u64],
    /// A message that must come first at its handler, if any.
    pub lead: Option<(TaskId, Kind)>,
    /// The message that each handler is running at the point.
    pub active: SmallVec<[Option<TaskId>; 8]>,
    /// What is known so far of shorter prefixes.
    elsewhere: Cell<Elsewhere>,
}

/// Can a set of events be performed?
enum Performed {
    /// In this order.
    So(Order),
    /// No: not all of these can be there.
    Blamed(Core),
}

/// Are other sets possible from a shorter prefix?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elsewhere {
    /// No: nothing depended on the prefix.
    Same,
    /// Perhaps, from prefixes of at most this length.
    Differs {
        /// The length.
        at_most: usize,
    },
}

impl<'r, 'e> Reduction<'r, 'e> {
    /// A search at this point for sets that keep what is needed and allow `last`.
    pub fn new(
        point: &'r Point<'e>,
        last: &'r Last,
        needed: &'r [u64],
        lead: Option<(TaskId, Kind)>,
    ) -> Self {
        let active = point.active_messages().collect();
        Reduction { point, last, needed, lead, active, elsewhere: Cell::new(Elsewhere::Same) }
    }

    /// All maximal subsets of `available` that can be performed and allow the second event.
    /// Fewer if the time is up.
    pub fn maximal(
        &self,
        available: Bits,
        is_time_up: &mut dyn FnMut() -> bool,
    ) -> SmallVec<[Maximal; 1]> {
        let mut found: SmallVec<[Maximal; 1]> = SmallVec::new();
        let mut seen: SmallVec<[Bits; 2]> = SmallVec::new();
        let mut open: SmallVec<[Bits; 2]> = SmallVec::new();
        open.push(available);
        while let Some(mut members) = open.pop() {
            if seen.len() >= MANY && is_time_up() {
                break;
            }
            self.strip_mere_starts(&mut members);
            if seen.contains(&members) || found.iter().any(|found| found.members == members) {
                continue;
            }
            if self.is_possible_as_explored(&members) {
                found.push(Maximal { members, order: None });
                continue;
            }
            let ways_out = match self.contradiction(&members) {
                Some(ways_out) => ways_out,
                None => match self.perform(&members) {
                    Performed::So(order) => {
                        found.push(Maximal { members, order: Some(order.events) });
                        continue;
                    }
                    Performed::Blamed(core) => {
                        self.differs_at_most(usize::MAX);
                        self.ways_out_of(&members, core.as_deref())
                    }
                },
            };
            open.extend(ways_out.iter().filter_map(|drop| self.without(&members, drop)));
            seen.push(members);
        }
        keep_maximal(&mut found);
        found
    }

    /// Is there nothing to be reordered or left out? That decides most of the time.
    fn is_possible_as_explored(&self, members: &[u64]) -> bool {
        self.lead.is_none()
            && self.last.waits_on().is_none()
            && self.scenario(members, None).is_possible_as_explored()
    }

    /// The question whether these can be performed.
    pub fn scenario<'s>(&'s self, members: &'s [u64], lead: Option<&'s Lead>) -> Scenario<'s> {
        Scenario {
            point: self.point,
            members,
            last: Some(self.last),
            last_at_end: true,
            lead,
            all_end: false,
        }
    }

    /// One of these must go, with all that happens after it, so that not all events of the core are left. An
    /// event of the core is missing only where a choice before it, or itself, is missing, and what is
    /// missing with an earlier choice is missing with a later one behind it too, so the latest will do.
    fn ways_out_of(&self, members: &[u64], core: Option<&[u64]>) -> WaysOut {
        let without = |&choice: &usize| {
            let mut drop = bits::empty(members.len());
            bits::insert(&mut drop, choice);
            drop
        };
        self.choices_behind(members, core).iter().map(without).collect()
    }

    fn choices_behind(&self, members: &[u64], core: Option<&[u64]>) -> SmallVec<[usize; 8]> {
        let execution = self.point.execution;
        let is_choice = |&event: &usize| {
            Kind::of(execution, event) != Kind::Free
                || execution.events()[event].effect == Effect::Start
        };
        let Some(core) = core else {
            return bits::iter(members).filter(is_choice).collect();
        };
        let mut choices = SmallVec::new();
        for event in bits::iter(core) {
            let mut past = Bits::from_slice(&execution.before(event));
            bits::insert(&mut past, event);
            bits::intersect(&mut past, members);
            // From the latest on; what comes before it is covered.
            while let Some(choice) = bits::iter(&past).filter(is_choice).last() {
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
                bits::remove(&mut past, choice);
                bits::subtract(&mut past, &execution.before(choice));
            }
        }
        choices
    }

    /// Other sets may be possible from prefixes of at most this length.
    pub fn differs_at_most(&self, length: usize) {
        let known = match self.elsewhere.get() {
            Elsewhere::Same => 0,
            Elsewhere::Differs { at_most } => at_most,
        };
        self.elsewhere.set(Elsewhere::Differs { at_most: known.max(length) });
    }

    /// Looks for an order.
    fn perform(&self, members: &[u64]) -> Performed {
        let lead = self.lead.map(|(message, _)| Lead {
            message,
            barrier: bits::empty(members.len()),
            barrier_has_last: false,
        });
        let lead = lead.filter(|lead| self.completes(members, lead.message));
        let scenario = self.scenario(members, lead.as_ref());
        if let Some(order) = scenario.witness() {
            return Performed::So(order);
        }
        scenario.search_or_blame().map_or_else(
            |mut core| {
                // A message that does not complete need not come first.
                let end = lead.as_ref().and_then(|lead| self.point.execution.end_of(lead.message));
                if let (Some(core), Some(end)) = (&mut core, end) {
                    bits::insert(core, end);
                }
                Performed::Blamed(core)
            },
            Performed::So,
        )
    }

    /// The set without these events and all that happens after them; nothing if something needed would go.
    pub fn without(&self, members: &Bits, drop: &[u64]) -> Option<Bits> {
        let execution = self.point.execution;
        let mut rest = members.clone();
        let first = bits::iter(drop).next()?;
        for event in bits::iter_from(members, first) {
            if bits::contains(drop, event) || bits::intersects(&execution.before(event), drop) {
                bits::remove(&mut rest, event);
            }
        }
        let mut gone = bits::common(members, self.needed);
        bits::subtract(&mut gone, &rest);
        bits::is_empty(&gone).then_some(rest)
    }

    /// Takes out starts of messages of which nothing else is left.
    fn strip_mere_starts(&self, members: &mut [u64]) {
        let execution = self.point.execution;
        let mut turns = Bits::from_slice(members);
        bits::intersect(&mut turns, execution.turns());
        bits::subtract(&mut turns, self.needed);
        for event in bits::iter(&turns) {
            let it = &execution.events()[event];
            let alone = execution.is_mere_start(event, members);
            // What else happens after a start waits for it by a gate.
            let is_awaited = || {
                let mut later = bits::iter_from(members, event + 1);
                later.any(|later| execution.happens_before(event, later))
            };
            if alone && self.lead.is_none_or(|(lead, _)| lead != it.task) && !is_awaited() {
                bits::remove(members, event);
            }
        }
    }

    /// Does the message end among the members?
    pub fn completes(&self, members: &[u64], message: TaskId) -> bool {
        self.point.execution.end_of(message).is_some_and(|end| bits::contains(members, end))
    }
}

/// Drops sets that are part of others.
fn keep_maximal(found: &mut SmallVec<[Maximal; 1]>) {
    let mut at = 0;
    while at < found.len() {
        let covered = (0..found.len()).any(|other| {
            other != at
                && bits::is_subset(&found[at].members, &found[other].members)
                && (other < at || found[at].members != found[other].members)
        });
        if covered {
            found.remove(at);
        } else {
            at += 1;
        }
    }
}
