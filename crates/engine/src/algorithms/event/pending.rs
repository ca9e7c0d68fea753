//! Reversals that wait to be performed.

use crate::driver::Move;
use crate::fingerprint::Fingerprint;
use crate::ids::TaskId;
use smallvec::SmallVec;

/// A reversal: its frontier, and the moves from where it leaves the execution that it was found in.
///
/// Many of them wait, so they are written down as small as they can be: events of the frontier that come behind where it leaves, by name; the others, by
/// their positions; and runs of moves that are alike, each three numbers (task, choice, length). Numbers have seven bits in a byte.
#[derive(Debug)]
pub struct Pending(Box<[u8]>);

/// A reversal that has been read again.
#[derive(PartialEq, Eq, Debug)]
pub struct Read {
    /// The events of the frontier that are not shared, by name.
    pub names: SmallVec<[Fingerprint; 4]>,
    /// The others, by their positions.
    pub positions: SmallVec<[u32; 8]>,
    /// The moves behind what is shared.
    pub moves: Vec<Move>,
}

/// What the name of an event takes.
const BYTES_OF_NAME: usize = size_of::<Fingerprint>();

impl Pending {
    /// Writes a reversal down: the name of its second event, those of other events, positions, and moves. `scratch` is where that is done.
    pub fn new(
        last: Fingerprint,
        names: impl ExactSizeIterator<Item = Fingerprint>,
        positions: &[u32],
        moves: impl Iterator<Item = Move>,
        scratch: &mut Vec<u8>,
    ) -> Self {
        scratch.clear();
        write(scratch, names.len() as u32 + 1);
        scratch.extend_from_slice(&last.to_bytes());
        names.for_each(|name| scratch.extend_from_slice(&name.to_bytes()));
        write(scratch, positions.len() as u32);
        positions.iter().for_each(|&position| write(scratch, position));
        let mut run: Option<(Move, u32)> = None;
        for next in moves {
            match &mut run {
                Some((same, length)) if *same == next => *length += 1,
                _ => {
                    write_run(scratch, run);
                    run = Some((next, 1));
                }
            }
        }
        write_run(scratch, run);
        Pending(scratch.as_slice().into())
    }

    /// Reads it again.
    pub fn read(&self) -> Read {
        let mut bytes = &self.0[..];
        let count = read(&mut bytes) as usize;
        let (names, mut bytes) = bytes.split_at(count * BYTES_OF_NAME);
        let (names, _) = names.as_chunks();
        let names = names.iter().map(|&name| Fingerprint::from_bytes(name)).collect();
        let count = read(&mut bytes);
        let positions = (0..count).map(|_| read(&mut bytes)).collect();
        let mut moves = Vec::with_capacity(bytes.len());
        while !bytes.is_empty() {
            let [task, choice, length] = std::array::from_fn(|_| read(&mut bytes));
            moves.extend(std::iter::repeat_n((TaskId(task), choice), length as usize));
        }
        Read { names, positions, moves }
    }
}

fn write_run(bytes: &mut Vec<u8>, run: Option<(Move, u32)>) {
    if let Some(((task, choice), length)) = run {
        [task.0, choice, length].into_iter().for_each(|number| write(bytes, number));
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
    // Most numbers are small.
    if let [number @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return u32::from(*number);
    }
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

    #[test]
    fn a_reversal_is_read_as_it_was_written() {
        let name = |task| Fingerprint::of_event(TaskId(task), 1, 0).mixed();
        let moves = [(7, 0), (7, 0), (300, 2), (7, 0)].map(|(task, choice)| (TaskId(task), choice));
        for count in [1, 2, 130] {
            let names: SmallVec<[Fingerprint; 4]> = (0..count).map(name).collect();
            let positions: SmallVec<[u32; 8]> = (0..count).map(|event| event * 3).collect();
            let moves = moves.to_vec();
            let others = names[1..].iter().copied();
            let all = moves.iter().copied();
            let written = Pending::new(names[0], others, &positions, all, &mut Vec::new());
            assert_eq!(written.read(), Read { names, positions, moves });
        }
    }
}
