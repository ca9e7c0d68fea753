//! `--check`: every reversal of every race is in a trace that was explored.
//!
//! A reversal that can be performed is the beginning of some execution, so its trace must have been found when the exploration is over,
//! whatever rule said that it need not be considered. Each is kept with that rule, as the names of its
//! events ([`Fingerprint`]s, which hold across executions), and looked for at the end. A lost trace then points to the rule that lost
//! it. **Cost**: memory for all explored executions, and for the names of all events of all reversals.

use super::reverse_race::Race;
use crate::bits;
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use rustc_hash::{FxHashMap, FxHashSet};

/// What became of a reversal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Nothing behind its race bears on it, and the race was considered before behind the same prefix.
    Settled,
    /// A race with the same name was reversed before.
    Reversed,
    /// A known trace contains it, or something that contains it waits.
    Covered,
    /// It waits to be performed.
    Inserted,
}

/// What has been explored and considered.
#[derive(Default, Debug)]
pub struct Check {
    explored: Vec<Explored>,
    /// In which explored executions an event is.
    found_in: FxHashMap<Fingerprint, Vec<u32>>,
    considered: Vec<Considered>,
}

/// An explored execution.
#[derive(Debug)]
struct Explored {
    execution: Execution,
    names: FxHashSet<Fingerprint>,
}

/// A reversal.
#[derive(Debug)]
struct Considered {
    names: FxHashSet<Fingerprint>,
    /// The second event of the race: the index-th of its task. What it is called is known only when it has been performed.
    last: (TaskId, u32),
    fate: Fate,
}

impl Check {
    /// An execution has been explored.
    pub fn explored(&mut self, execution: &Execution) {
        let number = self.explored.len() as u32;
        let names: FxHashSet<Fingerprint> = execution.fingerprints().iter().copied().collect();
        for &name in &names {
            self.found_in.entry(name).or_default().push(number);
        }
        self.explored.push(Explored { execution: execution.clone(), names });
    }

    /// This has become of a reversal.
    pub fn considered(&mut self, race: &Race<'_>, members: &[u64], fate: Fate) {
        let names = bits::iter(members).map(|event| race.execution.fingerprints()[event]);
        let last = (race.last.task, race.index_of_last());
        self.considered.push(Considered { names: names.collect(), last, fate });
    }

    /// A reversal that is in no explored execution, if there is one: what became of it.
    pub fn lost(&self) -> Option<Fate> {
        let is_lost = |reversal: &&Considered| {
            let places =
                reversal.names.iter().map(|name| self.found_in.get(name).map_or(&[][..], |p| p));
            let rarest = places.min_by_key(|places| places.len());
            let mut all = 0..self.explored.len() as u32;
            let contains = |place: u32| self.explored[place as usize].contains(reversal);
            match rarest {
                Some(places) => !places.iter().any(|&place| contains(place)),
                None => !all.any(contains),
            }
        };
        self.considered.iter().find(is_lost).map(|reversal| reversal.fate)
    }
}

impl Explored {
    /// Are the events of a reversal among those of the execution, and the second event of the race behind nothing else?
    fn contains(&self, reversal: &Considered) -> bool {
        let Explored { execution, names } = self;
        let (task, index) = reversal.last;
        let last = execution.events_of(task).get(index as usize - 1);
        let is_member = |event: usize| reversal.names.contains(&execution.fingerprints()[event]);
        reversal.names.is_subset(names)
            && last.is_some_and(|&last| bits::iter(&execution.before(last as usize)).all(is_member))
    }
}
