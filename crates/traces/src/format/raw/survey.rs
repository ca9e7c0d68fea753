//! A first pass over a log: who handles what, which numbers are free, how many threads are to be made.

use super::lines::{Entry, Log};
use crate::action::{Action, MessageId, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What has to be known before the first operation is rewritten.
pub(super) struct Survey {
    /// Which thread handles a message.
    pub(super) called: FxHashMap<MessageId, ThreadId>,
    /// Messages that are idle handlers.
    pub(super) idle: FxHashSet<MessageId>,
    /// Threads that the application or the log knows by an own operation.
    pub(super) known: FxHashSet<ThreadId>,
    /// From here on there are as many numbers that no thread has as can be needed.
    pub(super) fresh: u32,
    /// How many sections of native threads post something.
    pub(super) native_sections: u32,
    /// The thread that does what the user does, if the log has one.
    pub(super) user: Option<ThreadId>,
}

impl Survey {
    pub(super) fn of(log: &Log) -> Survey {
        let mut survey = Survey {
            called: FxHashMap::default(),
            idle: FxHashSet::default(),
            known: FxHashSet::default(),
            fresh: 0,
            native_sections: 0,
            user: None,
        };
        let mut current = FxHashMap::default();
        let mut active = FxHashSet::default();
        let mut user_begun = false;
        let user = ThreadId(2);
        let mut sections: FxHashMap<ThreadId, bool> = FxHashMap::default();
        for (_, entry) in log {
            survey.note(entry, &mut current, &mut sections);
            match *entry {
                Entry::Operation(Action::ThreadInit { tid }) => {
                    user_begun |= tid == user && survey.called.is_empty();
                }
                _ => drop(active.insert(entry.tid())),
            }
        }
        // DroidRacer starts a thread for the user's events first of all; it logs nothing of its own.
        survey.user = (user_begun && !active.contains(&user)).then_some(user);
        survey.fresh = free_numbers(log);
        survey
    }

    fn note(
        &mut self,
        entry: &Entry,
        current: &mut FxHashMap<ThreadId, MessageId>,
        sections: &mut FxHashMap<ThreadId, bool>,
    ) {
        match *entry {
            Entry::Operation(Action::ThreadInit { tid }) => {
                self.known.insert(tid);
            }
            Entry::Operation(Action::Call { tid, message }) => {
                self.called.entry(message).or_insert(tid);
                current.insert(tid, message);
            }
            Entry::Native { tid, .. } => {
                sections.insert(tid, false);
            }
            Entry::Operation(Action::NativeExit { tid }) => drop(sections.remove(&tid)),
            Entry::Idle(tid) => self.idle.extend(current.get(&tid)),
            Entry::Post { tid, .. } => self.note_section(sections.get_mut(&tid)),
            Entry::Operation(ref action) if !action.is_environment() => {
                self.note_section(sections.get_mut(&action.tid()));
            }
            Entry::Operation(_) => {}
        }
    }

    fn note_section(&mut self, section: Option<&mut bool>) {
        if let Some(seen @ false) = section {
            *seen = true;
            self.native_sections += 1;
        }
    }
}

/// Where numbers begin that no thread of the log has, one for each of its entries: behind all that are in use,
/// or else in the first gap that is wide enough.
fn free_numbers(log: &Log) -> u32 {
    let mut used = BTreeSet::from([0]);
    for (_, entry) in log {
        used.insert(entry.tid().0);
        if let Entry::Operation(
            Action::Fork { child: tid, .. } | Action::Notify { notified: tid, .. },
        ) = entry
        {
            used.insert(tid.0);
        }
    }
    let needed = u32::try_from(log.len()).unwrap_or(u32::MAX);
    let fits = |after: u32, end: u32| end - after > needed;
    let last = used.last().copied().unwrap_or(0);
    if fits(last, u32::MAX) {
        return last + 1;
    }
    let gaps = used.iter().zip(used.iter().skip(1));
    gaps.map(|(&after, &end)| (after, end))
        .find(|&(after, end)| fits(after, end))
        .map_or(last, |(after, _)| after + 1)
}
