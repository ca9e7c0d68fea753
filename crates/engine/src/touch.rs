//! What events touch, and when the order of two events matters.
//!
//! The objects of a program, and for algorithms that know nothing of handlers also handlers and mailboxes, are slots
//! with numbers. Two events are dependent if they touch a slot in modes that conflict.

use crate::ids::{HandlerId, ObjectId, TaskId};
use crate::operation::{Effect, Mode, Operation, Step};
use crate::program::{Mailbox, Run};
use smallvec::SmallVec;

/// Which orders are part of the happens-before relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// Program order, conflicting accesses, post before start, fork before first event, last event
    /// before join: Definition 1 of the Event-DPOR paper and `language.md`.
    Conflicts,
    /// The same traces, with what follows from queues: a message whose post happens after that of another one of the same
    /// FIFO mailbox starts after that has ended, in every execution of the trace. What Event-DPOR sees: it leaves fewer
    /// races, and fewer sets of events that cannot be performed.
    Queues,
    /// As the first, and the messages of one multiset handler are ordered as if each held a lock on it. FIFO
    /// mailboxes order nothing. What EM-DPOR sees.
    Multisets,
    /// The same, and the messages of every handler are ordered as if each held a lock on it; posts to one
    /// FIFO mailbox conflict. What algorithms that know nothing of handlers see.
    Handlers,
}

impl Dependence {
    /// Do handlers and mailboxes count for nothing beside what follows from queues?
    fn is_plain(self) -> bool {
        matches!(self, Dependence::Conflicts | Dependence::Queues)
    }
}

/// What an event touches, as far as order matters: an object, or in [`Dependence::Handlers`] also
/// a handler or a mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Touch {
    /// The object, handler or mailbox.
    pub slot: u32,
    /// How it is touched.
    pub mode: Mode,
    /// For lock operations that ignore their own handler: who counts as the same.
    pub owner: u32,
}

impl Touch {
    /// Does the order of the two matter?
    #[inline]
    pub fn conflicts(self, other: Touch) -> bool {
        self.slot == other.slot
            && self.mode.conflicts(other.mode)
            && (self.owner == NO_OWNER || self.owner != other.owner)
    }

    /// Is it an acquisition that may have to wait?
    pub fn may_block(self) -> bool {
        self.mode.may_block()
    }

    /// Does it compete with an acquisition that may have to wait? A release in between is no competitor:
    /// it cannot be overtaken.
    pub fn excludes(self, waiting: Touch) -> bool {
        let looks = matches!(self.mode, Mode::Read | Mode::Write | Mode::Update);
        let competes = match waiting.mode {
            _ if looks => true,
            Mode::Lock => matches!(self.mode, Mode::Lock | Mode::LockShared),
            Mode::LockShared => self.mode == Mode::Lock,
            _ => matches!(self.mode, Mode::Wait | Mode::Signal),
        };
        competes && self.conflicts(waiting)
    }

    /// Does it conflict with everything that touches the same? Then it has everything older in its past.
    pub fn conflicts_with_all(self) -> bool {
        let mode = self.mode;
        self.owner == NO_OWNER
            && matches!(mode, Mode::Write | Mode::Update | Mode::Lock | Mode::Unlock | Mode::Wait)
    }

    /// If it comes after `earlier`, does it come after whatever else it conflicts with that is older than that?
    #[inline]
    pub fn is_behind_all(self, earlier: Touch) -> bool {
        self.owner == NO_OWNER && earlier.conflicts_with_all()
    }

    /// Does it touch an object of the program, not a handler or mailbox?
    pub fn is_of_object(self) -> bool {
        self.slot.is_multiple_of(KINDS)
    }

    /// Does it write an object of the program without reading it?
    pub fn writes_blindly(self) -> bool {
        self.mode == Mode::Write && self.is_of_object()
    }

    /// The object of the program that it touches.
    pub fn object(self) -> Option<ObjectId> {
        self.is_of_object().then_some(ObjectId(self.slot / KINDS))
    }

    /// Does it write an object of the program?
    pub fn writes(self) -> bool {
        matches!(self.mode, Mode::Write | Mode::Update) && self.is_of_object()
    }

    /// A number that tells touches apart, owners aside.
    pub fn number(self) -> u32 {
        // There are fewer than 16 modes.
        self.slot << 4 | self.mode as u32
    }

    /// The lock or semaphore that it may have to wait for, if it is one of the program's.
    pub fn waits_on(self) -> Option<(ObjectId, Mode)> {
        (self.mode.may_block() && self.slot.is_multiple_of(KINDS))
            .then_some((ObjectId(self.slot / KINDS), self.mode))
    }
}

/// Does the order of two events that touch these matter?
#[inline]
pub fn conflict(first: &[Touch], second: &[Touch]) -> bool {
    first.iter().any(|&a| second.iter().any(|&b| a.conflicts(b)))
}

/// The objects that stand for handlers and mailboxes in [`Dependence::Handlers`] have numbers of their
/// own behind those of the program: every third number is free for them.
const KINDS: u32 = 3;

/// The slot of an object of the program.
pub fn slot(object: ObjectId) -> u32 {
    object.0 * KINDS
}

/// The object of the program that a slot stands for.
pub fn object(slot: u32) -> ObjectId {
    ObjectId(slot / KINDS)
}

fn handler_slot(handler: HandlerId) -> u32 {
    handler.0 * KINDS + 1
}

fn mailbox_slot(handler: HandlerId) -> u32 {
    handler.0 * KINDS + 2
}

/// The owner of an operation that conflicts with everybody's.
pub const NO_OWNER: u32 = u32::MAX;

/// Lock operations of one handler may be told not to conflict with each other.
fn lock_owner(run: &impl Run, task: TaskId, mode: Mode) -> u32 {
    if mode.is_lock() && run.locks_ignore_own_handler() {
        run.handler(task).map_or(NO_OWNER, |handler| handler.0)
    } else {
        NO_OWNER
    }
}

/// What an event that is not part of an execution touches.
pub fn touches_of(
    dependence: Dependence,
    run: &impl Run,
    task: TaskId,
    step: &Step,
    ends: bool,
) -> SmallVec<[Touch; 2]> {
    let mut touches = Vec::new();
    write_touches(dependence, run, task, step, ends, &mut touches);
    touches.into()
}

/// What an event touches.
pub fn write_touches(
    dependence: Dependence,
    run: &impl Run,
    task: TaskId,
    step: &Step,
    ends: bool,
    into: &mut Vec<Touch>,
) {
    into.extend(step.accesses.iter().map(|access| Touch {
        slot: slot(access.object),
        mode: access.mode,
        owner: lock_owner(run, task, access.mode),
    }));
    if dependence.is_plain() {
        return;
    }
    let mut touch = |slot, mode| into.push(Touch { slot, mode, owner: NO_OWNER });
    let orders = |handler: &HandlerId| {
        dependence == Dependence::Handlers || run.mailbox(*handler) == Mailbox::Multiset
    };
    if let Some(handler) = run.handler(task).filter(orders) {
        let takes = step.effect == Effect::Start;
        // Messages of a FIFO handler start in the order of their posts, so nobody competes for it.
        let mode = match run.mailbox(handler) {
            Mailbox::Multiset => Mode::Lock,
            Mailbox::Fifo => Mode::Update,
        };
        if takes {
            touch(handler_slot(handler), mode);
        }
        if ends {
            touch(handler_slot(handler), Mode::Unlock);
        }
    }
    if let Effect::Post(_, handler) = step.effect
        && dependence == Dependence::Handlers
        && run.mailbox(handler) == Mailbox::Fifo
    {
        touch(mailbox_slot(handler), Mode::Write);
    }
}

/// What the next operation of a task that waits would touch.
pub fn touches_of_waiting(
    dependence: Dependence,
    run: &impl Run,
    task: TaskId,
    waiting: Operation,
) -> SmallVec<[Touch; 2]> {
    let mut touches = SmallVec::new();
    match waiting {
        Operation::Access(object, mode) if mode.may_block() => {
            touches.push(Touch { slot: slot(object), mode, owner: lock_owner(run, task, mode) })
        }
        Operation::Start if !dependence.is_plain() => touches.extend(
            run.handler(task).filter(|&handler| run.mailbox(handler) == Mailbox::Multiset).map(
                |handler| Touch { slot: handler_slot(handler), mode: Mode::Lock, owner: NO_OWNER },
            ),
        ),
        _ => {}
    }
    touches
}
