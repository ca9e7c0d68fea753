//! Sets of event positions as rows of machine words.
//!
//! An execution of up to 64 events needs one word for a set, so unions, differences and closures over
//! the happens-before relation cost a few instructions.

use smallvec::SmallVec;

/// A set of events that owns its words. Up to 256 events need no allocation.
pub type Bits = SmallVec<[u64; 4]>;

/// The empty set.
#[inline]
pub fn empty(words: usize) -> Bits {
    SmallVec::from_elem(0, words)
}

/// The set of the first `count` bits.
pub fn first(count: usize, words: usize) -> Bits {
    let mut row = empty(words);
    row[..count / 64].fill(u64::MAX);
    if !count.is_multiple_of(64) {
        row[count / 64] = (1 << (count % 64)) - 1;
    }
    row
}

/// Is `bit` in the set?
#[inline]
pub fn contains(row: &[u64], bit: usize) -> bool {
    row[bit / 64] >> (bit % 64) & 1 != 0
}

/// Puts `bit` into the set.
#[inline]
pub fn insert(row: &mut [u64], bit: usize) {
    row[bit / 64] |= 1 << (bit % 64);
}

/// Takes `bit` out of the set.
#[inline]
pub fn remove(row: &mut [u64], bit: usize) {
    row[bit / 64] &= !(1 << (bit % 64));
}

/// Puts all of `other` into `row`.
#[inline]
pub fn union(row: &mut [u64], other: &[u64]) {
    for (word, add) in row.iter_mut().zip(other) {
        *word |= add;
    }
}

/// Takes all of `other` out of `row`.
#[inline]
pub fn subtract(row: &mut [u64], other: &[u64]) {
    for (word, drop) in row.iter_mut().zip(other) {
        *word &= !drop;
    }
}

/// Have the two sets something in common?
#[inline]
pub fn intersects(row: &[u64], other: &[u64]) -> bool {
    row.iter().zip(other).any(|(a, b)| a & b != 0)
}

/// Is every member of `row` in `other`?
#[inline]
pub fn is_subset(row: &[u64], other: &[u64]) -> bool {
    row.iter().zip(other).all(|(a, b)| a & !b == 0)
}

/// Is the set empty?
#[inline]
pub fn is_empty(row: &[u64]) -> bool {
    row.iter().all(|&word| word == 0)
}

/// The members, in ascending order.
#[inline]
pub fn iter(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| {
        std::iter::successors((word != 0).then_some(word), |&w| {
            let rest = w & (w - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |w| index * 64 + w.trailing_zeros() as usize)
    })
}
