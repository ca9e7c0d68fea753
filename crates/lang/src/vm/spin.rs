//! Loops that wait: a round of a `while` that changes nothing.
//!
//! If a round of a loop has written no variable (a swap that leaves the value as it is writes nothing) and has left the locals that it uses as they were, everything is as if it
//! had not been made, except that time has passed: leaving it out of an execution gives another execution with the same
//! effects. So nothing is lost if the task stops there: the executions in which it leaves the loop are those in which it
//! makes its next round later. What must not be lost is that it may never leave: where nobody can move any more, the round
//! is tried once more, and if it changes nothing again the loop goes on for ever. A loop that looks at nothing does not
//! wait, and is unrolled to its bound.

use super::VmRun;
use super::local::{Stop, run_local};
use super::locks::is_free;
use crate::arithmetic::Operator;
use crate::code::{Instruction, Spin, Target};
use mazurka_engine::{Mode, TaskId};

/// Does a round of a loop begin as the one before did? Otherwise takes note of how it begins.
#[inline]
pub(super) fn repeats(spin: &Spin, registers: &mut [i64], changes: u32) -> bool {
    if !spin.waits {
        return false;
    }
    let mark = spin.mark as usize;
    let copies = || spin.assigned.iter().zip(mark + 1..);
    if registers[mark] == i64::from(changes)
        && copies().all(|(&local, copy)| registers[local as usize] == registers[copy])
    {
        return true;
    }
    registers[mark] = i64::from(changes);
    copies().for_each(|(&local, copy)| registers[copy] = registers[local as usize]);
    false
}

impl VmRun<'_> {
    /// Does the task stand in a loop that waits?
    pub(super) fn spins(&self, task: TaskId) -> bool {
        let at = self.tasks[task.index()].instruction as usize;
        matches!(self.program.code.instructions[at], Instruction::BeginRound { .. })
    }

    /// Would another round change nothing either, with the variables as they are?
    pub(super) fn would_spin(&self, task: TaskId) -> bool {
        let state = &self.tasks[task.index()];
        let base = state.base as usize;
        let count = self.program.code.routines[state.routine as usize].registers as usize;
        let mut registers = self.registers[base..base + count].to_vec();
        let mut at = state.instruction + 1;
        let mut pace = self.pace.clone();
        let mut faults = Vec::new();
        loop {
            let stop = run_local(
                self.program,
                &mut registers,
                &mut at,
                &mut faults,
                &mut pace,
                state.changes,
            );
            match stop {
                Stop::Spinning => return true,
                Stop::Event => match self.idle(&mut registers, at) {
                    true => at += 1,
                    false => return false,
                },
                Stop::AtomicEnd => {}
                _ => return false,
            }
        }
    }

    /// Performs an event on registers that are gone afterwards, if it changes no variable.
    fn idle(&self, registers: &mut [i64], at: u32) -> bool {
        let value = |registers: &[i64], target: Target| self.values[target.resolve(registers)];
        match self.program.code.instructions[at as usize] {
            Instruction::Read { to, target } => {
                registers[to as usize] = value(registers, target);
                true
            }
            Instruction::Update { subtract, to, from, target } => {
                let old = value(registers, target);
                let operator = if subtract { Operator::Subtract } else { Operator::Add };
                let same = operator.apply(old, registers[from as usize]) == Ok(old);
                registers[to as usize] = old;
                same
            }
            Instruction::Swap { to, from, target } => {
                let old = value(registers, target);
                let same = old == registers[from as usize];
                registers[to as usize] = old;
                same
            }
            Instruction::CompareAndSwap { to, old, new, target } => {
                let found = value(registers, target);
                let succeeds = found == registers[old as usize];
                let same = !succeeds || found == registers[new as usize];
                registers[to as usize] = i64::from(succeeds);
                same
            }
            Instruction::TryLock { shared, to, target } => {
                let mode = if shared { Mode::LockShared } else { Mode::Lock };
                registers[to as usize] = 0;
                !is_free(mode, value(registers, target))
            }
            Instruction::TryAcquire { to, target } => {
                registers[to as usize] = 0;
                !is_free(Mode::Wait, value(registers, target))
            }
            Instruction::Atomic { .. } => true,
            _ => false,
        }
    }
}
