//! Races that need not be reversed again.
//!
//! Executions that are explored one after the other share prefixes, and with them races. What a reversal
//! leads to depends on the prefix up to the first event of the race, on the events behind it that do not happen
//! after it, and on the second event. If all of that has been considered before, and the exploration has not
//! gone back beyond the first event since, then each sequence has been explored, waits in a wakeup tree or is
//! parked. This is what keeps the time for an execution close to what is new in it.

use super::reverse_race::Race;
use crate::bits;
use crate::fingerprint::Fingerprint;

/// How many races are remembered: as many as fit the nearer caches of a processor (16 bytes for each). One that
/// is forgotten is reversed again, in vain.
const REMEMBERED: usize = 1 << 13;

/// Races that have been reversed; a new one takes the place of an older one.
#[derive(Debug)]
pub struct Reversed {
    races: Vec<Fingerprint>,
}

impl Default for Reversed {
    fn default() -> Self {
        Reversed { races: vec![Fingerprint::default(); REMEMBERED] }
    }
}

impl Reversed {
    /// Is the race new? It is not the next time. `frame` tells apart the prefixes up to first events of races.
    pub fn is_new(&mut self, race: &Race<'_>, frame: u64) -> bool {
        let name = name(race).plus(frame);
        let place = &mut self.races[name.place(REMEMBERED)];
        let is_new = *place != name;
        *place = name;
        is_new
    }
}

/// What the sequences that reverse a race depend on, the prefix up to its first event aside.
fn name(race: &Race<'_>) -> Fingerprint {
    let execution = race.execution;
    let mut behind = race.reserve.available.clone();
    let starts = bits::common(&race.reserve.available, execution.turns());
    for start in bits::iter_from(&starts, race.first) {
        if execution.is_mere_start(start, &race.reserve.available) {
            bits::remove(&mut behind, start);
        }
    }
    let behind = bits::iter_from(&behind, race.first);
    let past = race.last.past.iter().map(|&event| event as usize);
    race.last
        .name()
        .and(execution.fingerprint_of(behind))
        .and(execution.fingerprint_of(past).mixed())
}
