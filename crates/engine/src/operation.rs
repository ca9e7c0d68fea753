//! What a task would do next ([`Operation`]) and what it did ([`Step`]).

use crate::ids::{HandlerId, LocationId, ObjectId, TaskId};
use smallvec::SmallVec;

/// How an access touches its object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mode {
    /// Reads a variable. Two reads never conflict.
    Read,
    /// Writes a variable.
    Write,
    /// Reads and writes a variable in one indivisible access.
    Update,
    /// Takes a mutex. Enabled while nobody holds it.
    Lock,
    /// Gives a mutex back.
    Unlock,
    /// Takes a read-write lock for reading. Enabled while no writer holds it (a mutex that is taken
    /// with [`Mode::Lock`] is held by a writer). Shared acquisitions do not conflict with each other.
    LockShared,
    /// Gives a shared acquisition back.
    UnlockShared,
    /// Adds one to a semaphore.
    Signal,
    /// Takes one from a semaphore. Enabled while there is something to take.
    Wait,
}

impl Mode {
    /// Do two accesses of one object in these modes depend on each other's order?
    #[inline]
    pub fn conflicts(self, other: Mode) -> bool {
        use Mode::{LockShared, Read, Signal, UnlockShared};
        !matches!(
            (self, other),
            (Read, Read)
                | (Signal, Signal)
                | (LockShared | UnlockShared, LockShared | UnlockShared)
        )
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Read => "read",
            Mode::Write => "write",
            Mode::Update => "update",
            Mode::Lock => "lock",
            Mode::Unlock => "unlock",
            Mode::LockShared => "lock shared",
            Mode::UnlockShared => "unlock shared",
            Mode::Signal => "signal",
            Mode::Wait => "wait",
        }
    }

    /// Can an operation in this mode have to wait for another task?
    #[inline]
    pub fn may_block(self) -> bool {
        matches!(self, Mode::Lock | Mode::LockShared | Mode::Wait)
    }

    /// Is this an operation of a mutex or read-write lock?
    #[inline]
    pub fn is_lock(self) -> bool {
        matches!(self, Mode::Lock | Mode::Unlock | Mode::LockShared | Mode::UnlockShared)
    }
}

/// One access of one object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// What is touched.
    pub object: ObjectId,
    /// How it is touched.
    pub mode: Mode,
    /// The value read, where the mode reads one. Where a front-end has no value to show it is 0.
    pub read: i64,
    /// The value written, where the mode writes one.
    pub written: i64,
}

/// So many alternatives a choice may have. All of them are explored, so more would be too many in any case, and algorithms
/// make lists of them.
pub const MOST_ALTERNATIVES: u32 = 10_000;

/// What a task would do next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// A posted message begins. Touches nothing shared.
    Start,
    /// One access of one object. `mode` is what can be said beforehand: a compare-and-swap says
    /// [`Mode::Update`] although it turns out to be a mere read when it fails.
    Access(ObjectId, Mode),
    /// Several accesses in one indivisible event; which ones is known when it is done.
    Atomic,
    /// Posts a message to a handler.
    Post(HandlerId),
    /// Starts a thread.
    Fork,
    /// Waits until a task has ended.
    Join(TaskId),
    /// Picks one of so many alternatives; touches nothing shared.
    Choose(u32),
    /// An event that touches nothing shared (a yield, a recorded marker).
    Local,
}

/// Where a task stands between two of its events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Next {
    /// It would do this, as soon as it is enabled.
    Operation(Operation),
    /// It has ended.
    Ended,
    /// An `assume` was false, or it goes round a loop that changes nothing: it never goes on in this execution.
    Blocked,
    /// A loop was cut at its bound: it never goes on.
    Truncated,
}

/// What an event did beside its accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Effect {
    /// Nothing.
    #[default]
    None,
    /// It was the start of a message.
    Start,
    /// It posted this message to this handler.
    Post(TaskId, HandlerId),
    /// It started this thread.
    Fork(TaskId),
    /// It saw the end of this task.
    Join(TaskId),
    /// It picked this alternative. Where an access has alternatives, the first is not told: it is what happens by
    /// default.
    Choose(u32),
}

/// How the checked program went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// A false `assert`, or a panic of a Rust program.
    Assertion,
    /// Something waits for ever on a lock or a join.
    Deadlock,
    /// A run-time fault: division by zero, index out of range, overflow, bad unlock, …
    Fault,
    /// Two unordered accesses of plain memory, one of them a write.
    DataRace,
    /// The program's behaviour is not a function of the schedule.
    Nondeterminism,
}

impl FailureKind {
    /// All of them.
    pub const ALL: [FailureKind; 5] = [
        FailureKind::Assertion,
        FailureKind::Deadlock,
        FailureKind::Fault,
        FailureKind::DataRace,
        FailureKind::Nondeterminism,
    ];

    /// The word that reports and JSON use.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Assertion => "assertion",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Fault => "fault",
            FailureKind::DataRace => "data-race",
            FailureKind::Nondeterminism => "nondeterminism",
        }
    }
}

/// A variable that an assertion looked at, and what it saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// What people call it; for a shared variable [`crate::Run::object_name`].
    pub name: String,
    /// What it was.
    pub value: i64,
    /// Can others write it?
    pub is_shared: bool,
}

/// A failure as the front-end saw it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What is wrong, in words.
    pub message: String,
    /// Where, as `file:line:column`, if it has a place.
    pub location: Option<String>,
    /// The variables that the assertion looked at, in the order of its text, as far as they are known.
    pub values: Vec<Value>,
}

impl Fault {
    /// A failure of which no values are known.
    pub fn new(kind: FailureKind, message: impl Into<String>, location: Option<String>) -> Self {
        Fault { kind, message: message.into(), location, values: Vec::new() }
    }
}

/// What one event did, filled in by [`crate::Run::step`]. The engine reuses one of these.
#[derive(Clone, Default, Debug)]
pub struct Step {
    /// The accesses, in order. More than one only for [`Operation::Atomic`].
    pub accesses: SmallVec<[Access; 2]>,
    /// What else it did.
    pub effect: Effect,
    /// Did what it accessed depend on values it read in the same event (a compare-and-swap, a branch
    /// inside an atomic block)? Then it may access something else in another context.
    pub data_dependent: bool,
    /// Do the values of the accesses mean nothing in another execution (addresses)?
    pub opaque: bool,
    /// Do the values of its accesses mean nothing to people: are they none, or addresses?
    pub valueless: bool,
    /// Was its local code cut short because the time is up? Then the state is good for nothing but going back.
    pub interrupted: bool,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    /// Failures in the local code that ran with it, up to the task's next event. The task goes on
    /// after a false assertion; after a fault it has ended.
    pub faults: Vec<Fault>,
}

impl Step {
    /// Empties it for reuse.
    pub fn clear(&mut self) {
        self.accesses.clear();
        self.effect = Effect::None;
        self.data_dependent = false;
        self.opaque = false;
        self.valueless = false;
        self.interrupted = false;
        self.location = None;
        self.faults.clear();
    }
}
