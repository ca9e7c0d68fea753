//! Smaller traces that are still well-formed: by leaving out threads, messages, pairs of lock operations,
//! single operations and dependences.

use crate::action::{Action, MessageId, ThreadId};
use crate::check::{self, TaskKind};
use crate::trace::RecordedTrace;
use rustc_hash::FxHashSet;

/// Leaves out as much as it can while `fails` says that the rest still shows the problem. The trace itself
/// must be well-formed and fail. Whatever is asked about is well-formed.
pub fn shrink(
    trace: &RecordedTrace,
    mut fails: impl FnMut(&RecordedTrace) -> bool,
) -> RecordedTrace {
    let mut smallest = trace.clone();
    loop {
        let next = smaller(&smallest).find(&mut fails);
        match next {
            Some(next) => smallest = next,
            None => return smallest,
        }
    }
}

/// Well-formed traces with a little less in them, those with the least first.
pub fn smaller(trace: &RecordedTrace) -> impl Iterator<Item = RecordedTrace> + '_ {
    let mut groups = groups(trace);
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let fewer_operations = groups.into_iter().map(move |group| without(trace, &group));
    let fewer_edges = (0..trace.dependences.len()).map(move |edge| {
        let mut less = trace.clone();
        less.dependences.remove(edge);
        less
    });
    fewer_operations.chain(fewer_edges).filter(|less| check::check(less).is_ok())
}

fn without(trace: &RecordedTrace, group: &FxHashSet<usize>) -> RecordedTrace {
    let kept =
        trace.operations.iter().enumerate().filter(|(position, _)| !group.contains(position));
    let operations: Vec<_> = kept.map(|(_, recorded)| recorded.clone()).collect();
    let indexes: FxHashSet<u32> = operations.iter().map(|recorded| recorded.index).collect();
    let dependences = trace.dependences.iter().copied();
    let dependences = dependences
        .filter(|edge| indexes.contains(&edge.source) && indexes.contains(&edge.destination));
    RecordedTrace {
        name: trace.name.clone(),
        dependence_name: trace.dependence_name.clone(),
        dependences: dependences.collect(),
        operations,
        names: trace.names.clone(),
    }
}

/// Sets of operations that can be expected to go together.
fn groups(trace: &RecordedTrace) -> Vec<FxHashSet<usize>> {
    let Ok(checked) = check::check(trace) else {
        return Vec::new();
    };
    let tasks = checked.tasks.iter().map(|task| match task.kind {
        TaskKind::Thread(tid) => Removal::of(trace, |removal| {
            removal.threads.insert(tid);
        }),
        TaskKind::Message(message, _) => Removal::of(trace, |removal| {
            removal.messages.insert(message);
        }),
    });
    let mut groups: Vec<FxHashSet<usize>> = tasks.collect();
    for task in &checked.tasks {
        for (at, &position) in task.operations.iter().enumerate() {
            groups.push(FxHashSet::from_iter([position]));
            groups.extend(lock_pair(trace, &task.operations[at..]));
        }
    }
    groups
}

/// A LOCK at the front, with the UNLOCK that belongs to it.
fn lock_pair(trace: &RecordedTrace, operations: &[usize]) -> Option<FxHashSet<usize>> {
    let Action::Lock { object, .. } = trace.operations[*operations.first()?].action else {
        return None;
    };
    let mut depth = 0;
    for &position in operations {
        match trace.operations[position].action {
            Action::Lock { object: other, .. } if other == object => depth += 1,
            Action::Unlock { object: other, .. } if other == object => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(FxHashSet::from_iter([operations[0], position]));
        }
    }
    None
}

/// What has to go if a thread or message goes: all that it starts, and all that it handles.
#[derive(Default)]
struct Removal {
    threads: FxHashSet<ThreadId>,
    messages: FxHashSet<MessageId>,
    operations: FxHashSet<usize>,
}

impl Removal {
    /// In the recorded order creation comes before what is created, so one pass finds everything. What still
    /// does not fit then is no candidate.
    fn of(trace: &RecordedTrace, begin: impl FnOnce(&mut Removal)) -> FxHashSet<usize> {
        let mut removal = Removal::default();
        begin(&mut removal);
        let mut running = rustc_hash::FxHashMap::default();
        for (position, recorded) in trace.operations.iter().enumerate() {
            let tid = recorded.action.tid();
            if let Action::Call { message, .. } = recorded.action {
                running.insert(tid, message);
            }
            if removal.takes(&recorded.action, running.get(&tid)) {
                removal.operations.insert(position);
            }
            if let Action::Return { .. } = recorded.action {
                running.remove(&tid);
            }
        }
        removal.operations
    }

    fn takes(&mut self, action: &Action, running: Option<&MessageId>) -> bool {
        let own = self.threads.contains(&action.tid())
            || running.is_some_and(|message| self.messages.contains(message));
        match *action {
            Action::Fork { child, .. } if own => drop(self.threads.insert(child)),
            Action::Fork { child, .. } => return self.threads.contains(&child),
            Action::Notify { notified, .. } => return own || self.threads.contains(&notified),
            Action::Post { message, destination, .. } => {
                let gone =
                    own || self.messages.contains(&message) || self.threads.contains(&destination);
                if gone {
                    self.messages.insert(message);
                }
                return gone;
            }
            _ => {}
        }
        own
    }
}
