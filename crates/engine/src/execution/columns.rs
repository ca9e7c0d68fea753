//! The happens-before relation by columns: bit `j` of column `i` says that event `j` happens after event `i`.
//!
//! Rows say what happens before an event. Reversing races asks what happens after one, for many events of one execution. So columns are made
//! when the first of them is asked for, those of 64 events at a time: squares of 64 × 64 bits are transposed, which costs little more than to
//! gather a single column.

/// The side of a square.
const SIDE: usize = 64;

/// The columns that have been asked for.
#[derive(Clone, Default, Debug)]
pub(super) struct Columns {
    /// For each band of 64 events, their columns; nothing if they have not been made.
    bands: Vec<Vec<u64>>,
    /// The words of all rows that they were made of.
    rows: usize,
}

impl Columns {
    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.bands.iter().map(|band| size_of_val(band.as_slice())).sum()
    }

    /// The rows have changed.
    #[inline]
    pub fn forget(&mut self) {
        self.rows = 0;
    }

    /// The column of an event. The rows have so many words each; other ones than before, unless there are more or fewer, are to be told
    /// ([`Columns::forget`]).
    #[inline]
    pub fn of(&mut self, event: usize, rows: &[u64], words: usize) -> &[u64] {
        let (at, begin) = (event / SIDE, event % SIDE * words);
        let is_made = self.rows == rows.len()
            && self.bands.get(at).is_some_and(|band| band.len() >= begin + words);
        let band = if is_made { &self.bands[at] } else { self.make(at, rows, words) };
        &band[begin..begin + words]
    }

    /// Makes the columns of a band.
    #[cold]
    fn make(&mut self, band: usize, rows: &[u64], words: usize) -> &[u64] {
        if self.rows != rows.len() {
            self.bands.iter_mut().for_each(Vec::clear);
            self.rows = rows.len();
        }
        if self.bands.len() <= band {
            self.bands.resize(band + 1, Vec::new());
        }
        let columns = &mut self.bands[band];
        columns.resize(SIDE * words, 0);
        transpose_band(band, rows, words, columns);
        columns
    }
}

/// The columns of a band: what happens after its events.
fn transpose_band(band: usize, rows: &[u64], words: usize, columns: &mut [u64]) {
    if let ([square], []) = columns.as_chunks_mut() {
        square[..rows.len()].copy_from_slice(rows);
        return transpose(square);
    }
    // What happens after an event comes behind it.
    for (word, rows) in rows.chunks(SIDE * words).enumerate().skip(band) {
        let mut square = [0; SIDE];
        let in_band = rows.iter().skip(band).step_by(words);
        square.iter_mut().zip(in_band).for_each(|(to, from)| *to = *from);
        transpose(&mut square);
        let to = columns.iter_mut().skip(word).step_by(words);
        to.zip(square).for_each(|(to, from)| *to = from);
    }
}

/// Halves of the square change places, then halves of these, and so on (Warren, Hacker's Delight, 7-3).
fn transpose(square: &mut [u64; SIDE]) {
    let mut mask = u64::MAX >> 32;
    let mut width = SIDE / 2;
    while width > 0 {
        for pair in square.chunks_exact_mut(2 * width) {
            let (upper, lower) = pair.split_at_mut(width);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let change = (*upper >> width ^ *lower) & mask;
                *lower ^= change;
                *upper ^= change << width;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;
    use crate::rng::Rng;

    #[test]
    fn columns_say_what_rows_say() {
        let mut random = Rng::new(1);
        let mut columns = Columns::default();
        for events in [1, 63, 64, 65, 200] {
            let words = events / 64 + 1;
            let mut rows = vec![0; events * words];
            for (event, row) in rows.chunks_mut(words).enumerate() {
                let before = (0..event).filter(|_| random.below(2) > 0);
                before.for_each(|before| bits::insert(row, before));
            }
            columns.forget();
            for event in 0..events {
                let column = columns.of(event, &rows, words);
                let after =
                    (0..events).filter(|&other| bits::contains(&rows[other * words..], event));
                assert!(bits::iter(column).eq(after), "{event} of {events}");
            }
            // The last event is taken back.
            let fewer = columns.of(0, &rows[..(events - 1) * words], words);
            assert!(bits::last(fewer).is_none_or(|last| last < events - 1));
        }
    }
}
