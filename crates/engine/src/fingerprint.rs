//! Names for events and for sets of events that hold across executions.
//!
//! What an event is, in any execution, is said by its task, its place in the task and the events that happen
//! before it. Its fingerprint is a hash of that, and the fingerprint of a set of events is the sum over its
//! members: equal for two sets exactly if they are the same trace, whatever executions they come from.
//! Fingerprints have 128 bits, so that two different sets are taken for equal with a chance of less than
//! one in 2^80 even after a million million comparisons.

use crate::ids::TaskId;
use crate::touch::Touch;

/// The name of an event or of a set of events. Millions of them are kept in tables, beside small numbers: packed, so that these need no padding.
#[repr(Rust, packed(4))]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Fingerprint {
    low: u64,
    high: u64,
}

impl Fingerprint {
    /// Of an event of `task`, without what happens before it. To be mixed with that.
    #[inline]
    pub fn of_event(task: TaskId, index: u32, choice: u32) -> Self {
        let place = u64::from(task.0) << 32 | u64::from(index);
        Fingerprint { low: place, high: u64::from(choice) }
    }

    /// The set with another member.
    #[inline]
    #[must_use]
    pub fn and(self, member: Fingerprint) -> Self {
        Fingerprint {
            low: self.low.wrapping_add(member.low),
            high: self.high.wrapping_add(member.high),
        }
    }

    /// With a number that tells it apart from others.
    #[must_use]
    pub fn plus(self, number: u64) -> Self {
        Fingerprint { low: self.low.wrapping_add(number), high: self.high ^ number }.mixed()
    }

    /// With what an event touches.
    #[must_use]
    pub fn touching(self, touches: &[Touch]) -> Self {
        touches.iter().fold(self, |name, touch| name.plus(u64::from(touch.number())))
    }

    /// As bytes, for this process.
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.high) << 64 | u128::from(self.low)).to_ne_bytes()
    }

    /// From [`Fingerprint::to_bytes`].
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let both = u128::from_ne_bytes(bytes);
        Fingerprint { low: both as u64, high: (both >> 64) as u64 }
    }

    /// One of so many places, a power of two.
    pub fn place(self, places: usize) -> usize {
        self.low as usize & (places - 1)
    }

    /// Bits that say nothing about its place.
    pub fn tag(self) -> u32 {
        (self.high >> 32) as u32
    }

    /// Spread over all bits, so that sums of different members differ: two products of the halves, folded (as wyhash, by
    /// Wang Yi, does).
    #[inline]
    #[must_use]
    pub fn mixed(self) -> Self {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let Fingerprint { low, high } = self;
        Fingerprint {
            low: fold(low ^ 0xa076_1d64_78bd_642f, high ^ 0xe703_7ed1_a0b4_28db),
            high: fold(
                low.rotate_left(32) ^ 0x8ebc_6af0_9c88_c6e3,
                high.rotate_left(17) ^ 0x5899_65cc_7537_4cc3,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn sums_of_different_events_differ() {
        let event = |at: u32| Fingerprint::of_event(TaskId(at / 8), at % 8, 0).mixed();
        let sums: HashSet<Fingerprint> =
            (0..64).flat_map(|a| (0..a).map(move |b| event(a).and(event(b)))).collect();
        assert_eq!(sums.len(), 64 * 63 / 2);
    }

    #[test]
    fn the_order_of_members_does_not_matter() {
        let [a, b, c] = [1, 2, 3].map(|task| Fingerprint::of_event(TaskId(task), 1, 0));
        assert_eq!(a.and(b).and(c), c.and(a).and(b));
    }
}
