//! Reversals that wait to be performed, kept as moves.

use crate::driver::Move;
use crate::ids::TaskId;

/// The moves of a reversal. Many of them wait, so they are written down as runs of moves that are alike, each
/// three numbers (task, choice, length), each number seven bits at a time.
#[derive(Debug)]
pub struct Moves(Box<[u8]>);

impl Moves {
    /// Writes moves down.
    pub fn new(moves: &[Move]) -> Self {
        let mut bytes = Vec::with_capacity(3 * moves.len());
        for run in moves.chunk_by(|one, other| one == other) {
            for number in [run[0].0.0, run[0].1, run.len() as u32] {
                write(&mut bytes, number);
            }
        }
        Moves(bytes.into())
    }

    /// Reads them again.
    pub fn read(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(self.0.len());
        let mut bytes = &self.0[..];
        while !bytes.is_empty() {
            let [task, choice, length] = std::array::from_fn(|_| read(&mut bytes));
            moves.extend(std::iter::repeat_n((TaskId(task), choice), length as usize));
        }
        moves
    }
}

/// Seven bits at a time, the lowest first; the highest bit of a byte says that more follow.
fn write(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read(bytes: &mut &[u8]) -> u32 {
    let length = bytes.iter().take_while(|&&byte| byte & 0x80 != 0).count() + 1;
    let (number, rest) = bytes.split_at(length.min(bytes.len()));
    *bytes = rest;
    number.iter().rev().fold(0, |sum, &byte| sum << 7 | u32::from(byte & 0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_are_read_as_they_were_written() {
        let numbers = [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 21, u32::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| write(&mut bytes, number));
        let mut rest = &bytes[..];
        let read: Vec<u32> = numbers.iter().map(|_| super::read(&mut rest)).collect();
        assert_eq!((read, rest), (numbers.to_vec(), &[][..]));
    }
}
