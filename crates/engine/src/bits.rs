//! Sets of event positions as rows of machine words.
//!
//! An execution of up to 64 events needs one word for a set, so unions, differences and closures over
//! the happens-before relation cost a few instructions. That is the case that is compiled into whoever asks; what goes through
//! several words is a call, because loops everywhere would not fit the first cache of instructions.

use std::ops::{Deref, DerefMut};

/// Sets of events up to this many words need no allocation: 256 events.
const INLINE_WORDS: usize = 4;

/// A set of events that owns its words. (A small vector would do, but copies word by word.)
#[derive(Clone, Debug)]
pub struct Bits {
    /// The words, if they are few.
    inline: [u64; INLINE_WORDS],
    /// How many of them are in use.
    count: usize,
    /// The words, if they are many.
    #[expect(clippy::box_collection, reason = "one thin pointer, because there are seldom any")]
    allocated: Option<Box<Vec<u64>>>,
}

impl Bits {
    /// The set with so many words.
    #[inline]
    fn new(count: usize, word: impl Fn(usize) -> u64) -> Self {
        if count <= 2 {
            let word = |at| if at < count { word(at) } else { 0 };
            return Bits { inline: [word(0), word(1), 0, 0], count, allocated: None };
        }
        Bits::with_words(count, word)
    }

    #[inline(never)]
    fn with_words(count: usize, word: impl Fn(usize) -> u64) -> Self {
        if count <= INLINE_WORDS {
            // All at once: what is written word by word and then moved as a whole keeps processors waiting.
            let inline = std::array::from_fn(|at| if at < count { word(at) } else { 0 });
            Bits { inline, count, allocated: None }
        } else {
            let words = (0..count).map(word).collect();
            Bits { inline: [0; INLINE_WORDS], count, allocated: Some(Box::new(words)) }
        }
    }

    /// The set with these words.
    #[inline]
    pub fn from_slice(words: &[u64]) -> Self {
        Bits::new(words.len(), |at| words[at])
    }
}

impl Deref for Bits {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match &self.allocated {
            None => &self.inline[..self.count],
            Some(words) => words,
        }
    }
}

impl DerefMut for Bits {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match &mut self.allocated {
            None => &mut self.inline[..self.count],
            Some(words) => words,
        }
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bits {}

/// The empty set.
#[inline]
pub fn empty(words: usize) -> Bits {
    Bits::new(words, |_| 0)
}

/// The set of the first `count` bits.
#[inline]
pub fn first(count: usize, words: usize) -> Bits {
    Bits::new(words, |at| first_in_word(count, at))
}

/// The first `count` bits but one, and but those of another set. (At once: a set that is changed and then moved keeps processors waiting.)
#[inline]
pub fn first_but(count: usize, one: usize, other: &[u64]) -> Bits {
    Bits::new(other.len(), |at| {
        let one = if at == one / 64 { 1 << (one % 64) } else { 0 };
        first_in_word(count, at) & !other[at] & !one
    })
}

/// Those of the first `count` bits that are in this word.
#[inline]
fn first_in_word(count: usize, word: usize) -> u64 {
    match count.saturating_sub(word * 64) {
        rest @ 0..64 => (1 << rest) - 1,
        _ => u64::MAX,
    }
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

/// Changes each word of a set with that of another one. (One after the other: words that are written apart and read together keep processors
/// waiting.)
#[inline]
fn each_word(row: &mut [u64], other: &[u64], change: impl Fn(&mut u64, u64)) {
    let ([word, rest @ ..], [other, others @ ..]) = (row, other) else { return };
    change(word, *other);
    match (rest, others) {
        ([], _) | (_, []) => {}
        ([second], [another]) => change(second, *another),
        (rest, others) => each_of_many_words(rest, others, change),
    }
}

#[inline(never)]
fn each_of_many_words(row: &mut [u64], other: &[u64], change: impl Fn(&mut u64, u64)) {
    row.iter_mut().zip(other).for_each(|(word, &other)| change(word, other));
}

/// Does something hold for a word of a set and that of another one?
#[inline]
fn any_word(row: &[u64], other: &[u64], holds: impl Fn(u64, u64) -> bool) -> bool {
    let ([word, rest @ ..], [other, others @ ..]) = (row, other) else { return false };
    holds(*word, *other)
        || match (rest, others) {
            ([], _) | (_, []) => false,
            ([second], [another]) => holds(*second, *another),
            (rest, others) => any_of_many_words(rest, others, holds),
        }
}

#[inline(never)]
fn any_of_many_words(row: &[u64], other: &[u64], holds: impl Fn(u64, u64) -> bool) -> bool {
    row.iter().zip(other).any(|(&word, &other)| holds(word, other))
}

/// Puts all of `other` into `row`.
#[inline]
pub fn union(row: &mut [u64], other: &[u64]) {
    each_word(row, other, |word, add| *word |= add);
}

/// Takes all of `other` out of `row`.
#[inline]
pub fn subtract(row: &mut [u64], other: &[u64]) {
    each_word(row, other, |word, drop| *word &= !drop);
}

/// Takes all that is not in `other` out of `row`.
#[inline]
pub fn intersect(row: &mut [u64], other: &[u64]) {
    each_word(row, other, |word, keep| *word &= keep);
}

/// Have the two sets something in common?
#[inline]
pub fn intersects(row: &[u64], other: &[u64]) -> bool {
    any_word(row, other, |a, b| a & b != 0)
}

/// How many members does the set have?
#[inline]
pub fn count(row: &[u64]) -> u32 {
    row.iter().map(|word| word.count_ones()).sum()
}

/// How many members does the set have before `end`?
#[inline]
pub fn count_before(row: &[u64], end: usize) -> usize {
    let in_word = |(at, word): (usize, &u64)| (word & first_in_word(end, at)).count_ones() as usize;
    row.iter().enumerate().map(in_word).sum()
}

/// The last member of the set.
#[inline]
pub fn last(row: &[u64]) -> Option<usize> {
    let word = row.iter().rposition(|&word| word != 0)?;
    Some(word * 64 + 63 - row[word].leading_zeros() as usize)
}

/// The last member before `end`.
#[inline]
pub fn last_before(row: &[u64], end: usize) -> Option<usize> {
    let word = |at: usize| row[at] & first_in_word(end, at);
    let at = (0..row.len()).rev().find(|&at| word(at) != 0)?;
    Some(at * 64 + 63 - word(at).leading_zeros() as usize)
}

/// The first bit that is not a member.
#[inline]
pub fn first_missing(row: &[u64]) -> usize {
    let full = row.iter().take_while(|&&word| word == u64::MAX).count();
    full * 64 + row.get(full).map_or(0, |word| word.trailing_ones() as usize)
}

/// Takes the first member out.
#[inline]
pub fn take_first(row: &mut [u64]) -> Option<usize> {
    let at = row.iter().position(|&word| word != 0)?;
    let first = row[at].trailing_zeros() as usize;
    row[at] &= row[at] - 1;
    Some(at * 64 + first)
}

/// The last member that the two sets have in common.
#[inline]
pub fn last_common(row: &[u64], other: &[u64]) -> Option<usize> {
    let common = |word: &usize| row[*word] & other[*word];
    let word = (0..row.len().min(other.len())).rev().find(|word| common(word) != 0)?;
    Some(word * 64 + 63 - common(&word).leading_zeros() as usize)
}

/// The last member of a set that is not in another one.
#[inline]
pub fn last_but(row: &[u64], other: &[u64]) -> Option<usize> {
    let rest = |word: &usize| row[*word] & !other[*word];
    let word = (0..row.len().min(other.len())).rev().find(|word| rest(word) != 0)?;
    Some(word * 64 + 63 - rest(&word).leading_zeros() as usize)
}

/// The members from `first` on, counted from there, in so many words.
pub fn from_bit(row: &[u64], first: usize, words: usize) -> Bits {
    let (at, shift) = (first / 64, first % 64);
    let word = |at: usize| row.get(at).copied().unwrap_or(0);
    Bits::new(words, |to| {
        let above = if shift == 0 { 0 } else { word(at + to + 1) << (64 - shift) };
        word(at + to) >> shift | above
    })
}

/// What the two sets have in common, in as many words as the first one has.
#[inline]
pub fn common(row: &[u64], other: &[u64]) -> Bits {
    Bits::new(row.len(), |at| row[at] & other.get(at).copied().unwrap_or(0))
}

/// What is in a set and not in another one, in as many words as the first one has.
#[inline]
pub fn but(row: &[u64], other: &[u64]) -> Bits {
    Bits::new(row.len(), |at| row[at] & !other.get(at).copied().unwrap_or(0))
}

/// What two sets have in common and a third one has not; all are as long as each other.
#[inline]
pub fn common_but(row: &[u64], other: &[u64], third: &[u64]) -> Bits {
    Bits::new(row.len(), |at| row[at] & other[at] & !third[at])
}

/// Is every member of `row` in `other`?
#[inline]
pub fn is_subset(row: &[u64], other: &[u64]) -> bool {
    !any_word(row, other, |a, b| a & !b != 0)
}

/// Is the set empty?
#[inline]
pub fn is_empty(row: &[u64]) -> bool {
    row.iter().all(|&word| word == 0)
}

/// The members, in ascending order.
#[inline]
pub fn iter(row: &[u64]) -> Members<'_> {
    Members { row, at: 0, rest: row.first().copied().unwrap_or(0) }
}

/// The members of a set from `first` on, in ascending order.
#[inline]
pub fn iter_from(row: &[u64], first: usize) -> Members<'_> {
    let at = first / 64;
    let rest = row.get(at).map_or(0, |word| word & (u64::MAX << (first % 64)));
    Members { row, at, rest }
}

/// An iterator over the members of a set.
#[derive(Clone, Debug)]
pub struct Members<'r> {
    row: &'r [u64],
    /// The word at hand.
    at: usize,
    /// What is left of it.
    rest: u64,
}

impl Iterator for Members<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            self.at += 1;
            self.rest = *self.row.get(self.at)?;
        }
        let member = self.at * 64 + self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some(member)
    }
}
