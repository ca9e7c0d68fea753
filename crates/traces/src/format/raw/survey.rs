//! A first pass over a log: who handles what, which numbers are free, how many threads are to be made.

use super::lines::{Entry, Log};
use crate::action::{Action, MessageId, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What has to be known before the first operation is rewritten.
pub(super) struct Survey {
    /// Which thread handles a message.
    pub(super) called: FxHashMap<MessageId, ThreadId>,
    /// Messages that are idle handlers.
    pub(super) idle: FxHashSet<MessageId>,
    /// Threads that the application or the log knows by an own operation.
    pub(super) known: FxHashSet<ThreadId>,
    /// A number that no thread has, and nor has any after it.
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
        let mut sections: FxHashMap<ThreadId, bool> = FxHashMap::default();
        for (_, entry) in log {
            survey.note(entry, &mut current, &mut sections);
            match *entry {
                Entry::Operation(Action::ThreadInit { .. }) => {}
                Entry::Operation(ref action) => drop(active.insert(action.tid())),
                Entry::Post { tid, .. } | Entry::Idle(tid) => drop(active.insert(tid)),
            }
        }
        // DroidRacer starts a thread for the user's events first of all; it logs nothing of its own.
        let user = ThreadId(2);
        survey.user = (survey.known.contains(&user) && !active.contains(&user)).then_some(user);
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
                self.use_number(tid);
            }
            Entry::Operation(Action::Fork { child, .. }) => self.use_number(child),
            Entry::Operation(Action::Call { tid, message }) => {
                self.called.entry(message).or_insert(tid);
                current.insert(tid, message);
            }
            Entry::Operation(Action::NativeEntry { tid }) => {
                sections.insert(tid, false);
                self.use_number(tid);
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

    fn use_number(&mut self, tid: ThreadId) {
        self.fresh = self.fresh.max(tid.0.saturating_add(1));
    }
}
