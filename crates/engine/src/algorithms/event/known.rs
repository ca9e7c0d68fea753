//! Traces that have been found, and what they contain: a reversal that a known trace contains need not be performed.
//!
//! Each trace is kept by its name. Names say what an event is with all its past, so a trace contains a reversal exactly if the names of its latest
//! events ([`Race::frontier`]) are among those of the trace. The latest traces fill two chapters ([`Chapter`]), which hold nearly all that explorations of
//! some hundred thousand traces look up again.
//!
//! [`Race::frontier`]: super::reverse_race::Race::frontier

use crate::chapter::Chapter;
use crate::fingerprint::Fingerprint;
use crate::fingerprint_set::FingerprintSet;
use std::iter;

/// The traces that have been found.
#[derive(Default, Debug)]
pub struct Known {
    /// The names of all of them.
    names: FingerprintSet,
    /// What the latest of them contain, and those before these. Older ones are known by their names only: what they contain may be
    /// performed again, and is recognised at its end.
    latest: Chapter,
    earlier: Chapter,
    /// The events of the trace that was found last, in their order, as far as their runs go on: each with the first trace of its run.
    open: Vec<(Fingerprint, u32)>,
}

impl Known {
    /// A trace with these events has been found. Says whether it is new. It shares the first events with the one that was found last, as far as
    /// their runs go on ([`Known::close_from`]).
    pub fn insert(&mut self, name: Fingerprint, events: &[Fingerprint]) -> bool {
        let is_new = self.names.insert(name);
        if is_new {
            if self.latest.is_full(events.len()) {
                self.begin_chapter();
            }
            let (first, known) = (self.latest.begin_trace(), self.open.len());
            self.open.extend(events[known..].iter().map(|&event| (event, first)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chapter::MOST_PLACES;
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
        let is_open = |(open, name): &(&(Fingerprint, u32), &Fingerprint)| open.0 == **name;
        let shared = known.open.iter().zip(&names).take_while(is_open).count();
        known.close_from(shared);
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
