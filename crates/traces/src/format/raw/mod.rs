//! DroidRacer's raw log, `abc_log.txt`, and the preprocessing that makes an explorable trace of it.
//!
//! A raw log is not a program yet: its posts do not say where they go, threads of the system come and go
//! without beginning, delayed messages overtake others in the queue, and its end may be cut off. Reading
//! does what the preprocessing of the published traces did, in this order:
//!
//! 1. `lines`: two numberings become one; markers (ACCESS, INSTANCE-INTENT, idle handler operations) and
//!    accesses of databases are dropped; so is the race report at the end of the log.
//! 2. `rewrite`: a post goes to the thread that handles its message (and is left out if none does);
//!    posts of the system, of the user and with a delay get threads of their own; what is open at the
//!    end of a cut log is closed, with warnings. `events`: of what the user could have done, only what
//!    the user did is kept.
//! 3. [`crate::cleanup`]: empty messages are removed, unless the caller wants them.
//! 4. `reorder`: posts that can be done any time later are put where the queue wants them.
//! 5. `environment`: which events of the system wait for which operations of the application.
//!
//! Whatever does not fit together before the last step is an error of [`crate::check`], with the line and the
//! numbers of the log. In the end threads and messages are numbered from 1 without gaps; lines are those of
//! the log.
//!
//! How close it comes to the `trace.txt` beside the three sample logs: the same operations with the same
//! numbers in the same order, all of them (`tests/suite/raw.rs` compares one by one), but that the queue
//! of LOOP and the names of components are kept here. Of the 88 dependences beside them two are missing and none is
//! added; see `environment`.
//!
//! Time is O(n log n) in the lines.

mod environment;
mod events;
mod lines;
mod renumber;
mod reorder;
mod rewrite;
mod survey;

use super::text::Read;
use crate::check;
use crate::cleanup;
use crate::error::Error;
use crate::trace::RecordedTrace;

/// Does the content look like a raw log? Decided by the first line that only one of the formats has.
pub(crate) fn looks_raw(content: &[u8]) -> bool {
    content.split(|&byte| byte == b'\n').any(|line| {
        line.starts_with(b"rwId:")
            || line.starts_with(b"Android bug-checker log")
            || contains(line, b" dest:-1")
            || contains(line, b"thread-name:")
    })
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}

/// What to do with messages that do nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EmptyHandlers {
    /// Remove them, as the published traces do.
    #[default]
    Remove,
    /// Keep them.
    Keep,
}

/// Reads a raw log, and checks what comes of it.
pub fn read(name: &str, content: &[u8], empty: EmptyHandlers) -> Result<Read, Error> {
    let (log, mut warnings) = lines::parse(name, content)?;
    let (mut operations, called) = rewrite::rewrite(log, &mut warnings);
    events::keep_triggered(&mut operations);
    let mut trace = RecordedTrace {
        name: name.to_owned(),
        dependence_name: name.to_owned(),
        operations,
        ..RecordedTrace::default()
    };
    if empty == EmptyHandlers::Remove {
        trace = cleanup::remove_empty_handlers(&trace).0;
    }
    reorder::reorder(&mut trace);
    // Before the renumbering, so that an error speaks of the numbers in the log.
    warnings.extend(check::check(&trace)?.warnings);
    renumber::renumber(&mut trace, &called);
    environment::add_dependences(&mut trace);
    Ok((trace, warnings))
}
