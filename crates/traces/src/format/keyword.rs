//! From a keyword and its fields to an [`Action`] and back: one table for reading, one for writing.
//!
//! Fields that the original reads as the last token of the line are read so here.

use super::fields::{Fields, address, id, number};
use crate::action::{Action, MessageId, PostKind, ThreadId};
use crate::error::Reason;
use std::fmt::{self, Write};

/// Is this an operation that the text format knows?
pub(crate) fn is_known(keyword: &str) -> bool {
    KNOWN.contains(&keyword)
}

const KNOWN: [&str; 31] = [
    "READ",
    "WRITE",
    "READ-STATIC",
    "WRITE-STATIC",
    "LOCK",
    "UNLOCK",
    "POST",
    "NATIVE-POST",
    "UI-POST",
    "DELAY-POST",
    "CALL",
    "RET",
    "THREADINIT",
    "THREADEXIT",
    "FORK",
    "ATTACH-Q",
    "LOOP",
    "NOTIFY",
    "WAIT",
    "NOP",
    "ENABLE-LIFECYCLE",
    "TRIGGER-LIFECYCLE",
    "TRIGGER-SERVICE",
    "ENABLE-EVENT",
    "TRIGGER-EVENT",
    "ENABLE-WINDOW-FOCUS",
    "TRIGGER-WINDOW-FOCUS",
    "TRIGGER-BROADCAST",
    "ACCESS",
    "NATIVE-ENTRY",
    "NATIVE-EXIT",
];

/// Reads the fields of an operation; `None` if the keyword is not one of the format's.
pub(crate) fn parse(keyword: &str, fields: &mut Fields<'_>) -> Result<Option<Action>, Reason> {
    if !is_known(keyword) {
        return Ok(None);
    }
    if let Some(origin) = post_kind(keyword) {
        return post(origin, fields).map(Some);
    }
    let tid = ThreadId(id("tid", fields.next("tid")?)?);
    operation(keyword, tid, fields)
}

fn post_kind(keyword: &str) -> Option<PostKind> {
    match keyword {
        "POST" => Some(PostKind::Application),
        "DELAY-POST" => Some(PostKind::Delayed),
        "NATIVE-POST" => Some(PostKind::Native),
        "UI-POST" => Some(PostKind::User),
        _ => None,
    }
}

fn post(origin: PostKind, fields: &mut Fields<'_>) -> Result<Action, Reason> {
    let tid = ThreadId(id("src", fields.next("src")?)?);
    let message = MessageId(id("msg", fields.next("msg")?)?);
    let destination = ThreadId(id("dest", fields.next("dest")?)?);
    Ok(Action::Post { origin, tid, message, destination })
}

fn operation(
    keyword: &str,
    tid: ThreadId,
    fields: &mut Fields<'_>,
) -> Result<Option<Action>, Reason> {
    use Action::*;
    Ok(Some(match keyword {
        "THREADINIT" => ThreadInit { tid },
        "THREADEXIT" => ThreadExit { tid },
        "NATIVE-ENTRY" => NativeEntry { tid },
        "NATIVE-EXIT" => NativeExit { tid },
        "FORK" => Fork { tid, child: ThreadId(id("child-tid", fields.last("child-tid")?)?) },
        "ATTACH-Q" => AttachQueue { tid, queue: number("queue", fields.last("queue")?)? },
        "LOOP" => Loop { tid, queue: optional_queue(fields)? },
        "CALL" => Call { tid, message: MessageId(id("msg", fields.last("msg")?)?) },
        "RET" => Return { tid, message: MessageId(id("msg", fields.last("msg")?)?) },
        "READ" | "WRITE" => field_access(keyword == "READ", tid, fields)?,
        "READ-STATIC" | "WRITE-STATIC" => static_access(keyword == "READ-STATIC", tid, fields)?,
        "LOCK" => Lock { tid, object: address("lock-obj", fields.last("lock-obj")?)? },
        "UNLOCK" => Unlock { tid, object: address("lock-obj", fields.last("lock-obj")?)? },
        "NOTIFY" => {
            Notify { tid, notified: ThreadId(id("notifiedTid", fields.last("notifiedTid")?)?) }
        }
        "WAIT" => Wait { tid },
        "NOP" => Nop { tid },
        "ACCESS" => Access { tid },
        _ => return environment(keyword, tid, fields),
    }))
}

fn optional_queue(fields: &mut Fields<'_>) -> Result<Option<i64>, Reason> {
    fields.more().then(|| number("queue", fields.last("queue")?)).transpose()
}

fn class(fields: &mut Fields<'_>) -> Result<String, Reason> {
    fields.next("class").map(str::to_owned)
}

fn field_access(reads: bool, tid: ThreadId, fields: &mut Fields<'_>) -> Result<Action, Reason> {
    let object = address("obj", fields.next("obj")?)?;
    let class = class(fields)?;
    let field = number("field", fields.last("field")?)?;
    Ok(match reads {
        true => Action::Read { tid, object, class, field },
        false => Action::Write { tid, object, class, field },
    })
}

fn static_access(reads: bool, tid: ThreadId, fields: &mut Fields<'_>) -> Result<Action, Reason> {
    let class = class(fields)?;
    let field = number("field", fields.next("field")?)?;
    Ok(match reads {
        true => Action::ReadStatic { tid, class, field },
        false => Action::WriteStatic { tid, class, field },
    })
}

fn environment(
    keyword: &str,
    tid: ThreadId,
    fields: &mut Fields<'_>,
) -> Result<Option<Action>, Reason> {
    use Action::*;
    let text = |fields: &mut Fields<'_>, field| fields.next(field).map(str::to_owned);
    Ok(Some(match keyword {
        "ENABLE-LIFECYCLE" | "TRIGGER-LIFECYCLE" | "TRIGGER-SERVICE" => {
            let component = text(fields, "component")?;
            let id = number("id", fields.next("id")?)?;
            let state = text(fields, "state")?;
            match keyword {
                "ENABLE-LIFECYCLE" => EnableLifecycle { tid, component, id, state },
                "TRIGGER-LIFECYCLE" => TriggerLifecycle { tid, component, id, state },
                _ => TriggerService { tid, component, id, state },
            }
        }
        "ENABLE-EVENT" | "TRIGGER-EVENT" => {
            let view = number("view", fields.next("view")?)?;
            let event = number("event", fields.next("event")?)?;
            match keyword {
                "ENABLE-EVENT" => EnableEvent { tid, view, event },
                _ => TriggerEvent { tid, view, event },
            }
        }
        "ENABLE-WINDOW-FOCUS" => {
            EnableWindowFocus { tid, window: number("windowHash", fields.last("windowHash")?)? }
        }
        "TRIGGER-WINDOW-FOCUS" => {
            TriggerWindowFocus { tid, window: number("windowHash", fields.last("windowHash")?)? }
        }
        "TRIGGER-BROADCAST" => TriggerBroadcast {
            tid,
            action: text(fields, "action")?,
            component: text(fields, "component")?,
            intent: text(fields, "intent")?,
            on_receive_later: text(fields, "onRecLater")?,
            state: text(fields, "state")?,
        },
        _ => return Ok(None),
    }))
}

/// Writes the fields of an operation, each with a space before it.
pub(crate) fn write_fields(out: &mut String, action: &Action) -> fmt::Result {
    use Action::*;
    match action {
        ThreadInit { tid } | ThreadExit { tid } | NativeEntry { tid } | NativeExit { tid } => {
            write!(out, " tid:{tid}")
        }
        Wait { tid } | Nop { tid } | Access { tid } | Loop { tid, queue: None } => {
            write!(out, " tid:{tid}")
        }
        Fork { tid, child } => write!(out, " par-tid:{tid} child-tid:{child}"),
        AttachQueue { tid, queue } | Loop { tid, queue: Some(queue) } => {
            write!(out, " tid:{tid} queue:{queue}")
        }
        Post { tid, message, destination, .. } => {
            write!(out, " src:{tid} msg:{message} dest:{destination}")
        }
        Call { tid, message } | Return { tid, message } => write!(out, " tid:{tid} msg:{message}"),
        Read { tid, object, class, field } | Write { tid, object, class, field } => {
            write!(out, " tid:{tid} obj:{object:#x} class:{class} field:{field}")
        }
        ReadStatic { tid, class, field } | WriteStatic { tid, class, field } => {
            write!(out, " tid:{tid} class:{class} field:{field}")
        }
        Lock { tid, object } | Unlock { tid, object } => {
            write!(out, " tid:{tid} lock-obj:{object:#x}")
        }
        Notify { tid, notified } => write!(out, " tid:{tid} notifiedTid:{notified}"),
        EnableLifecycle { tid, component, id, state }
        | TriggerLifecycle { tid, component, id, state }
        | TriggerService { tid, component, id, state } => {
            write!(out, " tid:{tid} component:{component} id:{id} state:{state}")
        }
        EnableEvent { tid, view, event } | TriggerEvent { tid, view, event } => {
            write!(out, " tid:{tid} view:{view} event:{event}")
        }
        EnableWindowFocus { tid, window } | TriggerWindowFocus { tid, window } => {
            write!(out, " tid:{tid} windowHash:{window}")
        }
        TriggerBroadcast { tid, action, component, intent, on_receive_later, state } => write!(
            out,
            " tid:{tid} action:{action} component:{component} intent:{intent} onRecLater:{on_receive_later} state:{state}"
        ),
    }
}
