//! What traces contain that are found one after the other: does one of them have all of these events?
//!
//! Events are told by their names, which hold across executions. Traces that follow each other share most of their events, so the traces that an
//! event is in are a few runs of consecutive ones: to keep these costs memory only for what is new in a trace.

use crate::fingerprint::Fingerprint;
use smallvec::SmallVec;
use std::slice;

/// A chapter has at most so many places for events, three megabytes, unless a trace alone needs more. Two chapters hold nearly all that
/// explorations of some hundred thousand traces look up again.
pub const MOST_PLACES: usize = 1 << 17;

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

/// What some consecutive traces contain, in runs that have ended.
#[derive(Debug)]
pub struct Chapter {
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
    pub fn is_full(&self, open: usize) -> bool {
        let lists = self.used * BYTES_OF_LIST + self.listed * size_of::<Run>();
        let is_worth_it = self.events >= open;
        is_worth_it && places_for(self.events + open) > MOST_PLACES || lists > MOST_LISTED
    }

    /// Forgets everything, but not its memory.
    pub fn clear(&mut self) {
        self.tags.fill(FREE);
        for list in &mut self.lists {
            list.clear();
            list.shrink_to(SHORT_LIST);
        }
        (self.events, self.used, self.listed, self.traces) = (0, 0, 0, 0);
    }

    /// Another trace follows. This is its number.
    pub fn begin_trace(&mut self) -> u32 {
        self.traces += 1;
        self.traces - 1
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
    pub fn make_room(&mut self, events: usize) {
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
    pub fn hold(&mut self, event: Fingerprint, first: u32) {
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
    pub fn hold_all(
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
        // They are asked in turn until all agree on one.
        let (mut at, mut agreed) = (0, 0);
        while agreed < all.len() {
            let Some(latest) = all[at].latest_until(trace, self) else { return false };
            agreed = if latest < trace { 1 } else { agreed + 1 };
            trace = latest;
            at = if at + 1 == all.len() { 0 } else { at + 1 };
        }
        true
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
