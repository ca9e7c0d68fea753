//! `--check`: every sequence that was considered is in a trace that was explored.
//!
//! A reversal that can be performed is the beginning of some execution, so its class must have been found when the exploration is over,
//! whatever became of the sequence: inserted, parked, or dropped as covered. Each is kept with what became of it, as the names of its
//! events ([`Fingerprint`]s, which hold across executions), and looked for at the end. A lost class then points to the rule that lost
//! it. **Cost**: memory for the names of all events of all sequences and executions.

use super::wakeup_sequence::WakeupSequence;
use crate::bits;
use crate::execution::Execution;
use crate::fingerprint::Fingerprint;
use rustc_hash::{FxHashMap, FxHashSet};

/// What became of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Something explored or asleep is a weak initial of it.
    Explored,
    /// The same, found out after it had been parked.
    ExploredLater,
    /// It can begin as the explored execution does, so it is left to a longer prefix.
    LeftToLongerPrefix,
    /// It was handed to a wakeup tree.
    Inserted,
}

/// What has been explored and considered.
#[derive(Default, Debug)]
pub struct Check {
    /// The names of the events of each explored execution.
    explored: Vec<FxHashSet<Fingerprint>>,
    /// In which of them an event is.
    found_in: FxHashMap<Fingerprint, Vec<u32>>,
    /// The names of the events of each sequence, its prefix included.
    considered: Vec<(Vec<Fingerprint>, Fate)>,
}

impl Check {
    /// An execution has been explored.
    pub fn explored(&mut self, execution: &Execution) {
        let number = self.explored.len() as u32;
        let names: FxHashSet<Fingerprint> =
            (0..execution.len()).map(|event| execution.fingerprint_of([event])).collect();
        for &name in &names {
            self.found_in.entry(name).or_default().push(number);
        }
        self.explored.push(names);
    }

    /// This has become of a sequence. (What the second event of its race is called is known only when it has been performed.)
    pub fn considered(&mut self, execution: &Execution, sequence: &WakeupSequence, fate: Fate) {
        let mut events = sequence.path.point(execution).happened;
        bits::union(&mut events, &sequence.members);
        let names = bits::iter(&events).map(|event| execution.fingerprint_of([event]));
        self.considered.push((names.collect(), fate));
    }

    /// A sequence that is in no explored execution, if there is one: what became of it.
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
