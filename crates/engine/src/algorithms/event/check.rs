//! `--check`: every reversal of every race is in a trace that was explored.
//!
//! A reversal that can be performed is the beginning of some execution, so its trace must have been found when the exploration is over,
//! whatever rule said that it need not be considered. Each is kept with that rule, as the names of its
//! events ([`Fingerprint`]s, which hold across executions), and looked for at the end. A lost trace then points to the rule that lost
//! it. **Cost**: memory for the names of all events of all reversals and traces.

use crate::bits;
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use rustc_hash::{FxHashMap, FxHashSet};

/// What became of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Nothing behind it bears on it, and it was considered before behind the same prefix.
    Settled,
    /// A race with the same name was reversed before.
    Reversed,
    /// A trace that was found lately contains its reversal.
    Contained,
    /// Its reversals wait, those aside that are known.
    Inserted,
}

/// What has been explored and considered.
#[derive(Default, Debug)]
pub struct Check {
    /// The names of the events of each explored execution.
    explored: Vec<FxHashSet<Fingerprint>>,
    /// In which of them an event is.
    found_in: FxHashMap<Fingerprint, Vec<u32>>,
    /// The names of the events of each reversal.
    considered: Vec<(Vec<Fingerprint>, Fate)>,
}

impl Check {
    /// An execution has been explored.
    pub fn explored(&mut self, execution: &Execution) {
        let number = self.explored.len() as u32;
        let names: FxHashSet<Fingerprint> = execution.fingerprints().iter().copied().collect();
        for &name in &names {
            self.found_in.entry(name).or_default().push(number);
        }
        self.explored.push(names);
    }

    /// This has become of a race that can be reversed with these events. (What the second event of the race is called is known only when it
    /// has been performed.)
    pub fn considered(&mut self, execution: &Execution, members: &[u64], fate: Fate) {
        let names = bits::iter(members).map(|event| execution.fingerprints()[event]);
        self.considered.push((names.collect(), fate));
    }

    /// A reversal that is in no explored execution, if there is one: what became of it.
    pub fn lost(&self) -> Option<Fate> {
        let is_lost = |(names, _): &&(Vec<Fingerprint>, Fate)| {
            let places = names.iter().map(|name| self.found_in.get(name).map_or(&[][..], |p| p));
            let Some(rarest) = places.min_by_key(|places| places.len()) else { return false };
            let contains_all = |&place: &u32| {
                names.iter().all(|name| self.explored[place as usize].contains(name))
            };
            !rarest.iter().any(contains_all)
        };
        self.considered.iter().find(is_lost).map(|&(_, fate)| fate)
    }
}
