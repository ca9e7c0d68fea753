//! Explored executions that parked sequences are made of: kept as moves, and performed again when they are needed.

use crate::driver::{Driver, Move, shared};
use crate::execution::Execution;
use crate::ids::TaskId;
use crate::program::Program;
use std::rc::Rc;

/// The moves of an execution. Many executions are kept, so they are written down as runs of moves that are alike, each
/// three numbers (task, choice, length), each number seven bits at a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moves(Rc<[u8]>);

impl Moves {
    /// Writes moves down.
    pub fn new(moves: &[Move]) -> Self {
        let mut bytes = Vec::new();
        for run in moves.chunk_by(|one, other| one == other) {
            for number in [run[0].0.0, run[0].1, run.len() as u32] {
                write(&mut bytes, number);
            }
        }
        Moves(bytes.into())
    }

    fn of(execution: &Execution) -> Self {
        let moves = execution.events().iter().map(|event| (event.task, event.choice));
        Moves::new(&moves.collect::<Vec<_>>())
    }

    /// Reads them again.
    pub fn read(&self) -> Vec<Move> {
        let mut moves = Vec::new();
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

/// What is kept of executions.
#[derive(Default, Debug)]
pub struct Kept {
    /// The moves of the execution at hand, written down when first needed.
    current: Option<Moves>,
    /// The one that was performed again last: the next is often the same, or begins in the same way.
    recalled: Option<(Moves, Execution)>,
}

impl Kept {
    /// Another execution is at hand, which has just been explored.
    pub fn turn_to_explored(&mut self) {
        self.current = None;
    }

    /// The moves of the execution at hand.
    pub fn of(&mut self, execution: &Execution) -> Moves {
        self.current.get_or_insert_with(|| Moves::of(execution)).clone()
    }

    /// The execution that these moves lead to is at hand. Nothing if they cannot be made, because the program is not a function
    /// of the schedule. It is given back by [`Kept::give_back`].
    pub fn recall<P: Program>(
        &mut self,
        driver: &mut Driver<'_, P>,
        moves: &Moves,
    ) -> Option<Execution> {
        self.current = Some(moves.clone());
        let empty = || Execution::new(driver.execution().dependence());
        let (old, mut execution) = match self.recalled.take() {
            Some((old, execution)) if Rc::ptr_eq(&old.0, &moves.0) => return Some(execution),
            Some((old, execution)) => (old.read(), execution),
            None => (Vec::new(), empty()),
        };
        let moves = moves.read();
        execution.truncate(shared(&old, &moves));
        driver.walk.recall(&moves, &mut execution).then_some(execution)
    }

    /// An execution that was recalled is not needed any more.
    pub fn give_back(&mut self, execution: Execution) {
        self.recalled = self.current.clone().map(|moves| (moves, execution));
    }
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
