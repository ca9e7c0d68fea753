//! The happens-before relation as rows of bits: bit `j` of row `i` says that event `j` happens before event `i`.
//!
//! A vector clock says the same with one number for each task; rows are smaller for executions of up to a few hundred
//! events, and the set operations that race reversal needs (all that does not happen after `e`, the past of `e'`) are
//! a few word operations. Appending an event costs O(direct predecessors × n / 64); going back costs nothing.
//!
//! Whole rows take memory that grows with the square of the number of events. So only the first events have whole rows,
//! side by side ([`SHORT`]). The row of a later one is a list of blocks, and a block that is the same as in the row of an
//! event that it follows is shared with that one. Events that follow each other differ in what happened last, so one or
//! two blocks for each event are new. Who asks for such a row gets a copy.

use super::columns::Columns;
use crate::bits::{self, Bits};
use std::cell::RefCell;
use std::iter::repeat_n;
use std::ops::Deref;

/// So many events have whole rows: 8 MB at most.
const SHORT: usize = 8192;
/// Words in a block: 2,048 events.
const BLOCK: usize = 32;
/// The block without members.
const NOBODY: u32 = 0;

/// All that happens before an event, as a set.
#[derive(Clone, Debug)]
pub enum Row<'r> {
    /// As it is kept.
    Kept(&'r [u64]),
    /// Put together from blocks.
    Copied(Vec<u64>),
}

impl Deref for Row<'_> {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Row::Kept(words) => words,
            Row::Copied(words) => words,
        }
    }
}

/// One row for each event.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Words in a set of events.
    words: usize,
    /// How many events may have whole rows.
    most_short: usize,
    /// The whole rows, `stride` words each.
    short: Vec<u64>,
    stride: usize,
    /// The same by columns.
    columns: RefCell<Columns>,
    long: LongRows,
    /// The event whose row is being made.
    event: usize,
    /// Its row, if it is a long one.
    made: Vec<u64>,
    /// The events that it has been put together from.
    sources: Vec<u32>,
}

/// The rows of later events, as lists of blocks.
#[derive(Clone, Debug)]
struct LongRows {
    blocks: Vec<[u64; BLOCK]>,
    /// The blocks of all rows, one row behind the other.
    lists: Vec<u32>,
    /// For each row, where its list begins and how many blocks there were before it.
    begins: Vec<(u32, u32)>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows::with_short(SHORT)
    }
}

impl Rows {
    /// No rows. So many events, a multiple of 64, may have whole ones.
    fn with_short(most_short: usize) -> Self {
        Rows {
            words: 1,
            most_short,
            short: Vec::new(),
            stride: 1,
            columns: RefCell::default(),
            long: LongRows::default(),
            event: 0,
            made: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// Words in a set of events.
    #[inline]
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        size_of_val(self.short.as_slice()) + self.columns.borrow().bytes() + self.long.bytes()
    }

    /// The events that happen before `event`.
    #[inline]
    pub fn before(&self, event: usize) -> Row<'_> {
        if self.stride == self.words {
            Row::Kept(self.short_row(event))
        } else {
            Row::Copied(self.copied(event))
        }
    }

    #[cold]
    fn copied(&self, event: usize) -> Vec<u64> {
        let mut row = Vec::with_capacity(self.words.next_multiple_of(BLOCK));
        self.blocks_of(event).for_each(|block| row.extend_from_slice(block));
        row.resize(self.words, 0);
        row
    }

    /// Does `first` happen before `second`?
    #[inline]
    pub fn happens_before(&self, first: usize, second: usize) -> bool {
        if second < self.most_short {
            first < self.most_short
                && self.short[second * self.stride + first / 64] >> (first % 64) & 1 != 0
        } else {
            self.long.contains(second - self.most_short, first)
        }
    }

    /// Looks at those of the first `length` events, all there are, that happen after `first`.
    #[inline]
    pub fn after<R>(&self, first: usize, length: usize, look: impl FnOnce(&[u64]) -> R) -> R {
        if length <= self.most_short {
            let rows = &self.short[..length * self.stride];
            look(self.columns.borrow_mut().of(first, rows, self.stride))
        } else {
            look(&self.after_in_long(first, length))
        }
    }

    #[cold]
    fn after_in_long(&self, first: usize, length: usize) -> Bits {
        let mut after = bits::empty(self.words);
        let happens_after = |&event: &usize| self.happens_before(first, event);
        let events = (first + 1..length).filter(happens_after);
        events.for_each(|event| bits::insert(&mut after, event));
        after
    }

    /// Takes out of `set` what does not happen before `event`.
    #[inline]
    pub fn keep_before(&self, set: &mut [u64], event: usize) {
        if self.stride == self.words {
            return bits::intersect(set, self.short_row(event));
        }
        let mut rest = set;
        for block in self.blocks_of(event) {
            let (now, later) = rest.split_at_mut(block.len().min(rest.len()));
            bits::intersect(now, block);
            rest = later;
        }
        rest.fill(0);
    }

    /// The row of an event in pieces of [`BLOCK`] words, the last of which may be shorter. What is left out has no members.
    fn blocks_of(&self, event: usize) -> impl Iterator<Item = &[u64]> {
        let is_short = event < self.most_short;
        let short = if is_short { self.short_row(event) } else { &[] };
        let long = if is_short { &[] } else { self.long.list(event - self.most_short) };
        let long = long.iter().map(|&block| self.long.blocks[block as usize].as_slice());
        short.chunks(BLOCK).chain(long)
    }

    #[inline]
    fn short_row(&self, event: usize) -> &[u64] {
        &self.short[event * self.stride..(event + 1) * self.stride]
    }

    /// Begins the row of the next event, without members. What was behind it is forgotten. Says whether sets of events
    /// need more words from now on.
    pub fn begin(&mut self, event: usize) -> bool {
        let grows = event >= self.words * 64;
        if grows {
            self.widen(event);
        }
        self.event = event;
        self.columns.get_mut().forget();
        if event < self.most_short {
            self.short.truncate(event * self.stride);
            self.short.extend(repeat_n(0, self.stride));
        } else {
            self.long.truncate(event - self.most_short);
            self.made.clear();
            self.made.resize(self.words, 0);
            self.sources.clear();
        }
        grows
    }

    /// By half, so that rows are moved seldom and not much of them is empty. But no further than whole rows go, as long as
    /// they do.
    fn widen(&mut self, events: usize) {
        let (half, widest) = (self.words.div_ceil(2), self.most_short / 64);
        let is_short = self.words < widest;
        self.words = if is_short { widest.min(self.words + half) } else { self.words + half };
        if is_short {
            let (old, new) = (self.stride, self.words);
            let mut rows = vec![0; new * events];
            for (to, from) in rows.chunks_mut(new).zip(self.short.chunks(old)) {
                to[..old].copy_from_slice(from);
            }
            self.short = rows;
            self.stride = new;
        }
    }

    /// The new event follows `first`, and all that happens before that. Says whether that was new.
    #[inline]
    pub fn follow(&mut self, first: usize) -> bool {
        if self.event >= self.most_short {
            return self.follow_in_long(first);
        }
        let (earlier, row) = self.short.split_at_mut(self.event * self.stride);
        if bits::contains(row, first) {
            return false;
        }
        bits::union(row, &earlier[first * self.stride..(first + 1) * self.stride]);
        bits::insert(row, first);
        true
    }

    fn follow_in_long(&mut self, first: usize) -> bool {
        let mut row = std::mem::take(&mut self.made);
        let is_new = !bits::contains(&row, first);
        if is_new {
            let pieces = row.chunks_mut(BLOCK).zip(self.blocks_of(first));
            pieces.for_each(|(piece, block)| bits::union(piece, block));
            bits::insert(&mut row, first);
            self.sources.push(first as u32);
        }
        self.made = row;
        is_new
    }

    /// The row of the new event is whole.
    #[inline]
    pub fn end(&mut self) {
        if self.event >= self.most_short {
            let sources = self.sources.iter().map(|&source| source as usize);
            let long = sources.filter_map(|source| source.checked_sub(self.most_short));
            let row = &self.made[..self.event / 64 + 1];
            self.long.push(row, long);
        }
    }
}

impl Default for LongRows {
    fn default() -> Self {
        LongRows { blocks: vec![[0; BLOCK]], lists: Vec::new(), begins: Vec::new() }
    }
}

impl LongRows {
    fn bytes(&self) -> usize {
        size_of_val(self.blocks.as_slice())
            + size_of_val(self.lists.as_slice())
            + size_of_val(self.begins.as_slice())
    }

    /// The blocks of a row.
    fn list(&self, row: usize) -> &[u32] {
        let end = self.begins.get(row + 1).map_or(self.lists.len(), |&(list, _)| list as usize);
        &self.lists[self.begins[row].0 as usize..end]
    }

    fn contains(&self, row: usize, event: usize) -> bool {
        let block = self.list(row).get(event / (BLOCK * 64));
        block.is_some_and(|&block| {
            bits::contains(&self.blocks[block as usize], event % (BLOCK * 64))
        })
    }

    /// Forgets all rows from this one on.
    fn truncate(&mut self, row: usize) {
        if let Some(&(list, block)) = self.begins.get(row) {
            self.lists.truncate(list as usize);
            self.blocks.truncate(block as usize);
            self.begins.truncate(row);
        }
    }

    /// Appends a row. Blocks that are the same in the row of a source are shared with it.
    fn push(&mut self, row: &[u64], sources: impl Iterator<Item = usize> + Clone) {
        self.begins.push((self.lists.len() as u32, self.blocks.len() as u32));
        let last = self.begins.len() - 1;
        for (at, words) in row.chunks(BLOCK).enumerate() {
            let mut block = [0; BLOCK];
            block[..words.len()].copy_from_slice(words);
            let of_source = |source: usize| self.list_before(source, last).get(at).copied();
            let mut known = std::iter::once(NOBODY).chain(sources.clone().filter_map(of_source));
            let shared = known.find(|&known| self.blocks[known as usize] == block);
            let number = shared.unwrap_or(self.blocks.len() as u32);
            if shared.is_none() {
                self.blocks.push(block);
            }
            self.lists.push(number);
        }
    }

    /// The blocks of a row before the one that is being appended.
    fn list_before(&self, row: usize, last: usize) -> &[u32] {
        debug_assert!(row < last, "an event follows earlier ones");
        self.list(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// So many events have whole rows here.
    const FEW: usize = 128;
    /// More than fit into two blocks.
    const EVENTS: usize = 5_000;

    /// Whom an event follows: mostly the latest of a few tasks, seldom any.
    fn sources(event: usize, rng: &mut Rng) -> Vec<usize> {
        let below = |rng: &mut Rng, bound: usize| rng.below(bound as u64) as usize;
        let mut sources = Vec::new();
        for _ in 0..below(rng, 3) {
            let reach = if below(rng, 20) == 0 { event } else { event.min(12) };
            if reach > 0 {
                sources.push(event - 1 - below(rng, reach));
            }
        }
        sources
    }

    /// What happens before each event, by definition.
    #[derive(Default)]
    struct Naive {
        before: Vec<Vec<bool>>,
    }

    impl Naive {
        fn push(&mut self, sources: &[usize]) {
            let mut row = vec![false; self.before.len()];
            for &source in sources {
                row[source] = true;
                let past = self.before[source].iter().enumerate().filter(|(_, is_in)| **is_in);
                past.for_each(|(event, _)| row[event] = true);
            }
            self.before.push(row);
        }

        fn happens_before(&self, first: usize, second: usize) -> bool {
            self.before[second].get(first).copied().unwrap_or(false)
        }
    }

    fn compare(rows: &Rows, naive: &Naive, rng: &mut Rng) {
        let count = naive.before.len();
        for _ in 0..100 {
            let one = rng.below(count as u64) as usize;
            let row = rows.before(one);
            assert_eq!(row.len(), rows.words());
            for first in 0..count {
                let expected = naive.happens_before(first, one);
                assert_eq!(rows.happens_before(first, one), expected, "{first} before {one}");
                assert_eq!(bits::contains(&row, first), expected, "{first} in the row of {one}");
            }
            let mut common = bits::first(count, rows.words());
            rows.keep_before(&mut common, one);
            assert_eq!(*common, *row, "all that happens before {one}");
        }
    }

    #[test]
    fn short_and_long_rows_are_the_closure() {
        for (seed, most_short) in [(1, FEW), (2, FEW), (3, SHORT), (4, 64)] {
            let mut rng = Rng::new(seed);
            let (mut rows, mut naive) = (Rows::with_short(most_short), Naive::default());
            for _ in 0..3 {
                while naive.before.len() < EVENTS {
                    let event = naive.before.len();
                    let sources = sources(event, &mut rng);
                    rows.begin(event);
                    for &source in &sources {
                        let was_new = rows.follow(source);
                        assert!(!rows.follow(source), "it follows {source} already");
                        assert!(was_new || sources.len() > 1);
                    }
                    rows.end();
                    naive.push(&sources);
                }
                compare(&rows, &naive, &mut rng);
                // From somewhere on again: what was taken back leaves nothing behind.
                naive.before.truncate(rng.below(EVENTS as u64) as usize);
            }
        }
    }

    #[test]
    fn memory_grows_with_the_events() {
        let bytes = |events: usize| {
            let mut rows = Rows::with_short(FEW);
            let tasks = 10;
            for event in 0..events {
                rows.begin(event);
                if event >= tasks {
                    rows.follow(event - tasks);
                }
                if event % 100 > 90 {
                    rows.follow(event - 1);
                }
                rows.end();
            }
            rows.bytes()
        };
        let (one, two) = (bytes(20_000), bytes(40_000));
        assert!(two < 3 * one, "{one} and then {two} bytes");
        assert!(two < 40_000 * 500, "{two} bytes");
    }
}
