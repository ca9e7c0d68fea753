//! What code may still do from an instruction on: which registers it uses before it sets them, and which variables it
//! may read. Two states that differ in nothing else are the same for everything that follows.
//!
//! A backward analysis over the instructions, repeated until nothing changes. Arrays count as a whole, and what is
//! forked or posted counts as if it were called.

use crate::code::{Code, Instruction, NO_INDEX, Register, Target};
use crate::layout::Array;

/// A set of small numbers.
type Set = Vec<u64>;

fn contains(set: &Set, number: usize) -> bool {
    set[number / 64] >> (number % 64) & 1 != 0
}

fn insert(set: &mut Set, number: usize) {
    set[number / 64] |= 1 << (number % 64);
}

fn remove(set: &mut Set, number: usize) {
    set[number / 64] &= !(1 << (number % 64));
}

/// Puts all of `other` into `set`. Says whether that changes anything.
fn include(set: &mut Set, other: &Set) -> bool {
    let mut changes = false;
    for (word, &add) in set.iter_mut().zip(other) {
        changes |= add & !*word != 0;
        *word |= add;
    }
    changes
}

/// For every instruction, what may still happen from there on.
#[derive(Clone, Debug)]
pub(crate) struct Future {
    registers: Vec<Set>,
    arrays: Vec<Set>,
    /// The first object of each array.
    bases: Vec<u32>,
    /// The arrays of locks and semaphores.
    guards: Set,
}

impl Future {
    pub(crate) fn of(code: &Code, objects: &[Array]) -> Self {
        let registers = code.routines.iter().map(|routine| routine.registers).max().unwrap_or(0);
        let empty = |count: usize| vec![vec![0; count / 64 + 1]; code.instructions.len()];
        let mut future = Future {
            registers: empty(registers as usize),
            arrays: empty(objects.len()),
            bases: objects.iter().map(|array| array.base).collect(),
            guards: vec![0; objects.len() / 64 + 1],
        };
        for guard in code.instructions.iter().filter_map(guarded) {
            let array = future.array(guard);
            insert(&mut future.guards, array);
        }
        let mut changes = true;
        while changes {
            changes = false;
            for at in (0..code.instructions.len()).rev() {
                changes |= future.update(code, at);
            }
        }
        future
    }

    /// May code that stands at an instruction still read an object?
    pub(crate) fn may_read(&self, instruction: u32, object: u32) -> bool {
        contains(&self.arrays[instruction as usize], self.array(object))
    }

    /// Is an object a lock or a semaphore that anybody takes or gives back?
    pub(crate) fn is_guard(&self, object: u32) -> bool {
        contains(&self.guards, self.array(object))
    }

    /// The registers that code which stands at an instruction may still use.
    pub(crate) fn registers(&self, instruction: u32) -> impl Iterator<Item = usize> + '_ {
        let set = &self.registers[instruction as usize];
        (0..set.len() * 64).filter(|&register| contains(set, register))
    }

    fn array(&self, object: u32) -> usize {
        // Empty arrays share their base with their successor, which comes after them.
        self.bases.partition_point(|&base| base <= object) - 1
    }

    fn update(&mut self, code: &Code, at: usize) -> bool {
        let instruction = code.instructions[at];
        let mut registers = vec![0; self.registers[at].len()];
        let mut arrays = vec![0; self.arrays[at].len()];
        for next in successors(instruction, at) {
            include(&mut registers, &self.registers[next]);
            include(&mut arrays, &self.arrays[next]);
        }
        let flow = Flow::of(code, instruction);
        flow.sets.iter().for_each(|&register| remove(&mut registers, register as usize));
        flow.uses.iter().for_each(|&register| insert(&mut registers, register as usize));
        if let Some(object) = flow.reads {
            insert(&mut arrays, self.array(object));
        }
        if let Some(routine) = flow.begins {
            let entry = code.routines[routine as usize].entry as usize;
            let begun = std::mem::take(&mut self.arrays[entry]);
            include(&mut arrays, &begun);
            self.arrays[entry] = begun;
        }
        let registers_change = include(&mut self.registers[at], &registers);
        include(&mut self.arrays[at], &arrays) || registers_change
    }
}

/// The first object of the locks or semaphores that an instruction works on.
fn guarded(instruction: &Instruction) -> Option<u32> {
    match instruction {
        Instruction::Lock { target }
        | Instruction::Unlock { target }
        | Instruction::LockShared { target }
        | Instruction::UnlockShared { target }
        | Instruction::TryLock { target, .. }
        | Instruction::Acquire { target }
        | Instruction::Release { target }
        | Instruction::TryAcquire { target, .. }
        | Instruction::Enqueue { target }
        | Instruction::Arrive { target, .. }
        | Instruction::Notify { target, .. }
        | Instruction::Wake { target, .. }
        | Instruction::NotifyAll { target } => Some(target.base),
        _ => None,
    }
}

fn successors(instruction: Instruction, at: usize) -> Vec<usize> {
    match instruction {
        Instruction::Jump { to } => vec![to as usize],
        Instruction::JumpIfZero { to, .. }
        | Instruction::JumpIfNotZero { to, .. }
        | Instruction::ForEnter { exit: to, .. }
        | Instruction::ForNext { body: to, .. } => vec![at + 1, to as usize],
        Instruction::End => Vec::new(),
        _ => vec![at + 1],
    }
}

/// What one instruction does with registers and variables.
#[derive(Default)]
struct Flow {
    uses: Vec<Register>,
    /// What it certainly sets.
    sets: Vec<Register>,
    /// The first object of what it reads.
    reads: Option<u32>,
    /// The routine that it forks or posts.
    begins: Option<u16>,
}

impl Flow {
    fn of(code: &Code, instruction: Instruction) -> Self {
        let plain = |uses: &[Register], sets: &[Register]| Flow {
            uses: uses.to_vec(),
            sets: sets.to_vec(),
            ..Flow::default()
        };
        match instruction {
            Instruction::Enter
            | Instruction::Jump { .. }
            | Instruction::End
            | Instruction::AtomicEnd
            | Instruction::Sleep
            | Instruction::Atomic { .. } => Flow::default(),
            Instruction::Constant { to, .. } => plain(&[], &[to]),
            Instruction::Copy { to, from }
            | Instruction::Negate { to, from }
            | Instruction::Not { to, from }
            | Instruction::Truth { to, from }
            | Instruction::FirstIndex { to, from, .. } => plain(&[from], &[to]),
            Instruction::NextIndex { to, from, .. } => plain(&[to, from], &[]),
            Instruction::Binary { to, left, right, .. } => plain(&[left, right], &[to]),
            Instruction::JumpIfZero { condition, .. }
            | Instruction::JumpIfNotZero { condition, .. }
            | Instruction::Assert { condition, .. }
            | Instruction::Assume { condition } => plain(&[condition], &[]),
            Instruction::ForEnter { counter, end, .. }
            | Instruction::ForNext { counter, end, .. } => plain(&[counter, end], &[]),
            // It compares everything that is alive with the round before.
            Instruction::BeginRound { .. } => {
                let registers = code.routines.iter().map(|routine| routine.registers).max();
                plain(&(0..registers.unwrap_or(0)).collect::<Vec<_>>(), &[])
            }
            Instruction::CountRound { counter } => plain(&[counter], &[]),
            Instruction::Join { handle } => plain(&[handle], &[]),
            Instruction::Read { to, target } => plain(&[], &[to]).reading(target),
            Instruction::Write { from, target } => plain(&[from], &[]).indexed(target),
            Instruction::Update { to, from, target, .. }
            | Instruction::Swap { to, from, target } => plain(&[from], &[to]).reading(target),
            Instruction::CompareAndSwap { to, old, new, target } => {
                plain(&[old, new], &[to]).reading(target)
            }
            Instruction::TryLock { to, target, .. }
            | Instruction::TryAcquire { to, target }
            | Instruction::Arrive { to, target }
            | Instruction::Notify { to, target } => plain(&[], &[to]).indexed(target),
            Instruction::Wake { choice, target } => plain(&[choice], &[]).indexed(target),
            Instruction::Choose { to, count } => plain(&[count], &[to]),
            Instruction::Lock { target }
            | Instruction::Unlock { target }
            | Instruction::LockShared { target }
            | Instruction::UnlockShared { target }
            | Instruction::Acquire { target }
            | Instruction::Release { target }
            | Instruction::Enqueue { target }
            | Instruction::NotifyAll { target }
            | Instruction::JoinThread { target } => Flow::default().indexed(target),
            Instruction::Post { routine, arguments, target } => {
                Flow::default().beginning(code, routine, arguments).indexed(target)
            }
            Instruction::Fork { routine, arguments, to } => {
                plain(&[], &[to]).beginning(code, routine, arguments)
            }
        }
    }

    fn reading(mut self, target: Target) -> Self {
        self.reads = Some(target.base);
        self.indexed(target)
    }

    fn indexed(mut self, target: Target) -> Self {
        if target.index != NO_INDEX {
            self.uses.push(target.index);
        }
        self
    }

    fn beginning(mut self, code: &Code, routine: u16, arguments: Register) -> Self {
        let count = code.routines[routine as usize].parameters;
        self.uses.extend(arguments..arguments + count);
        self.begins = Some(routine);
        self
    }
}
