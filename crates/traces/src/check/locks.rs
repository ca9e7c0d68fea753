//! Who holds which lock in the recorded order.

use crate::action::ThreadId;
use crate::error::Reason;
use rustc_hash::FxHashMap;

struct Holder {
    tid: ThreadId,
    depth: u32,
    since: u32,
}

/// The locks that are held.
#[derive(Default)]
pub(super) struct Locks {
    held: FxHashMap<u64, Holder>,
}

impl Locks {
    /// Takes a lock; says whether it was held already, by the same thread.
    pub(super) fn lock(&mut self, object: u64, tid: ThreadId, line: u32) -> Result<bool, Reason> {
        let holder = self.held.entry(object).or_insert(Holder { tid, depth: 0, since: line });
        if holder.tid != tid {
            return Err(Reason::LockHeld { object, tid, holder: holder.tid, since: holder.since });
        }
        holder.depth += 1;
        Ok(holder.depth > 1)
    }

    /// Gives a lock back; says whether it is still held.
    pub(super) fn unlock(&mut self, object: u64, tid: ThreadId) -> Result<bool, Reason> {
        let holder = self.held.get_mut(&object).filter(|holder| holder.tid == tid);
        let holder = holder.ok_or(Reason::NotHeld { object, tid })?;
        holder.depth -= 1;
        let inner = holder.depth > 0;
        if !inner {
            self.held.remove(&object);
        }
        Ok(inner)
    }

    /// Some lock that the thread holds, the smallest.
    pub(super) fn held_by(&self, tid: ThreadId) -> Option<u64> {
        self.held.iter().filter(|(_, holder)| holder.tid == tid).map(|(&object, _)| object).min()
    }

    /// The lock that has been held longest, and since which line.
    pub(super) fn oldest(&self) -> Option<(u64, u32)> {
        let held = self.held.iter().map(|(&object, holder)| (object, holder.since));
        held.min_by_key(|&(object, since)| (since, object))
    }
}
