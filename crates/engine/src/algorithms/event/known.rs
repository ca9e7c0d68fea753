//! Traces that have been found, and what they contain: a reversal that a known trace contains need not be performed.
//!
//! Each trace is kept by its name. Names say what an event is with all its past, so a trace contains a reversal exactly if the names of its latest
//! events ([`Race::frontier`]) are among those of the trace. Traces that are found one after the other share most of their events, so the traces
//! that an event is in are a few runs of consecutive ones: to keep these costs memory only for what is new in a trace.
//!
//! [`Race::frontier`]: super::reverse_race::Race::frontier

use crate::fingerprint::Fingerprint;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::{iter, slice};

/// A chapter has at most so many places for events, three megabytes, unless a trace alone needs more. Two chapters hold nearly all that
/// explorations of some hundred thousand traces look up again.
const MOST_PLACES: usize = 1 << 17;

/// Or when the lists of runs take so many bytes.
const MOST_LISTED: usize = 4 << 20;

/// What a list takes beside its runs.
const BYTES_OF_LIST: usize = size_of::<Vec<Run>>();

/// The tag of a free place.
const FREE: u8 = 0;

/// A list has room for so many runs when it is used again, or at first.
const SHORT_LIST: usize = 4;

/// A chapter begins with so many places.
const FEWEST_PLACES: usize = 1 << 11;

/// When there are too few places, there are so many times as many then: to move the events costs more than places that stay free.
const GROWTH: usize = 4;

/// The traces that have been found.
#[derive(Default, Debug)]
pub struct Known {
    /// The names of all of them.
    names: FxHashSet<Fingerprint>,
    /// What the latest of them contain, and those before these. Older ones are known by their names only: what they contain may be
    /// performed again, and is recognised at its end.
    latest: Chapter,
    earlier: Chapter,
    /// The events of the trace that was found last, in their order, as far as their runs go on: each with the first trace of its run.
    open: Vec<(Fingerprint, u32)>,
}

/// What some consecutive traces contain, in runs that have ended.
#[derive(Debug)]
struct Chapter {
    /// For each place, a few bits of the name of its event; nothing if it is free. They are small enough to stay close to the processor, and say
    /// nearly always which place is the right one, or that there is none.
    tags: Vec<u8>,
    /// The events, each at the first free place from where its name says.
    places: Vec<Place>,
    /// How many events there are.
    events: usize,
    /// The lists of those that are in several runs of traces; how many are in use, and how many runs are in them.
    lists: Vec<Vec<Run>>,
    used: usize,
    listed: usize,
    /// How many traces there are.
    traces: u32,
}

/// An event, and the traces that hold it: mostly one run.
#[derive(Clone, Copy, Default, Debug)]
struct Place {
    event: Fingerprint,
    /// A run, or if its end is [`LIST`], the number of a list of runs.
    holders: Run,
}

/// Traces that follow each other: the first of them, and the one behind the last.
type Run = (u32, u32);

/// In place of the end of a run: there is a list.
const LIST: u32 = u32::MAX;

impl Known {
    /// A trace with these events has been found. Says whether it is new.
    pub fn insert(&mut self, name: Fingerprint, events: &[Fingerprint]) -> bool {
        let is_new = self.names.insert(name);
        if is_new {
            let is_shared = |(open, event): &(&(Fingerprint, u32), &Fingerprint)| open.0 == **event;
            let shared = self.open.iter().zip(events).take_while(is_shared).count();
            self.close_from(shared);
            if self.latest.is_full(events.len()) {
                self.begin_chapter();
            }
            let (first, known) = (self.latest.traces, self.open.len());
            self.open.extend(events[known..].iter().map(|&event| (event, first)));
            self.latest.traces += 1;
        }
        is_new
    }

    /// The next trace shares so many of the first events with the one that was found last. The runs of the others end, unless it has them too.
    pub fn close_from(&mut self, shared: usize) {
        let closed = self.open.len().saturating_sub(shared);
        self.latest.make_room(closed);
        for (event, first) in self.open.drain(self.open.len() - closed..) {
            self.latest.hold(event, first);
        }
    }

    /// Does a trace contain all these events, and so their pasts? They are some by name, at least one, and some of the trace that was found last,
    /// by their positions. (What is asked for by name is not found where its run goes on: see [`Known::close_from`].)
    pub fn contains(&self, names: &[Fingerprint], open: &[u32]) -> bool {
        let closed = names.iter().map(|&event| (event, u32::MAX));
        let open = open.iter().map(|&event| self.open[event as usize]);
        let without_run = open.clone().map(|(event, _)| (event, u32::MAX));
        self.latest.hold_all(closed.clone(), open)
            || self.earlier.hold_all(closed.chain(without_run), iter::empty())
    }

    /// The earlier chapter is forgotten; its memory is used again.
    fn begin_chapter(&mut self) {
        self.close_from(0);
        std::mem::swap(&mut self.earlier, &mut self.latest);
        self.latest.clear();
    }
}

impl Default for Chapter {
    fn default() -> Self {
        Chapter {
            tags: vec![FREE; FEWEST_PLACES],
            places: vec![Place::default(); FEWEST_PLACES],
            events: 0,
            lists: Vec::new(),
            used: 0,
            listed: 0,
            traces: 0,
        }
    }
}

impl Chapter {
    /// Has it no room for so many events whose runs go on? It holds at least as many others, so that to begin another one costs little for each.
    fn is_full(&self, open: usize) -> bool {
        let lists = self.used * BYTES_OF_LIST + self.listed * size_of::<Run>();
        let is_worth_it = self.events >= open;
        is_worth_it && places_for(self.events + open) > MOST_PLACES || lists > MOST_LISTED
    }

    fn clear(&mut self) {
        self.tags.fill(FREE);
        for list in &mut self.lists {
            list.clear();
            list.shrink_to(SHORT_LIST);
        }
        (self.events, self.used, self.listed, self.traces) = (0, 0, 0, 0);
    }

    /// Where an event is, or where it would be.
    #[inline]
    fn place_of(&self, event: Fingerprint) -> usize {
        let count = self.tags.len();
        let (tag, mut place) = (tag_of(event), event.place(count));
        while self.tags[place] != FREE
            && (self.tags[place] != tag || self.places[place].event != event)
        {
            place = (place + 1) & (count - 1);
        }
        place
    }

    /// Sees to it that so many more events have places.
    fn make_room(&mut self, events: usize) {
        let needed = places_for(self.events + events);
        if needed <= self.places.len() {
            return;
        }
        let count = needed.max(GROWTH * self.places.len());
        let tags = std::mem::replace(&mut self.tags, vec![FREE; count]);
        let places = std::mem::replace(&mut self.places, vec![Place::default(); count]);
        for (tag, it) in tags.into_iter().zip(places).filter(|(tag, _)| *tag != FREE) {
            let place = self.place_of(it.event);
            (self.tags[place], self.places[place]) = (tag, it);
        }
    }

    /// The traces from `first` on have this event, the next one perhaps not.
    fn hold(&mut self, event: Fingerprint, first: u32) {
        let run = (first, self.traces);
        let at = self.place_of(event);
        let place = &mut self.places[at];
        if self.tags[at] == FREE {
            self.tags[at] = tag_of(event);
            *place = Place { event, holders: run };
            self.events += 1;
            return;
        }
        let latest = place.last_run(&mut self.lists);
        if latest.1 == first {
            latest.1 = run.1;
            return;
        }
        if place.holders.1 == LIST {
            self.lists[place.holders.0 as usize].push(run);
        } else {
            self.listed += 1;
            if self.used == self.lists.len() {
                self.lists.push(Vec::with_capacity(SHORT_LIST));
            }
            self.lists[self.used].extend([place.holders, run]);
            place.holders = (self.used as u32, LIST);
            self.used += 1;
        }
        self.listed += 1;
    }

    /// Does one trace have all these events? They come with the first trace of a run that goes on; of the first ones, none does.
    fn hold_all(
        &self,
        closed: impl Iterator<Item = (Fingerprint, u32)>,
        open: impl Iterator<Item = (Fingerprint, u32)>,
    ) -> bool {
        let mut all: SmallVec<[Holders<'_>; 8]> = SmallVec::new();
        for (event, since) in closed {
            let runs = self.runs_of(event);
            if runs.is_empty() {
                return false;
            }
            all.push(Holders { event, since, runs: Some(runs) });
        }
        // Who is in few traces decides soonest.
        all.sort_unstable_by_key(|holders| holders.runs.map_or(0, <[Run]>::len));
        all.extend(open.map(|(event, since)| Holders { event, since, runs: None }));
        // The latest trace that may have all of them.
        let mut trace = self.traces - 1;
        'candidates: loop {
            for holders in &mut all {
                let Some(latest) = holders.latest_until(trace, self) else { return false };
                if latest < trace {
                    trace = latest;
                    continue 'candidates;
                }
            }
            return true;
        }
    }

    /// The runs of an event that have ended.
    fn runs_of(&self, event: Fingerprint) -> &[Run] {
        let place = self.place_of(event);
        if self.tags[place] == FREE { &[] } else { self.places[place].runs(&self.lists) }
    }
}

/// The traces that hold an event.
struct Holders<'c> {
    event: Fingerprint,
    /// All from this one on.
    since: u32,
    /// Those of runs that have ended, as far as they may still be asked for. Nothing if that has not been looked up: it is seldom needed.
    runs: Option<&'c [Run]>,
}

impl<'c> Holders<'c> {
    /// The latest of them up to a trace.
    fn latest_until(&mut self, trace: u32, chapter: &'c Chapter) -> Option<u32> {
        if self.since <= trace {
            return Some(trace);
        }
        let runs = self.runs.get_or_insert_with(|| chapter.runs_of(self.event));
        *runs = &runs[..runs.len() - begun_behind(runs, trace)];
        runs.last().map(|&(_, end)| trace.min(end - 1))
    }
}

/// The tag of an event.
#[inline]
fn tag_of(event: Fingerprint) -> u8 {
    (event.tag() as u8).max(FREE + 1)
}

/// How many places so many events need: a quarter stays free.
fn places_for(events: usize) -> usize {
    (events * 4 / 3 + 1).next_power_of_two()
}

/// How many of the runs begin behind a trace. Mostly it is one of the last of them that does not, so steps are small at first.
fn begun_behind(runs: &[Run], trace: u32) -> usize {
    let count = runs.len();
    let has_begun = |run: &Run| run.0 <= trace;
    let mut step = 1;
    while step <= count && !has_begun(&runs[count - step]) {
        step *= 2;
    }
    let (known, most) = (step / 2, count.min(step));
    most - known - runs[count - most..count - known].partition_point(has_begun) + known
}

impl Place {
    fn runs<'l>(&'l self, lists: &'l [Vec<Run>]) -> &'l [Run] {
        match self.holders {
            (list, LIST) => &lists[list as usize],
            _ => slice::from_ref(&self.holders),
        }
    }

    fn last_run<'l>(&'l mut self, lists: &'l mut [Vec<Run>]) -> &'l mut Run {
        match self.holders {
            (list, LIST) => lists[list as usize].last_mut().expect("no list is empty"),
            _ => &mut self.holders,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TaskId;
    use crate::rng::Rng;

    fn name(event: u32) -> Fingerprint {
        Fingerprint::of_event(TaskId(event), 1, 0).mixed()
    }

    fn names(events: &[u32]) -> Vec<Fingerprint> {
        events.iter().map(|&event| name(event)).collect()
    }

    /// Says whether it is new.
    fn insert(known: &mut Known, events: &[u32]) -> bool {
        let names = names(events);
        known.insert(names.iter().copied().fold(Fingerprint::default(), Fingerprint::and), &names)
    }

    #[test]
    fn a_trace_is_new_once() {
        let mut known = Known::default();
        assert!(insert(&mut known, &[1, 2]) && insert(&mut known, &[1, 3]));
        assert!(!insert(&mut known, &[2, 1]));
    }

    #[test]
    fn all_events_must_be_in_one_trace() {
        let mut random = Rng::new(1);
        let mut known = Known::default();
        let mut traces: Vec<Vec<u32>> = Vec::new();
        for _ in 0..200 {
            let trace: Vec<u32> = (0..12).filter(|_| random.below(3) > 0).collect();
            insert(&mut known, &trace);
            traces.push(trace);
            for _ in 0..20 {
                let asked: Vec<u32> = (0..12).filter(|_| random.below(2) > 0).collect();
                let is_in = |trace: &Vec<u32>| asked.iter().all(|event| trace.contains(event));
                let shared = random.below(13) as usize;
                known.close_from(shared);
                let open = |event: &&u32| known.open.iter().position(|it| it.0 == name(**event));
                let positions = asked.iter().filter_map(|event| open(&event));
                let positions: Vec<u32> = positions.map(|position| position as u32).collect();
                let closed = asked.iter().filter(|event| open(event).is_none());
                let closed: Vec<Fingerprint> = closed.map(|&event| name(event)).collect();
                if !closed.is_empty() {
                    let contains = known.contains(&closed, &positions);
                    assert_eq!(contains, traces.iter().any(is_in), "{asked:?}");
                }
            }
        }
    }

    #[test]
    fn what_the_oldest_contain_is_forgotten_but_not_that_they_are_known() {
        let mut known = Known::default();
        let in_a_chapter = MOST_PLACES as u32 * 3 / 4;
        for event in 0..3 * in_a_chapter {
            insert(&mut known, &[u32::MAX, event]);
        }
        known.close_from(0);
        let latest = 3 * in_a_chapter - 1;
        let contains = |events: &[u32]| known.contains(&names(events), &[]);
        assert!(contains(&[u32::MAX, latest]) && !contains(&[0]));
        assert!(contains(&[latest - in_a_chapter]));
        assert!(!insert(&mut known, &[u32::MAX, 0]));
    }
}
