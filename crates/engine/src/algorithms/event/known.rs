//! Traces that have been found, and what they contain: a reversal that a known trace contains need not be performed.
//!
//! Each trace is kept by its name. Names say what an event is with all its past, so a trace contains a reversal exactly if the names of its latest
//! events ([`Race::frontier`]) are among those of the trace. Traces that are found one after the other share most of their events, so the traces
//! that an event is in are a few runs of consecutive ones: to keep these costs memory only for what is new in a trace.
//!
//! [`Race::frontier`]: super::reverse_race::Race::frontier

use crate::fingerprint::Fingerprint;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::slice;

/// A chapter is full when it takes so many bytes, free room aside: a hundred thousand events. Two chapters hold nearly all that
/// explorations of some hundred thousand traces look up again.
const CHAPTER: usize = 4 << 20;

/// What an event takes in a chapter.
const BYTES_OF_EVENT: usize = size_of::<(Fingerprint, u32)>() + size_of::<Holders>();

/// What a list takes, with room for a few runs.
const BYTES_OF_LIST: usize = size_of::<Vec<Run>>() + 4 * size_of::<Run>();

/// The traces that have been found.
#[derive(Default, Debug)]
pub struct Known {
    /// The names of all of them.
    names: FxHashSet<Fingerprint>,
    /// What the latest of them contain, and those before these. Older ones are known by their names only: what they contain may be
    /// performed again, and is recognised at its end.
    latest: Chapter,
    earlier: Chapter,
    /// The events of the trace that was found last, if it is in the latest chapter, and their places there.
    open: Vec<(Fingerprint, u32)>,
}

/// What some consecutive traces contain.
#[derive(Default, Debug)]
struct Chapter {
    /// The place of each event among the holders.
    places: FxHashMap<Fingerprint, u32>,
    /// In which traces the events are.
    holders: Vec<Holders>,
    /// The lists of those that are in several runs of traces, and how many runs are in them beside the first ones.
    lists: Vec<Vec<Run>>,
    listed: usize,
    /// How many traces there are.
    traces: u32,
}

/// Traces that follow each other: the first of them, and the one behind the last.
type Run = (u32, u32);

/// The traces that hold an event. Most events are in one run of traces.
#[derive(Clone, Copy, Debug)]
enum Holders {
    Run(Run),
    /// This list of them, in their order.
    List(u32),
}

/// The end of a run that goes on.
const OPEN: u32 = u32::MAX;

impl Known {
    /// A trace with these events has been found. Says whether it is new.
    pub fn insert(&mut self, name: Fingerprint, events: &[Fingerprint]) -> bool {
        let is_new = self.names.insert(name);
        if is_new {
            if self.latest.is_full() {
                self.begin_chapter();
            }
            let is_shared = |(open, event): &(&(Fingerprint, u32), &Fingerprint)| open.0 == **event;
            let shared = self.open.iter().zip(events).take_while(is_shared).count();
            self.latest.close(self.open.drain(shared..).map(|(_, place)| place));
            let places = events[shared..].iter().map(|&event| (event, self.latest.hold(event)));
            self.open.extend(places);
            self.latest.traces += 1;
        }
        is_new
    }

    /// Does a trace contain all these events, and so their pasts?
    pub fn contains(&self, events: &[Fingerprint]) -> bool {
        self.latest.contains(events) || self.earlier.contains(events)
    }

    /// The earlier chapter is forgotten; its memory is used again.
    fn begin_chapter(&mut self) {
        std::mem::swap(&mut self.earlier, &mut self.latest);
        self.latest.clear();
        self.open.clear();
    }
}

impl Chapter {
    fn is_full(&self) -> bool {
        let events = self.holders.len() * BYTES_OF_EVENT;
        let lists = self.lists.len() * BYTES_OF_LIST + self.listed * size_of::<Run>();
        events + lists > CHAPTER
    }

    fn clear(&mut self) {
        self.places.clear();
        self.holders.clear();
        self.lists.clear();
        (self.listed, self.traces) = (0, 0);
    }

    /// The next trace does not have the events of these places.
    fn close(&mut self, places: impl Iterator<Item = u32>) {
        for place in places {
            self.holders[place as usize].last(&mut self.lists).1 = self.traces;
        }
    }

    /// The next trace has this event. Answers with its place.
    fn hold(&mut self, event: Fingerprint) -> u32 {
        let own = (self.traces, OPEN);
        let new = self.holders.len() as u32;
        let place = *self.places.entry(event).or_insert(new);
        if place == new {
            self.holders.push(Holders::Run(own));
            return place;
        }
        let holders = &mut self.holders[place as usize];
        let latest = holders.last(&mut self.lists);
        if latest.1 == self.traces {
            latest.1 = OPEN;
            return place;
        }
        match *holders {
            Holders::List(at) => self.lists[at as usize].push(own),
            Holders::Run(run) => {
                *holders = Holders::List(self.lists.len() as u32);
                self.lists.push(vec![run, own]);
            }
        }
        self.listed += 1;
        place
    }

    fn contains(&self, events: &[Fingerprint]) -> bool {
        let mut all: SmallVec<[&[Run]; 8]> = SmallVec::new();
        for event in events {
            let Some(&place) = self.places.get(event) else { return false };
            all.push(self.holders[place as usize].runs(&self.lists));
        }
        // Who is in few traces decides soonest.
        all.sort_unstable_by_key(|runs| runs.len());
        // The first trace that may have all of them.
        let mut trace = 0;
        'candidates: while trace < self.traces {
            for runs in &mut all {
                *runs = &runs[ended_before(runs, trace)..];
                let Some(&(first, _)) = runs.first() else { return false };
                if first > trace {
                    trace = first;
                    continue 'candidates;
                }
            }
            return true;
        }
        false
    }
}

/// How many of the runs end before a trace. Mostly it is one of the first of them that does not, so steps are small at first.
fn ended_before(runs: &[Run], trace: u32) -> usize {
    let has_ended = |run: &Run| run.1 <= trace;
    let mut step = 1;
    while runs.get(step - 1).is_some_and(has_ended) {
        step *= 2;
    }
    let known = step / 2;
    known + runs[known..runs.len().min(step)].partition_point(has_ended)
}

impl Holders {
    fn runs<'l>(&'l self, lists: &'l [Vec<Run>]) -> &'l [Run] {
        match self {
            Holders::Run(run) => slice::from_ref(run),
            Holders::List(at) => &lists[*at as usize],
        }
    }

    fn last<'l>(&'l mut self, lists: &'l mut [Vec<Run>]) -> &'l mut Run {
        match self {
            Holders::Run(run) => run,
            Holders::List(at) => lists[*at as usize].last_mut().expect("no list is empty"),
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
                assert_eq!(known.contains(&names(&asked)), traces.iter().any(is_in), "{asked:?}");
            }
        }
    }

    #[test]
    fn what_the_oldest_contain_is_forgotten_but_not_that_they_are_known() {
        let mut known = Known::default();
        let in_a_chapter = (CHAPTER / BYTES_OF_EVENT) as u32;
        for event in 0..3 * in_a_chapter {
            insert(&mut known, &[u32::MAX, event]);
        }
        let latest = 3 * in_a_chapter - 1;
        assert!(known.contains(&names(&[u32::MAX, latest])) && !known.contains(&names(&[0])));
        assert!(known.contains(&names(&[latest - in_a_chapter])));
        assert!(!insert(&mut known, &[u32::MAX, 0]));
    }
}
