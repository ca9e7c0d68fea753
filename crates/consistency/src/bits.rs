//! Bit sets as rows of a dense matrix: the one data structure that reachability lives in.

/// A dense matrix of bits, rows padded to whole 64-bit words.
#[derive(Debug, Default, Clone)]
pub(crate) struct BitMatrix {
    words: usize,
    data: Vec<u64>,
}

impl BitMatrix {
    /// Makes it `rows` x `columns`, all zero; keeps the allocation.
    pub(crate) fn reset(&mut self, rows: usize, columns: usize) {
        self.words = columns.div_ceil(64);
        self.data.clear();
        self.data.resize(rows * self.words, 0);
    }

    pub(crate) fn words(&self) -> usize {
        self.words
    }

    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.data[row * self.words..(row + 1) * self.words]
    }

    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.data[row * self.words..(row + 1) * self.words]
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> bool {
        self.data[row * self.words + column / 64] >> (column % 64) & 1 == 1
    }

    pub(crate) fn set(&mut self, row: usize, column: usize) {
        self.data[row * self.words + column / 64] |= 1 << (column % 64);
    }

    /// All words, row after row: an index into it names one word of one row.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.data
    }

    /// Becomes a copy of `other`, reusing the allocation.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.words = other.words;
        self.data.clear();
        self.data.extend_from_slice(&other.data);
    }

    /// Becomes the transpose of the square matrix `other`, 64 x 64 bits at a time.
    pub(crate) fn transpose_from(&mut self, other: &Self, size: usize) {
        self.reset(size, size);
        let mut block = [0u64; 64];
        for block_row in 0..self.words {
            for word in 0..self.words {
                for (i, line) in block.iter_mut().enumerate() {
                    let row = block_row * 64 + i;
                    *line = if row < size { other.row(row)[word] } else { 0 };
                }
                transpose_block(&mut block);
                for (i, line) in block.iter().enumerate() {
                    let row = word * 64 + i;
                    if row < size {
                        self.row_mut(row)[block_row] = *line;
                    }
                }
            }
        }
    }
}

/// Transposes 64 x 64 bits in place by swapping ever smaller squares.
fn transpose_block(block: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_FFFF_FFFFu64;
    while width > 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = ((block[row] >> width) ^ block[row + width]) & mask;
            block[row] ^= swapped << width;
            block[row + width] ^= swapped;
            row = (row + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

/// The positions of the ones of `row`, ascending.
pub(crate) fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                index * 64 + bit
            })
        })
    })
}

/// Is bit `index` set in `row`?
pub(crate) fn test(row: &[u64], index: usize) -> bool {
    row[index / 64] >> (index % 64) & 1 == 1
}

/// Sets bit `index` of `row`.
pub(crate) fn mark(row: &mut [u64], index: usize) {
    row[index / 64] |= 1 << (index % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transpose_swaps_rows_and_columns() {
        let size = 150;
        let mut matrix = BitMatrix::default();
        matrix.reset(size, size);
        for i in 0..size {
            for j in 0..size {
                if (i * 7 + j * 13) % 5 == 1 {
                    matrix.set(i, j);
                }
            }
        }
        let mut transposed = BitMatrix::default();
        transposed.transpose_from(&matrix, size);
        for i in 0..size {
            for j in 0..size {
                assert_eq!(matrix.get(i, j), transposed.get(j, i));
            }
        }
    }

    #[test]
    fn ones_lists_set_bits() {
        let mut row = [0u64; 3];
        for index in [0, 63, 64, 130] {
            mark(&mut row, index);
        }
        assert_eq!(ones(&row).collect::<Vec<_>>(), [0, 63, 64, 130]);
        assert!(test(&row, 130) && !test(&row, 131));
    }
}
