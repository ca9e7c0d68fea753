//! Races and reversals that need not be considered again.
//!
//! Executions that are explored one after the other share events, and with them races. What the reversals of a race are depends on
//! the events that they may be made of and on the second event ([`Race::name`]). If a race with the same name has been reversed, traces that
//! contain its reversals are known. Different races may have the same reversal, too ([`Race::frontier`]).
//!
//! [`Race::name`]: super::reverse_race::Race::name
//! [`Race::frontier`]: super::reverse_race::Race::frontier

use crate::fingerprint::Fingerprint;

/// How many are remembered, 16 bytes for each: as many as fit the second cache of a processor. What is forgotten is considered
/// again, in vain.
const REMEMBERED: usize = 1 << 13;

/// What has been considered; a new name takes the place of an older one.
#[derive(Debug)]
pub struct Reversed {
    names: Vec<Fingerprint>,
}

impl Default for Reversed {
    fn default() -> Self {
        Reversed { names: vec![Fingerprint::default(); REMEMBERED] }
    }
}

impl Reversed {
    /// Has this name been considered?
    pub fn contains(&self, name: Fingerprint) -> bool {
        self.names[name.place(REMEMBERED)] == name
    }

    /// It has been considered now. Says whether the name is new.
    pub fn insert(&mut self, name: Fingerprint) -> bool {
        let place = &mut self.names[name.place(REMEMBERED)];
        let is_new = *place != name;
        *place = name;
        is_new
    }
}
