//! Local code: everything between two events.

use super::fault::{RuntimeError, false_assertion};
use super::pace::Pace;
use super::spin;
use crate::arithmetic::negate;
use crate::code::{Bounds, Instruction};
use crate::program::EdProgram;
use mazurka_engine::Fault;

/// What the engine takes.
const MOST_ALTERNATIVES: i64 = mazurka_engine::MOST_ALTERNATIVES as i64;

/// Why local code stopped.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// At an event.
    Event,
    /// Behind the end of an `atomic` block.
    AtomicEnd,
    /// The task has ended.
    Ended,
    /// An `assume` was false.
    Blocked,
    /// A `while` went round too often.
    Truncated,
    /// A round of a `while` changed nothing.
    Spinning,
    /// The time is up.
    Interrupted,
    /// A run-time fault. Boxed, so that the common results stay small.
    Fault(Box<RuntimeError>),
}

/// Runs local instructions from `at` on, and leaves `at` where they stopped. False assertions are added to
/// `faults` and do not stop it. `changes`: how many the task has made.
#[inline]
pub(super) fn run_local(
    program: &EdProgram,
    registers: &mut [i64],
    at: &mut u32,
    faults: &mut Vec<Fault>,
    pace: &mut Pace,
    changes: u32,
) -> Stop {
    let code = &program.code;
    loop {
        let instruction = code.instructions[*at as usize];
        match instruction {
            Instruction::Enter => {}
            Instruction::Constant { to, value } => registers[to as usize] = value,
            Instruction::Copy { to, from } => registers[to as usize] = registers[from as usize],
            Instruction::Binary { operator, to, left, right } => {
                match operator.apply(registers[left as usize], registers[right as usize]) {
                    Ok(value) => registers[to as usize] = value,
                    Err(error) => return fault(error.into()),
                }
            }
            Instruction::Negate { to, from } => match negate(registers[from as usize]) {
                Ok(value) => registers[to as usize] = value,
                Err(error) => return fault(error.into()),
            },
            Instruction::Not { to, from } => {
                registers[to as usize] = i64::from(registers[from as usize] == 0)
            }
            Instruction::Truth { to, from } => {
                registers[to as usize] = i64::from(registers[from as usize] != 0)
            }
            Instruction::Jump { to } => {
                *at = to;
                continue;
            }
            Instruction::JumpIfZero { condition, to } => {
                if registers[condition as usize] == 0 {
                    *at = to;
                    continue;
                }
            }
            Instruction::JumpIfNotZero { condition, to } => {
                if registers[condition as usize] != 0 {
                    *at = to;
                    continue;
                }
            }
            Instruction::ForEnter { counter, end, exit } => {
                if registers[counter as usize] >= registers[end as usize] {
                    *at = exit;
                    continue;
                }
            }
            Instruction::ForNext { counter, end, variable, body } => {
                // The counter is below the end, so this cannot overflow.
                let next = registers[counter as usize] + 1;
                registers[counter as usize] = next;
                if next < registers[end as usize] {
                    registers[variable as usize] = next;
                    *at = body;
                    if pace.round() {
                        return Stop::Interrupted;
                    }
                    continue;
                }
            }
            Instruction::BeginRound { spin } => {
                if pace.round() {
                    return Stop::Interrupted;
                }
                if spin::repeats(&code.spins[spin as usize], registers, changes) {
                    return Stop::Spinning;
                }
            }
            Instruction::CountRound { counter } => {
                if registers[counter as usize] >= program.unroll {
                    return Stop::Truncated;
                }
                registers[counter as usize] += 1;
            }
            Instruction::FirstIndex { to, from, bounds } => {
                match offset(&code.bounds[bounds as usize], registers[from as usize]) {
                    Ok(offset) => registers[to as usize] = offset,
                    Err(error) => return fault(error),
                }
            }
            Instruction::NextIndex { to, from, bounds } => {
                let bounds = &code.bounds[bounds as usize];
                match offset(bounds, registers[from as usize]) {
                    Ok(offset) => {
                        registers[to as usize] = registers[to as usize] * bounds.size + offset
                    }
                    Err(error) => return fault(error),
                }
            }
            Instruction::Assert { condition, assertion } => {
                if registers[condition as usize] == 0 {
                    faults.push(false_assertion(program, registers, assertion, *at));
                }
            }
            Instruction::Assume { condition } => {
                if registers[condition as usize] == 0 {
                    return Stop::Blocked;
                }
            }
            Instruction::Choose { to, count } => match registers[count as usize] {
                1 => registers[to as usize] = 0,
                2..=MOST_ALTERNATIVES => return Stop::Event,
                count => return fault(RuntimeError::NothingToChoose(count)),
            },
            Instruction::End => return Stop::Ended,
            Instruction::AtomicEnd => {
                *at += 1;
                return Stop::AtomicEnd;
            }
            Instruction::Read { .. }
            | Instruction::Write { .. }
            | Instruction::Update { .. }
            | Instruction::Swap { .. }
            | Instruction::CompareAndSwap { .. }
            | Instruction::Lock { .. }
            | Instruction::Unlock { .. }
            | Instruction::LockShared { .. }
            | Instruction::UnlockShared { .. }
            | Instruction::TryLock { .. }
            | Instruction::Acquire { .. }
            | Instruction::Release { .. }
            | Instruction::TryAcquire { .. }
            | Instruction::Enqueue { .. }
            | Instruction::Arrive { .. }
            | Instruction::Sleep
            | Instruction::Notify { .. }
            | Instruction::Wake { .. }
            | Instruction::NotifyAll { .. }
            | Instruction::Post { .. }
            | Instruction::Fork { .. }
            | Instruction::Join { .. }
            | Instruction::JoinThread { .. }
            | Instruction::Atomic { .. } => return Stop::Event,
        }
        *at += 1;
    }
}

#[cold]
fn fault(error: RuntimeError) -> Stop {
    Stop::Fault(Box::new(error))
}

/// The distance of an index from the lower bound of its dimension.
#[inline]
fn offset(bounds: &Bounds, index: i64) -> Result<i64, RuntimeError> {
    let offset = index.wrapping_sub(bounds.low);
    if index >= bounds.low && (0..bounds.size).contains(&offset) {
        return Ok(offset);
    }
    let (low, high) = (bounds.low, bounds.low.saturating_add(bounds.size));
    Err(RuntimeError::Index { name: bounds.name.clone(), index, low, high })
}
