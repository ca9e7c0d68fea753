//! Panics of checked code: noted quietly with their place, told when the failure is reported.

use super::context::{self, try_with};
use super::overflow;
use super::state::PanicNote;
use mazurka_engine::FailureKind;
use std::any::Any;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind};
use std::sync::Once;

static HOOK: Once = Once::new();

/// Puts a hook before the process's panic hook that keeps panics of checked code quiet.
pub(crate) fn install_hook() {
    overflow::install();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !note(info) {
                before(info);
            }
        }));
    });
}

/// What `core` says before it ends the process because a destructor panicked during unwinding.
const MUST_ABORT: &str = "panic in a destructor during cleanup";

/// Notes a panic of checked code; `false` if it is somebody else's.
fn note(info: &PanicHookInfo<'_>) -> bool {
    if info.payload().is::<Forgiven>() {
        uncount();
        return true;
    }
    let message = message_of(info.payload());
    if message == MUST_ABORT {
        context::lose_task(std::ptr::from_ref(info) as usize);
    }
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let noted = try_with(|state| {
        let current = state.current;
        if let Some(Some(task)) = state.tasks.get_mut(current.index()) {
            task.panic = Some(PanicNote { message, location });
        }
        state.panicked = true;
    });
    noted.is_some()
}

/// The payload of a panic that makes good another one.
struct Forgiven;

/// Takes one panic of the OS thread's count, inside of a panic hook: there `std` does not count the panic that is
/// raised here, but it does count that it is caught, and that the hook is over.
fn uncount() {
    drop(catch_unwind(|| resume_unwind(Box::new(Forgiven))));
}

/// A task was lost ([`context::lose_task`]): the panics on its stack never end, so `std` counts them for this OS thread
/// for ever, and holds that it is in a panic hook. Makes both good.
pub(crate) fn forgive() {
    // The one for which `core` would end the process, in whose hook the task was suspended.
    uncount();
    // What unwound the task, and what its destructor panicked with.
    forgive_one();
    forgive_one();
}

/// A panic on a stack that is forgotten never ends, so `std` counts it for this OS thread for ever. Makes that good.
pub(crate) fn forgive_one() {
    drop(catch_unwind(|| std::panic::panic_any(Forgiven)));
}

/// The words of a panic.
pub(crate) fn message_of(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&'static str>(), payload.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (_, Some(message)) => message.clone(),
        _ => "a panic whose payload is not a string".to_owned(),
    }
}

/// Runs the code of a task. A panic that comes out is a failure of the checked program (unless the
/// builder says otherwise) and the result.
pub(crate) fn run_task<T>(code: impl FnOnce() -> T) -> std::thread::Result<T> {
    let result = catch_unwind(AssertUnwindSafe(code));
    if let Err(payload) = &result {
        tell(&**payload);
    }
    result
}

fn tell(payload: &(dyn Any + Send)) {
    let Some((note, fails)) =
        try_with(|state| (state.current_task().panic.take(), state.settings.panics_fail))
    else {
        return;
    };
    if fails {
        let message = message_of(payload);
        // The hook's note is of the last panic; an earlier one that was caught and raised again has
        // no place of its own any more.
        let location = note.filter(|note| note.message == message).map(|note| note.location);
        context::report(FailureKind::Assertion, message, location);
    }
}
