//! Ctrl-C: the first one asks the explorations to end, the second one kills.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// What shells report of a program that SIGINT ended.
const KILLED_BY_INTERRUPT: i32 = 130;

/// The flag that the first Ctrl-C sets, the same for all explorations. Where no handler can be installed, Ctrl-C kills
/// at once, as it does with every other program.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    Arc::clone(FLAG.get_or_init(installed))
}

fn installed() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let pressed = Arc::clone(&flag);
    let _ = ctrlc::set_handler(move || {
        if pressed.swap(true, Ordering::Relaxed) {
            std::process::exit(KILLED_BY_INTERRUPT);
        }
    });
    flag
}
