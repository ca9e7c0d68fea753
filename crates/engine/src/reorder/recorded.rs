//! What a front-end saw of one sequence, where an event is a whole piece of code: a callback of a web page.

use super::sequence::{Race, Second, Sequence};
use crate::bits;
use crate::ids::EventId;
use crate::operation::Mode;
use crate::touch::{NO_OWNER, Touch};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// One event of a recorded sequence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Happened {
    /// Which event: the same number in every sequence.
    pub event: EventId,
    /// The positions of events that it follows whatever the order. Those before them may be left out.
    pub after: Vec<u32>,
    /// The locations that it read.
    pub reads: Vec<u32>,
    /// The locations that it wrote.
    pub writes: Vec<u32>,
    /// Events that became possible with it.
    pub appeared: Vec<EventId>,
    /// Events that were possible before it and are not any more, without having happened.
    pub vanished: Vec<EventId>,
}

impl Happened {
    /// The locations on which two events conflict.
    pub fn conflicts(&self, other: &Happened) -> Vec<u32> {
        let touches = |event: &Happened, location| {
            event.reads.contains(location) || event.writes.contains(location)
        };
        let own = self.writes.iter().filter(|location| touches(other, location));
        let others = other.writes.iter().filter(|location| touches(self, location));
        let mut locations: Vec<u32> = own.chain(others).copied().collect();
        locations.sort_unstable();
        locations.dedup();
        locations
    }

    /// What it touches, each location once.
    fn touches(&self) -> Vec<Touch> {
        let mut touches: Vec<(u32, Mode)> = Vec::new();
        touches.extend(self.writes.iter().map(|&location| (location, Mode::Write)));
        touches.extend(self.reads.iter().map(|&location| (location, Mode::Read)));
        // Writes stand before reads of the same location, and writing says it all.
        touches.sort_by_key(|&(location, mode)| (location, mode == Mode::Read));
        touches.dedup_by_key(|&mut (location, _)| location);
        touches.into_iter().map(|(slot, mode)| Touch { slot, mode, owner: NO_OWNER }).collect()
    }
}

/// A recorded sequence. The events that are possible in each of its states follow from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// What is possible before the first event.
    pub initially: Vec<EventId>,
    /// What happened, in order.
    pub events: Vec<Happened>,
    /// Was it stopped although there was more to do?
    pub cut: bool,
}

impl Recorded {
    /// The sequence with its transitive dependence (Definition 2 of the paper) and its uncovered races.
    pub fn into_sequence(self) -> Sequence {
        let count = self.events.len();
        let words = count.div_ceil(64).max(1);
        let mut sequence = Sequence::new(words, self.initially, self.cut);
        let mut histories = Histories::default();
        for (position, happened) in self.events.into_iter().enumerate() {
            let touches = happened.touches();
            let mut row = vec![0; words];
            for &earlier in &happened.after {
                bits::union(&mut row, sequence.before(earlier as usize));
                bits::insert(&mut row, earlier as usize);
            }
            // With the latest first, what is not in the row yet is covered by no other race.
            for earlier in histories.conflicting(&touches) {
                if bits::contains(&row, earlier as usize) {
                    continue;
                }
                bits::union(&mut row, sequence.before(earlier as usize));
                bits::insert(&mut row, earlier as usize);
                let second = Second::Event(position as u32);
                sequence.races.push(Race { first: earlier, others: Vec::new(), second });
            }
            for &event in &happened.vanished {
                let second = Second::Missed { event, past: Vec::new() };
                sequence.races.push(Race { first: position as u32, others: Vec::new(), second });
            }
            histories.add(position as u32, &touches);
            sequence.push(happened.event, &row, touches, happened.appeared, happened.vanished);
        }
        sequence
    }
}

/// For each location, the last write and the reads since.
#[derive(Default)]
struct Histories(FxHashMap<u32, Vec<(u32, Mode)>>);

impl Histories {
    /// The events that conflict with one of these touches and that no other event of the same location covers; the latest first.
    fn conflicting(&self, touches: &[Touch]) -> Vec<u32> {
        let mut events = Vec::new();
        for touch in touches {
            let history = self.0.get(&touch.slot).map_or(&[][..], |history| history);
            let conflicting = history.iter().filter(|(_, mode)| mode.conflicts(touch.mode));
            events.extend(conflicting.map(|&(event, _)| event));
        }
        events.sort_unstable_by_key(|&event| Reverse(event));
        events.dedup();
        events
    }

    fn add(&mut self, position: u32, touches: &[Touch]) {
        for touch in touches {
            let history = self.0.entry(touch.slot).or_default();
            if touch.mode == Mode::Write {
                history.clear();
            }
            history.push((position, touch.mode));
        }
    }
}
