//! What the compiler makes and the machine runs: a flat list of small instructions over registers.
//!
//! An *event* instruction is where a task stops and waits to be scheduled; all others are local. Inside an
//! `atomic` block, and in `finally`, event instructions are performed at once.

use crate::arithmetic::Operator;
use crate::source::Span;

/// A register of the running task.
pub(crate) type Register = u16;

/// Stands for no index in a [`Target`].
pub(crate) const NO_INDEX: Register = Register::MAX;

/// A variable, lock, handler or thread: the `base`-th one, or `base` plus what a register says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    pub(crate) base: u32,
    pub(crate) index: Register,
}

impl Target {
    /// Which one it is, for a task with these registers.
    #[inline]
    pub(crate) fn resolve(self, registers: &[i64]) -> usize {
        match self.index {
            NO_INDEX => self.base as usize,
            index => self.base as usize + registers[index as usize] as usize,
        }
    }
}

/// The instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instruction {
    /// The first instruction of every routine: gives its start a place. Does nothing.
    Enter,
    Constant {
        to: Register,
        value: i64,
    },
    Copy {
        to: Register,
        from: Register,
    },
    Binary {
        operator: Operator,
        to: Register,
        left: Register,
        right: Register,
    },
    Negate {
        to: Register,
        from: Register,
    },
    Not {
        to: Register,
        from: Register,
    },
    /// 1 for anything but 0.
    Truth {
        to: Register,
        from: Register,
    },
    Jump {
        to: u32,
    },
    JumpIfZero {
        condition: Register,
        to: u32,
    },
    JumpIfNotZero {
        condition: Register,
        to: u32,
    },
    /// Goes on with the body, or leaves the loop at `exit`.
    ForEnter {
        counter: Register,
        end: Register,
        exit: u32,
    },
    /// Counts, sets the loop's variable, and goes back to the body if there is another round.
    ForNext {
        counter: Register,
        end: Register,
        variable: Register,
        body: u32,
    },
    /// Begins a round of a `while`, in front of its condition; stops the task when the round before changed nothing
    /// ([`Code::spins`]).
    BeginRound {
        spin: u32,
    },
    /// Counts a round of a `while`; cuts the task when it was one too many.
    CountRound {
        counter: Register,
    },
    /// Checks an index against [`Code::bounds`] and makes it the offset within its dimension.
    FirstIndex {
        to: Register,
        from: Register,
        bounds: u32,
    },
    /// The same for a further dimension: scales what `to` holds and adds the offset.
    NextIndex {
        to: Register,
        from: Register,
        bounds: u32,
    },
    /// Reports the failure of this one of [`Code::assertions`] if the condition is 0.
    Assert {
        condition: Register,
        assertion: u32,
    },
    Assume {
        condition: Register,
    },
    /// The end of the task.
    End,
    /// The end of an `atomic` block.
    AtomicEnd,

    // Events.
    Read {
        to: Register,
        target: Target,
    },
    Write {
        from: Register,
        target: Target,
    },
    /// Adds or subtracts; `to` gets the old value.
    Update {
        subtract: bool,
        to: Register,
        from: Register,
        target: Target,
    },
    Swap {
        to: Register,
        from: Register,
        target: Target,
    },
    CompareAndSwap {
        to: Register,
        old: Register,
        new: Register,
        target: Target,
    },
    Lock {
        target: Target,
    },
    Unlock {
        target: Target,
    },
    LockShared {
        target: Target,
    },
    UnlockShared {
        target: Target,
    },
    /// Takes a lock if it is free; `to` tells whether.
    TryLock {
        shared: bool,
        to: Register,
        target: Target,
    },
    Acquire {
        target: Target,
    },
    Release {
        target: Target,
    },
    /// Takes a permit if there is one; `to` tells whether.
    TryAcquire {
        to: Register,
        target: Target,
    },
    /// Begins to wait for a notification of a condition.
    Enqueue {
        target: Target,
    },
    /// Comes to a barrier; `to` tells whether it was the last one, and wakes the others then.
    Arrive {
        to: Register,
        target: Target,
    },
    /// Waits to be woken.
    Sleep,
    /// Wakes the task that waits for a condition if there is one. If there are several, claims one of them: `to` is then
    /// their number, and 0 otherwise.
    Notify {
        to: Register,
        target: Target,
    },
    /// Wakes one of the tasks that wait, for a claim.
    Wake {
        choice: Register,
        target: Target,
    },
    NotifyAll {
        target: Target,
    },
    /// Picks a number below what `count` holds. An event only if there is more than one.
    Choose {
        to: Register,
        count: Register,
    },
    Post {
        routine: u16,
        arguments: Register,
        target: Target,
    },
    Fork {
        routine: u16,
        arguments: Register,
        to: Register,
    },
    /// Joins the thread whose handle the register holds.
    Join {
        handle: Register,
    },
    /// Joins a thread that exists from the start.
    JoinThread {
        target: Target,
    },
    /// Begins an `atomic` block.
    Atomic {
        data_dependent: bool,
    },
}

impl Instruction {
    /// Does a task stop here and wait to be scheduled?
    pub(crate) fn is_event(&self) -> bool {
        use Instruction::{
            Assert, Assume, AtomicEnd, BeginRound, Binary, Constant, Copy, CountRound, End, Enter,
            FirstIndex, ForEnter, ForNext, Jump, JumpIfNotZero, JumpIfZero, Negate, NextIndex, Not,
            Truth,
        };
        !matches!(
            self,
            Enter
                | Constant { .. }
                | Copy { .. }
                | Binary { .. }
                | Negate { .. }
                | Not { .. }
                | Truth { .. }
                | Jump { .. }
                | JumpIfZero { .. }
                | JumpIfNotZero { .. }
                | ForEnter { .. }
                | ForNext { .. }
                | BeginRound { .. }
                | CountRound { .. }
                | FirstIndex { .. }
                | NextIndex { .. }
                | Assert { .. }
                | Assume { .. }
                | End
                | AtomicEnd
        )
    }
}

/// Where an instruction comes from, and what must be kept while the task waits there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) span: Span,
    /// Registers below this one may be used later; those from here on are dead.
    pub(crate) live: Register,
}

/// The bounds of one dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: i64,
    pub(crate) size: i64,
    /// What is indexed, for the message.
    pub(crate) name: String,
}

/// What is needed to see that a round of a `while` changed nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spin {
    /// Does the loop look at anything that others may change? Otherwise it does not wait, however often it goes round.
    pub(crate) waits: bool,
    /// Holds the number of changes that the task had made when the round began, -1 before the first. Behind it stands
    /// a register for each of `assigned`.
    pub(crate) mark: Register,
    /// The locals from outside of the loop that its body assigns to.
    pub(crate) assigned: Vec<Register>,
}

/// What an assertion says when it fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Assertion {
    pub(crate) text: String,
    /// What it looks at, in the order of its text.
    pub(crate) looks: Vec<Look>,
}

/// Something that an assertion looks at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Look {
    /// Where its value is kept.
    pub(crate) value: Register,
    pub(crate) seen: Seen,
}

/// What was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// A local of this name.
    Local(String),
    /// This variable.
    Object(u32),
    /// The variable so far behind `base` as a register says; none if that is negative.
    Element { base: u32, offset: Register },
}

/// The code of a message, task, thread or `finally`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RoutineCode {
    pub(crate) name: String,
    pub(crate) entry: u32,
    pub(crate) parameters: u16,
    /// How many registers it needs; the first ones are its parameters.
    pub(crate) registers: u16,
}

/// The code of a whole program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    /// One for each instruction.
    pub(crate) sites: Vec<Site>,
    pub(crate) routines: Vec<RoutineCode>,
    pub(crate) bounds: Vec<Bounds>,
    /// One for each `while`.
    pub(crate) spins: Vec<Spin>,
    pub(crate) assertions: Vec<Assertion>,
}

impl Code {
    /// Is it the same code but for the places it comes from?
    pub(crate) fn is_same(&self, other: &Code) -> bool {
        let Code { instructions, sites, routines, bounds, spins, assertions } = self;
        let live = |sites: &[Site]| sites.iter().map(|site| site.live).collect::<Vec<_>>();
        *instructions == other.instructions
            && live(sites) == live(&other.sites)
            && *routines == other.routines
            && *bounds == other.bounds
            && *spins == other.spins
            && *assertions == other.assertions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_small() {
        assert_eq!(size_of::<Instruction>(), 16);
    }
}
