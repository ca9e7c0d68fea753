//! A performed sequence: its events, their dependence, the races that can be reversed, and what was possible where.

use super::classes::ClassKey;
use crate::bits;
use crate::ids::EventId;
use crate::touch::Touch;

/// The second event of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Second {
    /// The event at this position.
    Event(u32),
    /// One that did not happen: it was possible before the first event and not behind it, or waits for something that the
    /// first one took.
    Missed {
        /// Which one.
        event: EventId,
        /// The positions of events behind the first one that it needs.
        past: Vec<u32>,
    },
}

/// Two events whose order can be reversed without reversing another pair: an uncovered race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The position of the first.
    pub first: u32,
    /// The positions of others behind it that keep the second from coming before the first: all of them come behind it.
    pub others: Vec<u32>,
    /// The second.
    pub second: Second,
}

/// What an event makes possible, and what it makes impossible without performing it.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    pub appeared: Box<[EventId]>,
    pub vanished: Box<[EventId]>,
}

/// What happened when a plan was performed.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The races that can be reversed.
    pub races: Vec<Race>,
    /// Was it stopped although there was more to do?
    pub cut: bool,
    /// Do plans put off the first event of a race behind all that does not depend on it, instead of drawing the second one
    /// before it? Both are the same trace, if everything does what is expected. But where tasks wait for each other, only what
    /// stands before the second event is certain; so programs are explored in full with this, and pages stay closer
    /// to the order that was recorded without it.
    pub puts_off: bool,
    pub(super) events: Vec<EventId>,
    pub(super) initially: Vec<EventId>,
    /// For each event.
    pub(super) changes: Vec<Change>,
    touches: Vec<Vec<Touch>>,
    /// Transitive dependence: `words` words for each event.
    rows: Vec<u64>,
    words: usize,
}

impl Sequence {
    /// Nothing yet; `initially` is what is possible. Sets of its events have so many words.
    pub fn new(words: usize, initially: Vec<EventId>, cut: bool) -> Self {
        Sequence {
            races: Vec::new(),
            cut,
            puts_off: false,
            events: Vec::new(),
            initially,
            changes: Vec::new(),
            touches: Vec::new(),
            rows: Vec::new(),
            words,
        }
    }

    /// Appends an event: what it depends on (transitively), what it touches, and which events became possible and which ceased to
    /// be without having happened.
    pub fn push(
        &mut self,
        event: EventId,
        before: &[u64],
        touches: Vec<Touch>,
        appeared: Vec<EventId>,
        vanished: Vec<EventId>,
    ) {
        self.events.push(event);
        self.rows.extend_from_slice(&before[..self.words]);
        self.touches.push(touches);
        self.changes.push(Change { appeared: appeared.into(), vanished: vanished.into() });
    }

    /// The events, in order.
    pub fn events(&self) -> &[EventId] {
        &self.events
    }

    /// The positions of the events that the one at `position` depends on.
    pub fn before(&self, position: usize) -> &[u64] {
        &self.rows[position * self.words..(position + 1) * self.words]
    }

    /// Its trace, as a key.
    pub(super) fn class(&self) -> ClassKey {
        let all = self.events.iter().zip(&self.touches);
        ClassKey::of(all.map(|(&event, touches)| (event, &touches[..])))
    }

    /// The sequence that reverses a race and no other (`findRaceWitness`), and the trace that it is expected to be: what
    /// stands before the first event; what the second one needs; the second; the first; the rest.
    pub(super) fn reversed(&self, race: &Race) -> (Vec<EventId>, ClassKey) {
        let first = race.first as usize;
        let needed = self.needed_by(race);
        let (mut before, rest): (Vec<usize>, Vec<usize>) =
            (first..self.events.len()).partition(|&position| bits::contains(&needed, position));
        // It stands last, whatever else comes before the first one.
        before.sort_by_key(|&position| race.second == Second::Event(position as u32));
        let mut events = self.events[..first].to_vec();
        events.extend(before.iter().map(|&position| self.events[position]));
        if let Second::Missed { event, .. } = race.second {
            events.push(event);
        }
        events.extend(rest.iter().map(|&position| self.events[position]));

        let performed = |position: usize| (self.events[position], &self.touches[position][..]);
        let missed = match race.second {
            Second::Missed { event, .. } => Some((event, &[][..])),
            Second::Event(_) => None,
        };
        let order = (0..first).chain(before).map(performed);
        let class = ClassKey::of(order.chain(missed).chain(rest.into_iter().map(performed)));
        (events, class)
    }

    /// The second event of a race, if it happened, and all that it needs but the first one; or all that does not need
    /// the first one.
    fn needed_by(&self, race: &Race) -> bits::Bits {
        let first = race.first as usize;
        let is_second = |position| race.second == Second::Event(position as u32);
        let everything = if self.puts_off { self.events.len() } else { 0 };
        let mut needed = bits::first(everything, self.words);
        let mut add = |position: u32| {
            bits::union(&mut needed, self.before(position as usize));
            bits::insert(&mut needed, position as usize);
        };
        match &race.second {
            Second::Event(position) => add(*position),
            Second::Missed { past, .. } => past.iter().copied().for_each(add),
        }
        // Taking a lock needs that it was given back, but not if nobody took it.
        for gone in std::iter::once(first).chain(race.others.iter().map(|&other| other as usize)) {
            bits::remove(&mut needed, gone);
            for position in gone + 1..self.events.len() {
                if bits::contains(self.before(position), gone) && !is_second(position) {
                    bits::remove(&mut needed, position);
                }
            }
        }
        needed
    }

    /// The event that a race has second.
    pub fn second(&self, race: &Race) -> EventId {
        match race.second {
            Second::Event(position) => self.events[position as usize],
            Second::Missed { event, .. } => event,
        }
    }
}
