//! Semaphores of the runtime, on which stand-ins let tasks wait.

use crate::runtime::context::{announce, performed, with};
use crate::runtime::names::{ObjectInfo, Owner};
use crate::runtime::state::Source;
use mazurka_engine::{Mode, ObjectId, Operation};

/// A new semaphore (or plain variable) of the running task.
pub(crate) fn new_object(kind: &'static str, source: Source) -> ObjectId {
    with(|state| state.new_object(ObjectInfo::of_runtime(kind, source)))
}

/// A new semaphore of a stand-in that the user makes here.
pub(crate) fn new_part(kind: &'static str, permits: u32, source: Source) -> ObjectId {
    let info = ObjectInfo { kind, made_at: source, permits, owner: Owner::StandIn };
    with(|state| state.new_object(info))
}

/// A new semaphore on which the running task waits for something of another object.
pub(crate) fn new_waiting(awaited: ObjectId, source: Source) -> ObjectId {
    let owner = Owner::Waiting(awaited);
    let info = ObjectInfo { kind: "waiting for", made_at: source, permits: 0, owner };
    with(|state| state.new_object(info))
}

/// What the current operation does, in the words of a report: `notify ready`.
pub(crate) fn say(words: &'static str, object: ObjectId) {
    with(|state| state.performed.said = Some((words, object)));
}

/// Adds a permit, as an event.
pub(crate) fn signal(semaphore: ObjectId, source: Source) {
    access(semaphore, Mode::Signal, source, || ());
}

/// Waits for a permit and takes it, as an event.
pub(crate) fn wait(semaphore: ObjectId, source: Source) {
    access(semaphore, Mode::Wait, source, || ());
}

/// One event that accesses one object in a mode known beforehand.
pub(crate) fn access<R>(
    object: ObjectId,
    mode: Mode,
    source: Source,
    perform: impl FnOnce() -> R,
) -> R {
    announce(Operation::Access(object, mode), source);
    let result = perform();
    performed(object, mode, 0, 0);
    result
}

/// One event that accesses one object in a mode that shows when it is performed.
pub(crate) fn attempt<R>(
    object: ObjectId,
    announced: Mode,
    source: Source,
    perform: impl FnOnce() -> (R, Mode),
) -> R {
    announce(Operation::Access(object, announced), source);
    let (result, mode) = perform();
    with(|state| state.performed.data_dependent = true);
    performed(object, mode, 0, 0);
    result
}

/// May a wait of the running task that has a time-out still time out in this execution? Each that does is
/// counted: a task times out only so often, so that a loop around a timed wait ends.
pub(crate) fn may_time_out() -> bool {
    with(|state| {
        let bound = state.settings.timeout_bound;
        state.current_task().timeouts < bound
    })
}

/// The running task timed out.
pub(crate) fn timed_out() {
    with(|state| state.current_task().timeouts += 1);
}
