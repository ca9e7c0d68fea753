//! `finally` looks at the final state, and an `invariant` at the one at the beginning: without events, and without changing anything.

use super::VmRun;
use super::fault::RuntimeError;
use super::local::{Stop, run_local};
use crate::code::Instruction;
use mazurka_engine::{Fault, ObjectId};

impl VmRun<'_> {
    /// Runs the `finally` blocks on registers that are gone afterwards.
    pub(super) fn run_finally(&mut self) -> Vec<Fault> {
        self.look(&self.program.finally_routines)
    }

    /// Looks whether the invariants hold.
    pub(super) fn look_at_invariants(&mut self) -> Vec<Fault> {
        self.look(&self.program.invariant_routines)
    }

    fn look(&mut self, routines: &[u16]) -> Vec<Fault> {
        self.final_reads.clear();
        if routines.is_empty() {
            return Vec::new();
        }
        let mut faults = Vec::new();
        let base = self.registers.len();
        for &routine in routines {
            let code = &self.program.code.routines[routine as usize];
            self.registers.resize(base + code.registers as usize, 0);
            self.run_one(base, code.entry, &mut faults);
            self.registers.truncate(base);
        }
        faults
    }

    fn run_one(&mut self, base: usize, mut at: u32, faults: &mut Vec<Fault>) {
        let registers = &mut self.registers[base..];
        let error = loop {
            match run_local(self.program, registers, &mut at, faults, &mut self.pace, 0) {
                Stop::Event => {
                    let Instruction::Read { to, target } =
                        self.program.code.instructions[at as usize]
                    else {
                        unreachable!("the compiler lets nothing but reads into `finally`")
                    };
                    let object = target.resolve(registers);
                    registers[to as usize] = self.values[object];
                    self.final_reads.push(ObjectId::from(object));
                    at += 1;
                }
                Stop::Ended | Stop::Blocked | Stop::AtomicEnd | Stop::Interrupted => return,
                Stop::Spinning => break RuntimeError::EndlessLoop,
                Stop::Truncated => break RuntimeError::EndlessFinally(self.program.unroll),
                Stop::Fault(error) => break *error,
            }
        };
        faults.push(error.at(self.program, at));
    }
}
