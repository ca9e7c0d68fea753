//! Catching a panic of the engine, with its place, and without noise on the terminal.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// `None` while panics of this thread are nobody's business here; else what the last one said.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// What `work` returns, or the message and place of its panic.
pub fn catching<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    HOOK.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            if !record(info) {
                previous(info);
            }
        }));
    });
    CAUGHT.set(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(work));
    let message = CAUGHT.take().unwrap_or_default();
    result.map_err(|_| message)
}

fn record(info: &PanicHookInfo<'_>) -> bool {
    CAUGHT.with_borrow_mut(|caught| {
        if let Some(message) = caught {
            *message = info.to_string();
        }
        caught.is_some()
    })
}
