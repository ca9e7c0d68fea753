//! The maximal sets of events that can be performed, by search: the largest sets first. Where one cannot be performed, something must go, in one of several
//! ways; what is left in each is looked at in its turn.
//!
//! Each set is looked at in one place only. If one of several events must go, the first of them that goes says where: those before it stay. Why a
//! set cannot be performed ([`KnownCore`]) is remembered, since most others cannot be performed for the same reasons: that is what keeps the
//! search short where dozens of messages of several queues contradict each other.

use super::cores::WaysOut;
use super::reverse_race::Frontier;
use super::scenario::{Order, Scenario};
use crate::bits::{self, Bits};
use crate::driver::Move;
use crate::execution::Execution;
use crate::operation::Effect;
use crate::program::Mailbox;
use crate::reversal::Last;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is said of a set that is looked at.
pub enum Looked {
    /// It is wanted; this is its frontier.
    Wanted(Frontier),
    /// It can be performed, but it is not wanted, and neither is what is part of it.
    Known,
    /// The time is up.
    Stop,
}

/// Looks at a set.
pub type Look<'n> = dyn FnMut(&[u64]) -> Looked + 'n;

/// A maximal set of events, with an order in which they can be performed.
#[derive(Debug)]
pub struct Maximal {
    /// The events.
    pub members: Bits,
    /// Its latest events.
    pub frontier: Frontier,
    /// Their order; nothing if it is that of the explored execution.
    order: Option<Order>,
}

impl Maximal {
    /// So many of the first events come as they were explored.
    pub fn shared(&self) -> usize {
        match &self.order {
            None => bits::first_missing(&self.members),
            Some(order) => {
                let as_explored = |(at, event): &(usize, &u32)| *at == **event as usize;
                order.iter().enumerate().take_while(as_explored).count()
            }
        }
    }

    /// The moves in this order, but the first ones, which are [`Maximal::shared`].
    pub fn moves_from<'m>(
        &'m self,
        shared: usize,
        execution: &'m Execution,
        last: Option<&'m Last>,
    ) -> impl Iterator<Item = Move> + 'm {
        let of_event = |event: usize| {
            let it = &execution.events()[event];
            (it.task, it.choice)
        };
        let as_explored = self.order.is_none().then(|| bits::iter_from(&self.members, shared));
        let other = self.order.iter().flat_map(move |order| &order[shared..]);
        let other = other.map(|&event| event as usize);
        let events = as_explored.into_iter().flatten().chain(other);
        events.map(of_event).chain(last.map(|last| (last.task, last.choice)))
    }
}

/// A search for maximal sets.
pub struct Reduction<'r> {
    /// The explored execution.
    pub execution: &'r Execution,
    /// The second event of the race.
    pub last: Option<&'r Last>,
    /// What must not go.
    pub needed: &'r [u64],
    /// So many of the first events may come as they were explored ([`Scenario::kept`]).
    pub kept: usize,
    /// Must messages of a queue change places? Then they cannot come as they were explored.
    pub changes_queue: bool,
}

/// A set that is to be looked at.
struct Candidate {
    size: u32,
    members: Bits,
    /// What must not go: what is left without it is looked at elsewhere.
    stays: Bits,
}

/// Events that cannot all be performed, in any set without these others: with them a message that the contradiction is about would come
/// further than it did where this was found.
struct KnownCore {
    events: Bits,
    without: Bits,
    /// One of these must go.
    choices: Vec<Choice>,
}

/// An event that may go, with what goes with it.
struct Choice {
    event: usize,
    affected: Bits,
}

impl Reduction<'_> {
    /// All maximal subsets of `available` that can be performed and allow the second event, but those that are part of a set that is not wanted.
    pub fn maximal(&self, available: Bits, look: &mut Look<'_>) -> SmallVec<[Maximal; 1]> {
        let mut found: SmallVec<[Maximal; 1]> = SmallVec::new();
        let mut cores = Vec::new();
        let mut open = BinaryHeap::new();
        let mut stays = bits::common(&available, self.needed);
        let mut members = available;
        // The largest first: then none that is found is part of one that is found later.
        loop {
            match self.examine(&mut members, &stays, &found, &mut cores, look) {
                Examined::Found(frontier, order) => {
                    found.push(Maximal { members, frontier, order });
                }
                Examined::Impossible(ways_out) => self.leave(&members, stays, &ways_out, &mut open),
                Examined::Needless => {}
                Examined::Stop => return found,
            }
            let Some(next) = open.pop() else { return found };
            Candidate { members, stays, .. } = next;
        }
    }

    /// Looks at a candidate.
    fn examine(
        &self,
        members: &mut Bits,
        stays: &[u64],
        found: &[Maximal],
        cores: &mut Vec<KnownCore>,
        look: &mut Look<'_>,
    ) -> Examined {
        self.strip_mere_starts(members);
        let is_part = |found: &Maximal| bits::is_subset(members, &found.members);
        if found.iter().any(is_part) || !bits::is_subset(stays, members) {
            return Examined::Needless;
        }
        let frontier = match look(members) {
            Looked::Wanted(frontier) => frontier,
            Looked::Known => return Examined::Needless,
            Looked::Stop => return Examined::Stop,
        };
        if let Some(choices) = fewest_choices(cores, members, stays) {
            return Examined::Impossible(without_one_of(&choices, members.len()));
        }
        match self.order_of(members, cores) {
            Ok(order) => Examined::Found(frontier, order),
            Err(ways_out) => Examined::Impossible(ways_out),
        }
    }

    /// What is left of a set in each way out. Where one of several events must go, what stays says which is the first that does.
    fn leave(
        &self,
        members: &Bits,
        mut stays: Bits,
        ways_out: &WaysOut,
        open: &mut BinaryHeap<Candidate>,
    ) {
        for drop in ways_out {
            if let Some(rest) = self.without(members, &stays, drop) {
                open.push(Candidate::new(rest, stays.clone()));
            }
            if let (Some(choice), 1) = (bits::last(drop), bits::count(drop)) {
                bits::union(&mut stays, &self.execution.before(choice));
                bits::insert(&mut stays, choice);
            }
        }
    }

    /// An order of these events, as [`Maximal`] has it, or what must go.
    fn order_of(
        &self,
        members: &[u64],
        cores: &mut Vec<KnownCore>,
    ) -> Result<Option<Order>, WaysOut> {
        if let Some(ways_out) = self.waits_for_lock(members) {
            return Err(ways_out);
        }
        let scenario = self.scenario(members);
        // That decides most of the time.
        let order = if self.changes_queue {
            scenario.witness().map(Some)
        } else {
            scenario.is_possible_as_explored().then_some(None)
        };
        if let Some(order) = order {
            return Ok(order);
        }
        if let Some(ways_out) = self.contradiction(members) {
            return Err(ways_out);
        }
        scenario.realise().map(Some).map_err(|core| {
            let choices = self.choices_behind(members, core.as_deref());
            let ways_out = without_one_of(&choices, members.len());
            // If nothing is to blame, the question was given up.
            let core = core.filter(|core| !bits::is_empty(core));
            cores.extend(core.map(|core| KnownCore::new(self.execution, members, core, &choices)));
            ways_out
        })
    }

    /// The question whether these can be performed.
    pub fn scenario<'s>(&'s self, members: &'s [u64]) -> Scenario<'s> {
        Scenario { execution: self.execution, members, last: self.last, kept: self.kept }
    }

    /// One of these must go, with all that happens after it, so that not all events of the core are left. An
    /// event of the core is missing only where a choice before it, or itself, is missing, and what is
    /// missing with an earlier choice is missing with a later one behind it too, so the latest will do.
    fn choices_behind(&self, members: &[u64], core: Option<&[u64]>) -> SmallVec<[usize; 8]> {
        let execution = self.execution;
        let takes_place = |&event: &usize| match execution.events()[event].effect {
            Effect::Start => true,
            Effect::Post(_, handler) => execution.mailbox(handler) == Mailbox::Fifo,
            _ => false,
        };
        let Some(core) = core else {
            return bits::iter(members).filter(takes_place).collect();
        };
        let mut choices = SmallVec::new();
        for event in bits::iter(core) {
            let mut past = Bits::from_slice(&execution.before(event));
            bits::insert(&mut past, event);
            bits::intersect(&mut past, members);
            // From the latest on; what comes before it is covered.
            while let Some(choice) = bits::iter(&past).filter(takes_place).last() {
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
                bits::remove(&mut past, choice);
                bits::subtract(&mut past, &execution.before(choice));
            }
        }
        choices
    }

    /// The set without these events and all that happens after them; nothing if something would go that stays.
    fn without(&self, members: &Bits, stays: &[u64], drop: &[u64]) -> Option<Bits> {
        let mut rest = members.clone();
        let first = bits::iter(drop).next()?;
        for event in bits::iter_from(members, first) {
            if bits::contains(drop, event) || bits::intersects(&self.execution.before(event), drop)
            {
                bits::remove(&mut rest, event);
            }
        }
        bits::is_subset(stays, &rest).then_some(rest)
    }

    /// Takes out starts of messages of which nothing else is left, unless something waits for them: that has to pass a gate.
    fn strip_mere_starts(&self, members: &mut [u64]) {
        let execution = self.execution;
        let mut starts = bits::common_but(members, execution.starts_that_go_on(), self.needed);
        let is_member = |event: &&u32| bits::contains(members, **event as usize);
        for &event in execution.meeting().iter().filter(is_member) {
            let past = execution.program_past(event as usize).iter();
            past.for_each(|&awaited| bits::remove(&mut starts, awaited as usize));
        }
        for start in bits::iter(&starts) {
            if !execution.goes_on_in(start, members) {
                bits::remove(members, start);
            }
        }
    }
}

/// What has come of a candidate.
enum Examined {
    /// It can be performed, in this order ([`Maximal`]).
    Found(Frontier, Option<Order>),
    /// Something must go.
    Impossible(WaysOut),
    /// It need not be looked at, nor what is part of it.
    Needless,
    /// The time is up.
    Stop,
}

impl Candidate {
    fn new(members: Bits, stays: Bits) -> Self {
        Candidate { size: bits::count(&members), members, stays }
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.size.cmp(&other.size)
    }
}

impl KnownCore {
    /// These events of a set contradict each other. A message that has some of them, or that one of them posts, must not come further.
    fn new(execution: &Execution, members: &[u64], events: Bits, choices: &[usize]) -> Self {
        let mut without = bits::empty(members.len());
        for event in bits::iter(&events) {
            let it = &execution.events()[event];
            let posted = match it.effect {
                Effect::Post(message, _) => Some(message),
                _ => None,
            };
            for task in posted.into_iter().chain([it.task]) {
                let all = execution.events_of(task).iter().map(|&event| event as usize);
                all.for_each(|event| bits::insert(&mut without, event));
            }
        }
        bits::subtract(&mut without, members);
        let choice = |&event: &usize| Choice { event, affected: execution.affected_by(event) };
        KnownCore { events, without, choices: choices.iter().map(choice).collect() }
    }

    /// Does a set have it?
    fn is_in(&self, members: &[u64]) -> bool {
        bits::is_subset(&self.events, members) && !bits::intersects(&self.without, members)
    }
}

/// What may go because of a known contradiction in a set: of all that are known, the one that leaves the fewest choices. Nothing if none is known.
fn fewest_choices(
    cores: &[KnownCore],
    members: &[u64],
    stays: &[u64],
) -> Option<SmallVec<[usize; 8]>> {
    let choices = |core: &KnownCore| {
        let may_go = |choice: &&Choice| !bits::intersects(&choice.affected, stays);
        core.choices.iter().filter(may_go).map(|choice| choice.event).collect()
    };
    let in_set = cores.iter().filter(|core| core.is_in(members));
    in_set.map(choices).min_by_key(SmallVec::len)
}

/// To leave each of these out is a way out. So many words are in a set.
fn without_one_of(choices: &[usize], words: usize) -> WaysOut {
    let without = |&choice: &usize| {
        let mut drop = bits::empty(words);
        bits::insert(&mut drop, choice);
        drop
    };
    choices.iter().map(without).collect()
}
