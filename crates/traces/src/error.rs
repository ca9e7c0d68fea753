//! What can be wrong in a recorded trace, in words, with the line where it is; and what was passed over.
//!
//! An [`Error`] means that the trace cannot be explored. A [`Warning`] is about something that the
//! original tool ignores by design, or that was repaired.

use crate::action::{MessageId, ThreadId};
use std::fmt;

/// Something is wrong in a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {reason}", Place { file, line: *line })]
pub struct Error {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, counted from 1; 0 if it is about no line.
    pub line: u32,
    /// What is wrong.
    pub reason: Reason,
}

/// Something in a file was ignored or repaired.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The line, counted from 1; 0 if it is about no line.
    pub line: u32,
    /// What was ignored or repaired.
    pub kind: WarningKind,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => self.kind.fmt(f),
            line => write!(f, "line {line}: {}", self.kind),
        }
    }
}

struct Place<'e> {
    file: &'e str,
    line: u32,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// Why a trace cannot be explored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of every variant says what it and its fields mean")]
pub enum Reason {
    // Syntax.
    #[error("the line is not UTF-8 text")]
    NotUtf8,
    #[error("the line ends too early: {keyword} needs {field}")]
    Truncated { keyword: String, field: &'static str },
    #[error("expected `{field}:...`, found `{found}`")]
    NoColon { field: &'static str, found: String },
    #[error("{field} must be a number from 0 to {max}, not `{found}`")]
    BadNumber { field: &'static str, max: u64, found: String },
    #[error("{field} must be a number, not `{found}`")]
    BadValue { field: &'static str, found: String },
    #[error("a dependence is written `src:<index> dest:<index>`, not `{found}`")]
    BadDependence { found: String },
    #[error("the file is not valid: {message}")]
    BadJson { message: String },
    #[error("`format` must be \"{expected}\", not \"{found}\"")]
    WrongFormat { expected: &'static str, found: String },
    #[error("version {found} of the format is unknown; this program reads version {known}")]
    WrongVersion { found: u32, known: u32 },
    #[error("a {format} needs no dependence file beside it")]
    NeedlessDependences { format: &'static str },
    #[error("operation {index} has a text that `trace.txt` cannot say")]
    NotInText { index: u32 },
    #[error("a raw log cannot be written: it has more in it than a trace")]
    RawIsReadOnly,
    #[error("there is no operation in the file")]
    Empty,

    // Numbering and dependences.
    #[error("index {index} is used a second time (first on line {first})")]
    DuplicateIndex { index: u32, first: u32 },
    #[error("index {index} stands after index {previous}: operations must be in ascending order")]
    Descending { index: u32, previous: u32 },
    #[error("dependence {src} -> {dest}: there is no operation with index {missing}")]
    NoSuchIndex { src: u32, dest: u32, missing: u32 },
    #[error("dependence {src} -> {dest}: the recorded order has {dest} before {src}")]
    BackwardDependence { src: u32, dest: u32 },
    #[error("dependence {src} -> {dest}: operation {at} never runs again after the recorded order")]
    DroppedIndex { src: u32, dest: u32, at: u32 },

    // Threads.
    #[error("the first operation must be THREADINIT of thread 1, the initial thread")]
    NoInitialThread,
    #[error("{keyword} of thread {tid}, which has not begun (no THREADINIT before)")]
    UnknownThread { keyword: &'static str, tid: ThreadId },
    #[error("{keyword} of thread {tid}, which ended on line {ended}")]
    ExitedThread { keyword: &'static str, tid: ThreadId, ended: u32 },
    #[error("thread {tid} begins a second time (first on line {first})")]
    BegunTwice { tid: ThreadId, first: u32 },
    #[error("thread {child} is forked, but it began before, on line {begun}")]
    ForkedLate { child: ThreadId, begun: u32 },
    #[error("thread {child} is forked a second time (first on line {first})")]
    ForkedTwice { child: ThreadId, first: u32 },
    #[error(
        "{keyword} of thread {tid} outside CALL and RET: it loops since line {since}, so it runs only messages"
    )]
    OutsideMessage { keyword: &'static str, tid: ThreadId, since: u32 },
    #[error("{keyword} of thread {tid} while it handles message {message}")]
    InsideMessage { keyword: &'static str, tid: ThreadId, message: MessageId },

    // Queues and messages.
    #[error("thread {tid} gets a second queue (first on line {first})")]
    SecondQueue { tid: ThreadId, first: u32 },
    #[error(
        "message {message} is posted to thread {tid}, which has no queue yet (no ATTACH-Q before)"
    )]
    NoQueue { message: MessageId, tid: ThreadId },
    #[error("message {message} is posted a second time (first on line {first})")]
    PostedTwice { message: MessageId, first: u32 },
    #[error("message {message} is posted but never handled: no CALL of it follows")]
    NeverCalled { message: MessageId },
    #[error("message {message} is called, but no POST of it stands before")]
    NeverPosted { message: MessageId },
    #[error("message {message} is called a second time (first on line {first})")]
    CalledTwice { message: MessageId, first: u32 },
    #[error(
        "message {message} is called on thread {tid}, but it was posted to thread {destination}"
    )]
    WrongLooper { message: MessageId, tid: ThreadId, destination: ThreadId },
    #[error(
        "message {message} is called on thread {tid}, which does not loop yet (no LOOP before)"
    )]
    NotLooping { message: MessageId, tid: ThreadId },
    #[error(
        "message {message} is called, but message {front} is at the front of the queue of thread {tid}"
    )]
    NotAtFront { message: MessageId, front: MessageId, tid: ThreadId },
    #[error("message {message} is called while thread {tid} still handles message {current}")]
    LooperBusy { message: MessageId, tid: ThreadId, current: MessageId },
    #[error("message {message} returns, but thread {tid} handles message {current}")]
    WrongReturn { message: MessageId, tid: ThreadId, current: MessageId },
    #[error("message {message} returns, but thread {tid} handles no message")]
    ReturnOutside { message: MessageId, tid: ThreadId },
    #[error("message {message} never returns: no RET of it follows")]
    NeverReturns { message: MessageId },

    // Locks and counters.
    #[error(
        "lock {object:#x} is taken by thread {tid}, but thread {holder} holds it since line {since}"
    )]
    LockHeld { object: u64, tid: ThreadId, holder: ThreadId, since: u32 },
    #[error("thread {tid} unlocks {object:#x}, which it does not hold")]
    NotHeld { object: u64, tid: ThreadId },
    #[error("lock {object:#x} is never unlocked")]
    NeverUnlocked { object: u64 },
    #[error(
        "lock {object:#x} is still held at the {keyword} of thread {tid}; what takes a lock must give it back"
    )]
    HeldAtEnd { object: u64, keyword: &'static str, tid: ThreadId },
    #[error("thread {tid} waits, but nothing has notified it before")]
    NothingToWaitFor { tid: ThreadId },
    #[error("NOTIFY of thread {notified}, which is nowhere in the trace")]
    NotifiesNobody { notified: ThreadId },

    // Raw logs.
    #[error("no operation of a raw log is called `{keyword}`")]
    UnknownOperation { keyword: String },
    #[error("not a line of a log: `{found}`")]
    NotALogLine { found: String },
    #[error("{field} {found} stands after {previous}: the log is not in order")]
    LogNotInOrder { field: &'static str, found: u32, previous: u32 },
}

/// What was ignored or repaired.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of every variant says what it and its fields mean")]
pub enum WarningKind {
    #[error("START is not an operation; ignored")]
    Start,
    #[error("JOIN is ignored: nothing waits for the end of a thread")]
    Join,
    #[error("unknown keyword `{keyword}`; the line is ignored")]
    UnknownKeyword { keyword: String },
    #[error("not an operation; the line is ignored")]
    Text,
    #[error("the end of the line is ignored: `{text}`")]
    TrailingText { text: String },
    #[error("the dependence is ignored: the file ends for the reader at the empty line {stop}")]
    AfterTheEnd { stop: u32 },
    #[error("THREADEXIT of thread {tid} is left out: it loops, and a looper does not end")]
    LooperExit { tid: ThreadId },
    #[error("thread {child} is forked, but it never begins")]
    NeverBegins { child: ThreadId },
    #[error("message {message} is never handled; its post is left out")]
    PostLeftOut { message: MessageId },
    #[error("the log ends while message {message} is handled; its RET is added")]
    ReturnAdded { message: MessageId },
    #[error("the log ends while lock {object:#x} is held; its UNLOCK is added")]
    UnlockAdded { object: u64 },
    #[error("NOTIFY of thread {notified} is left out: the log does not say what that thread does")]
    NotifyLeftOut { notified: ThreadId },
    #[error("{field} {found} stands after {previous}: what was between is missing")]
    LogGap { field: &'static str, found: u32, previous: u32 },
}
