//! What two events race for.

use crate::record::{Access, Queued, Recording, Touched};
use crate::rewrite::Sources;
use mazurka_engine::reorder::{EventId, Happened, Recorded};
use mazurka_report::web::RaceEnd;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A recording as the explorer takes it: accesses become numbers of locations.
///
/// Additions commute: each adding event has a number of its own below the location, which readers and writers share.
pub fn recorded(recording: &Recording) -> Recorded {
    let mut steps: Vec<Happened> = recording.steps.clone();
    let mut next = 0;
    for touched in &recording.touched {
        let own = next;
        let ordered_until = ordered_until(touched);
        let adders: Vec<usize> = touched
            .accesses
            .iter()
            .filter(|one| one.adds && Some(one.position) >= ordered_until)
            .map(|one| one.position)
            .collect();
        let below = |number: usize| own + 1 + number as u32;
        for access in &touched.accesses {
            let Some(step) = steps.get_mut(access.position) else { continue };
            let all = (0..adders.len()).map(below).chain([own]);
            if access.writes || (access.adds && Some(access.position) < ordered_until) {
                step.writes.extend(all);
            } else if access.reads {
                step.reads.extend(all);
            }
            if let Some(number) = adders.iter().position(|&adder| adder == access.position) {
                step.writes.push(below(number));
            }
        }
        next += 1 + adders.len() as u32;
        // Who writes what is there already shares a number with those who change it later.
        for keeper in touched.accesses.iter().filter(|one| one.only_keeps()) {
            for later in touched.accesses.iter().filter(|one| one.position > keeper.position) {
                if keeper.conflicts(later) {
                    steps[later.position].writes.push(next);
                }
            }
            steps[keeper.position].reads.push(next);
            next += 1;
        }
    }
    for (first, second) in racing_senders(&recording.queued, &steps) {
        steps[first].writes.push(next);
        steps[second].writes.push(next);
        next += 1;
    }
    Recorded {
        initially: recording.initially.iter().map(|&event| EventId(event)).collect(),
        events: steps,
        cut: !recording.cut.is_empty(),
    }
}

/// Keys of an object come in the order in which they were added. Whoever goes through them sees that order, so additions before
/// that do not commute.
fn ordered_until(touched: &Touched) -> Option<usize> {
    let is_keys = !touched.shadow && touched.key == "keys";
    let readers = touched.accesses.iter().filter(|one| is_keys && one.reads);
    readers.map(|one| one.position).max()
}

/// Messages of a channel and callbacks of a frame come in the order in which they were sent. So where two of them conflict, their
/// senders do: whoever sends first decides.
fn racing_senders(queued: &[Queued], steps: &[Happened]) -> BTreeSet<(usize, usize)> {
    let mut queues: BTreeMap<&str, Vec<&Queued>> = BTreeMap::new();
    for one in queued {
        queues.entry(&one.queue).or_default().push(one);
    }
    let locations = |position: usize| {
        let step = &steps[position];
        let writes: HashSet<u32> = step.writes.iter().copied().collect();
        let all: HashSet<u32> = writes.iter().chain(&step.reads).copied().collect();
        (writes, all)
    };
    let mut racing = BTreeSet::new();
    for queue in queues.values().filter(|queue| queue.len() > 1) {
        let touched: Vec<_> = queue.iter().map(|one| locations(one.position)).collect();
        for (at, one) in queue.iter().enumerate() {
            for (to, other) in queue.iter().enumerate().take(at) {
                let conflict = !touched[at].0.is_disjoint(&touched[to].1)
                    || !touched[to].0.is_disjoint(&touched[at].1);
                if conflict && one.creator != other.creator {
                    let pair = (one.creator.min(other.creator), one.creator.max(other.creator));
                    racing.insert(pair);
                }
            }
        }
    }
    racing
}

/// A location that two events race for.
pub struct Conflict {
    /// Its name.
    pub name: String,
    /// Is it a slot for handlers?
    pub is_handler: bool,
    /// Is it beside the heap?
    pub shadow: bool,
    first: Access,
    second: Access,
}

/// All locations that the events at two positions race for; variables first.
pub fn conflicts(
    touched: &[Touched],
    first: usize,
    second: usize,
    sources: &Sources,
) -> Vec<Conflict> {
    let mut found: Vec<Conflict> = touched
        .iter()
        .filter_map(|touched| {
            let at = |position| touched.accesses.iter().find(|access| access.position == position);
            let (first, second) = (at(first)?, at(second)?);
            let until = ordered_until(touched);
            let in_order = |one: &Access| one.adds && Some(one.position) < until;
            let is_seen = in_order(first) && in_order(second);
            if !(first.conflicts(second) || is_seen) {
                return None;
            }
            let is_handler = touched.shadow
                && touched.key.rsplit(' ').next().is_some_and(|word| word.starts_with("on"));
            Some(Conflict {
                name: name(touched, sources),
                is_handler,
                shadow: touched.shadow,
                first: *first,
                second: *second,
            })
        })
        .collect();
    found.sort_by_key(|conflict| (conflict.is_handler, conflict.shadow));
    found
}

/// A name for people: the text of the source, with what it cannot say.
fn name(touched: &Touched, sources: &Sources) -> String {
    if touched.shadow {
        return touched.key.clone();
    }
    let sites = touched.accesses.iter().flat_map(|access| [access.write_site, access.read_site]);
    let object = sites.filter(|&site| site != 0).find_map(|site| sources.object(site));
    let inner = matches!(touched.key.as_str(), "length" | "keys" | "values" | "entries")
        || touched.key.bytes().all(|byte| byte.is_ascii_digit());
    match object {
        // Elements of an array race for the array.
        Some(object) if inner || object == touched.key => object,
        Some(object) => format!("{object}.{}", touched.key),
        None => touched.key.clone(),
    }
}

impl Conflict {
    /// Does the first event attach a handler that the second one looks for?
    pub fn attaches_first(&self) -> bool {
        self.is_handler && (self.first.adds || self.first.writes) && self.second.reads
    }

    /// The two ends of the race, for a report.
    pub fn ends(&self, events: (u32, u32), sources: &Sources) -> (RaceEnd, RaceEnd) {
        (end(&self.first, events.0, sources), end(&self.second, events.1, sources))
    }
}

fn end(access: &Access, event: u32, sources: &Sources) -> RaceEnd {
    let changes = access.writes || access.adds || access.only_keeps();
    let site = if changes { access.write_site } else { access.read_site };
    let place = sources.place(site);
    RaceEnd {
        event,
        source: place.as_ref().and_then(|place| sources.line(place)),
        place: place.map(|place| place.to_string()),
        access: if changes { "writes" } else { "reads" }.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(position: usize, reads: bool, writes: bool, adds: bool) -> Access {
        Access { position, reads, writes, adds, keeps: false, read_site: 0, write_site: 0 }
    }

    #[test]
    fn what_is_written_again_races_with_those_who_change_it_later() {
        let write = |position| access(position, false, true, false);
        let keep = |position| Access { keeps: true, ..access(position, false, false, false) };
        assert_eq!(conflicting(vec![write(0), keep(1)]), []);
        assert_eq!(conflicting(vec![keep(0), keep(1)]), []);
        assert_eq!(conflicting(vec![keep(0), write(1), keep(2)]), [(0, 1)]);
    }

    fn conflicting(accesses: Vec<Access>) -> Vec<(usize, usize)> {
        conflicting_at(Touched { shadow: true, key: "#a onclick".to_owned(), accesses })
    }

    fn conflicting_at(touched: Touched) -> Vec<(usize, usize)> {
        let steps =
            (0..3).map(|event| Happened { event: EventId(event), ..Happened::default() }).collect();
        let recording = Recording { steps, touched: vec![touched], ..Recording::default() };
        let events = recorded(&recording).events;
        let pairs = (0..3).flat_map(|a| (a + 1..3).map(move |b| (a, b)));
        pairs.filter(|&(a, b)| !events[a].conflicts(&events[b]).is_empty()).collect()
    }

    #[test]
    fn keys_are_added_in_an_order_that_readers_see() {
        let accesses = vec![
            access(0, false, false, true),
            access(1, false, false, true),
            access(2, true, false, false),
        ];
        let touched = Touched { shadow: false, key: "keys".to_owned(), accesses };
        assert_eq!(conflicting_at(touched), [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn additions_commute_with_each_other_only() {
        let both = vec![
            access(0, false, false, true),
            access(1, false, false, true),
            access(2, true, false, false),
        ];
        assert_eq!(conflicting(both), [(0, 2), (1, 2)]);
        let written = vec![access(0, false, false, true), access(1, false, true, false)];
        assert_eq!(conflicting(written), [(0, 1)]);
        let read = vec![access(0, true, false, false), access(1, true, false, false)];
        assert_eq!(conflicting(read), []);
    }
}
