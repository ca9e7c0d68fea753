//! A transitive closure that grows edge by edge and shrinks again by undoing.
//!
//! Both directions are kept (who is reachable, who reaches), so that an insertion touches only the rows that change:
//! for an edge u -> v the rows of everything that reaches u but not v. Every changed word goes on a trail.
//! Cost of an insertion: (rows changed) x (words of a row); of an undo: the words changed.

use crate::bits::{BitMatrix, mark, ones};

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
    sources: Vec<u64>,
    targets: Vec<u64>,
    fresh: Vec<u64>,
}

impl Closure {
    /// Starts from a transitively closed, irreflexive relation over `size` terminals.
    pub(crate) fn load(&mut self, reach: &BitMatrix, size: usize) {
        self.forward.copy_from(reach);
        self.backward.transpose_from(reach, size);
        self.trail.clear();
        for buffer in [&mut self.sources, &mut self.targets, &mut self.fresh] {
            buffer.clear();
            buffer.resize(reach.words(), 0);
        }
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

    /// Inserts u -> v, which must not close a cycle. `grown(x, fresh)` is told for every x which terminals it reaches now
    /// and did not before.
    pub(crate) fn insert(&mut self, from: usize, to: usize, mut grown: impl FnMut(usize, &[u64])) {
        debug_assert!(from != to && !self.reaches(to, from));
        if self.reaches(from, to) {
            return;
        }
        self.select(from, to);
        let words = self.forward.words();
        for x in ones(&self.sources) {
            let base = x * words;
            let row = &mut self.forward.words_mut()[base..base + words];
            for (w, word) in row.iter_mut().enumerate() {
                let added = self.targets[w] & !*word;
                self.fresh[w] = added;
                if added != 0 {
                    self.trail.push(Saved {
                        place: ((base + w) as u64) << 1,
                        old: *word,
                    });
                    *word |= added;
                }
            }
            grown(x, &self.fresh);
        }
        for y in ones(&self.targets) {
            let base = y * words;
            let row = &mut self.backward.words_mut()[base..base + words];
            for (w, word) in row.iter_mut().enumerate() {
                if self.sources[w] & !*word != 0 {
                    self.trail.push(Saved {
                        place: ((base + w) as u64) << 1 | 1,
                        old: *word,
                    });
                    *word |= self.sources[w];
                }
            }
        }
    }

    /// `sources`: all that reach `from` but not yet `to`; `targets`: all that `to` reaches but `from` does not yet.
    fn select(&mut self, from: usize, to: usize) {
        for (w, source) in self.sources.iter_mut().enumerate() {
            *source = self.backward.row(from)[w] & !self.backward.row(to)[w];
        }
        mark(&mut self.sources, from);
        for (w, target) in self.targets.iter_mut().enumerate() {
            *target = self.forward.row(to)[w] & !self.forward.row(from)[w];
        }
        mark(&mut self.targets, to);
    }

    /// Forgets every insertion after `mark`.
    pub(crate) fn undo(&mut self, mark: usize) {
        for saved in self.trail.drain(mark..).rev() {
            let matrix = if saved.place & 1 == 0 {
                &mut self.forward
            } else {
                &mut self.backward
            };
            matrix.words_mut()[(saved.place >> 1) as usize] = saved.old;
        }
    }

    /// Makes the insertions so far permanent.
    pub(crate) fn commit(&mut self) {
        self.trail.clear();
    }
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
        let (mut edges, mut marks, mut state) = (Vec::new(), Vec::new(), 12345u64);
        for round in 0..160 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let (a, b) = ((state >> 33) as usize % size, (state >> 45) as usize % size);
            if round % 9 == 8 {
                closure.undo(marks.pop().unwrap());
                edges.pop();
            } else if a != b && !closure.reaches(b, a) {
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
