//! A schedule that was followed in a program that has changed, in words.

use crate::text::count;
use crate::words;
use mazurka_engine::explain::{Again, Departure};

/// Where a replay left what was recorded, and how much of it was followed; `None` if it did not leave it.
pub fn departure(again: &Again) -> Option<String> {
    let left = match again.departure.as_ref()? {
        Departure::LeftOut { step, task } => {
            format!("in step {step}, which `{task}` cannot make any more")
        }
        Departure::Renamed { step, was, event } if was.is_digest() => format!(
            "in step {step}, where {} does something of the same kind with another name: `{}`",
            event.task,
            words::event(event)
        ),
        Departure::Renamed { step, was, event } => format!(
            "in step {step}, where {} does something with another name: `{}` instead of `{}`",
            event.task,
            words::event(event),
            was.0
        ),
        Departure::OtherThread { step, was, thread } => {
            format!("in step {step}: there is no `{was}` any more, and `{thread}` is taken for it")
        }
        Departure::Added { step, event } => format!(
            "before step {step}, where {} does something new: `{}`",
            event.task,
            words::event(event)
        ),
    };
    let total = again.followed + again.left_out;
    Some(format!(
        "the program has changed: it left the recorded execution {left}; {} of {} {} followed, {} added",
        again.followed,
        count(total as u64, "recorded step"),
        if again.followed == 1 { "was" } else { "were" },
        again.added
    ))
}

/// The same for programs.
#[cfg(feature = "json")]
pub(crate) fn object(again: &Again) -> serde_json::Value {
    let step = again.departure.as_ref().map(|departure| match departure {
        Departure::LeftOut { step, .. }
        | Departure::Renamed { step, .. }
        | Departure::OtherThread { step, .. }
        | Departure::Added { step, .. } => step,
    });
    serde_json::json!({
        "left_at_step": step,
        "followed": again.followed,
        "left_out": again.left_out,
        "added": again.added,
    })
}
