//! What one line of a recorded trace says: every operation that the format knows.
//!
//! The format is EM-Explorer's. Addresses, views and hashes are kept in 64 bits, where the original
//! truncates them to 32 and so may take two objects for one.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// A recorded thread. Any 32-bit number: nothing is allocated by it.
    ThreadId
}
number! {
    /// A recorded message (an event of the application). Any 32-bit number.
    MessageId
}

/// Where a post came from. The exploration treats them all alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PostKind {
    /// `POST`: by the application.
    Application,
    /// `DELAY-POST`: by the application with a delay, done by a thread of its own: any time later.
    Delayed,
    /// `NATIVE-POST`: by a thread of the system.
    Native,
    /// `UI-POST`: by the user; all of these are done by one thread, so they stay in order.
    User,
}

/// One operation. The doc comments give the keyword of the text format.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the format's own; the variants say what they mean")]
pub enum Action {
    /// `THREADINIT`: first operation of a thread.
    ThreadInit { tid: ThreadId },
    /// `THREADEXIT`: last operation of a thread.
    ThreadExit { tid: ThreadId },
    /// `NATIVE-ENTRY`: a thread of the system begins to be seen.
    NativeEntry { tid: ThreadId },
    /// `NATIVE-EXIT`: a thread of the system is not seen for now.
    NativeExit { tid: ThreadId },
    /// `FORK`: starts a thread.
    Fork { tid: ThreadId, child: ThreadId },
    /// `ATTACH-Q`: the thread gets an empty queue. The number of the queue says nothing: a queue is
    /// addressed by its thread.
    AttachQueue { tid: ThreadId, queue: i64 },
    /// `LOOP`: the thread's own code ends, from now on it handles messages.
    Loop {
        tid: ThreadId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queue: Option<i64>,
    },
    /// `POST` and its three variants: appends a message to the queue of `destination`.
    Post { origin: PostKind, tid: ThreadId, message: MessageId, destination: ThreadId },
    /// `CALL`: the message at the front of the queue begins to be handled.
    Call { tid: ThreadId, message: MessageId },
    /// `RET`: its handling ends.
    Return { tid: ThreadId, message: MessageId },
    /// `READ`: reads the variable (object, field).
    Read { tid: ThreadId, object: u64, class: String, field: i64 },
    /// `WRITE`: writes the variable (object, field).
    Write { tid: ThreadId, object: u64, class: String, field: i64 },
    /// `READ-STATIC`: reads the variable (class, field); only what stands before a semicolon in the class
    /// counts.
    ReadStatic { tid: ThreadId, class: String, field: i64 },
    /// `WRITE-STATIC`: writes the variable (class, field).
    WriteStatic { tid: ThreadId, class: String, field: i64 },
    /// `LOCK`: takes a monitor; re-entrant.
    Lock { tid: ThreadId, object: u64 },
    /// `UNLOCK`: gives it back.
    Unlock { tid: ThreadId, object: u64 },
    /// `NOTIFY`: adds one to the counter of `notified`.
    Notify { tid: ThreadId, notified: ThreadId },
    /// `WAIT`: takes one from the own counter, and waits for it if it is zero.
    Wait { tid: ThreadId },
    /// `NOP`: does nothing, but waits for the sources of its dependences.
    Nop { tid: ThreadId },
    /// `ENABLE-LIFECYCLE`: a component may now get into a state.
    EnableLifecycle { tid: ThreadId, component: String, id: i64, state: String },
    /// `TRIGGER-LIFECYCLE`: a component gets into a state.
    TriggerLifecycle { tid: ThreadId, component: String, id: i64, state: String },
    /// `TRIGGER-SERVICE`: something happens to a service.
    TriggerService { tid: ThreadId, component: String, id: i64, state: String },
    /// `ENABLE-EVENT`: the user may now do something to a view.
    EnableEvent { tid: ThreadId, view: i64, event: i64 },
    /// `TRIGGER-EVENT`: the user does something to a view.
    TriggerEvent { tid: ThreadId, view: i64, event: i64 },
    /// `ENABLE-WINDOW-FOCUS`: a window may now get the focus.
    EnableWindowFocus { tid: ThreadId, window: i64 },
    /// `TRIGGER-WINDOW-FOCUS`: a window gets the focus.
    TriggerWindowFocus { tid: ThreadId, window: i64 },
    /// `TRIGGER-BROADCAST`: a broadcast is sent or received.
    TriggerBroadcast {
        tid: ThreadId,
        action: String,
        component: String,
        intent: String,
        on_receive_later: String,
        state: String,
    },
    /// `ACCESS`: marks a block of accesses in a raw log.
    Access { tid: ThreadId },
}

/// The field `tid` of whatever variant it is, by reference of either kind.
macro_rules! tid_of {
    ($action:expr) => {
        match $action {
            Action::ThreadInit { tid }
            | Action::ThreadExit { tid }
            | Action::NativeEntry { tid }
            | Action::NativeExit { tid }
            | Action::Fork { tid, .. }
            | Action::AttachQueue { tid, .. }
            | Action::Loop { tid, .. }
            | Action::Post { tid, .. }
            | Action::Call { tid, .. }
            | Action::Return { tid, .. }
            | Action::Read { tid, .. }
            | Action::Write { tid, .. }
            | Action::ReadStatic { tid, .. }
            | Action::WriteStatic { tid, .. }
            | Action::Lock { tid, .. }
            | Action::Unlock { tid, .. }
            | Action::Notify { tid, .. }
            | Action::Wait { tid }
            | Action::Nop { tid }
            | Action::EnableLifecycle { tid, .. }
            | Action::TriggerLifecycle { tid, .. }
            | Action::TriggerService { tid, .. }
            | Action::EnableEvent { tid, .. }
            | Action::TriggerEvent { tid, .. }
            | Action::EnableWindowFocus { tid, .. }
            | Action::TriggerWindowFocus { tid, .. }
            | Action::TriggerBroadcast { tid, .. }
            | Action::Access { tid } => tid,
        }
    };
}

impl Action {
    /// The thread that does it.
    pub fn tid(&self) -> ThreadId {
        *tid_of!(self)
    }

    /// The thread that does it, to be changed.
    pub fn tid_mut(&mut self) -> &mut ThreadId {
        tid_of!(self)
    }

    /// Is this an ENABLE or TRIGGER operation: something between the application and the system?
    pub fn is_environment(&self) -> bool {
        use Action::*;
        matches!(
            self,
            EnableLifecycle { .. }
                | TriggerLifecycle { .. }
                | TriggerService { .. }
                | EnableEvent { .. }
                | TriggerEvent { .. }
                | EnableWindowFocus { .. }
                | TriggerWindowFocus { .. }
                | TriggerBroadcast { .. }
        )
    }

    /// The keyword of the text format.
    pub fn keyword(&self) -> &'static str {
        use Action::*;
        match self {
            ThreadInit { .. } => "THREADINIT",
            ThreadExit { .. } => "THREADEXIT",
            NativeEntry { .. } => "NATIVE-ENTRY",
            NativeExit { .. } => "NATIVE-EXIT",
            Fork { .. } => "FORK",
            AttachQueue { .. } => "ATTACH-Q",
            Loop { .. } => "LOOP",
            Post { origin: PostKind::Application, .. } => "POST",
            Post { origin: PostKind::Delayed, .. } => "DELAY-POST",
            Post { origin: PostKind::Native, .. } => "NATIVE-POST",
            Post { origin: PostKind::User, .. } => "UI-POST",
            Call { .. } => "CALL",
            Return { .. } => "RET",
            Read { .. } => "READ",
            Write { .. } => "WRITE",
            ReadStatic { .. } => "READ-STATIC",
            WriteStatic { .. } => "WRITE-STATIC",
            Lock { .. } => "LOCK",
            Unlock { .. } => "UNLOCK",
            Notify { .. } => "NOTIFY",
            Wait { .. } => "WAIT",
            Nop { .. } => "NOP",
            EnableLifecycle { .. } => "ENABLE-LIFECYCLE",
            TriggerLifecycle { .. } => "TRIGGER-LIFECYCLE",
            TriggerService { .. } => "TRIGGER-SERVICE",
            EnableEvent { .. } => "ENABLE-EVENT",
            TriggerEvent { .. } => "TRIGGER-EVENT",
            EnableWindowFocus { .. } => "ENABLE-WINDOW-FOCUS",
            TriggerWindowFocus { .. } => "TRIGGER-WINDOW-FOCUS",
            TriggerBroadcast { .. } => "TRIGGER-BROADCAST",
            Access { .. } => "ACCESS",
        }
    }
}
