//! Which sequence to perform next. Plans are handed out by the number of their reversals, and what comes back is taken in the
//! order in which it was handed out, so the result does not depend on how many are performed at once.

use super::classes::ClassKey;
use super::sequence::{Race, Second, Sequence};
use super::tree::Tree;
use crate::ids::EventId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};

/// Are races with events that the recorded execution does not know reversed?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewEvents {
    /// Yes: what there is to explore is everything.
    Reverse,
    /// No: what there is to explore are the orders of the recorded events (section 4.4 of the paper). A page that
    /// looks again and again whether something has arrived would have something new to reverse for ever.
    Keep,
}

/// How far to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The largest number of reversals; `None` is no bound.
    pub bound: Option<u32>,
    /// What to do with events that the recorded execution does not know.
    pub new_events: NewEvents,
}

/// The number of a plan. Plans are numbered as they are handed out, the recording being number 0.
pub type Ticket = usize;

/// The race that a plan reverses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reversed {
    /// What comes first in the parent.
    pub first: EventId,
    /// What comes first here.
    pub second: EventId,
    /// Where the first stands in the parent's sequence.
    pub first_at: u32,
    /// Where the second stands in the parent's sequence; nowhere if it did not happen there.
    pub second_at: Option<u32>,
}

/// A sequence to perform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Its number, for [`Explorer::done`].
    pub ticket: Ticket,
    /// The sequence that it differs from by one reversal; none for the recording.
    pub parent: Option<Ticket>,
    /// Its number of reversals.
    pub depth: u32,
    /// What to perform ([`super::Replay`] says how).
    pub events: Vec<EventId>,
    /// The race that it reverses.
    pub reversed: Option<Reversed>,
}

/// What became of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AcceptedKind {
    /// A trace that had not been performed.
    New,
    /// The trace of an earlier sequence, which nobody could foresee.
    SameTrace,
    /// A sequence that need not have been performed: an earlier one that was under way at the same time does the same. It does not count.
    Redundant,
    /// It could not be performed.
    Lost,
}

/// A plan whose result has been taken into account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Its number.
    pub ticket: Ticket,
    /// What became of it.
    pub kind: AcceptedKind,
}

/// How far the exploration has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Sequences performed.
    pub explored: u64,
    /// Sequences that are being performed.
    pub in_flight: u64,
    /// Sequences that wait to be performed. Some may turn out to have been performed.
    pub pending: u64,
    /// The number of reversals that is being explored.
    pub depth: u32,
}

/// What was not explored, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GivenUp {
    /// There are sequences with more reversals than the bound allows.
    pub beyond_bound: bool,
    /// Races with events that the recorded execution does not know.
    pub new_events: u64,
    /// Sequences that could not be performed.
    pub lost: u64,
    /// Sequences that were stopped before their end.
    pub cut: u64,
}

impl GivenUp {
    /// Was everything explored?
    pub fn is_nothing(&self) -> bool {
        *self == GivenUp::default()
    }
}

/// The pairs of events that a sequence has in another order than the recorded one.
type Flips = Vec<(EventId, EventId)>;

/// A plan that waits, with the trace that it is expected to be.
#[derive(Debug)]
struct Pending {
    parent: Ticket,
    depth: u32,
    events: Vec<EventId>,
    reversed: Reversed,
    class: ClassKey,
    flips: Flips,
}

/// What is known of a trace.
#[derive(Debug)]
enum Class {
    Performed,
    /// It is expected of a plan; others of which it is expected wait.
    Expected(Vec<Pending>),
}

/// A plan that has been handed out.
#[derive(Debug)]
struct InFlight {
    depth: u32,
    events: Vec<EventId>,
    class: Option<ClassKey>,
    flips: Flips,
    result: Option<Option<Sequence>>,
}

/// The exploration.
#[derive(Debug)]
pub struct Explorer {
    settings: Settings,
    tree: Tree,
    classes: FxHashMap<ClassKey, Class>,
    /// The plans that wait, by their number of reversals.
    pending: BTreeMap<u32, VecDeque<Pending>>,
    /// Plans handed out and not taken into account, oldest first.
    in_flight: VecDeque<InFlight>,
    /// The number of the oldest of them.
    first_in_flight: Ticket,
    /// What plans reverse altogether, where only recorded events are reversed: then it says which sequence is meant.
    reversals: FxHashSet<Flips>,
    /// The events that the recorded execution knows.
    known: FxHashSet<EventId>,
    is_recording: bool,
    explored: u64,
    depth: u32,
    given_up: GivenUp,
}

impl Explorer {
    /// Before the recording.
    pub fn new(settings: Settings) -> Self {
        Explorer {
            settings,
            tree: Tree::new(),
            classes: FxHashMap::default(),
            pending: BTreeMap::new(),
            in_flight: VecDeque::new(),
            first_in_flight: 0,
            reversals: FxHashSet::from_iter([Flips::new()]),
            known: FxHashSet::default(),
            is_recording: true,
            explored: 0,
            depth: 0,
            given_up: GivenUp::default(),
        }
    }

    /// A sequence to perform. Nothing if there is none now: then the exploration has ended ([`Explorer::is_finished`]), or what
    /// is being performed decides. The first one is the recording.
    pub fn next_plan(&mut self) -> Option<Plan> {
        if self.is_recording {
            self.is_recording = false;
            return Some(self.hand_out(None));
        }
        loop {
            let (&depth, _) = self.pending.iter().find(|(_, waiting)| !waiting.is_empty())?;
            // What is being performed with fewer reversals may add to those, and they come first.
            if self.in_flight.iter().any(|other| other.depth < depth) {
                return None;
            }
            let pending = self.pending.get_mut(&depth).and_then(VecDeque::pop_front)?;
            if !self.is_redundant(&pending) {
                return Some(self.hand_out(Some(pending)));
            }
            self.settle(Some(pending.class), None);
        }
    }

    /// Has everything been explored, up to the bound?
    pub fn is_finished(&self) -> bool {
        !self.is_recording
            && self.in_flight.is_empty()
            && self.pending.values().all(VecDeque::is_empty)
    }

    /// Takes what happened when a plan was performed. Gives back what has become of this and of others that were waiting for it,
    /// in the order of their numbers.
    pub fn done(&mut self, ticket: Ticket, sequence: Sequence) -> Vec<Accepted> {
        self.resolve(ticket, Some(sequence), &mut || false)
    }

    /// The same, but not all races of a long sequence are looked at once the time is up: then the exploration is over.
    pub fn done_until(
        &mut self,
        ticket: Ticket,
        sequence: Sequence,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Vec<Accepted> {
        self.resolve(ticket, Some(sequence), is_over)
    }

    /// The same for a plan that could not be performed.
    pub fn lost(&mut self, ticket: Ticket) -> Vec<Accepted> {
        self.resolve(ticket, None, &mut || false)
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        Progress {
            explored: self.explored,
            in_flight: self.in_flight.len() as u64,
            pending: self.pending.values().map(|waiting| waiting.len() as u64).sum(),
            depth: self.depth,
        }
    }

    /// What was not explored so far, for other reasons than that it waits.
    pub fn given_up(&self) -> GivenUp {
        self.given_up
    }

    fn hand_out(&mut self, pending: Option<Pending>) -> Plan {
        let ticket = self.first_in_flight + self.in_flight.len();
        let plan = match &pending {
            None => Plan { ticket, parent: None, depth: 0, events: Vec::new(), reversed: None },
            Some(it) => Plan {
                ticket,
                parent: Some(it.parent),
                depth: it.depth,
                events: it.events.clone(),
                reversed: Some(it.reversed),
            },
        };
        self.depth = plan.depth;
        self.in_flight.push_back(InFlight {
            depth: plan.depth,
            events: plan.events.clone(),
            class: pending.as_ref().map(|pending| pending.class),
            flips: pending.map(|pending| pending.flips).unwrap_or_default(),
            result: None,
        });
        plan
    }

    fn is_redundant(&self, pending: &Pending) -> bool {
        matches!(self.classes.get(&pending.class), Some(Class::Performed))
            || self.tree.contains(&pending.events)
    }

    fn resolve(
        &mut self,
        ticket: Ticket,
        result: Option<Sequence>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Vec<Accepted> {
        self.in_flight[ticket - self.first_in_flight].result = Some(result);
        let mut accepted = Vec::new();
        while self.in_flight.front().is_some_and(|oldest| oldest.result.is_some()) {
            let Some(oldest) = self.in_flight.pop_front() else { break };
            let ticket = self.first_in_flight;
            self.first_in_flight += 1;
            accepted.push(Accepted { ticket, kind: self.accept(ticket, oldest, is_over) });
        }
        accepted
    }

    fn accept(
        &mut self,
        ticket: Ticket,
        mut plan: InFlight,
        is_over: &mut dyn FnMut() -> bool,
    ) -> AcceptedKind {
        let is_recording = plan.class.is_none();
        // An earlier sequence may have come back since it was handed out.
        if !is_recording && self.tree.contains(&plan.events) {
            self.settle(plan.class, None);
            return AcceptedKind::Redundant;
        }
        let Some(sequence) = plan.result.take().flatten() else {
            self.given_up.lost += 1;
            self.settle(plan.class, None);
            return AcceptedKind::Lost;
        };
        self.explored += 1;
        self.given_up.cut += u64::from(sequence.cut);
        if is_recording {
            self.learn(&sequence);
        }
        self.tree.add(&sequence);
        let class = sequence.class();
        self.settle(plan.class, Some(class));
        if matches!(self.classes.insert(class, Class::Performed), Some(Class::Performed)) {
            return AcceptedKind::SameTrace;
        }
        self.reverse_races(ticket, &plan, &sequence, is_over);
        AcceptedKind::New
    }

    fn learn(&mut self, recording: &Sequence) {
        self.known.extend(recording.events.iter().chain(&recording.initially));
        for change in &recording.changes {
            self.known.extend(change.appeared.iter());
        }
    }

    /// If a plan has not become the trace that was expected of it, the next one of which it is expected is taken up.
    fn settle(&mut self, expected: Option<ClassKey>, performed: Option<ClassKey>) {
        let Some(expected) = expected.filter(|&expected| performed != Some(expected)) else {
            return;
        };
        if let Some(Class::Expected(waiting)) = self.classes.get_mut(&expected) {
            if waiting.is_empty() {
                self.classes.remove(&expected);
            } else {
                let next = waiting.remove(0);
                self.pending.entry(next.depth).or_default().push_back(next);
            }
        }
    }

    /// `updatePersistentSets`: plans for all races of a new trace; the last race first, as its plan has most in common with this
    /// sequence.
    fn reverse_races(
        &mut self,
        ticket: Ticket,
        plan: &InFlight,
        sequence: &Sequence,
        is_over: &mut dyn FnMut() -> bool,
    ) {
        let is_last = self.settings.bound.is_some_and(|bound| plan.depth >= bound);
        for race in sequence.races.iter().rev() {
            if is_over() {
                return;
            }
            let reversed = reversed(sequence, race);
            if !self.may_reverse(reversed) {
                self.given_up.new_events += 1;
                continue;
            }
            if is_last && self.given_up.beyond_bound {
                continue;
            }
            let flips = flipped(&plan.flips, reversed);
            if self.settings.new_events == NewEvents::Keep && self.reversals.contains(&flips) {
                continue;
            }
            let (events, class) = sequence.reversed(race);
            let depth = plan.depth + 1;
            let pending = Pending { parent: ticket, depth, events, reversed, class, flips };
            if self.is_redundant(&pending) {
                continue;
            }
            if is_last {
                self.given_up.beyond_bound = true;
            } else {
                self.wait(pending);
            }
        }
    }

    fn wait(&mut self, pending: Pending) {
        if self.settings.new_events == NewEvents::Keep {
            self.reversals.insert(pending.flips.clone());
        }
        match self.classes.get_mut(&pending.class) {
            Some(Class::Expected(waiting)) => waiting.push(pending),
            _ => {
                self.classes.insert(pending.class, Class::Expected(Vec::new()));
                self.pending.entry(pending.depth).or_default().push_back(pending);
            }
        }
    }

    fn may_reverse(&self, reversed: Reversed) -> bool {
        self.settings.new_events == NewEvents::Reverse
            || self.known.contains(&reversed.first) && self.known.contains(&reversed.second)
    }
}

fn reversed(sequence: &Sequence, race: &Race) -> Reversed {
    Reversed {
        first: sequence.events[race.first as usize],
        second: sequence.second(race),
        first_at: race.first,
        second_at: match race.second {
            Second::Event(position) => Some(position),
            Second::Missed { .. } => None,
        },
    }
}

/// What is in another order than in the recorded sequence once one more race is reversed.
fn flipped(flips: &Flips, reversed: Reversed) -> Flips {
    let (a, b) = (reversed.first, reversed.second);
    let pair = (a.min(b), a.max(b));
    let mut flips = flips.clone();
    match flips.binary_search(&pair) {
        Ok(at) => {
            flips.remove(at);
        }
        Err(at) => flips.insert(at, pair),
    }
    flips
}
