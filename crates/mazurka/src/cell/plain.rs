//! The event of an access of plain memory.

use crate::runtime::context::{Presence, announce, learn, must_be_alive, presence, with};
use crate::runtime::identity::Identity;
use crate::runtime::knowledge::Fact;
use crate::runtime::state::Source;
use mazurka_engine::{Access, FailureKind, Fault, Mode, Operation};

/// Announces and performs an access of the memory that this identity stands for.
pub(super) fn touch(identity: &Identity, kind: &'static str, writes: bool, source: Source) {
    if presence() != Presence::Task {
        return;
    }
    learn(Fact::PlainMemory);
    let object = identity.find(kind, || 0).id;
    let mode = if writes { Mode::Write } else { Mode::Read };
    announce(Operation::Access(object, mode), source);
    must_be_alive(object);
    with(|state| {
        state.access(Access { object, mode, read: 0, written: 0 }, None);
        state.performed.plain = true;
        let (task, names, labels) = (state.current, &state.task_names, &state.labels);
        let name = |task: mazurka_engine::TaskId| match &labels[task.index()] {
            Some(label) => label.to_string(),
            None => names.path(task, &|_| "main".to_owned()),
        };
        let race = state
            .clocks
            .as_mut()
            .and_then(|clocks| clocks.plain(task, object, writes, source, &name));
        if let Some(message) = race {
            let location = Some(source.to_string());
            state.performed.faults.push(Fault::new(FailureKind::DataRace, message, location));
        }
    });
}
