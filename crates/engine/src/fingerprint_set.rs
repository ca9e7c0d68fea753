//! A set of fingerprints that may become too large for the caches of a processor.
//!
//! A new name belongs somewhere in tens of megabytes, so the processor waits for memory to put it there. If many are put in place one after the other, it waits for
//! all of them at the same time. To see that a name is new takes a look at one byte for each place, which is nearer.

use crate::fingerprint::Fingerprint;
use rustc_hash::FxHashSet;

/// So many are put in place together: few enough to be at hand, and so many that waiting once for them is little for each.
const TOGETHER: usize = 256;

/// The set.
#[derive(Default, Debug)]
pub struct FingerprintSet {
    placed: FxHashSet<Fingerprint>,
    /// Those that came last.
    latest: FxHashSet<Fingerprint>,
}

impl FingerprintSet {
    /// Puts a name into the set. Says whether it is new.
    pub fn insert(&mut self, name: Fingerprint) -> bool {
        let is_new = !self.placed.contains(&name) && self.latest.insert(name);
        if self.latest.len() == TOGETHER {
            self.placed.extend(self.latest.drain());
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TaskId;
    use crate::rng::Rng;

    #[test]
    fn a_name_is_new_once() {
        let name = |number| Fingerprint::of_event(TaskId(number), 1, 0).mixed();
        let (mut names, mut random) = (FingerprintSet::default(), Rng::new(1));
        let mut seen = [false; 3 * TOGETHER];
        for _ in 0..10 * seen.len() {
            let number = random.below(seen.len() as u64) as usize;
            assert_eq!(names.insert(name(number as u32)), !seen[number], "{number}");
            seen[number] = true;
        }
        assert!(seen.iter().filter(|seen| **seen).count() > 2 * TOGETHER);
    }
}
