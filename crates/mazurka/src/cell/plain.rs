//! The events of accesses of plain memory.
#![expect(unsafe_code, reason = "values are shown in reports")]

use crate::runtime::context::{
    Presence, announce, bytes_of, is_waiting, learn, must_be_alive, presence, with, without_slab,
};
use crate::runtime::identity::Identity;
use crate::runtime::knowledge::Fact;
use crate::runtime::state::{Number, Source};
use mazurka_engine::{Access, FailureKind, Fault, Mode, ObjectId, Operation};

/// Announces and performs an access of the memory that this identity stands for.
pub(super) fn touch(identity: &Identity, kind: &'static str, writes: bool, source: Source) {
    if let Some(object) = announced(identity, kind, writes, source) {
        let mode = if writes { Mode::Write } else { Mode::Read };
        with(|state| state.access(Access { object, mode, read: 0, written: 0 }, None));
        performed(object, writes, source);
    }
}

/// As [`touch`], of code that reads the value.
pub(super) fn read<T: ?Sized>(
    identity: &Identity,
    kind: &'static str,
    value: *const T,
    source: Source,
) {
    if let Some(object) = announced(identity, kind, false, source) {
        let number = number(value);
        with(|state| state.plain_read(object, number));
        performed(object, false, source);
    }
}

/// As [`touch`], of code that may write the value. A loop that waits may write what is there already.
pub(super) fn write<T: ?Sized, R>(
    identity: &Identity,
    kind: &'static str,
    value: *const T,
    source: Source,
    code: impl FnOnce() -> R,
) -> R {
    let Some(object) = announced(identity, kind, true, source) else { return code() };
    let before = is_waiting().then(|| bytes_of(value));
    with(|state| state.plain_write_begins(object, before));
    performed(object, true, source);
    let result = code();
    if let Some(number) = number(value) {
        with(|state| state.plain_written(object, number));
    }
    if let Some(before) = before {
        let after = bytes_of(value);
        with(|state| state.plain_write_ends(object, before, after));
    }
    result
}

/// What a report shows of a value: a number, if it is one.
fn number<T: ?Sized>(value: *const T) -> Option<Number> {
    macro_rules! of_types {
        ($($name:literal $type:ty),*) => {
            match std::any::type_name::<T>() {
                // SAFETY: this is its type, and the pointer is that of the cell, which is alive.
                $($name => Some(unsafe { value.cast::<$type>().read_volatile() } as i64),)*
                _ => None,
            }
        };
    }
    let value = of_types!(
        "bool" u8, "char" u32, "i8" i8, "u8" u8, "i16" i16, "u16" u16, "i32" i32, "u32" u32, "i64" i64, "u64" u64,
        "isize" isize, "usize" usize
    )?;
    let comparable = !matches!(std::any::type_name::<T>(), "isize" | "usize");
    Some(Number { value: without_slab(value), comparable })
}

/// Announces an access; the object, unless this is no checked code.
fn announced(
    identity: &Identity,
    kind: &'static str,
    writes: bool,
    source: Source,
) -> Option<ObjectId> {
    if presence() != Presence::Task {
        return None;
    }
    learn(Fact::PlainMemory);
    let object = identity.find(kind, || 0).id;
    let mode = if writes { Mode::Write } else { Mode::Read };
    announce(Operation::Access(object, mode), source);
    must_be_alive(object);
    Some(object)
}

/// The access has been made: is it a data race?
fn performed(object: ObjectId, writes: bool, source: Source) {
    with(|state| {
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
