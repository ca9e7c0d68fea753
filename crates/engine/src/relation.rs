//! Happens-before of a whole sequence of events, computed at once, for relations that cannot be kept while the
//! sequence grows.
//!
//! With observers (Aronis, Jonsson, Lång, Sagonas, "Optimal dynamic partial order reduction with observers", TACAS
//! 2018) two writes of a variable are ordered only if what the second one wrote is read, so appending a read can add
//! order among events that are long past. Exactly:
//!
//! * program order, creation, joins, gates and locks as ever;
//! * a write before a later read, and a read before a later write, of the same variable;
//! * two writes, neither of which reads the variable, only if a later event reads what the second one wrote. A value
//!   that is overwritten unread orders nothing. What reads and writes in one event is ordered with every write.
//!
//! Cost: for every event the accesses of the same slot since the last one that comes behind all older ones, and a few
//! word operations for each of these. (Of accesses in a row that follow none of each other, each skips the others.)

use crate::bits;
use crate::operation::Mode;
use crate::pace::Pace;
use crate::touch::{NO_OWNER, Touch};
use crate::watch::Watch;
use smallvec::SmallVec;

/// Which orders of accesses are part of a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// All that conflict.
    Conflicts,
    /// All that conflict, but of writes only those that are observed.
    Observers,
    /// All that conflict, but of writes none. Together with who reads what whom wrote it says the same as
    /// [`Order::Observers`], and it never grows when events are appended.
    Reads,
}

impl Order {
    /// Does the order of two events matter whoever comes later? Two blind writes do not conflict for observers, as long as
    /// nobody reads what they wrote.
    pub fn conflict(self, first: &[Touch], second: &[Touch]) -> bool {
        first.iter().any(|&a| second.iter().any(|&b| self.touches_conflict(a, b)))
    }

    fn touches_conflict(self, a: Touch, b: Touch) -> bool {
        a.conflicts(b) && (self == Order::Conflicts || !(a.writes_blindly() && b.writes_blindly()))
    }
}

/// The accesses of one slot, oldest first, one for each event (more for locks).
type History = Vec<(u32, Touch)>;

/// A relation over the events of a sequence, by their positions.
#[derive(Clone, Default, Debug)]
pub struct Relation {
    words: usize,
    rows: Vec<u64>,
    histories: Vec<History>,
    /// The slots whose histories are not empty.
    slots: Vec<u32>,
    /// Pairs of conflicting events with nothing between them, in the order of the second ones.
    neighbours: Vec<(u32, u32)>,
    /// Where the accesses of an event stand in the histories of their slots.
    places: Vec<Place>,
    place_ends: Vec<u32>,
    /// Scratch: what has been seen of each history, up to the event at hand.
    seen: Vec<Seen>,
    /// Scratch: what the event at hand follows.
    predecessors: Vec<u32>,
}

/// An access in the history of a slot.
#[derive(Clone, Copy, Debug)]
struct Place {
    slot: u32,
    place: u32,
    /// The last event before it that writes the slot.
    last_write: Option<u32>,
}

/// The beginning of a history.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    /// From this place on all accesses are of the same kind.
    run: usize,
    /// The last event that writes.
    last_write: Option<u32>,
}

impl Relation {
    /// Computes the relation of a sequence. `touches(i)` is what event `i` touches, `past(i)` the events that it
    /// follows whatever the schedule, `final_reads` the slots that are read behind everything. Says whether it came to its end before the
    /// time was up: otherwise there is no relation.
    #[must_use]
    pub fn compute<'e, Past: AsRef<[u32]>>(
        &mut self,
        order: Order,
        count: usize,
        touches: impl Fn(usize) -> &'e [Touch],
        past: impl Fn(usize) -> Past,
        final_reads: &[u32],
        watch: &Watch,
    ) -> bool {
        self.clear(count);
        let mut pace = Pace::new(watch);
        for event in 0..count {
            for &touch in touches(event) {
                self.remember(event as u32, touch);
            }
            self.place_ends.push(self.places.len() as u32);
            if pace.is_up_after(touches(event).len()) {
                return false;
            }
        }
        let mut from = 0;
        for event in 0..count {
            let to = self.place_ends[event] as usize;
            self.predecessors.clear();
            let mut work = 0;
            for at in from..to {
                work += self.follow_access(order, at, final_reads);
            }
            if to - from > 1 {
                self.predecessors.sort_unstable_by(|a, b| b.cmp(a));
            }
            work += self.close(event, past(event).as_ref());
            if pace.is_up_after(work) {
                return false;
            }
            from = to;
        }
        true
    }

    /// Finds what the access at `at` must come after. Says how many others were looked at.
    fn follow_access(&mut self, order: Order, at: usize, final_reads: &[u32]) -> usize {
        let Place { slot, place, .. } = self.places[at];
        let history = &self.histories[slot as usize];
        let seen = &mut self.seen[slot as usize];
        let is_final = final_reads.contains(&slot);
        self.places[at].last_write = seen.last_write;
        let place = place as usize;
        let looked_at =
            predecessors(order, history, (place, seen.run), is_final, &mut self.predecessors);
        let (event, touch) = history[place];
        if place == 0 || history[place - 1].1.mode != touch.mode {
            seen.run = place;
        }
        if touch.writes() {
            seen.last_write = Some(event);
        }
        looked_at
    }

    fn clear(&mut self, count: usize) {
        self.words = count.div_ceil(64).max(1);
        self.rows.clear();
        self.rows.reserve_exact(count * self.words);
        for slot in self.slots.drain(..) {
            self.histories[slot as usize].clear();
            self.seen[slot as usize] = Seen::default();
        }
        self.neighbours.clear();
        self.places.clear();
        self.place_ends.clear();
    }

    fn remember(&mut self, event: u32, touch: Touch) {
        let slot = touch.slot as usize;
        if self.histories.len() <= slot {
            self.histories.resize(slot + 1, Vec::new());
            self.seen.resize(slot + 1, Seen::default());
        }
        let history = &mut self.histories[slot];
        if history.is_empty() {
            self.slots.push(touch.slot);
        }
        if let Some((last, known)) = history.last_mut()
            && *last == event
            && let Some(mode) = merged(known.mode, touch.mode)
        {
            known.mode = mode;
            return;
        }
        let place = history.len() as u32;
        self.places.push(Place { slot: touch.slot, place, last_write: None });
        history.push((event, touch));
    }

    /// Makes the row of an event. With the latest predecessors first, what is not in the row yet has nothing between. Says how many
    /// words that took.
    fn close(&mut self, event: usize, past: &[u32]) -> usize {
        let (words, before) = (self.words, self.neighbours.len());
        self.rows.resize((event + 1) * words, 0);
        let (earlier, row) = self.rows.split_at_mut(event * words);
        let mut follow = |first: usize| {
            let is_new = !bits::contains(row, first);
            if is_new {
                bits::union(row, &earlier[first * words..(first + 1) * words]);
                bits::insert(row, first);
            }
            is_new
        };
        past.iter().for_each(|&first| {
            follow(first as usize);
        });
        for &first in &self.predecessors {
            if first as usize != event && follow(first as usize) {
                self.neighbours.push((first, event as u32));
            }
        }
        words * (1 + past.len() + self.neighbours.len() - before) + self.predecessors.len()
    }

    /// Words in a row.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The events that happen before `event`.
    pub fn before(&self, event: usize) -> &[u64] {
        &self.rows[event * self.words..(event + 1) * self.words]
    }

    /// Does `first` happen before `second`?
    pub fn happens_before(&self, first: usize, second: usize) -> bool {
        bits::contains(self.before(second), first)
    }

    /// The accesses of what `slot` stands for.
    pub fn history(&self, slot: u32) -> &[(u32, Touch)] {
        self.histories.get(slot as usize).map_or(&[], |history| history)
    }

    /// Pairs of conflicting events with nothing between them, in the order of the second ones.
    pub fn neighbours(&self) -> &[(u32, u32)] {
        &self.neighbours
    }

    /// The slots that an event reads, and for each the event that wrote what it reads; `None`: nobody did.
    pub fn sources(&self, event: usize) -> SmallVec<[(u32, Option<usize>); 2]> {
        let from = event.checked_sub(1).map_or(0, |before| self.place_ends[before] as usize);
        let own = &self.places[from..self.place_ends[event] as usize];
        let read = own.iter().filter(|&&Place { slot, place, .. }| {
            let mode = self.history(slot)[place as usize].1.mode;
            matches!(mode, Mode::Read | Mode::Update)
        });
        read.map(|it| (it.slot, it.last_write.map(|event| event as usize))).collect()
    }

    /// The last event that writes a slot.
    pub fn last_writer(&self, slot: u32) -> Option<usize> {
        let seen = self.seen.get(slot as usize)?;
        seen.last_write.map(|event| event as usize)
    }

    /// The events that write a slot.
    pub fn writers(&self, slot: u32) -> impl Iterator<Item = usize> + '_ {
        let writes = self.history(slot).iter().filter(|(_, touch)| touch.writes());
        writes.map(|&(event, _)| event as usize)
    }

    /// The events that read what event `second`, a write, wrote to a slot.
    pub fn readers(&self, second: usize, slot: u32) -> SmallVec<[usize; 4]> {
        let history = self.history(slot);
        let behind = history.partition_point(|&(event, _)| event as usize <= second);
        let mut readers = SmallVec::new();
        for &(event, touch) in &history[behind..] {
            if touch.mode != Mode::Write {
                readers.push(event as usize);
            }
            if touch.mode != Mode::Read {
                break;
            }
        }
        readers
    }
}

/// Two accesses of a variable in one event as one: what an event wrote itself before it read it was not read from outside.
pub fn merged(first: Mode, second: Mode) -> Option<Mode> {
    match (first, second) {
        (Mode::Read, Mode::Read) => Some(Mode::Read),
        (Mode::Write, Mode::Read | Mode::Write | Mode::Update) => Some(Mode::Write),
        (Mode::Read, Mode::Write | Mode::Update)
        | (Mode::Update, Mode::Read | Mode::Write | Mode::Update) => Some(Mode::Update),
        _ => None,
    }
}

/// Appends the events that the access at `place` of a history must come after, the latest first. Those that come before
/// another one of these anyway may be left out. From `run` on the accesses before it are of the same kind. Says how many were looked at.
fn predecessors(
    order: Order,
    history: &[(u32, Touch)],
    (place, run): (usize, usize),
    is_read_finally: bool,
    into: &mut Vec<u32>,
) -> usize {
    let touch = history[place].1;
    let is_of_run = place > run && history[place - 1].1.mode == touch.mode;
    let is_plain = |touch: Touch| matches!(touch.mode, Mode::Read | Mode::Write | Mode::Update);
    if order == Order::Conflicts || !touch.is_of_object() || !is_plain(touch) {
        let until = if touch.mode == Mode::Read && is_of_run { run } else { place };
        for (at, &(event, earlier)) in history[..until].iter().enumerate().rev() {
            if earlier.conflicts(touch) {
                into.push(event);
                if touch.owner == NO_OWNER && earlier.conflicts_with_all() {
                    return until - at;
                }
            }
        }
        return until;
    }
    // Does somebody read what the access at `at` wrote?
    let is_observed = |at: usize| {
        order == Order::Observers
            && history.get(at + 1).map_or(is_read_finally, |&(_, next)| next.mode != Mode::Write)
    };
    let is_ordered_with_writes = touch.mode != Mode::Write || is_observed(place);
    // Reads do not follow each other, nor does a write that is not read follow writes, none of which is read then.
    let skips_run = touch.mode == Mode::Read || !is_ordered_with_writes;
    let until = if skips_run && is_of_run { run } else { place };
    for at in (0..until).rev() {
        let (event, earlier) = history[at];
        let follows = match earlier.mode {
            Mode::Read => touch.mode != Mode::Read,
            Mode::Write => is_ordered_with_writes,
            _ => true,
        };
        if follows {
            into.push(event);
        }
        // What comes behind all older ones: an update, and a write that is read (this access or one before it is behind
        // its readers).
        let is_barrier = match earlier.mode {
            Mode::Read => false,
            Mode::Write => is_observed(at),
            Mode::Update => true,
            _ => false,
        };
        if is_barrier {
            return until - at;
        }
    }
    until
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: u32 = 0;

    fn relation(order: Order, modes: &[Mode], final_reads: &[u32]) -> Vec<(u32, u32)> {
        let touches: Vec<Touch> =
            modes.iter().map(|&mode| Touch { slot: X, mode, owner: NO_OWNER }).collect();
        let mut relation = Relation::default();
        let touch = |event: usize| std::slice::from_ref(&touches[event]);
        let no_past = |_| [0_u32; 0];
        let watch = Watch::default();
        assert!(relation.compute(order, modes.len(), touch, no_past, final_reads, &watch));
        let pairs = (0..modes.len() as u32).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs.filter(|&(a, b)| relation.happens_before(a as usize, b as usize)).collect()
    }

    #[test]
    fn a_value_that_is_overwritten_unread_orders_nothing() {
        use Mode::{Read, Write};
        let modes = [Write, Write, Write, Read];
        assert_eq!(
            relation(Order::Observers, &modes, &[]),
            [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
        );
    }

    #[test]
    fn writes_that_nobody_reads_are_not_ordered() {
        assert_eq!(relation(Order::Observers, &[Mode::Write, Mode::Write], &[]), []);
        assert_eq!(relation(Order::Observers, &[Mode::Write, Mode::Write], &[X]), [(0, 1)]);
        assert_eq!(relation(Order::Conflicts, &[Mode::Write, Mode::Write], &[]), [(0, 1)]);
    }

    #[test]
    fn updates_are_ordered_with_every_write() {
        let modes = [Mode::Write, Mode::Update, Mode::Write];
        assert_eq!(relation(Order::Observers, &modes, &[]), [(0, 1), (0, 2), (1, 2)]);
    }
}
