//! A transitive closure that grows edge by edge and shrinks again by undoing.
//!
//! Both directions are kept (who is reachable, who reaches), so that an insertion touches only the rows that change:
//! for an edge u -> v the rows of everything that reaches u but not v. Every changed word goes on a trail.
//! Cost of an insertion: (rows changed) x (words of a row); of an undo: the words changed.

use crate::bits::BitMatrix;

/// A word of a row that is not zero, with its place in the row.
pub(crate) type Word = (u32, u64);

/// One word as it was before it changed.
#[derive(Debug, Clone, Copy)]
struct Saved {
    /// Index into the matrix, shifted left by one; the low bit says which matrix.
    place: u64,
    old: u64,
}

/// Reachability between the terminals under the fixed edges and the edges inserted so far.
#[derive(Debug, Default)]
pub(crate) struct Closure {
    forward: BitMatrix,
    backward: BitMatrix,
    trail: Vec<Saved>,
    sources: Vec<Word>,
    targets: Vec<Word>,
    fresh: Vec<Word>,
    /// Insertions are not saved: there is nothing to go back to yet.
    permanent: bool,
}

impl Closure {
    /// Starts from a transitively closed, irreflexive relation over `size` terminals.
    pub(crate) fn load(&mut self, reach: &BitMatrix, size: usize) {
        self.forward.copy_from(reach);
        self.backward.transpose_from(reach, size);
        self.trail.clear();
        self.permanent = true;
    }

    pub(crate) fn reaches(&self, from: usize, to: usize) -> bool {
        self.forward.get(from, to)
    }

    pub(crate) fn after(&self, node: usize) -> &[u64] {
        self.forward.row(node)
    }

    pub(crate) fn before(&self, node: usize) -> &[u64] {
        self.backward.row(node)
    }

    /// A point to undo to.
    pub(crate) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Inserts u -> v, which is new and must not close a cycle. `grown(x, fresh)` is told for every x which terminals it reaches now
    /// and did not before, as words that are not zero.
    pub(crate) fn insert(&mut self, from: usize, to: usize, mut grown: impl FnMut(usize, &[Word])) {
        debug_assert!(from != to && !self.reaches(to, from) && !self.reaches(from, to));
        self.select(from, to);
        let Self { forward, backward, trail, sources, targets, fresh, permanent } = self;
        let words = forward.words();
        for x in ones_of(sources) {
            let base = x * words;
            let row = &mut forward.words_mut()[base..base + words];
            fresh.clear();
            for &(w, target) in targets.iter() {
                let word = &mut row[w as usize];
                let added = target & !*word;
                if added != 0 {
                    if !*permanent {
                        trail.push(Saved { place: ((base + w as usize) as u64) << 1, old: *word });
                    }
                    *word |= added;
                    fresh.push((w, added));
                }
            }
            grown(x, fresh);
        }
        for y in ones_of(targets) {
            let base = y * words;
            let row = &mut backward.words_mut()[base..base + words];
            for &(w, source) in sources.iter() {
                let word = &mut row[w as usize];
                if source & !*word != 0 {
                    if !*permanent {
                        trail.push(Saved {
                            place: ((base + w as usize) as u64) << 1 | 1,
                            old: *word,
                        });
                    }
                    *word |= source;
                }
            }
        }
    }

    /// `sources`: all that reach `from` but not yet `to`; `targets`: all that `to` reaches but `from` does not yet.
    fn select(&mut self, from: usize, to: usize) {
        let Self { forward, backward, sources, targets, .. } = self;
        difference(backward.row(from), backward.row(to), from, sources);
        difference(forward.row(to), forward.row(from), to, targets);
    }

    /// Forgets every insertion after `mark`.
    pub(crate) fn undo(&mut self, mark: usize) {
        for saved in self.trail.drain(mark..).rev() {
            let matrix = if saved.place & 1 == 0 { &mut self.forward } else { &mut self.backward };
            matrix.words_mut()[(saved.place >> 1) as usize] = saved.old;
        }
    }

    /// From now on insertions can be undone; those so far stay.
    pub(crate) fn commit(&mut self) {
        self.permanent = false;
    }
}

/// The words of `row` without `less` but with `also` that are not zero.
fn difference(row: &[u64], less: &[u64], also: usize, words: &mut Vec<Word>) {
    words.clear();
    for (w, (&word, &less)) in row.iter().zip(less).enumerate() {
        let extra = if also / 64 == w { 1 << (also % 64) } else { 0 };
        let left = word & !less | extra;
        if left != 0 {
            words.push((w as u32, left));
        }
    }
}

/// The positions of the ones of sparse words.
pub(crate) fn ones_of(words: &[Word]) -> impl Iterator<Item = usize> + '_ {
    words.iter().flat_map(|&(w, word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                w as usize * 64 + bit
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(size: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; size]; size];
        for &(a, b) in edges {
            reach[a][b] = true;
        }
        for k in 0..size {
            for i in 0..size {
                for j in 0..size {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        reach
    }

    #[test]
    fn agrees_with_floyd_warshall_through_insertions_and_undo() {
        let size = 70;
        let mut empty = BitMatrix::default();
        empty.reset(size, size);
        let mut closure = Closure::default();
        closure.load(&empty, size);
        closure.commit();
        let (mut edges, mut marks, mut state) = (Vec::new(), Vec::new(), 12345u64);
        for round in 0..160 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (a, b) = ((state >> 33) as usize % size, (state >> 45) as usize % size);
            if round % 9 == 8 {
                closure.undo(marks.pop().unwrap());
                edges.pop();
            } else if a != b && !closure.reaches(b, a) && !closure.reaches(a, b) {
                marks.push(closure.mark());
                edges.push((a, b));
                closure.insert(a, b, |_, _| {});
            }
        }
        let expected = naive(size, &edges);
        for (i, row) in expected.iter().enumerate() {
            for (j, &reached) in row.iter().enumerate() {
                assert_eq!(closure.reaches(i, j), reached);
                assert_eq!(crate::bits::test(closure.before(j), i), reached);
            }
        }
    }
}
