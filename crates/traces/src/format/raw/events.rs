//! Keeps one ENABLE-EVENT for each TRIGGER-EVENT: the last one before the user's post. A log has one for
//! every view that is drawn.

use crate::action::{Action, MessageId, PostKind};
use crate::trace::Recorded;
use rustc_hash::{FxHashMap, FxHashSet};

/// Drops the others.
pub(super) fn keep_triggered(operations: &mut Vec<Recorded>) {
    let mut enabled: FxHashMap<(i64, i64), Vec<usize>> = FxHashMap::default();
    let mut posted: FxHashMap<MessageId, usize> = FxHashMap::default();
    let mut current = FxHashMap::default();
    let mut kept = FxHashSet::default();
    for (position, recorded) in operations.iter().enumerate() {
        match recorded.action {
            Action::EnableEvent { view, event, .. } => {
                enabled.entry((view, event)).or_default().push(position)
            }
            Action::Post { origin: PostKind::User, message, .. } => {
                posted.insert(message, position);
            }
            Action::Call { tid, message } => drop(current.insert(tid, message)),
            Action::Return { tid, .. } => drop(current.remove(&tid)),
            Action::TriggerEvent { tid, view, event } => {
                let limit = current.get(&tid).and_then(|message| posted.get(message)).copied();
                let candidates = enabled.get(&(view, event)).map_or(&[][..], Vec::as_slice);
                let before = candidates.partition_point(|&at| at < limit.unwrap_or(position));
                kept.extend(before.checked_sub(1).map(|at| candidates[at]));
            }
            _ => {}
        }
    }
    let mut position = 0;
    operations.retain(|recorded| {
        position += 1;
        !matches!(recorded.action, Action::EnableEvent { .. }) || kept.contains(&(position - 1))
    });
}
